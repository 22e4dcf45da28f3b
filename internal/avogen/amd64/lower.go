package amd64

import (
	"maps"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// Ops that only these machines have.
const (
	maxSecond lane.Op = "x86.max"     // the second operand if either is a NaN or both are zeros
	minSecond lane.Op = "x86.min"     // likewise
	mulEven   lane.Op = "x86.muleven" // 64 bits: uint32(x) * uint32(y)
)

type key struct {
	op lane.Op
	t  lane.Type
}

// lower prints the instructions of one node and returns the fresh register
// that holds its value.
type lower func(m *machine, n *lane.Node, a []operand.Op) operand.Op

// avo's constructors as method expressions: most take any number of operands.
type (
	emit  = func(*build.Context, ...operand.Op)
	emit3 = func(_ *build.Context, a, b, d operand.Op)
)

func variadic(f emit3) emit {
	return func(c *build.Context, o ...operand.Op) { f(c, o[0], o[1], o[2]) }
}

func unary(f emit) lower {
	return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		f(m.Context, a[0], d)
		return d
	}
}

// binary is first ∘ second. Go's assembler lists the second source first; of
// two NaNs the first source's survives.
func binary(f emit) lower {
	return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		f(m.Context, a[1], a[0], d)
		return d
	}
}

// swapped is second ∘ first.
func swapped(f emit) lower {
	l := binary(f)
	return func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
		return l(m, n, []operand.Op{a[1], a[0]})
	}
}

// shift is by an immediate.
func shift(f emit) lower {
	return func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		f(m.Context, operand.Imm(n.Imm), a[0], d)
		return d
	}
}

// compare makes a vector mask on AVX2 and a mask register on AVX-512.
func compare(f emit, predicate uint64) lower {
	return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
		var d operand.Op = m.vec()
		if m.wide() {
			d = m.K()
		}
		f(m.Context, operand.Imm(predicate), a[1], a[0], d)
		return d
	}
}

// Predicates of VCMPPS; those of VPCMPD start with the same two meanings.
const (
	equal     = 0
	less      = 1
	unordered = 3
	lessQuiet = 0x11
)

// byBytes picks the constructor for elements of t, listed for 1, 2, 4 and 8
// bytes.
func byBytes(t lane.Type, f ...emit) emit {
	return f[map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[t.Bytes]]
}

// kinds of element types.
var (
	floats   = []lane.Type{lane.F32, lane.F64}
	signed   = []lane.Type{lane.I8, lane.I16, lane.I32, lane.I64}
	unsigned = []lane.Type{lane.U8, lane.U16, lane.U32, lane.U64}
)

// shared are the lowerings of both sets.
func shared() map[key]lower {
	type c = build.Context
	l := map[key]lower{}
	set := func(t lane.Type, op lane.Op, how func(emit) lower, f emit) {
		if f != nil {
			l[key{op, t}] = how(f)
		}
	}
	for i, t := range floats {
		pick := func(single, double emit) emit { return []emit{single, double}[i] }
		set(t, lane.Add, binary, pick((*c).VADDPS, (*c).VADDPD))
		set(t, lane.Sub, binary, pick((*c).VSUBPS, (*c).VSUBPD))
		set(t, lane.Mul, binary, pick((*c).VMULPS, (*c).VMULPD))
		set(t, lane.Div, binary, pick((*c).VDIVPS, (*c).VDIVPD))
		set(t, lane.Sqrt, unary, pick((*c).VSQRTPS, (*c).VSQRTPD))
		set(t, lane.And, binary, pick((*c).VANDPS, (*c).VANDPD))
		set(t, lane.Or, binary, pick((*c).VORPS, (*c).VORPD))
		set(t, lane.Xor, binary, pick((*c).VXORPS, (*c).VXORPD))
		set(t, lane.AndNot, swapped, pick((*c).VANDNPS, (*c).VANDNPD))
		set(t, maxSecond, binary, pick((*c).VMAXPS, (*c).VMAXPD))
		set(t, minSecond, binary, pick((*c).VMINPS, (*c).VMINPD))
		cmp := pick((*c).VCMPPS, (*c).VCMPPD)
		l[key{lane.Lt, t}] = compare(cmp, lessQuiet)
		l[key{lane.Eq, t}] = compare(cmp, equal)
		l[key{lane.Unord, t}] = compare(cmp, unordered)
	}
	for _, t := range append(signed, unsigned...) {
		set(t, lane.Add, binary, byBytes(t, (*c).VPADDB, (*c).VPADDW, (*c).VPADDD, (*c).VPADDQ))
		set(t, lane.Sub, binary, byBytes(t, (*c).VPSUBB, (*c).VPSUBW, (*c).VPSUBD, (*c).VPSUBQ))
		set(t, lane.Mul, binary, byBytes(t, nil, (*c).VPMULLW, (*c).VPMULLD, nil))
		set(t, mulEven, binary, byBytes(t, nil, nil, nil, (*c).VPMULUDQ))
		set(t, lane.Shl, shift, byBytes(t, nil, (*c).VPSLLW, (*c).VPSLLD, (*c).VPSLLQ))
		set(t, lane.Shr, shift, byBytes(t, nil, (*c).VPSRLW, (*c).VPSRLD, (*c).VPSRLQ))
		set(t, lane.Sar, shift, byBytes(t, nil, (*c).VPSRAW, (*c).VPSRAD, nil))
	}
	for _, t := range signed {
		set(t, lane.Maximum, binary, byBytes(t, (*c).VPMAXSB, (*c).VPMAXSW, (*c).VPMAXSD, nil))
		set(t, lane.Minimum, binary, byBytes(t, (*c).VPMINSB, (*c).VPMINSW, (*c).VPMINSD, nil))
		set(t, lane.Abs, unary, byBytes(t, (*c).VPABSB, (*c).VPABSW, (*c).VPABSD, nil))
	}
	for _, t := range unsigned {
		set(t, lane.Maximum, binary, byBytes(t, (*c).VPMAXUB, (*c).VPMAXUW, (*c).VPMAXUD, nil))
		set(t, lane.Minimum, binary, byBytes(t, (*c).VPMINUB, (*c).VPMINUW, (*c).VPMINUD, nil))
	}
	return l
}

func avx2Lowers() map[key]lower {
	type c = build.Context
	l := shared()
	for _, t := range append(signed, unsigned...) {
		l[key{lane.And, t}] = binary(variadic((*c).VPAND))
		l[key{lane.Or, t}] = binary(variadic((*c).VPOR))
		l[key{lane.Xor, t}] = binary(variadic((*c).VPXOR))
		l[key{lane.AndNot, t}] = swapped(variadic((*c).VPANDN))
		l[key{lane.Eq, t}] = binary(byBytes(t, (*c).VPCMPEQB, (*c).VPCMPEQW, (*c).VPCMPEQD, (*c).VPCMPEQQ))
	}
	for _, t := range signed {
		l[key{lane.Lt, t}] = swapped(byBytes(t, (*c).VPCMPGTB, (*c).VPCMPGTW, (*c).VPCMPGTD, (*c).VPCMPGTQ))
	}
	// A mask's lanes are all ones or zeros: it selects a zero by itself.
	blend := func(f func(_ *c, mask, then, otherwise, d operand.Op), and, andNot emit) lower {
		return func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
			d := m.vec()
			zero := func(arg int) bool { return n.Args[arg].Op == lane.Const && n.Args[arg].Imm == 0 }
			switch {
			case zero(1):
				andNot(m.Context, a[2], a[0], d)
			case zero(2):
				and(m.Context, a[1], a[0], d)
			default:
				f(m.Context, a[0], a[1], a[2], d)
			}
			return d
		}
	}
	l[key{lane.Select, lane.F32}] = blend((*c).VBLENDVPS, (*c).VANDPS, (*c).VANDNPS)
	l[key{lane.Select, lane.F64}] = blend((*c).VBLENDVPD, (*c).VANDPD, (*c).VANDNPD)
	for _, t := range append(signed, unsigned...) {
		l[key{lane.Select, t}] = blend((*c).VPBLENDVB, variadic((*c).VPAND), variadic((*c).VPANDN))
	}
	avx2Compare(l)
	avx2Arithmetic(l)
	avx2Cast(l)
	return l
}

func avx512Lowers() map[key]lower {
	type c = build.Context
	l := shared()
	for _, t := range append(signed, unsigned...) {
		l[key{lane.And, t}] = binary((*c).VPANDQ)
		l[key{lane.Or, t}] = binary((*c).VPORQ)
		l[key{lane.Xor, t}] = binary((*c).VPXORQ)
		l[key{lane.AndNot, t}] = swapped((*c).VPANDNQ)
	}
	compares := func(t lane.Type, f emit) {
		l[key{lane.Lt, t}] = compare(f, less)
		l[key{lane.Eq, t}] = compare(f, equal)
	}
	for _, t := range signed {
		compares(t, byBytes(t, (*c).VPCMPB, (*c).VPCMPW, (*c).VPCMPD, (*c).VPCMPQ))
	}
	for _, t := range unsigned {
		compares(t, byBytes(t, (*c).VPCMPUB, (*c).VPCMPUW, (*c).VPCMPUD, (*c).VPCMPUQ))
	}
	l[key{lane.Mul, lane.I64}] = binary((*c).VPMULLQ)
	l[key{lane.Mul, lane.U64}] = binary((*c).VPMULLQ)
	l[key{lane.Sar, lane.I64}] = shift((*c).VPSRAQ)
	l[key{lane.Sar, lane.U64}] = shift((*c).VPSRAQ)
	l[key{lane.Abs, lane.I64}] = unary((*c).VPABSQ)
	l[key{lane.Maximum, lane.I64}] = binary((*c).VPMAXSQ)
	l[key{lane.Minimum, lane.I64}] = binary((*c).VPMINSQ)
	l[key{lane.Maximum, lane.U64}] = binary((*c).VPMAXUQ)
	l[key{lane.Minimum, lane.U64}] = binary((*c).VPMINUQ)

	// VRANGEPS orders zeros but drops a NaN: the merging add puts it back.
	const smaller, larger, signOfResult = 0, 1, 4
	ordered := func(pick uint64, rng, cmp, add emit) lower {
		return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
			d, k := m.vec(), m.K()
			rng(m.Context, operand.Imm(pick|signOfResult), a[1], a[0], d)
			cmp(m.Context, operand.Imm(unordered), a[1], a[0], k)
			add(m.Context, a[1], a[0], k, d)
			return d
		}
	}
	l[key{lane.Maximum, lane.F32}] = ordered(larger, (*c).VRANGEPS, (*c).VCMPPS, (*c).VADDPS)
	l[key{lane.Maximum, lane.F64}] = ordered(larger, (*c).VRANGEPD, (*c).VCMPPD, (*c).VADDPD)
	l[key{lane.Minimum, lane.F32}] = ordered(smaller, (*c).VRANGEPS, (*c).VCMPPS, (*c).VADDPS)
	l[key{lane.Minimum, lane.F64}] = ordered(smaller, (*c).VRANGEPD, (*c).VCMPPD, (*c).VADDPD)

	maps.Copy(l, blends())
	avx512Compare(l)
	avx512Arithmetic(l)
	avx512Cast(l)
	return l
}

// blends are AVX-512's selections. avo takes the destination of a masked
// instruction as read; a blend's is not, and would be live from the top.
func blends() map[key]lower {
	l := map[key]lower{}
	for t, f := range map[lane.Type]func(...operand.Op) (*ir.Instruction, error){
		lane.F32: x86.VBLENDMPS, lane.F64: x86.VBLENDMPD,
		lane.I8: x86.VPBLENDMB, lane.I16: x86.VPBLENDMW, lane.I32: x86.VPBLENDMD, lane.I64: x86.VPBLENDMQ,
		lane.U8: x86.VPBLENDMB, lane.U16: x86.VPBLENDMW, lane.U32: x86.VPBLENDMD, lane.U64: x86.VPBLENDMQ,
	} {
		l[key{lane.Select, t}] = func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
			d := m.vec()
			i, err := f(a[1], a[2], a[0], d)
			if err != nil {
				panic(err)
			}
			i.Inputs = []operand.Op{a[1], a[2], a[0]}
			m.Instruction(i)
			return d
		}
	}
	return l
}

// expansions are those of all groups.
var expansions = join(expand, expandArithmetic, expandCast, expandCompare)

func join[K comparable, V any](groups ...map[K]V) map[K]V {
	all := map[K]V{}
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return all
}

// expand holds the compositions for what a set has no instruction for; most
// are AVX2's.
var expand = map[lane.Op]lane.Expand{
	// VMAXPS in both orders: the results differ in bits only where the operands
	// are zeros of both signs or one is a NaN.
	lane.Maximum: func(b *lane.B, a []lane.V) lane.V {
		x, y := a[0], a[1]
		if x.Type.Kind != lane.Float {
			return lane.Default(lane.Maximum)(b, a)
		}
		m := b.And(b.Do(maxSecond, 0, x, y), b.Do(maxSecond, 0, y, x))
		return b.Select(b.Unord(x, y), b.Add(x, y), m)
	},
	lane.Minimum: func(b *lane.B, a []lane.V) lane.V {
		x, y := a[0], a[1]
		if x.Type.Kind != lane.Float {
			return lane.Default(lane.Minimum)(b, a)
		}
		m := b.Or(b.Do(minSecond, 0, x, y), b.Do(minSecond, 0, y, x))
		return b.Select(b.Unord(x, y), b.Add(x, y), m)
	},
	// Unsigned order is signed order with the sign bits flipped.
	lane.Lt: func(b *lane.B, a []lane.V) lane.V {
		t := a[0].Type
		s := map[lane.Type]lane.Type{lane.U8: lane.I8, lane.U16: lane.I16, lane.U32: lane.I32, lane.U64: lane.I64}[t]
		flip := func(x lane.V) lane.V { return b.View(s, b.Xor(x, b.Bits(t, lane.Sign(t)))) }
		return b.View(t, b.Lt(flip(a[0]), flip(a[1])))
	},
	lane.Mul: func(b *lane.B, a []lane.V) lane.V {
		x, y, t := a[0], a[1], a[0].Type
		switch t.Bytes {
		case 1: // two bytes in each 16-bit product's low half
			x, y := b.View(lane.U16, x), b.View(lane.U16, y)
			low := b.And(b.Mul(x, y), b.Bits(lane.U16, 0x00ff))
			high := b.Mul(b.Shr(x, 8), b.And(y, b.Bits(lane.U16, 0xff00)))
			return b.View(t, b.Or(low, high))
		case 8: // schoolbook, from 32×32→64 bits
			low := b.Do(mulEven, 0, x, y)
			cross := b.Add(b.Do(mulEven, 0, b.Shr(x, 32), y), b.Do(mulEven, 0, x, b.Shr(y, 32)))
			return b.Add(low, b.Shl(cross, 32))
		}
		panic("no lowering of mul for " + t.Name)
	},
}
