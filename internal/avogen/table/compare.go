package table

import (
	"slices"

	. "github.com/lanecast/lanecast/internal/avogen/lane"
)

var (
	logical = slices.Concat(integers, []Type{Bool})
	all     = slices.Concat(numbers, []Type{Bool})
)

// byWidth is for operations on bits.
func byWidth(t Type) Type {
	switch t.Bytes {
	case 1:
		return U8
	case 2:
		return U16
	case 4:
		return U32
	}
	return U64
}

// equality needs the meaning of floats only.
func equality(t Type) Type {
	if t.Kind == Float {
		return t
	}
	return byWidth(t)
}

// order needs the sign too.
func order(t Type) Type {
	if t == Bool {
		return U8
	}
	return t
}

// test is a predicate on one float.
func test(f func(b *B, x V) V) func(b *B, a []V) V {
	return func(b *B, a []V) V { return b.ToBool(f(b, a[0])) }
}

// infinity of a floating-point type.
func infinity(b *B, t Type) V {
	fraction := map[int]int{2: 10, 4: 23, 8: 52}[t.Bytes]
	return b.Bits(t, Sign(t)-1<<fraction)
}

// comparison operations give truths.
var comparison = []Operation{
	{Name: "Equal", Sources: 2, Types: all, Same: equality, Cost: ps(1500), Formula: "%s == %s",
		Lane: func(b *B, a []V) V { return b.ToBool(b.Eq(a[0], a[1])) }},
	{Name: "NotEqual", Sources: 2, Types: all, Same: equality, Cost: ps(1500), Formula: "%s != %s",
		Lane: func(b *B, a []V) V { return b.ToBool(b.Ne(a[0], a[1])) }},
	{Name: "Less", Sources: 2, Types: all, Same: order, Cost: ps(1500), Formula: "%s < %s",
		Lane: func(b *B, a []V) V { return b.ToBool(b.Lt(a[0], a[1])) }},
	{Name: "LessEqual", Sources: 2, Types: all, Same: order, Cost: ps(1500), Formula: "%s <= %s",
		Lane: func(b *B, a []V) V { return b.ToBool(b.Le(a[0], a[1])) }},
	{Name: "IsNaN", Sources: 1, Types: floats, Cost: ps(1500), Formula: "isNaN(%s)",
		Lane: test(func(b *B, x V) V { return b.Ne(x, x) })},
	{Name: "IsInf", Sources: 1, Types: floats, Cost: ps(1500), Formula: "|%s| == ∞",
		Lane: test(func(b *B, x V) V { return b.Eq(b.Abs(x), infinity(b, x.Type)) })},
	{Name: "IsFinite", Sources: 1, Types: floats, Cost: ps(1500), Formula: "|%s| < ∞",
		Lane: test(func(b *B, x V) V { return b.Lt(b.Abs(x), infinity(b, x.Type)) })},
	{Name: "SignBit", Sources: 1, Types: floats, Bits: true, Cost: ps(1500), Formula: "signBit(%s)",
		Lane: test(func(b *B, x V) V {
			t := map[int]Type{2: I16, 4: I32, 8: I64}[x.Type.Bytes]
			return b.Lt(b.View(t, x), b.Bits(t, 0))
		})},
	// Forms: the tolerances are always scalars, and b or a may be.
	{Name: "IsClose", Sources: 4, Types: floats, Forms: []int{0, 12, 13, 14}, Cost: ps(4000),
		Formula: "|%[1]s - %[2]s| <= %[4]s + %[3]s·|%[2]s|",
		Lane: func(b *B, a []V) V {
			d := b.Abs(b.Sub(a[0], a[1]))
			near := b.Le(d, b.Add(a[3], b.Mul(a[2], b.Abs(a[1]))))
			finite := b.Lt(d, infinity(b, d.Type))
			return b.ToBool(b.MaskOr(b.Eq(a[0], a[1]), b.MaskAnd(near, finite)))
		}},
}

// selection operations move elements as they are.
var selection = []Operation{
	{Name: "Copy", Sources: 1, Types: all, Bits: true, Same: byWidth, Forms: []int{0, 1}, Cost: ps(600), Formula: "%s",
		Lane: func(b *B, a []V) V { return a[0] }},
	{Name: "Where", Sources: 3, Types: all, Bits: true, Same: byWidth, Forms: []int{0, 1, 2, 4, 6}, Cost: ps(2500), Formula: "%s ? %s : %s",
		In:   func(t Type) []Type { return []Type{Bool, t, t} },
		Lane: func(b *B, a []V) V { return b.Select(b.ToMask(a[1].Type, a[0]), a[1], a[2]) }},
}

// bits are the operations on them.
var bits = []Operation{
	{Name: "And", Sources: 2, Types: logical, Same: byWidth, Cost: ps(1000), Formula: "%s & %s",
		Lane: func(b *B, a []V) V { return b.And(a[0], a[1]) }},
	{Name: "Or", Sources: 2, Types: logical, Same: byWidth, Cost: ps(1000), Formula: "%s | %s",
		Lane: func(b *B, a []V) V { return b.Or(a[0], a[1]) }},
	{Name: "Xor", Sources: 2, Types: logical, Same: byWidth, Cost: ps(1000), Formula: "%s ^ %s",
		Lane: func(b *B, a []V) V { return b.Xor(a[0], a[1]) }},
	{Name: "AndNot", Sources: 2, Types: logical, Same: byWidth, Cost: ps(1000), Formula: "%s &^ %s",
		Lane: func(b *B, a []V) V { return b.AndNot(a[0], a[1]) }},
	{Name: "Not", Sources: 1, Types: logical, Cost: ps(1000), Formula: "^%s",
		Same: func(t Type) Type {
			if t == Bool {
				return t
			}
			return byWidth(t)
		},
		Lane: func(b *B, a []V) V { return b.Not(a[0]) }},
	{Name: "ShiftLeft", Sources: 2, Types: integers, Same: byWidth, Forms: rowwise, Cost: ps(2000), Formula: "%s << %s",
		Lane: func(b *B, a []V) V { return b.ShlBy(a[0], a[1]) }},
	{Name: "ShiftRight", Sources: 2, Types: integers, Forms: rowwise, Cost: ps(2000), Formula: "%s >> %s",
		Lane: func(b *B, a []V) V {
			if a[0].Type.Kind == Signed {
				return b.SarBy(a[0], a[1])
			}
			return b.ShrBy(a[0], a[1])
		}},
}
