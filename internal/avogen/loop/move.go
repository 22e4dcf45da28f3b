package loop

import "github.com/lanecast/lanecast/internal/avogen/lane"

// Mover is a target that can print kernels which only bring elements into
// another order. They have the signature of all kernels.
type Mover interface {
	Target
	// Moves adds them to the file and lists them.
	Moves() []Move
}

// Move is a kernel that moves elements.
type Move struct{ Name, Doc string }

// ShuffleLoads is the largest number of loads that Shuffle kernels combine.
const ShuffleLoads = 4

// MoveTypes stand for all element types of their sizes.
var MoveTypes = []lane.Type{lane.U8, lane.U16, lane.U32, lane.U64}

// Rows adds the moves that need no loop of their own: a copy of rows, which
// counts in bytes, and a scalar per row to fill it with, for each size.
func Rows(t Target) (list []Move) {
	add := func(name string, scalar uint, e lane.Type, doc string) {
		same := func(_ *lane.B, a []lane.V) lane.V { return a[0] }
		prog := lane.Build(t.Rules(), []lane.Type{e}, same)
		t.Kernel(name, Loop{Scalar: scalar, Held: -1}, Kernel{Prog: prog, Doc: doc})
		list = append(list, Move{name, doc})
	}
	add("CopyUint8"+t.Suffix(), 0, lane.U8, "dst[r][i] = a[r][i]")
	for _, e := range MoveTypes {
		add("Fill"+e.Title()+t.Suffix(), 1, e, "dst[r][i] = a[r]")
	}
	return list
}

// Unrolled prints a loop of n >= 1 turns, some at a time while there are as many.
func Unrolled(m Machine, n GP, times int, turn func()) {
	m.JumpLess(n, times, "few")
	m.LoopLabel("many")
	for range times {
		turn()
	}
	m.AddImm(n, -times)
	m.JumpGreaterEq(n, times, "many")
	m.JumpLess(n, 1, "end")
	m.Label("few")
	turn()
	m.AddImm(n, -1)
	m.JumpGreaterEq(n, 1, "few")
	m.Label("end")
}
