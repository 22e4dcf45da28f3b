package tensor

import (
	"strconv"

	"github.com/lanecast/lanecast/asm"
)

// Float16 is an IEEE 754 binary16: 11 significant bits, up to 65504 and down to
// 2⁻²⁴. BFloat16 is the upper half of a float32: 8 significant bits and the same
// range.
//
// Both are their bits, stored and moved as such. Operations compute in float32,
// [FMA] and [Hypot] in float64, and round the result, once, to the nearest 16-bit
// float, ties to even; too large a result is an infinity. That is the exact
// result rounded once for the operations of IEEE 754, which are Add, Sub, Mul,
// Div, Sqrt and FMA.
//
// Go has no arithmetic on them: a + b adds the bits, which means nothing.
// Constants are bits too: Float16(1) is 2⁻²⁴, ToFloat16(1) is 1. At and Set of a
// tensor give and take the type itself, which prints as the number it is;
// [Tensor.AtFloat32] and [Tensor.SetFloat32] convert on the way, and [Cast]
// converts whole tensors.
type (
	Float16  uint16
	BFloat16 uint16
)

// ToFloat16 rounds v to the nearest Float16, ties to even. Numbers from 65520
// on become an infinity, a NaN one with the same sign and, as far as they fit,
// payload.
func ToFloat16(v float32) Float16 { return Float16(asm.Float16bits(float64(v))) }

// ToBFloat16 is [ToFloat16] for BFloat16.
func ToBFloat16(v float32) BFloat16 { return BFloat16(asm.BFloat16bits(float64(v))) }

// Float32 returns the value of h, which is exact.
func (h Float16) Float32() float32 { return asm.Float16frombits(uint16(h)) }

// Float32 returns the value of h, which is exact.
func (h BFloat16) Float32() float32 { return asm.BFloat16frombits(uint16(h)) }

// String formats the value as a float32 in as few digits as tell it from its
// neighbours there.
func (h Float16) String() string { return formatHalf(h.Float32()) }

// String is that of [Float16].
func (h BFloat16) String() string { return formatHalf(h.Float32()) }

func formatHalf(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// AtFloat32 is [Tensor.At] with the element converted to float32 as by [Cast],
// but for a signalling NaN, which always becomes a quiet one. That of a [Float16]
// or [BFloat16] is exact.
func (t *Tensor[T]) AtFloat32(index ...int) float32 {
	switch v := any(t.At(index...)).(type) {
	case int64: // float64 would round it a first time
		return float32(v)
	case uint64:
		return float32(v)
	case bool:
		if v {
			return 1
		}
		return 0
	default:
		return float32(toFloat64(v.(T)))
	}
}

// SetFloat32 is [Tensor.Set] with the value converted from float32 as by
// [Cast], but for a signalling NaN, which always becomes a quiet one: a 16-bit
// float is rounded to nearest even, an integer truncated and limited to its range.
func (t *Tensor[T]) SetFloat32(value float32, index ...int) {
	t.Set(fromFloat64[T](float64(value)), index...)
}

// toFloat64 converts a number. All but large 64-bit integers are exact.
func toFloat64[T Element](v T) float64 {
	switch v := any(v).(type) {
	case float32:
		return float64(v)
	case float64:
		return v
	case int8:
		return float64(v)
	case int16:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case uint8:
		return float64(v)
	case uint16:
		return float64(v)
	case uint32:
		return float64(v)
	case uint64:
		return float64(v)
	case Float16:
		return float64(v.Float32())
	case BFloat16:
		return float64(v.Float32())
	}
	return 0
}

// fromFloat64 converts as [Cast] does.
func fromFloat64[T Element](v float64) (to T) {
	switch p := any(&to).(type) {
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	case *int8:
		*p = asm.Saturate[int8](v)
	case *int16:
		*p = asm.Saturate[int16](v)
	case *int32:
		*p = asm.Saturate[int32](v)
	case *int64:
		*p = asm.Saturate[int64](v)
	case *uint8:
		*p = asm.Saturate[uint8](v)
	case *uint16:
		*p = asm.Saturate[uint16](v)
	case *uint32:
		*p = asm.Saturate[uint32](v)
	case *uint64:
		*p = asm.Saturate[uint64](v)
	case *bool:
		*p = v != 0
	case *Float16:
		*p = Float16(asm.Float16bits(v))
	case *BFloat16:
		*p = BFloat16(asm.BFloat16bits(v))
	}
	return to
}
