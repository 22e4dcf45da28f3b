package amd64

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// Further predicates of VCMPPS and of VPCMPD.
const (
	lessEqual      = 2
	unequal        = 4 // or unordered
	lessEqualQuiet = 0x12
)

var (
	integers = append(append([]lane.Type{}, signed...), unsigned...)
	numbers  = append(append([]lane.Type{}, floats...), integers...)
)

// sharedCompare are the lowerings of both sets.
func sharedCompare(l map[key]lower) {
	type c = build.Context
	for i, t := range floats {
		cmp := []emit{(*c).VCMPPS, (*c).VCMPPD}[i]
		l[key{lane.Le, t}] = compare(cmp, lessEqualQuiet)
		l[key{lane.Ne, t}] = compare(cmp, unequal)
	}
	for _, t := range integers {
		if t.Bytes >= 4 {
			l[key{lane.ShlBy, t}] = binary(byBytes(t, nil, nil, (*c).VPSLLVD, (*c).VPSLLVQ))
			l[key{lane.ShrBy, t}] = binary(byBytes(t, nil, nil, (*c).VPSRLVD, (*c).VPSRLVQ))
		}
		if t.Bytes == 4 {
			l[key{lane.SarBy, t}] = binary((*c).VPSRAVD)
		}
	}
}

// low is an instruction on the low part of vectors, whose last operand is the
// low part of d.
func (m *machine) low(d reg.VecVirtual, f func(...operand.Op) (*ir.Instruction, error), ops ...operand.Op) {
	i, err := f(append(ops, d.AsX())...)
	m.whole(d, i, err)
}

func avx2Compare(l map[key]lower) {
	type c = build.Context
	sharedCompare(l)
	for _, t := range numbers {
		l[key{lane.MaskAnd, t}] = binary(variadic((*c).VPAND))
		l[key{lane.MaskOr, t}] = binary(variadic((*c).VPOR))
		l[key{lane.MaskNot, t}] = func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
			ones, d := m.vec(), m.vec()
			m.VPCMPEQD(ones, ones, ones)
			m.VPXOR(ones, a[0], d)
			return d
		}
		l[key{lane.ToBool, t}] = packBool
	}
	l[key{lane.ToMask, lane.Bool}] = spreadBool
	l[key{lane.And, lane.Bool}] = binary(variadic((*c).VPAND))
	l[key{lane.Or, lane.Bool}] = binary(variadic((*c).VPOR))
	l[key{lane.Xor, lane.Bool}] = binary(variadic((*c).VPXOR))
	l[key{lane.AndNot, lane.Bool}] = swapped(variadic((*c).VPANDN))
}

// packBool narrows lanes of 0 and -1 to bytes of 0 and 1 in the low part.
func packBool(m *machine, n *lane.Node, a []operand.Op) operand.Op {
	v, d := a[0].(reg.VecVirtual), m.vec()
	bytes := n.Args[0].Type.Bytes
	switch bytes {
	case 1:
		m.VPABSB(v, d)
		return d
	case 8:
		bits, table := m.GP32(), m.GP64()
		m.VMOVMSKPD(v, bits)
		m.LEAQ(m.truths(), table)
		i, err := x86.VMOVD(operand.Mem{Base: table, Index: bits.As64(), Scale: 4}, d.AsX())
		m.whole(d, i, err)
		return d
	}
	high := m.vec()
	m.low(high, func(o ...operand.Op) (*ir.Instruction, error) { return x86.VEXTRACTI128(o[0], o[1], o[2]) }, operand.Imm(1), v)
	switch bytes {
	case 2:
		m.low(d, x86.VPACKSSWB, high.AsX(), v.AsX())
	case 4:
		m.low(d, x86.VPACKSSDW, high.AsX(), v.AsX())
		m.low(d, x86.VPACKSSWB, d.AsX(), d.AsX())
	}
	m.low(d, x86.VPABSB, d.AsX())
	return d
}

// truths is a table in the file: the bits of a number of four, a byte each.
func (m *machine) truths() operand.Mem {
	const name = "truths"
	table, ok := m.target.data[name]
	if !ok {
		table = m.StaticGlobal(name)
		m.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range uint32(16) {
			m.AppendDatum(operand.U32(i&1 | i&2<<7 | i&4<<14 | i&8<<21))
		}
		m.target.data[name] = table
	}
	return table
}

// spreadBool widens bytes of 0 and 1 to lanes of 0 and -1.
func spreadBool(m *machine, n *lane.Node, a []operand.Op) operand.Op {
	v, zero, d := a[0].(reg.VecVirtual), m.vec(), m.vec()
	m.VPXOR(zero, zero, zero)
	switch n.Type.Bytes {
	case 1:
		m.VPSUBB(v, zero, d)
	case 2:
		m.VPMOVZXBW(v.AsX(), d)
		m.VPSUBW(d, zero, d)
	case 4:
		m.VPMOVZXBD(v.AsX(), d)
		m.VPSUBD(d, zero, d)
	case 8:
		m.VPMOVZXBQ(v.AsX(), d)
		m.VPSUBQ(d, zero, d)
	}
	return d
}

func avx512Compare(l map[key]lower) {
	type c = build.Context
	sharedCompare(l)
	for i, t := range signed {
		f := []emit{(*c).VPCMPB, (*c).VPCMPW, (*c).VPCMPD, (*c).VPCMPQ}[i]
		l[key{lane.Le, t}], l[key{lane.Ne, t}] = compare(f, lessEqual), compare(f, unequal)
	}
	for i, t := range unsigned {
		f := []emit{(*c).VPCMPUB, (*c).VPCMPUW, (*c).VPCMPUD, (*c).VPCMPUQ}[i]
		l[key{lane.Le, t}], l[key{lane.Ne, t}] = compare(f, lessEqual), compare(f, unequal)
	}
	masks := func(f func(_ *c, x, y, d operand.Op)) lower {
		return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
			d := m.K()
			f(m.Context, a[1], a[0], d)
			return d
		}
	}
	for _, t := range numbers {
		l[key{lane.MaskAnd, t}] = masks((*c).KANDQ)
		l[key{lane.MaskOr, t}] = masks((*c).KORQ)
		l[key{lane.MaskNot, t}] = func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
			d := m.K()
			m.KNOTQ(a[0], d)
			return d
		}
		l[key{lane.ToBool, t}] = func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
			d := m.vec()
			p := part(d, m.Lanes())
			i, err := x86.VPMOVM2B(a[0], p)
			m.whole(d, i, err)
			i, err = x86.VPABSB(p, p)
			m.whole(d, i, err)
			return d
		}
	}
	l[key{lane.ToMask, lane.Bool}] = func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
		v, d := part(a[0].(reg.VecVirtual), m.Lanes()), m.K()
		m.VPTESTMB(v, v, d)
		return d
	}
	for _, t := range integers {
		if t.Bytes == 2 {
			l[key{lane.ShlBy, t}] = binary((*c).VPSLLVW)
			l[key{lane.ShrBy, t}] = binary((*c).VPSRLVW)
			l[key{lane.SarBy, t}] = binary((*c).VPSRAVW)
		}
		if t.Bytes == 8 {
			l[key{lane.SarBy, t}] = binary((*c).VPSRAVQ)
		}
	}
	l[key{lane.And, lane.Bool}] = binary((*c).VPANDQ)
	l[key{lane.Or, lane.Bool}] = binary((*c).VPORQ)
	l[key{lane.Xor, lane.Bool}] = binary((*c).VPXORQ)
	l[key{lane.AndNot, lane.Bool}] = swapped((*c).VPANDNQ)
}

var expandCompare = map[lane.Op]lane.Expand{
	lane.Le: func(b *lane.B, a []lane.V) lane.V {
		if a[0].Type.Bytes == 8 { // AVX2 has no minimum of these
			return lane.Default(lane.Le)(b, a)
		}
		return b.Eq(b.Minimum(a[0], a[1]), a[0])
	},
	lane.ShlBy: func(b *lane.B, a []lane.V) lane.V {
		return halves(b, a, func(x, n, low lane.V, _ int) lane.V { return b.And(b.ShlBy(x, n), low) },
			func(x, n, low lane.V) lane.V { return b.ShlBy(b.AndNot(x, low), n) })
	},
	lane.ShrBy: func(b *lane.B, a []lane.V) lane.V {
		return halves(b, a, func(x, n, low lane.V, _ int) lane.V { return b.ShrBy(b.And(x, low), n) },
			func(x, n, low lane.V) lane.V { return b.AndNot(b.ShrBy(x, n), low) })
	},
	lane.SarBy: func(b *lane.B, a []lane.V) lane.V {
		if t := a[0].Type; t.Bytes == 8 { // a negative number is shifted inverted
			sign := b.Lt(a[0], b.Bits(t, 0))
			return b.Xor(b.ShrBy(b.Xor(a[0], sign), a[1]), sign)
		}
		return halves(b, a, func(x, n, _ lane.V, bits int) lane.V { return b.Shr(b.SarBy(b.Shl(x, bits), n), bits) },
			func(x, n, low lane.V) lane.V { return b.AndNot(b.SarBy(x, n), low) })
	},
}

// halves shifts two neighbouring lanes in one of twice their width: each half
// by its own count, the other half cleared.
func halves(b *lane.B, a []lane.V, lower func(x, n, low lane.V, bits int) lane.V, upper func(x, n, low lane.V) lane.V) lane.V {
	t := a[0].Type
	wide := map[int]lane.Type{1: lane.U16, 2: lane.U32}[t.Bytes]
	x, n := b.View(wide, a[0]), b.View(wide, a[1])
	low := b.Bits(wide, 1<<t.Bits()-1)
	return b.View(t, b.Or(lower(x, b.And(n, low), low, t.Bits()), upper(x, b.Shr(n, t.Bits()), low)))
}
