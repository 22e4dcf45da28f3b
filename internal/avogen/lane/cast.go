package lane

import (
	"math"
	"strings"
)

// 16-bit floats, which are stored and moved but not computed with: F16 is IEEE
// 754's binary16, BF16 the upper half of a float32.
var (
	F16  = Type{"float16", 2, Float}
	BF16 = Type{"bfloat16", 2, Float}
)

// Half tells whether t is a 16-bit float.
func (t Type) Half() bool { return t == F16 || t == BF16 }

// Integer tells whether t is an integer.
func (t Type) Integer() bool { return t.Kind == Signed || t.Kind == Unsigned }

// As is the integer of t's width that is signed or not.
func (t Type) As(k Kind) Type {
	for _, i := range []Type{I8, I16, I32, I64, U8, U16, U32, U64} {
		if i.Bytes == t.Bytes && i.Kind == k {
			return i
		}
	}
	panic("no integer like " + t.Name)
}

// To is the op that converts to t. Floats become integers by truncation, or the
// nearest value of the type, or 0 for NaN; everything else becomes floats by one
// rounding to nearest even, a NaN a quiet one (but from BF16 to float32, whose
// bits are moved); integers wrap; a Bool is 0 or 1, and tells of numbers whether
// they are not zero.
func To(t Type) Op { return Op("to " + t.Name) }

// Convert is To.
func (b *B) Convert(t Type, x V) V {
	if x.Type == t {
		return x
	}
	return b.as(To(t), t, 0, []V{x})
}

// As applies a target's own op whose result has type t.
func (b *B) As(op Op, t Type, args ...V) V { return b.as(op, t, 0, args) }

// Float is the constant v of a float type, which holds it.
func (b *B) Float(t Type, v float64) V {
	if t == F32 {
		return b.Bits(t, uint64(math.Float32bits(float32(v))))
	}
	return b.Bits(t, math.Float64bits(v))
}

// resizes tells whether the lanes of an op's result have their type's size,
// whatever size its operands' have. Conversions of a target's own have a "to "
// in their names as well.
func resizes(op Op) bool {
	return op == ToBool || op == ToMask || strings.Contains(string(op), "to ")
}

// converting is Default for To. The conversions that it is composed of in the
// end, which all targets have, are those
//   - between integers: to wider ones of the same kind, and to narrower ones,
//   - between float32 and float64, and float32 and F16,
//   - from int32 to float32 and float64, and from 64-bit integers to float64,
//   - from float32 and float64 to integers.
func converting(op Op) Expand {
	name, found := strings.CutPrefix(string(op), "to ")
	if !found {
		return nil
	}
	for _, t := range []Type{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, F16, BF16} {
		if t.Name == name {
			return func(b *B, a []V) V { return convert(b, t, a[0]) }
		}
	}
	return nil
}

func convert(b *B, t Type, x V) V {
	from := x.Type
	switch {
	case from == Bool:
		return b.Convert(t, b.View(U8, x))
	case t == Bool:
		if from.Half() { // either zero is 0 without its sign
			x = b.And(b.View(U16, x), b.Bits(U16, 0x7fff))
		}
		return b.ToBool(b.Ne(x, b.Bits(x.Type, 0)))
	case from.Integer() && t.Integer():
		if from.Bytes == t.Bytes {
			return b.View(t, x)
		}
		// The source's kind says what moves in; the result is read as t's.
		if same := t.As(from.Kind); same != t {
			return b.View(t, b.Convert(same, x))
		}
	case from.Integer() && t.Half():
		return fromInteger16(b, t, x)
	case from.Integer() && from.Bytes < 4:
		return b.Convert(t, b.View(I32, b.Convert(I32.As(from.Kind), x)))
	case from == U32 && t == F32:
		// The halves and the upper one's product are exact: only the sum rounds.
		part := func(x V) V { return b.Convert(F32, b.View(I32, x)) }
		high := b.Mul(part(b.Shr(x, 16)), b.Float(F32, 1<<16))
		return b.Add(high, part(b.And(x, b.Bits(U32, 0xffff))))
	case from == U32 && t == F64: // as a signed number 2³¹ smaller
		y := b.View(I32, b.Xor(x, b.Bits(U32, 1<<31)))
		return b.Add(b.Convert(F64, y), b.Float(F64, 1<<31))
	case from.Integer() && t == F32: // of 64 bits
		return b.Convert(F32, b.Convert(F64, to53(b, x)))
	case from == BF16 && t == F32:
		return b.View(F32, b.Shl(b.Convert(U32, b.View(U16, x)), 16))
	case from == F32 && t == BF16:
		return upperHalf(b, x)
	case from == F64 && t.Half():
		return b.Convert(t, b.Convert(F32, sticky(b, x, 39)))
	case from.Half():
		return b.Convert(t, b.Convert(F32, x))
	}
	panic("no lowering of " + string(To(t)) + " for " + from.Name)
}

// fromInteger16 goes through float32. What that rounds is too large for F16
// either way. BF16 would be rounded twice, unless the first rounding is to odd.
func fromInteger16(b *B, t Type, x V) V {
	if t == F16 || x.Type.Bytes < 4 {
		return b.Convert(t, b.Convert(F32, x))
	}
	if x.Type.Bytes == 8 {
		x = to53(b, x)
	}
	return b.Convert(t, b.Convert(F64, x))
}

// to53 rounds a 64-bit integer that float64 cannot hold to one that it can: to
// odd, so that a second rounding to fewer bits gives what one would have given.
func to53(b *B, x V) V {
	t := x.Type
	rounded := sticky(b, x, 11)
	exact := b.Eq(b.Shr(x, 53), b.Bits(t, 0))
	if t.Kind == Signed { // from -2⁵³ up to 2⁵³
		exact = b.Eq(b.Shr(b.Add(x, b.Bits(t, 1<<53)), 54), b.Bits(t, 0))
	}
	return b.Select(exact, x, rounded)
}

// sticky clears the low bits of a 64-bit number, and sets the lowest that stays
// if one of them was not zero: it rounds to odd. float64 loses 39 bits: 14 are
// left, two more than 16-bit floats have, and no more than a float32 as small
// as the smallest BF16 has.
func sticky(b *B, x V, bits int) V {
	u := b.View(U64, x)
	low := b.Bits(U64, 1<<bits-1)
	return b.View(x.Type, b.AndNot(b.Or(u, b.Add(b.And(u, low), low)), low))
}

// upperHalf rounds float32 to BF16, whose bits are the upper half: half of a
// unit less one is added, and the one if the unit's bit is set.
func upperHalf(b *B, x V) V {
	u := b.View(U32, x)
	odd := b.And(b.Shr(u, 16), b.Bits(U32, 1))
	rounded := b.Add(u, b.Add(odd, b.Bits(U32, 0x7fff)))
	quiet := b.Or(u, b.Bits(U32, 0x00400000))
	r := b.Select(b.View(U32, b.Unord(x, x)), quiet, rounded)
	return b.View(BF16, b.Convert(U16, b.Shr(r, 16)))
}
