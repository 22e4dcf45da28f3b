package table

import (
	"slices"

	. "github.com/lanecast/lanecast/internal/avogen/lane"
)

var (
	signed   = []Type{I8, I16, I32, I64}
	unsigned = []Type{U8, U16, U32, U64}
	integers = slices.Concat(signed, unsigned)
)

// Forms of kernels.
var (
	rowwise    = []int{0, 1, 2}    // of two sources, none of them a held row
	lastTwo    = []int{0, 2, 4, 6} // of three, the last two may be scalars
	lastAlone  = []int{0, 4}       // of three, the last may be
	lastScalar = []int{0, 8}       // of four
)

// quotients is the cost of a division.
func quotients(t Type) int {
	if t.Kind == Float {
		return 150000 // a remainder takes as many steps as the exponents ask for
	}
	return 15000
}

// integersOf borrows the rows of integers.
func integersOf(op string) func(Type) string {
	return func(t Type) string {
		if t.Kind == Float {
			return ""
		}
		return op
	}
}

var numeric = []Operation{
	{Name: "Div", Sources: 2, Types: numbers, Forms: rowwise, Cost: ps(15000), Formula: "%s / %s",
		Lane: func(b *B, a []V) V { return b.Div(a[0], a[1]) }},
	{Name: "FloorDiv", Sources: 2, Types: numbers, Forms: rowwise, Cost: quotients, Formula: "⌊%s / %s⌋",
		Lane: func(b *B, a []V) V { return b.FloorDiv(a[0], a[1]) }},
	{Name: "Remainder", Sources: 2, Types: numbers, Forms: rowwise, Cost: quotients, Formula: "%s mod %s, with the divisor's sign",
		Lane: func(b *B, a []V) V { return b.Remainder(a[0], a[1]) }},
	{Name: "FMod", Sources: 2, Types: numbers, Forms: rowwise, Cost: quotients, Formula: "%s mod %s, with the dividend's sign",
		Lane: func(b *B, a []V) V { return b.FMod(a[0], a[1]) }},
	{Name: "Pow", Sources: 2, Types: integers, Forms: rowwise, Cost: ps(150000), Formula: "%s to the power of %s",
		Lane: func(b *B, a []V) V { return b.Pow(a[0], a[1]) }},
	{Name: "FMax", Sources: 2, Types: numbers, Borrow: integersOf("Maximum"), Forms: rowwise, Cost: ps(4000), Formula: "max(%s, %s), NaN ignored",
		Lane: func(b *B, a []V) V { return b.FMax(a[0], a[1]) }},
	{Name: "FMin", Sources: 2, Types: numbers, Borrow: integersOf("Minimum"), Forms: rowwise, Cost: ps(4000), Formula: "min(%s, %s), NaN ignored",
		Lane: func(b *B, a []V) V { return b.FMin(a[0], a[1]) }},
	{Name: "AbsDiff", Sources: 2, Types: numbers, Cost: ps(2000), Formula: "|%s - %s|",
		Lane: func(b *B, a []V) V { return b.AbsDiff(a[0], a[1]) }},
	{Name: "SquaredDifference", Sources: 2, Types: numbers, Same: wraps, Cost: ps(2000), Formula: "(%s - %s)²",
		Lane: func(b *B, a []V) V {
			d := b.Sub(a[0], a[1])
			return b.Mul(d, d)
		}},
	{Name: "Hypot", Sources: 2, Types: floats, Bits: true, Forms: rowwise, Cost: ps(30000), Formula: "√(%s² + %s²)",
		Lane: func(b *B, a []V) V { return b.Hypot(a[0], a[1]) }},
	{Name: "CopySign", Sources: 2, Types: floats, Bits: true, Cost: ps(1000), Formula: "|%s| with the sign of %s",
		Lane: func(b *B, a []V) V { return b.CopySign(a[0], a[1]) }},

	{Name: "FMA", Sources: 3, Types: floats, Bits: true, Cost: ps(15000), Formula: "%s · %s + %s",
		Lane: func(b *B, a []V) V { return b.FMA(a[0], a[1], a[2]) }},
	{Name: "Lerp", Sources: 3, Types: floats, Forms: lastAlone, Cost: ps(30000), Formula: "%[3]s · %[2]s + (%[1]s - %[3]s · %[1]s)",
		Lane: func(b *B, a []V) V {
			x, y, w := a[0], a[1], a[2]
			return b.FMA(w, y, b.FMA(b.Neg(w), x, x))
		}},
	{Name: "Clamp", Sources: 3, Types: numbers, Forms: lastTwo, Cost: ps(4000), Formula: "min(max(%s, %s), %s)",
		Lane: func(b *B, a []V) V { return b.Minimum(b.Maximum(a[0], a[1]), a[2]) }},
	{Name: "AddMul", Sources: 4, Types: numbers, Same: wraps, Forms: lastScalar, Cost: ps(15000), Formula: "%[1]s + %[4]s · %[2]s · %[3]s",
		Lane: func(b *B, a []V) V {
			product := b.Mul(a[3], a[1])
			if product.Type.Kind == Float {
				return b.FMA(product, a[2], a[0])
			}
			return b.Add(a[0], b.Mul(product, a[2]))
		}},
	{Name: "AddDiv", Sources: 4, Types: floats, Forms: lastScalar, Cost: ps(8000), Formula: "%[1]s + %[4]s · %[2]s / %[3]s",
		Lane: func(b *B, a []V) V { return b.Add(a[0], b.Div(b.Mul(a[3], a[1]), a[2])) }},

	{Name: "Sign", Sources: 1, Types: numbers, Cost: ps(2000), Formula: "the sign of %s",
		Lane: func(b *B, a []V) V { return b.Sign(a[0]) }},
	{Name: "Rsqrt", Sources: 1, Types: floats, Cost: ps(50000), Formula: "1 / √%s",
		Lane: func(b *B, a []V) V { return b.Rsqrt(a[0]) }},
	{Name: "Reciprocal", Sources: 1, Types: floats, Cost: ps(6000), Formula: "1 / %s",
		Lane: func(b *B, a []V) V { return b.Div(b.Number(a[0].Type, 1), a[0]) }},
	{Name: "Square", Sources: 1, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s²",
		Lane: func(b *B, a []V) V { return b.Mul(a[0], a[0]) }},
	{Name: "Floor", Sources: 1, Types: floats, Cost: ps(2000), Formula: "⌊%s⌋",
		Lane: func(b *B, a []V) V { return b.Floor(a[0]) }},
	{Name: "Ceil", Sources: 1, Types: floats, Cost: ps(2000), Formula: "⌈%s⌉",
		Lane: func(b *B, a []V) V { return b.Ceil(a[0]) }},
	{Name: "Trunc", Sources: 1, Types: floats, Cost: ps(2000), Formula: "%s without its fraction",
		Lane: func(b *B, a []V) V { return b.Trunc(a[0]) }},
	{Name: "Round", Sources: 1, Types: floats, Cost: ps(2000), Formula: "%s rounded to even",
		Lane: func(b *B, a []V) V { return b.Round(a[0]) }},
	{Name: "Relu", Sources: 1, Types: numbers, Cost: ps(2000), Formula: "max(%s, 0)",
		Lane: func(b *B, a []V) V { return b.Relu(a[0]) }},
}
