package lane

// Bits is the constant of type t with these bits.
func (b *B) Bits(t Type, bits uint64) V { return b.node(Const, t, false, bits) }

// View reads the bits of x as type t, in place. Where t has another width than
// x it regroups the bytes of a vector, so only targets' own compositions may do
// it. A view of a mask is a mask.
func (b *B) View(t Type, x V) V {
	if x.Type == t {
		return x
	}
	return b.node(View, t, x.Mask, 0, x)
}

func (b *B) Add(x, y V) V       { return b.Do(Add, 0, x, y) }
func (b *B) Sub(x, y V) V       { return b.Do(Sub, 0, x, y) }
func (b *B) Mul(x, y V) V       { return b.Do(Mul, 0, x, y) }
func (b *B) Div(x, y V) V       { return b.Do(Div, 0, x, y) }
func (b *B) Sqrt(x V) V         { return b.Do(Sqrt, 0, x) }
func (b *B) And(x, y V) V       { return b.Do(And, 0, x, y) }
func (b *B) Or(x, y V) V        { return b.Do(Or, 0, x, y) }
func (b *B) Xor(x, y V) V       { return b.Do(Xor, 0, x, y) }
func (b *B) AndNot(x, y V) V    { return b.Do(AndNot, 0, x, y) }
func (b *B) Shl(x V, n int) V   { return b.Do(Shl, uint64(n), x) }
func (b *B) Shr(x V, n int) V   { return b.Do(Shr, uint64(n), x) }
func (b *B) Sar(x V, n int) V   { return b.Do(Sar, uint64(n), x) }
func (b *B) Lt(x, y V) V        { return b.Do(Lt, 0, x, y) }
func (b *B) Eq(x, y V) V        { return b.Do(Eq, 0, x, y) }
func (b *B) Unord(x, y V) V     { return b.Do(Unord, 0, x, y) }
func (b *B) Select(m, x, y V) V { return b.Do(Select, 0, m, x, y) }
func (b *B) Neg(x V) V          { return b.Do(Neg, 0, x) }
func (b *B) Abs(x V) V          { return b.Do(Abs, 0, x) }
func (b *B) Maximum(x, y V) V   { return b.Do(Maximum, 0, x, y) }
func (b *B) Minimum(x, y V) V   { return b.Do(Minimum, 0, x, y) }

// Default is what a compound op means, in ops that every target lowers, or nil.
// Targets with something better use that.
func Default(op Op) Expand {
	switch op {
	case AndNot:
		return func(b *B, a []V) V {
			t := a[0].Type
			return b.And(a[0], b.Xor(a[1], b.Bits(t, ones(t))))
		}
	case Neg:
		return func(b *B, a []V) V {
			x, t := a[0], a[0].Type
			if t.Kind == Float { // of a NaN as well
				return b.Xor(x, b.Bits(t, Sign(t)))
			}
			return b.Sub(b.Bits(t, 0), x)
		}
	case Abs:
		return func(b *B, a []V) V {
			x, t := a[0], a[0].Type
			switch t.Kind {
			case Float:
				return b.And(x, b.Bits(t, ones(t)&^Sign(t)))
			case Signed:
				zero := b.Bits(t, 0)
				return b.Select(b.Lt(x, zero), b.Sub(zero, x), x)
			}
			return x
		}
	case Maximum:
		return func(b *B, a []V) V {
			x, y := a[0], a[1]
			m := b.Select(b.Lt(x, y), y, x)
			if x.Type.Kind != Float {
				return m
			}
			m = b.Select(b.Eq(x, y), b.And(x, y), m)       // -0 < +0
			return b.Select(b.Unord(x, y), b.Add(x, y), m) // a quiet NaN
		}
	case Minimum:
		return func(b *B, a []V) V {
			x, y := a[0], a[1]
			m := b.Select(b.Lt(x, y), x, y)
			if x.Type.Kind != Float {
				return m
			}
			m = b.Select(b.Eq(x, y), b.Or(x, y), m)
			return b.Select(b.Unord(x, y), b.Add(x, y), m)
		}
	}
	for _, group := range []func(Op) Expand{comparing, converting, calculating} {
		if e := group(op); e != nil {
			return e
		}
	}
	return nil
}

// Sign is the sign bit of t.
func Sign(t Type) uint64 { return 1 << (t.Bits() - 1) }

// ones has all bits of t set.
func ones(t Type) uint64 { return 1<<t.Bits() - 1 }
