// Package table lists the operations: the one place where one is added.
package table

import (
	"slices"

	. "github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

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
	// Borrow names another operation whose row for t gives the same bits, or "".
	// Nil means that there is none for any type.
	Borrow func(t Type) string
	// Bits says that the lane program takes 16-bit floats as they are. For other
	// operations they are converted to float32 before it, and the result after.
	Bits bool
	// Forms are the loops, by asm.Form, that there are kernels for; nil means all
	// but the one whose sources are all scalars. Operands in another form are
	// brought into one of these.
	Forms []int
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

// Program is the lane program of the row of t.
func (o Operation) Program(t Type) func(b *B, a []V) V {
	if !t.Half() || o.Bits || o.Same != nil && o.Same(t) != t {
		return o.Lane
	}
	return func(b *B, a []V) V {
		in := make([]V, len(a))
		for i, x := range a {
			if in[i] = x; x.Type == t {
				in[i] = b.Convert(F32, x)
			}
		}
		r := o.Lane(b, in)
		if r.Type == F32 {
			r = b.Convert(t, r)
		}
		return r
	}
}

// RowCost is the cost of the row of t.
func (o Operation) RowCost(t Type) int {
	if t.Half() && !o.Bits && o.Kernels(t) == t {
		return o.Cost(F32) + 10000
	}
	return o.Cost(t)
}

// Borrows names the operation whose row serves that of t, or "".
func (o Operation) Borrows(t Type) string {
	if o.Borrow != nil {
		return o.Borrow(t)
	}
	return ""
}

// Loops are those that have kernels.
func (o Operation) Loops() (ls []loop.Loop) {
	for _, l := range loop.Loops(o.Sources) {
		if o.Forms == nil && l.Scalar != 1<<o.Sources-1 || slices.Contains(o.Forms, l.Form) {
			ls = append(ls, l)
		}
	}
	return ls
}

// Kernels is the type whose kernels serve the row of t.
func (o Operation) Kernels(t Type) Type {
	if o.Same != nil {
		return o.Same(t)
	}
	return t
}

var (
	floats  = []Type{F32, F64, F16, BF16}
	numbers = slices.Concat(floats, integers)
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
var Operations = slices.Concat(arithmetic, numeric, comparison, selection, bits, casts)

var arithmetic = []Operation{
	{Name: "Add", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s + %s",
		Lane: func(b *B, a []V) V { return b.Add(a[0], a[1]) }},
	{Name: "Sub", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s - %s",
		Lane: func(b *B, a []V) V { return b.Sub(a[0], a[1]) }},
	{Name: "Mul", Sources: 2, Types: numbers, Same: wraps, Cost: ps(1000), Formula: "%s * %s",
		Lane: func(b *B, a []V) V { return b.Mul(a[0], a[1]) }},
	{Name: "Maximum", Sources: 2, Types: numbers, Cost: ps(2000), Formula: "max(%s, %s)",
		Lane: func(b *B, a []V) V { return b.Maximum(a[0], a[1]) }},
	{Name: "Minimum", Sources: 2, Types: numbers, Cost: ps(2000), Formula: "min(%s, %s)",
		Lane: func(b *B, a []V) V { return b.Minimum(a[0], a[1]) }},
	{Name: "Neg", Sources: 1, Types: numbers, Bits: true, Same: wraps, Cost: ps(1000), Formula: "-%s",
		Lane: func(b *B, a []V) V { return b.Neg(a[0]) }},
	{Name: "Abs", Sources: 1, Types: numbers, Bits: true, Cost: ps(1000), Formula: "|%s|",
		Lane: func(b *B, a []V) V { return b.Abs(a[0]) }},
	{Name: "Sqrt", Sources: 1, Types: floats, Cost: ps(8000), Formula: "√%s",
		Lane: func(b *B, a []V) V { return b.Sqrt(a[0]) }},
}
