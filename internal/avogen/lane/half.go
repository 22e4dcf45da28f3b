package lane

// halving holds the ops on 16-bit floats that computing in float32 and rounding
// the result would not do for.
func halving(op Op) Expand {
	switch op {
	case FMA:
		return fmaHalf
	case Hypot:
		return hypotHalf
	}
	return nil
}

// fmaHalf is x·y + z in float64. The product is exact. The sum is rounded to
// odd, so that the second rounding gives what a single one would have given:
// e is what the first one lost, and d is 1 if it rounded away from zero.
func fmaHalf(b *B, a []V) V {
	x, y, z := b.Convert(F64, a[0]), b.Convert(F64, a[1]), b.Convert(F64, a[2])
	p := b.Mul(x, y)
	s := b.Add(z, p)
	part := b.Sub(s, p)
	e := b.Add(b.Sub(p, b.Sub(s, part)), b.Sub(z, part))
	d := b.Shr(b.View(U64, b.Xor(s, e)), 63)
	odd := b.Or(b.Sub(b.View(U64, s), d), b.Bits(U64, 1))
	inexact := b.Lt(b.Float(F64, 0), b.Abs(e)) // not if the sum is infinite or a NaN
	r := b.Select(inexact, b.View(F64, odd), s)
	r = b.Select(b.Unord(x, y), p, r) // their NaN comes before that of z
	return b.Convert(a[0].Type, r)
}

// hypotHalf has the range for squares in float64. An infinite operand is
// stronger than a NaN.
func hypotHalf(b *B, a []V) V {
	x, y := b.Convert(F64, a[0]), b.Convert(F64, a[1])
	xx, yy := b.Mul(x, x), b.Mul(y, y)
	inf := b.Bits(F64, 0x7ff0000000000000)
	r := b.Sqrt(b.Add(xx, yy))
	r = b.Select(b.Eq(xx, inf), inf, r)
	r = b.Select(b.Eq(yy, inf), inf, r)
	return b.Convert(a[0].Type, r)
}
