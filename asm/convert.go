package asm

import (
	"math"
	"unsafe"
)

// Float16bits rounds x to IEEE 754's binary16, to nearest even, and returns the
// bits. What is too large becomes an infinity, a NaN a quiet one with the sign
// and the upper bits of its payload.
func Float16bits(x float64) uint16 { return round16(x, 10, -14) }

// BFloat16bits is [Float16bits] for bfloat16, the upper half of a float32.
func BFloat16bits(x float64) uint16 { return round16(x, 7, -126) }

// round16 rounds to a format of fraction bits and a smallest exponent of normal
// numbers; its largest is as far above 0 as that is below 1.
func round16(x float64, fraction, smallest int) uint16 {
	bits := math.Float64bits(x)
	sign := uint16(bits>>48) & 0x8000
	exponent := int(bits>>52&0x7ff) - 1023
	significand := bits&(1<<52-1) | 1<<52
	infinity := uint16(0x7fff) >> fraction << fraction
	switch {
	case x != x:
		return sign | infinity | 1<<(fraction-1) | uint16(bits>>(52-fraction))&(1<<fraction-1)
	case exponent > 1-smallest:
		return sign | infinity
	}
	dropped := 52 - fraction
	if exponent < smallest { // subnormal
		dropped = min(dropped+smallest-exponent, 63)
		exponent = smallest
	}
	// The bit before the fraction, if set, adds one to the exponent; so does a
	// fraction that overflows.
	r := uint16(significand>>dropped) + uint16(exponent-smallest)<<fraction
	half := uint64(1) << (dropped - 1)
	if rest := significand & (2*half - 1); rest > half || rest == half && r&1 != 0 {
		r++
	}
	return sign | r
}

// Float16frombits returns the value of a binary16. A NaN becomes a quiet one
// with the same sign and payload.
func Float16frombits(h uint16) float32 {
	sign := uint32(h) << 16 & 0x80000000
	exponent, fraction := uint32(h)>>10&31, uint32(h)&1023
	switch {
	case exponent == 31 && fraction != 0:
		return math.Float32frombits(sign | 0x7fc00000 | fraction<<13)
	case exponent == 31:
		return math.Float32frombits(sign | 0x7f800000)
	case exponent == 0: // subnormal: a multiple of 2⁻²⁴
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// BFloat16frombits returns the value of a bfloat16.
func BFloat16frombits(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// Saturate returns x without its fraction, the nearest number of the type if
// there is none, and 0 for NaN.
func Saturate[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](x float64) T {
	var largest, smallest T = ^T(0), 0
	if largest < 0 {
		smallest = T(1) << (8*unsafe.Sizeof(largest) - 1)
		largest ^= smallest
	}
	switch {
	case x != x:
		return 0
	case x >= float64(largest): // which may have been rounded up, out of the type
		return largest
	case x <= float64(smallest):
		return smallest
	}
	return T(x)
}
