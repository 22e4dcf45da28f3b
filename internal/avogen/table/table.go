// Package table lists the operations: the one place where one is added.
package table

import . "github.com/lanecast/lanecast/internal/avogen/lane"

// Operation is one entry: assembly, stubs, Go, dispatch rows and the list for
// tests all come from it.
type Operation struct {
	Name    string
	Sources int
	Types   []Type // element types, a row of kernels for each
	// In gives the types of the sources in the row of t; nil means all t. What
	// the lane program returns gives the destination's.
	In func(t Type) []Type
	// Same names the row whose kernels give the same bits as those of t: t or
	// another of Types. Nil means t.
	Same func(t Type) Type
	// Cost is an upper bound of the picoseconds per element, memory aside, on
	// the slowest instruction set, which is Go's.
	Cost func(t Type) int
	// Formula is the result in terms of the sources, as a format.
	Formula string
	Lane    func(b *B, a []V) V
}

// Inputs are the types of the sources in the row of t.
func (o Operation) Inputs(t Type) []Type {
	if o.In != nil {
		return o.In(t)
	}
	in := make([]Type, o.Sources)
	for i := range in {
		in[i] = t
	}
	return in
}

// Kernels is the type whose kernels serve the row of t.
func (o Operation) Kernels(t Type) Type {
	if o.Same != nil {
		return o.Same(t)
	}
	return t
}

var (
	floats  = []Type{F32, F64}
	numbers = []Type{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64}
)

// wraps is for integer arithmetic modulo a power of two, where signs do not
// matter.
func wraps(t Type) Type {
	switch t {
	case U8:
		return I8
	case U16:
		return I16
	case U32:
		return I32
	case U64:
		return I64
	}
	return t
}

func ps(n int) func(Type) int { return func(Type) int { return n } }

// Operations is the table.
var Operations = []Operation{
	{Name: "Add", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s + %s",
		Lane: func(b *B, a []V) V { return b.Add(a[0], a[1]) }},
	{Name: "Sub", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s - %s",
		Lane: func(b *B, a []V) V { return b.Sub(a[0], a[1]) }},
	{Name: "Mul", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s * %s",
		Lane: func(b *B, a []V) V { return b.Mul(a[0], a[1]) }},
	{Name: "Div", Sources: 2, Types: floats, Cost: ps(6000), Formula: "%s / %s",
		Lane: func(b *B, a []V) V { return b.Div(a[0], a[1]) }},
	{Name: "Maximum", Sources: 2, Types: numbers, Cost: ps(2000), Formula: "max(%s, %s)",
		Lane: func(b *B, a []V) V { return b.Maximum(a[0], a[1]) }},
	{Name: "Minimum", Sources: 2, Types: numbers, Cost: ps(2000), Formula: "min(%s, %s)",
		Lane: func(b *B, a []V) V { return b.Minimum(a[0], a[1]) }},
	{Name: "Neg", Sources: 1, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "-%s",
		Lane: func(b *B, a []V) V { return b.Neg(a[0]) }},
	{Name: "Abs", Sources: 1, Types: numbers, Cost: ps(1000), Formula: "|%s|",
		Lane: func(b *B, a []V) V { return b.Abs(a[0]) }},
	{Name: "Sqrt", Sources: 1, Types: floats, Cost: ps(8000), Formula: "√%s",
		Lane: func(b *B, a []V) V { return b.Sqrt(a[0]) }},
}
