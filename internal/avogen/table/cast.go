package table

import (
	"slices"

	. "github.com/lanecast/lanecast/internal/avogen/lane"
)

// casts are the operations that convert, one for each type of the result. A
// program names that type, and links the kernels for it.
var casts = func() (ops []Operation) {
	for _, to := range slices.Concat(numbers, []Type{Bool}) {
		ops = append(ops, Operation{
			Name: "Cast" + to.Title(), Sources: 1, Types: all, Bits: true,
			Same: func(from Type) Type {
				if from == Bool { // a byte of 0 or 1
					return U8
				}
				if from.Integer() && from.Bytes > to.Bytes && to.Integer() { // the low bits
					return from.As(Signed)
				}
				return from
			},
			Borrow: func(from Type) string {
				switch {
				case from == to, from.Bytes == to.Bytes && to.Integer() && from.Kind != Float:
					return "Copy"
				case to.Kind == Unsigned && from.Kind != Float:
					return "Cast" + to.As(Signed).Title()
				}
				return ""
			},
			Cost: func(from Type) int {
				if from.Half() || to.Half() { // in Go, bit by bit
					return 10000
				}
				return 4000
			},
			Formula: to.Name + "(%s)",
			Lane:    func(b *B, a []V) V { return b.Convert(to, a[0]) },
		})
	}
	return ops
}()
