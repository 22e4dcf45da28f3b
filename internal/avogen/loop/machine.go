// Package loop holds the loops around a lane program, written once for all
// assembly targets against the Machine that they are printed on.
package loop

import "github.com/lanecast/lanecast/internal/avogen/lane"

// GP, Vec and Part are a Machine's own: a general register, a vector register
// (both virtual until the machine allocates them), and a prepared tail.
type (
	GP   any
	Vec  any
	Part any
)

// Machine is one assembly target as the loops see it. Between Begin and
// Return it prints one kernel. Counts of elements are in elements, offsets in
// bytes.
type Machine interface {
	// Begin starts the text of a kernel for p. A lane program whose widest type
	// has w bytes is run on Lanes() = VecBytes()/w elements at a time; a value of
	// type t then fills Lanes()*t.Bytes bytes, the low part of a vector.
	Begin(p *lane.Prog)
	VecBytes() int
	Lanes() int
	MaxHeld() int // vectors of a row that fit in registers beside p's temporaries, at most 8

	Param(name string) GP // of the kernel's Go signature
	Copy(r GP) GP
	Add(d, s GP)
	AddImm(d GP, n int)
	Label(l string)
	LoopLabel(l string) // a label worth aligning
	Jump(l string)
	JumpLess(r GP, n int, l string)      // if r < n, signed
	JumpGreaterEq(r GP, n int, l string) // if r >= n, signed
	Return()

	Consts(p *lane.Prog) // loads the constants, once per kernel
	// Run is the lane program, once for each list of inputs, an instruction of
	// each in turn.
	Run(p *lane.Prog, in ...[]Vec) []Vec
	// Together is how many runs are worth printing side by side: at most as many
	// as fit in registers beside so many scalars, and at least 1.
	Together(p *lane.Prog, scalars int) int

	Load(t lane.Type, p GP, off int) Vec // Lanes() elements at p+off
	LoadEnd(t lane.Type, p, n GP) Vec    // the Lanes() elements that end where element n of p begins
	Splat(t lane.Type, p GP) Vec         // the element at p in every lane
	Store(t lane.Type, v Vec, p GP, off int)
	StoreEnd(t lane.Type, v Vec, p, n GP)

	// Part prepares a tail of n elements, 1 <= n < Lanes().
	Part(n GP) Part
	// LoadPart loads the tail of each pointer ps[i] to elements of type ts[i].
	// Lanes may come in another order, the same for every pointer; lanes beyond
	// the tail hold anything that the program cannot fault on.
	LoadPart(pt Part, ts []lane.Type, ps []GP) []Vec
	StorePart(pt Part, t lane.Type, v Vec, p GP)
}
