package lane

import "math"

const (
	FMA Op = "fma" // x·y + z, rounded once

	// To whole numbers; Round takes ties to even.
	Floor Op = "floor"
	Ceil  Op = "ceil"
	Trunc Op = "trunc"
	Round Op = "round"

	// Div of integers truncates. By zero, quotients and remainders of integers
	// are 0.
	FloorDiv  Op = "floordiv"
	Remainder Op = "remainder" // of FloorDiv
	FMod      Op = "fmod"      // of Div
	Pow       Op = "pow"       // of integers: 1 if the exponent is negative

	FMax  Op = "fmax" // ignores NaN
	FMin  Op = "fmin"
	Hypot Op = "hypot"
	Rsqrt Op = "rsqrt"
	Relu  Op = "relu"
)

func (b *B) FMA(x, y, z V) V    { return b.Do(FMA, 0, x, y, z) }
func (b *B) Floor(x V) V        { return b.Do(Floor, 0, x) }
func (b *B) Ceil(x V) V         { return b.Do(Ceil, 0, x) }
func (b *B) Trunc(x V) V        { return b.Do(Trunc, 0, x) }
func (b *B) Round(x V) V        { return b.Do(Round, 0, x) }
func (b *B) FloorDiv(x, y V) V  { return b.Do(FloorDiv, 0, x, y) }
func (b *B) Remainder(x, y V) V { return b.Do(Remainder, 0, x, y) }
func (b *B) FMod(x, y V) V      { return b.Do(FMod, 0, x, y) }
func (b *B) Pow(x, y V) V       { return b.Do(Pow, 0, x, y) }
func (b *B) FMax(x, y V) V      { return b.Do(FMax, 0, x, y) }
func (b *B) FMin(x, y V) V      { return b.Do(FMin, 0, x, y) }
func (b *B) Hypot(x, y V) V     { return b.Do(Hypot, 0, x, y) }
func (b *B) Rsqrt(x V) V        { return b.Do(Rsqrt, 0, x) }
func (b *B) Relu(x V) V         { return b.Do(Relu, 0, x) }

// Number is the constant v of a floating-point type, which it is exact in, or of
// an integer one.
func (b *B) Number(t Type, v float64) V {
	switch t {
	case F32:
		return b.Bits(t, uint64(math.Float32bits(float32(v))))
	case F64:
		return b.Bits(t, math.Float64bits(v))
	}
	return b.Bits(t, uint64(int64(v))&ones(t))
}

// Sign is 1, 0 or -1; of a NaN a NaN.
func (b *B) Sign(x V) V {
	t := x.Type
	one := b.Number(t, 1)
	switch t.Kind {
	case Signed:
		return b.Maximum(b.Minimum(x, one), b.Number(t, -1))
	case Unsigned:
		return b.Minimum(x, one)
	}
	zero := b.Number(t, 0)
	return b.Select(b.Lt(zero, x), one, b.Select(b.Lt(x, zero), b.Number(t, -1), b.Add(x, zero)))
}

// CopySign is the magnitude of x with the sign of y.
func (b *B) CopySign(x, y V) V {
	t := x.Type
	return b.Or(b.And(x, b.Bits(t, ones(t)&^Sign(t))), b.And(y, b.Bits(t, Sign(t))))
}

// AbsDiff is |x - y|.
func (b *B) AbsDiff(x, y V) V {
	if x.Type.Kind == Float {
		return b.Abs(b.Sub(x, y))
	}
	return b.Sub(b.Maximum(x, y), b.Minimum(x, y))
}

// calculating holds the meanings of this file's compound ops.
func calculating(op Op) Expand {
	switch op {
	case FMax, FMin:
		return func(b *B, a []V) V {
			x, y := a[0], a[1]
			u := b.Select(b.Ne(y, y), x, y)
			v := b.Select(b.Ne(x, x), y, x)
			if op == FMax {
				return b.Maximum(u, v) // of two NaNs x is first
			}
			return b.Minimum(u, v)
		}
	case Relu:
		return func(b *B, a []V) V {
			if a[0].Type.Kind == Unsigned {
				return a[0]
			}
			return b.Maximum(a[0], b.Number(a[0].Type, 0))
		}
	case Hypot:
		return hypot
	case Rsqrt:
		return rsqrt
	case Div, FloorDiv, Remainder, FMod:
		return func(b *B, a []V) V {
			if a[0].Type == F32 {
				return divmod(b, op, a[0], a[1])
			}
			return divide(b, op, a[0], a[1])
		}
	}
	return nil
}

// A scaling keeps squares from overflow and underflow. All are exponents of two:
// what is below low is multiplied by up, what is above high by down, and the
// result by the power that undoes it.
type scaling struct{ low, up, undoUp, high, down, undoDown int }

// of returns the two factors for x, which is not negative.
func (s scaling) of(b *B, x V) (scale, undo V) {
	t := x.Type
	power := func(n int) V { return b.Number(t, math.Ldexp(1, n)) }
	small, large := b.Lt(x, power(s.low)), b.Lt(power(s.high), x)
	scale = b.Select(small, power(s.up), b.Select(large, power(s.down), power(0)))
	undo = b.Select(small, power(s.undoUp), b.Select(large, power(s.undoDown), power(0)))
	return scale, undo
}

// hypot is √(h² + l²), where h is the larger magnitude and l the smaller, both
// scaled by a power of two, with h² not rounded before the sum.
func hypot(b *B, a []V) V {
	x, y, t := a[0], a[1], a[0].Type
	p, q := b.Abs(x), b.Abs(y)
	less := b.Lt(p, q)
	h, l := b.Select(less, q, p), b.Select(less, p, q)
	by := scaling{-50, 100, -100, 62, -66, 66}
	if t == F64 {
		by = scaling{-450, 700, -700, 510, -514, 514}
	}
	scale, undo := by.of(b, h)
	h, l = b.Mul(h, scale), b.Mul(l, scale)
	r := b.Mul(b.Sqrt(b.FMA(h, h, b.Mul(l, l))), undo)
	return b.special(x, y, r)
}

// special is r but where x or y is infinite or a NaN.
func (b *B) special(x, y, r V) V {
	inf := b.Number(x.Type, math.Inf(1))
	r = b.Select(b.Unord(x, y), b.Add(x, y), r)
	r = b.Select(b.Eq(b.Abs(x), inf), inf, r)
	return b.Select(b.Eq(b.Abs(y), inf), inf, r)
}

// rsqrt is 1/√x, correctly rounded.
//
// With x scaled to the middle of the range, y₁ is 1/√x and a correction, within
// half a unit and very little more. So the result is y₁ or its neighbour y₂ on
// the side where the rest of the correction points: y₂ if 1/√x is beyond their
// midpoint m, which is what the sign of x·m² - 1 says. As m² = y₁·y₂ + u², with
// u half the distance of the two, that is
//
//	x·p - 1 + x·e + x·u²  where  p + e = y₁·y₂ exactly.
//
// FMA rounds x·p - 1 only if that is so large that it outweighs the rest, and
// then adds x·e. The sum of the two is a multiple of a product of units of x, y₁
// and y₂. If it is as small as x·u², which may cancel it, it is so few of these
// that it is not rounded. So the sign is right, always. It is never 0: m has one
// bit more than a float.
func rsqrt(b *B, a []V) V {
	x, t := a[0], a[0].Type
	one := b.Number(t, 1)
	by, bits := scaling{-60, 64, 32, 60, -64, -32}, 24
	if t == F64 {
		by, bits = scaling{-500, 512, 256, 500, -512, -256}, 53
	}
	scale, undo := by.of(b, x)
	s := b.Mul(x, scale)
	y0 := b.Div(one, b.Sqrt(s))

	p := b.Mul(y0, y0)
	e := b.FMA(y0, y0, b.Neg(p))
	minusOne := b.Number(t, -1)
	r := b.FMA(s, e, b.FMA(s, p, minusOne))
	c := b.Mul(b.Mul(y0, b.Number(t, -0.5)), r)
	y1 := b.Add(y0, c)
	side := b.And(b.Add(b.Sub(y0, y1), c), b.Bits(t, Sign(t)))

	// 1.4 half units, or 0.7 of a unit: rounded, one.
	step := b.Or(side, b.Number(t, math.Ldexp(0.6875, 1-bits)))
	y2 := b.FMA(y1, step, y1)
	p = b.Mul(y1, y2)
	e = b.FMA(y1, y2, b.Neg(p))
	d := b.Sub(y2, y1)
	rest := b.Mul(b.Mul(b.Mul(d, d), b.Number(t, 0.25)), s)
	sum := b.Add(b.FMA(s, e, b.FMA(s, p, minusOne)), rest)
	beyond := b.Lt(b.Xor(sum, side), b.Number(t, 0))
	y := b.Mul(b.Select(beyond, y2, y1), undo)

	// Of 0, infinity, a negative number or a NaN y is a NaN, and y0 right.
	return b.Select(b.Ne(y, y), y0, y)
}

// fmod is the exact remainder of float32, with the sign of x, in float64. Each
// step takes the largest multiple of y away that 53 bits know: what is left is a
// multiple of y's unit, or smaller than x by 2⁵³, and so exact either way. A
// quotient that was rounded up leaves a little less than nothing.
func fmod(b *B, x, y V) V {
	// Any y above 2¹²⁸ leaves x, so infinity does not have to be one.
	large := b.Number(F64, 0x1p200)
	r, d := b.Abs(b.Convert(F64, x)), b.Abs(b.Convert(F64, y))
	d = b.Select(b.Lt(large, d), large, d)
	minus := b.Neg(d)
	for range 6 { // 2¹²⁸ by 2⁻¹⁴⁹ has a quotient of 277 bits
		r = b.FMA(b.Trunc(b.Div(r, d)), minus, r)
	}
	r = b.Select(b.Lt(r, b.Number(F64, 0)), b.Add(r, d), r)
	z := b.CopySign(b.Convert(F32, r), x)
	// Where that is a NaN x or y is one, or x is infinite, or y is 0. Then 0/0 is
	// the machine's NaN, or the operands' takes part.
	p := b.Mul(b.Add(x, y), b.Number(F32, 0))
	return b.Select(b.Ne(z, z), b.Div(p, p), z)
}

// divmod is NumPy's, each step rounded to float32.
func divmod(b *B, op Op, x, y V) V {
	q, r := b.Div(x, y), fmod(b, x, y)
	if op == FMod {
		return r
	}
	zero, sign := b.Number(F32, 0), b.Bits(F32, Sign(F32))
	exact := b.Eq(r, zero)
	differ := b.View(F32, b.Lt(b.View(I32, b.Xor(r, y)), b.Bits(I32, 0)))
	if op == Remainder {
		z := b.Select(exact, b.And(y, sign), b.Select(differ, b.Add(r, y), r))
		return b.Select(b.Ne(r, r), r, z)
	}
	d := b.Div(b.Sub(x, r), y)
	d = b.Select(exact, d, b.Select(differ, b.Sub(d, b.Number(F32, 1)), d))
	w := b.Floor(d)
	w = b.Select(b.Lt(b.Number(F32, 0.5), b.Sub(d, w)), b.Add(w, b.Number(F32, 1)), w)
	w = b.Select(b.Eq(d, zero), b.And(q, sign), w)
	w = b.Select(b.Eq(y, zero), q, w)
	return b.Select(b.Unord(x, y), q, w)
}

// divide takes integers apart into floats twice as wide or more, several of which
// fill a vector as one integer operand does. A quotient of such floats is on the
// same side of every whole number as the exact one, or on it only if that is.
//
// A float of 2²³ or 2⁵² and more has its integer in its low bits. That converts
// both ways, and wraps.
func divide(b *B, op Op, x, y V) V {
	t := x.Type
	f, magic := F32, 23
	switch {
	case !t.Integer() || t.Bytes == 8:
		panic("no lowering of " + string(op) + " for " + t.Name)
	case t.Bytes == 4:
		f, magic = F64, 52
	}
	word := f.As(Unsigned)
	n, width := f.Bytes/t.Bytes, t.Bits()
	mask := b.Bits(word, 1<<width-1)
	base := b.Number(f, math.Ldexp(1, magic)).Imm
	offset := math.Ldexp(1, magic)
	if t.Kind == Signed { // as an unsigned number, larger by half the range
		base |= Sign(t)
		offset += math.Ldexp(1, width-1)
	}
	part := func(v V, k int) V {
		v = b.View(word, v)
		if k > 0 {
			v = b.Shr(v, k*width)
		}
		if k < n-1 {
			v = b.And(v, mask)
		}
		return b.Sub(b.View(f, b.Xor(v, b.Bits(word, base))), b.Number(f, offset))
	}
	var all V
	for k := range n {
		x, y := part(x, k), part(y, k)
		q := b.Div(x, y)
		if op == Div || op == FMod {
			q = b.Trunc(q)
		} else {
			q = b.Floor(q)
		}
		if op == Remainder || op == FMod {
			q = b.Sub(x, b.Mul(q, y))
		}
		// Infinities and NaNs have no low bits.
		v := b.View(word, b.Add(q, b.Number(f, math.Ldexp(1.5, magic))))
		if k < n-1 {
			v = b.And(v, mask)
		}
		if k > 0 {
			v = b.Shl(v, k*width)
		}
		if all != nil {
			v = b.Or(all, v)
		}
		all = v
	}
	return b.View(t, all)
}
