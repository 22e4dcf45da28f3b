package gosrc

import (
	"fmt"
	"strings"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// expr turns a program into Go expressions.
type expr struct {
	prog *lane.Prog
	val  map[*lane.Node]string
	uses map[*lane.Node]int
	emit func(format string, a ...any) // adds a statement
}

func newExpr(p *lane.Prog, emit func(string, ...any)) *expr {
	e := &expr{p, map[*lane.Node]string{}, map[*lane.Node]int{}, emit}
	for _, n := range p.Nodes {
		for _, a := range n.Args {
			e.uses[a]++
		}
	}
	return e
}

// result emits the statements before the result's expression and returns it.
func (e *expr) result() string {
	for _, n := range e.prog.Nodes {
		switch n.Op {
		case lane.Input:
		case lane.Const:
			e.val[n] = constant(n)
		default:
			e.val[n] = lowerOf(n.Op, n.Args[len(n.Args)-1].Type)(e, n)
			if e.uses[n] > 1 {
				e.val[n] = e.variable(n, e.val[n])
			}
		}
	}
	return bare(e.val[e.prog.Out])
}

// variable binds the value of n, unless it is a variable already.
func (e *expr) variable(n *lane.Node, value string) string {
	name := fmt.Sprintf("v%d", n.ID)
	if value != name {
		e.emit("%s := %s", name, bare(value))
	}
	return name
}

// bare drops parentheses around the whole.
func bare(s string) string {
	open := 0
	for i, c := range s {
		switch c {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 { // where the first one closes, if it is one
			if i > 0 && i == len(s)-1 && s[0] == '(' {
				return s[1:i]
			}
			return s
		}
	}
	return s
}

func constant(n *lane.Node) string {
	t := stored(n.Type)
	switch t.Kind {
	case lane.Float:
		return fmt.Sprintf("math.%sfrombits(%#x)", t.Title(), n.Imm)
	case lane.Truth:
		return fmt.Sprint(n.Imm != 0)
	case lane.Signed:
		shift := 64 - t.Bits()
		return fmt.Sprint(int64(n.Imm<<shift) >> shift)
	}
	return fmt.Sprintf("%#x", n.Imm)
}

// lower returns the expression of a node: an operand, a call, or something in
// parentheses.
type lower func(e *expr, n *lane.Node) string

// infix is x op y.
func infix(op string) lower {
	return func(e *expr, n *lane.Node) string {
		return fmt.Sprintf("(%s %s %s)", e.val[n.Args[0]], op, e.val[n.Args[1]])
	}
}

// fill fills in the operands by number.
func fill(f string) lower {
	return func(e *expr, n *lane.Node) string {
		var a []any
		for _, arg := range n.Args {
			a = append(a, bare(e.val[arg]))
		}
		return fmt.Sprintf(f, a...)
	}
}

// inOrder is an operation whose operands the compiler may swap or whose NaN is
// not the instruction's: package asm has a function that puts that right. T is
// the type.
func inOrder(f string) lower {
	return func(e *expr, n *lane.Node) string {
		for _, a := range n.Args {
			if a.Op != lane.Input { // which is short
				e.val[a] = e.variable(a, e.val[a])
			}
		}
		x, y := e.val[n.Args[0]], e.val[n.Args[1]]
		z := fmt.Sprintf(strings.Replace(f, "T", n.Type.Name, 1), x, y)
		return fmt.Sprintf("inOrder(%s, %s, %s)", z, x, y)
	}
}

// bitwise is x op y on the bits of floats.
func bitwise(op string) lower {
	return func(e *expr, n *lane.Node) string {
		f := n.Type.Title()
		bits := func(a *lane.Node) string {
			if a.Op == lane.Const {
				return fmt.Sprintf("%#x", a.Imm)
			}
			return fmt.Sprintf("math.%sbits(%s)", f, bare(e.val[a]))
		}
		return fmt.Sprintf("math.%sfrombits(%s %s %s)", f, bits(n.Args[0]), op, bits(n.Args[1]))
	}
}

// choose is Select.
func choose(e *expr, n *lane.Node) string {
	otherwise := e.val[n.Args[2]]
	if t := stored(n.Type); n.Args[2].Op == lane.Const && t.Kind != lane.Float {
		otherwise = fmt.Sprintf("%s(%s)", t.Name, otherwise)
	}
	v := e.variable(n, otherwise)
	e.emit("if %s { %s = %s }", bare(e.val[n.Args[0]]), v, bare(e.val[n.Args[1]]))
	return v
}

var (
	anyType = map[lane.Op]lower{
		lane.Lt:     infix("<"),
		lane.Eq:     infix("=="),
		lane.Select: choose,
	}
	// Go may fuse a product with what follows unless it is converted.
	floatType = map[lane.Op]lower{
		lane.Add:     inOrder("%s + %s"),
		lane.Mul:     inOrder("T(%s * %s)"),
		lane.Maximum: inOrder("max(%s, %s)"),
		lane.Minimum: inOrder("min(%s, %s)"),
		lane.Sub:     infix("-"),
		lane.Div:     infix("/"),
		lane.And:     bitwise("&"),
		lane.Or:      bitwise("|"),
		lane.Xor:     bitwise("^"),
		lane.AndNot:  bitwise("&^"),
		lane.Unord:   fill("(%[1]s != %[1]s || %[2]s != %[2]s)"),
	}
	integerType = map[lane.Op]lower{
		lane.Add:     infix("+"),
		lane.Sub:     infix("-"),
		lane.Mul:     infix("*"),
		lane.And:     infix("&"),
		lane.Or:      infix("|"),
		lane.Xor:     infix("^"),
		lane.AndNot:  infix("&^"),
		lane.Neg:     fill("-%s"),
		lane.Maximum: fill("max(%s, %s)"),
		lane.Minimum: fill("min(%s, %s)"),
		lane.Shl: func(e *expr, n *lane.Node) string {
			return fmt.Sprintf("(%s << %d)", e.val[n.Args[0]], n.Imm)
		},
		lane.Shr: func(e *expr, n *lane.Node) string {
			if t := n.Type; t.Kind == lane.Signed {
				return fmt.Sprintf("%s(u%s(%s) >> %d)", t.Name, t.Name, bare(e.val[n.Args[0]]), n.Imm)
			}
			return fmt.Sprintf("(%s >> %d)", e.val[n.Args[0]], n.Imm)
		},
		lane.Sar: func(e *expr, n *lane.Node) string {
			if t := n.Type; t.Kind == lane.Unsigned {
				return fmt.Sprintf("%s(%s(%s) >> %d)", t.Name, t.Name[1:], bare(e.val[n.Args[0]]), n.Imm)
			}
			return fmt.Sprintf("(%s >> %d)", e.val[n.Args[0]], n.Imm)
		},
	}
)

func lowerOf(op lane.Op, t lane.Type) lower {
	if t.Half() {
		return ofHalf(op, t)
	}
	for _, group := range []func(lane.Op, lane.Type) lower{comparing, converting, calculating} {
		if l := group(op, t); l != nil {
			return l
		}
	}
	if l := anyType[op]; l != nil {
		return l
	}
	switch {
	case t.Kind != lane.Float:
		return integerType[op]
	case op != lane.Sqrt:
		return floatType[op]
	case t == lane.F32:
		// The square root of a float32 rounded twice is rounded right.
		return fill("float32(math.Sqrt(float64(%s)))")
	}
	return fill("math.Sqrt(%s)")
}
