package lane

const (
	Le Op = "le" // mask; false if unordered
	Ne Op = "ne" // mask; true if unordered

	// Masks of one type combined.
	MaskAnd Op = "maskand"
	MaskOr  Op = "maskor"
	MaskNot Op = "masknot"

	ToBool Op = "tobool" // of a mask
	ToMask Op = "tomask" // of a Bool; Imm is the bytes of the lanes that it masks

	// Shifts by a count per lane, read as unsigned. A count of the width or more
	// leaves 0, or the sign where that moves in.
	ShlBy Op = "shlby"
	ShrBy Op = "shrby" // zeros move in
	SarBy Op = "sarby" // the sign moves in
)

func (b *B) Le(x, y V) V      { return b.Do(Le, 0, x, y) }
func (b *B) Ne(x, y V) V      { return b.Do(Ne, 0, x, y) }
func (b *B) MaskAnd(x, y V) V { return b.Do(MaskAnd, 0, x, y) }
func (b *B) MaskOr(x, y V) V  { return b.Do(MaskOr, 0, x, y) }
func (b *B) MaskNot(x V) V    { return b.Do(MaskNot, 0, x) }
func (b *B) ShlBy(x, n V) V   { return b.Do(ShlBy, 0, x, n) }
func (b *B) ShrBy(x, n V) V   { return b.Do(ShrBy, 0, x, n) }
func (b *B) SarBy(x, n V) V   { return b.Do(SarBy, 0, x, n) }

// ToBool stores a mask as bytes of 0 and 1.
func (b *B) ToBool(mask V) V { return b.as(ToBool, Bool, 0, []V{mask}) }

// ToMask makes a Bool select among values of type t.
func (b *B) ToMask(t Type, x V) V { return b.as(ToMask, t, uint64(t.Bytes), []V{x}) }

// Not inverts bits, or a Bool.
func (b *B) Not(x V) V {
	if x.Type == Bool {
		return b.Xor(x, b.Bits(Bool, 1))
	}
	return b.Xor(x, b.Bits(x.Type, ones(x.Type)))
}

// comparing holds the meanings of this file's compound ops.
func comparing(op Op) Expand {
	switch op {
	case Le:
		return func(b *B, a []V) V {
			if a[0].Type.Kind == Float {
				return b.MaskOr(b.Lt(a[0], a[1]), b.Eq(a[0], a[1]))
			}
			return b.MaskNot(b.Lt(a[1], a[0]))
		}
	case Ne:
		return func(b *B, a []V) V { return b.MaskNot(b.Eq(a[0], a[1])) }
	}
	return nil
}
