package asm

import (
	"math"
	"math/bits"
	"runtime"
)

// What Go's kernels call. The results are those of the kernels in assembly on
// the same machine, NaNs included.

type float interface{ float32 | float64 }

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// fma32 is x·y + z, rounded once. The product is exact as a float64. Its sum
// with z is rounded to odd, which a second rounding to fewer bits does not see.
func fma32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	if s != s {
		return fusedNaN(float32(s), x, y, z)
	}
	t := s - p
	e := (p - (s - t)) + (c - t) // what s lacks; a NaN if s is infinite
	if b := math.Float64bits(s); b&1 == 0 && (e < 0 || e > 0) {
		if e > 0 == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// fma64 is x·y + z, rounded once.
func fma64(x, y, z float64) float64 {
	s := math.FMA(x, y, z)
	if s != s {
		return fusedNaN(s, x, y, z)
	}
	return s
}

// fusedNaN is the NaN of x·y + z, which is s if none of the three is one. Arm
// looks at z before x and y, but at signalling ones first, and prefers the NaN
// of 0 times infinity to a quiet z.
func fusedNaN[T float](s, x, y, z T) T {
	if runtime.GOARCH != "arm64" {
		return firstNaN(s, x, y, z)
	}
	for _, v := range [...]T{z, x, y} {
		if v != v && signalling(v) {
			return v + v
		}
	}
	if p := T(x * y); p != p && x == x && y == y {
		return p
	}
	return firstNaN(s, z, x, y)
}

func firstNaN[T float](s, x, y, z T) T {
	for _, v := range [...]T{x, y, z} {
		if v != v {
			return v + v
		}
	}
	return s
}

// The next four are in the order of math's names for them.

func ceil[T float](x T) T {
	if x != x {
		return x + x
	}
	return T(math.Ceil(float64(x)))
}

func floor[T float](x T) T {
	if x != x {
		return x + x
	}
	return T(math.Floor(float64(x)))
}

func round[T float](x T) T {
	if x != x {
		return x + x
	}
	return T(math.RoundToEven(float64(x)))
}

func trunc[T float](x T) T {
	if x != x {
		return x + x
	}
	return T(math.Trunc(float64(x)))
}

// rsqrt32 is 1/√x, correctly rounded: no float32 is so close to the middle of
// two results that the roundings of float64 matter.
func rsqrt32(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// fmod is x - y·trunc(x/y), exactly.
func fmod[T float](x, y T) T {
	if x != x || y != y || x-x != 0 || y == 0 {
		z := T(x * y)
		return nan(z/z, x, y) // of 0/0 or ∞/∞, unless x or y is a NaN
	}
	return T(fmod64(float64(x), float64(y)))
}

// fmod64 is fmod of a finite x and a y that is not 0: a long division of the
// significands.
func fmod64(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	switch {
	case a < b:
		return x
	case a < b*(1<<20): // a rounded quotient is off by one at most
		r := math.FMA(-math.Trunc(a/b), b, a)
		if r < 0 {
			r += b
		}
		return math.Copysign(r, x)
	}
	m, e := split(a)
	n, f := split(b)
	r := m % n
	for k := e - f; k > 0; k -= 64 {
		_, r = bits.Div64(r>>(64-min(k, 64)), r<<min(k, 64), n)
	}
	return math.Copysign(join(r, f), x)
}

// split returns m and e where x = m·2^e; x is positive and finite.
func split(x float64) (m uint64, e int) {
	b := math.Float64bits(x)
	m, e = b&(1<<52-1), int(b>>52)
	if e == 0 {
		return m, 1 // subnormal
	}
	return m | 1<<52, e
}

// join is the inverse of split for m < 2⁵³ where m·2^e is a float64.
func join(m uint64, e int) float64 {
	if m == 0 {
		return 0
	}
	if k := min(bits.LeadingZeros64(m)-11, e-1); k > 0 {
		m, e = m<<k, e-k
	}
	if m < 1<<52 {
		return math.Float64frombits(m)
	}
	return math.Float64frombits(m&(1<<52-1) | uint64(e)<<52)
}

// floorDiv and remainder are NumPy's divmod, rounded to T at each step.
func floorDiv[T float](x, y T) T {
	q := T(x / y)
	if x != x || y != y {
		return nan(q, x, y)
	}
	if y == 0 {
		return q
	}
	r := fmod(x, y)
	d := T(x-r) / y
	if r != 0 && r < 0 != (y < 0) {
		d -= 1
	}
	if d == 0 {
		return T(math.Copysign(0, float64(q)))
	}
	w := floor(d)
	if d-w > 0.5 {
		w += 1
	}
	return w
}

func remainder[T float](x, y T) T {
	r := fmod(x, y)
	switch {
	case r == 0:
		return T(math.Copysign(0, float64(y)))
	case r < 0 != (y < 0) && r == r:
		r += y
	}
	return r
}

// quotient truncates; it is 0 if y is, as all that follow.
func quotient[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

func truncRemainder[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x % y
}

func floorQuotient[T integer](x, y T) T {
	q := quotient(x, y)
	if y != 0 && x^y < 0 && q*y != x { // of different signs
		q--
	}
	return q
}

func floorRemainder[T integer](x, y T) T {
	r := truncRemainder(x, y)
	if r != 0 && r^y < 0 {
		r += y
	}
	return r
}

// power is x to the power of y, or 1 if y is negative.
func power[T integer](x, y T) T {
	z := T(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			z *= x
		}
		x *= x
	}
	return z
}
