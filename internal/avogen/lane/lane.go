// Package lane describes what an operation does to one lane, as a small typed
// expression graph. It knows nothing of registers, loops or instruction sets.
package lane

import (
	"fmt"
	"strings"
)

// Kind says how the bits of an element are read.
type Kind uint8

const (
	Signed Kind = iota
	Unsigned
	Float
	Truth // one byte, 0 or 1
)

// Type is an element type; every value of a lane program has one.
type Type struct {
	Name  string // Go's name, or that of a 16-bit float
	Bytes int
	Kind  Kind
}

// Bits of one element.
func (t Type) Bits() int { return 8 * t.Bytes }

// Title is the name as a part of a kernel's name: Float32.
func (t Type) Title() string {
	if t == BF16 {
		return "BFloat16"
	}
	return strings.ToUpper(t.Name[:1]) + t.Name[1:]
}

var (
	F32  = Type{"float32", 4, Float}
	F64  = Type{"float64", 8, Float}
	I8   = Type{"int8", 1, Signed}
	I16  = Type{"int16", 2, Signed}
	I32  = Type{"int32", 4, Signed}
	I64  = Type{"int64", 8, Signed}
	U8   = Type{"uint8", 1, Unsigned}
	U16  = Type{"uint16", 2, Unsigned}
	U32  = Type{"uint32", 4, Unsigned}
	U64  = Type{"uint64", 8, Unsigned}
	Bool = Type{"bool", 1, Truth}
)

// Op names one step of a lane program. A target lowers (Op, Type) to
// instructions; an Op that it does not lower is composed of others.
type Op string

const (
	Input Op = "input" // Imm is the operand's number
	Const Op = "const" // Imm holds the bits
	View  Op = "view"  // the same vector with its bits read as another type

	Add    Op = "add"
	Sub    Op = "sub"
	Mul    Op = "mul"
	Div    Op = "div"
	Sqrt   Op = "sqrt"
	And    Op = "and"
	Or     Op = "or"
	Xor    Op = "xor"
	AndNot Op = "andnot" // x &^ y
	Shl    Op = "shl"    // by Imm
	Shr    Op = "shr"    // by Imm, zeros move in
	Sar    Op = "sar"    // by Imm, the sign moves in

	Lt     Op = "lt"     // mask; false if unordered
	Eq     Op = "eq"     // mask; false if unordered
	Unord  Op = "unord"  // mask: either is a NaN
	Select Op = "select" // mask, then, else

	// Compound ops: each has a composition in Default.
	Neg     Op = "neg"
	Abs     Op = "abs"
	Maximum Op = "maximum"
	Minimum Op = "minimum"
)

// Masks are the ops whose value is a mask: a truth per lane that each target
// stores as it likes (a vector, a mask register, a Go bool).
var Masks = map[Op]bool{
	Lt: true, Le: true, Eq: true, Ne: true, Unord: true,
	MaskAnd: true, MaskOr: true, MaskNot: true, ToMask: true,
}

// Node is one value. Nodes are immutable and shared: common subexpressions meet.
type Node struct {
	ID   int // position in Prog.Nodes
	Op   Op
	Type Type // of the value; of the compared operands if Mask
	Mask bool
	Args []*Node
	Imm  uint64
	Lane int // bytes that each lane takes; other than Type.Bytes in a View
}

// V is a value handle: what lane programs are written with.
type V = *Node

// Prog is a finished program.
type Prog struct {
	Nodes []*Node // in evaluation order, inputs first
	In    []*Node
	Out   *Node
}

// Widest is the size in bytes of the widest value: a kernel handles as many
// lanes at a time as a vector holds of it, and narrower values fill the low
// part of a vector.
func (p *Prog) Widest() (w int) {
	for _, n := range p.Nodes {
		w = max(w, n.Lane)
	}
	return w
}

// Consts lists the constant nodes; loops hold them in registers.
func (p *Prog) Consts() (cs []*Node) {
	for _, n := range p.Nodes {
		if n.Op == Const {
			cs = append(cs, n)
		}
	}
	return cs
}

// Cost is the number of steps: loops unroll long programs less.
func (p *Prog) Cost() (n int) {
	for _, x := range p.Nodes {
		if x.Op != Input && x.Op != Const && x.Op != View {
			n++
		}
	}
	return n
}

// Live is the largest number of values, constants aside, that are alive at a
// time while the program runs.
func (p *Prog) Live() int { return p.live(func(*Node) bool { return true }) }

// LiveMasks is that of masks.
func (p *Prog) LiveMasks() int { return p.live(func(n *Node) bool { return n.Mask }) }

func (p *Prog) live(counts func(*Node) bool) (most int) {
	last := map[*Node]*Node{} // the node that uses each value last
	for _, n := range p.Nodes {
		for _, a := range n.Args {
			last[a] = n
		}
	}
	live := 0
	for _, n := range p.In {
		if counts(n) {
			live++
		}
	}
	for _, n := range p.Nodes {
		most = max(most, live)
		if n.Op == Input || n.Op == Const {
			continue
		}
		if counts(n) {
			live++
		}
		for a, end := range last {
			if end == n && a.Op != Const && counts(a) {
				live--
			}
		}
	}
	return max(most, live)
}

// Expand writes an op in terms of others.
type Expand func(b *B, a []V) V

// Rules of one target. Has says whether the target has an instruction (or its
// own sequence) for op on operands of type t; Expand holds its own
// compositions.
type Rules struct {
	Has    func(op Op, t Type) bool
	Expand map[Op]Expand
}

// B builds a program for one target.
type B struct {
	Rules Rules
	nodes []*Node
	seen  map[string]*Node
}

// Build runs a lane program for one target. Inputs have the types given.
func Build(r Rules, in []Type, f func(b *B, a []V) V) *Prog {
	b := &B{Rules: r, seen: map[string]*Node{}}
	p := &Prog{}
	for i, t := range in {
		p.In = append(p.In, b.node(Input, t, false, uint64(i)))
	}
	p.Out = f(b, p.In)
	live := map[*Node]bool{p.Out: true} // drop what nothing uses
	for i := len(b.nodes) - 1; i >= 0; i-- {
		if n := b.nodes[i]; live[n] || n.Op == Input {
			live[n] = true
			for _, a := range n.Args {
				live[a] = true
			}
		}
	}
	for _, n := range b.nodes {
		if live[n] {
			n.ID = len(p.Nodes)
			p.Nodes = append(p.Nodes, n)
		}
	}
	return p
}

func (b *B) node(op Op, t Type, mask bool, imm uint64, args ...V) V {
	key := fmt.Sprint(op, t.Name, mask, imm)
	for _, a := range args {
		key += fmt.Sprintf(" %p", a)
	}
	if n := b.seen[key]; n != nil {
		return n
	}
	n := &Node{Op: op, Type: t, Mask: mask, Imm: imm, Args: args}
	switch op {
	case Const: // takes what the lanes that it meets take
	case Input:
		n.Lane = t.Bytes
	default:
		for _, a := range args {
			n.Lane = max(n.Lane, a.Lane)
		}
		if resizes(op) {
			n.Lane = t.Bytes
		}
	}
	b.nodes = append(b.nodes, n)
	b.seen[key] = n
	return n
}

// Do applies op to args of one type (masks aside): as one node if the target
// has it, else by the target's composition, else by the default one. A program
// is built for one target, so it never mentions a target itself.
func (b *B) Do(op Op, imm uint64, args ...V) V {
	t := args[len(args)-1].Type
	for _, a := range args {
		if a.Type != t {
			panic(fmt.Sprintf("%s: %s with %s", op, a.Type.Name, t.Name))
		}
	}
	return b.as(op, t, imm, args)
}

// as is Do with a result of type t.
func (b *B) as(op Op, t Type, imm uint64, args []V) V {
	from := args[len(args)-1].Type
	if b.Rules.Has(op, from) {
		return b.node(op, t, Masks[op], imm, args...)
	}
	if e := halving(op); e != nil && from.Half() {
		return e(b, args)
	}
	if e := b.Rules.Expand[op]; e != nil {
		return e(b, args)
	}
	if e := Default(op); e != nil {
		return e(b, args)
	}
	panic(fmt.Sprintf("no lowering of %s for %s", op, from.Name))
}
