package arm64

import "github.com/lanecast/lanecast/internal/avogen/lane"

// lower prints an op: its result to d, its operands and their lanes' shape.
type lower func(m *machine, s shape, d *reg, a []*reg, imm uint64)

// rules are NEON's: it has every op as an instruction or a sequence of its own.
var rules = lane.Rules{
	Has:    func(op lane.Op, t lane.Type) bool { return lowering(op, t) != nil },
	Expand: expand,
}

// operands is the type of an op's operands, masks aside.
func operands(n *lane.Node) lane.Type { return n.Args[len(n.Args)-1].Type }

func one(f func(a *assembler, s shape, d, n *reg)) lower {
	return func(m *machine, s shape, d *reg, a []*reg, _ uint64) { f(&m.assembler, s, d, a[0]) }
}

func two(f func(a *assembler, s shape, d, n, m *reg)) lower {
	return func(m *machine, s shape, d *reg, a []*reg, _ uint64) { f(&m.assembler, s, d, a[0], a[1]) }
}

func bitwise(f func(a *assembler, d, n, m *reg)) lower {
	return func(m *machine, _ shape, d *reg, a []*reg, _ uint64) { f(&m.assembler, d, a[0], a[1]) }
}

// shift prints a shift by a constant; by 0 it moves.
func shift(f func(a *assembler, s shape, d, n *reg, by uint64)) lower {
	return func(m *machine, s shape, d *reg, a []*reg, by uint64) {
		if by == 0 {
			m.mov(d, a[0])
		} else {
			f(&m.assembler, s, d, a[0], by)
		}
	}
}

// swapped exchanges the operands.
func swapped(l lower) lower {
	return func(m *machine, s shape, d *reg, a []*reg, imm uint64) { l(m, s, d, []*reg{a[1], a[0]}, imm) }
}

// pick selects the first operand where greater holds, else the second.
func pick(greater lower) lower {
	return func(m *machine, s shape, d *reg, a []*reg, imm uint64) {
		greater(m, s, d, a, imm)
		m.bsl(d, a[0], a[1])
	}
}

// upTo4 is l on lanes of at most 4 bytes, wide on lanes of 8.
func upTo4(l, wide lower) lower {
	return func(m *machine, s shape, d *reg, a []*reg, imm uint64) {
		if s.size < 3 {
			l(m, s, d, a, imm)
		} else {
			wide(m, s, d, a, imm)
		}
	}
}

// byBits are the ops on bits, which are the same for every type; the others
// depend on what the bits mean.
var byBits = map[lane.Op]lower{
	lane.And:    bitwise((*assembler).and),
	lane.Or:     bitwise((*assembler).orr),
	lane.Xor:    bitwise((*assembler).eor),
	lane.AndNot: bitwise((*assembler).bic),
	lane.Shl:    shift((*assembler).shl),
	lane.Shr:    shift((*assembler).ushr),
	lane.Sar:    shift((*assembler).sshr),
	lane.Select: func(m *machine, _ shape, d *reg, a []*reg, _ uint64) {
		m.mov(d, a[0])
		m.bsl(d, a[1], a[2])
	},
}

var byKind = map[lane.Kind]map[lane.Op]lower{
	lane.Float: {
		lane.Add:     two((*assembler).fadd),
		lane.Sub:     two((*assembler).fsub),
		lane.Mul:     two((*assembler).fmul),
		lane.Div:     two((*assembler).fdiv),
		lane.Sqrt:    one((*assembler).fsqrt),
		lane.Neg:     one((*assembler).fneg),
		lane.Abs:     one((*assembler).fabs),
		lane.Maximum: two((*assembler).fmax),
		lane.Minimum: two((*assembler).fmin),
		lane.Lt:      swapped(two((*assembler).fcmgt)),
		lane.Eq:      two((*assembler).fcmeq),
		lane.Unord:   unordered,
	},
	lane.Signed: {
		lane.Add:     two((*assembler).add),
		lane.Sub:     two((*assembler).sub),
		lane.Mul:     upTo4(two((*assembler).mul), mul64),
		lane.Neg:     one((*assembler).neg),
		lane.Abs:     one((*assembler).abs),
		lane.Maximum: upTo4(two((*assembler).smax), pick(two((*assembler).cmgt))),
		lane.Minimum: upTo4(two((*assembler).smin), pick(swapped(two((*assembler).cmgt)))),
		lane.Lt:      swapped(two((*assembler).cmgt)),
		lane.Eq:      two((*assembler).cmeq),
	},
	lane.Unsigned: {
		lane.Add:     two((*assembler).add),
		lane.Sub:     two((*assembler).sub),
		lane.Mul:     upTo4(two((*assembler).mul), mul64),
		lane.Neg:     one((*assembler).neg),
		lane.Maximum: upTo4(two((*assembler).umax), pick(two((*assembler).cmhi))),
		lane.Minimum: upTo4(two((*assembler).umin), pick(swapped(two((*assembler).cmhi)))),
		lane.Lt:      swapped(two((*assembler).cmhi)),
		lane.Eq:      two((*assembler).cmeq),
	},
}

// lowering of op on operands of type t, or nil.
func lowering(op lane.Op, t lane.Type) lower {
	for _, g := range groups {
		if l := g.byBits[op]; l != nil {
			return l
		}
	}
	if l := converting(op, t); l != nil {
		return l
	}
	if t.Half() {
		return nil // Armv8.0 has no arithmetic on them
	}
	for _, g := range groups {
		if l := g.byKind[t.Kind][op]; l != nil {
			return l
		}
	}
	return nil
}

// A group holds the lowerings of some operations.
type group struct {
	byBits map[lane.Op]lower
	byKind map[lane.Kind]map[lane.Op]lower
}

var groups = []group{{byBits, byKind}, comparing, calculating}

// unordered marks the lanes where an operand is unequal to itself.
func unordered(m *machine, s shape, d *reg, a []*reg, _ uint64) {
	m.fcmeq(s, d, a[0], a[0])
	if a[1] != a[0] {
		t := m.vector()
		m.fcmeq(s, t, a[1], a[1])
		m.and(d, d, t)
	}
	m.not(d, d)
}

// mul64 adds the low product, xl·yl, to the low halves of xh·yl + xl·yh shifted up.
func mul64(m *machine, s shape, d *reg, a []*reg, _ uint64) {
	x, y := a[0], a[1]
	half := shapes[4]
	cross, xl, yl := m.vector(), m.vector(), m.vector()
	m.rev64(half, cross, y)
	m.mul(half, cross, cross, x)
	m.uaddlp(cross, cross)
	m.shl(s, d, cross, 32)
	m.xtn(xl, x)
	m.xtn(yl, y)
	m.umlal(d, xl, yl)
}
