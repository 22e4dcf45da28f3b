package amd64

import (
	"math"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// truncate is the instruction from floats to integers of type t: what does not
// fit becomes the smallest signed or the largest unsigned number.
func truncate(t lane.Type) lane.Op { return lane.Op("x86.truncate to " + t.Name) }

// narrow halves the width of integers whose values fit.
func narrow(t lane.Type) lane.Op { return lane.Op("x86.narrow to " + t.Name) }

// instruction is one of avo's constructors.
type instruction = func(...operand.Op) (*ir.Instruction, error)

// resized is an instruction whose operands are vectors of as many lanes, of the
// sizes of their types.
func resized(f instruction) lower {
	return func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		i, err := f(m.lanes(n.Args[0].Type, a[0]), m.lanes(n.Type, d))
		m.whole(d, i, err)
		return d
	}
}

// lanes is the part of v that holds the lanes of type t.
func (m *machine) lanes(t lane.Type, v operand.Op) operand.Op {
	return part(v.(reg.VecVirtual), m.size(t))
}

// sharedCast are the conversions of both sets.
func sharedCast(l map[key]lower) {
	extend := func(from []lane.Type, f [3][3]instruction) {
		for i, t := range from[:3] {
			for j, to := range from[i+1:] {
				l[key{lane.To(to), t}] = resized(f[i][j])
			}
		}
	}
	extend(signed, [3][3]instruction{
		{x86.VPMOVSXBW, x86.VPMOVSXBD, x86.VPMOVSXBQ},
		{x86.VPMOVSXWD, x86.VPMOVSXWQ},
		{x86.VPMOVSXDQ},
	})
	extend(unsigned, [3][3]instruction{
		{x86.VPMOVZXBW, x86.VPMOVZXBD, x86.VPMOVZXBQ},
		{x86.VPMOVZXWD, x86.VPMOVZXWQ},
		{x86.VPMOVZXDQ},
	})
	l[key{lane.To(lane.F32), lane.I32}] = resized(x86.VCVTDQ2PS)
	l[key{lane.To(lane.F64), lane.I32}] = resized(x86.VCVTDQ2PD)
	l[key{lane.To(lane.F64), lane.F32}] = resized(x86.VCVTPS2PD)
	l[key{truncate(lane.I32), lane.F32}] = resized(x86.VCVTTPS2DQ)
	l[key{lane.To(lane.F32), lane.F16}] = resized(x86.VCVTPH2PS)
	l[key{lane.To(lane.F16), lane.F32}] = resized(func(o ...operand.Op) (*ir.Instruction, error) {
		const nearestEven = 0
		return x86.VCVTPS2PH(operand.Imm(nearestEven), o[0], o[1])
	})
	for _, t := range []lane.Type{lane.F16, lane.BF16} { // bits
		for _, op := range []lane.Op{lane.And, lane.Or, lane.Xor, lane.AndNot, lane.Select} {
			l[key{op, t}] = l[key{op, lane.U16}]
		}
	}
}

func avx2Cast(l map[key]lower) {
	sharedCast(l)
	l[key{lane.To(lane.F32), lane.F64}] = resized(x86.VCVTPD2PSY)
	l[key{truncate(lane.I32), lane.F64}] = resized(x86.VCVTTPD2DQY)
	for _, t := range []lane.Type{lane.I32, lane.U32} {
		l[key{narrow(lane.I16), t}] = packed(x86.VPACKSSDW)
		l[key{narrow(lane.U16), t}] = packed(x86.VPACKUSDW)
	}
	for _, t := range []lane.Type{lane.I16, lane.U16} {
		l[key{narrow(lane.I8), t}] = packed(x86.VPACKSSWB)
		l[key{narrow(lane.U8), t}] = packed(x86.VPACKUSWB)
	}
	l[key{narrow(lane.I32), lane.I64}] = packed(evenDoublewords)
	l[key{narrow(lane.U32), lane.U64}] = packed(evenDoublewords)
}

func evenDoublewords(o ...operand.Op) (*ir.Instruction, error) {
	return x86.VSHUFPS(operand.Imm(0x88), o[0], o[1], o[2])
}

// packed narrows with an instruction that takes its results' low half from its
// second source and the high half from the first.
func packed(f instruction) lower {
	return func(m *machine, n *lane.Node, a []operand.Op) operand.Op {
		v, d := a[0].(reg.VecVirtual), m.vec()
		high := v
		if m.size(n.Args[0].Type) > 16 {
			high = m.vec()
			m.low(high, func(o ...operand.Op) (*ir.Instruction, error) { return x86.VEXTRACTI128(o[0], o[1], o[2]) }, operand.Imm(1), v)
		}
		m.low(d, f, high.AsX(), v.AsX())
		return d
	}
}

func avx512Cast(l map[key]lower) {
	sharedCast(l)
	for i, f := range [][]instruction{
		1: {x86.VPMOVWB},
		2: {x86.VPMOVDB, x86.VPMOVDW},
		3: {x86.VPMOVQB, x86.VPMOVQW, x86.VPMOVQD},
	} {
		for j := range f {
			l[key{lane.To(signed[j]), signed[i]}] = resized(f[j])
			l[key{lane.To(unsigned[j]), unsigned[i]}] = resized(f[j])
		}
	}
	l[key{lane.To(lane.F32), lane.F64}] = resized(x86.VCVTPD2PS)
	l[key{truncate(lane.I32), lane.F64}] = resized(x86.VCVTTPD2DQ)
	l[key{truncate(lane.U32), lane.F32}] = resized(x86.VCVTTPS2UDQ)
	l[key{truncate(lane.U32), lane.F64}] = resized(x86.VCVTTPD2UDQ)
	l[key{truncate(lane.I64), lane.F64}] = resized(x86.VCVTTPD2QQ)
	l[key{truncate(lane.U64), lane.F64}] = resized(x86.VCVTTPD2UQQ)
	// Not VCVTUDQ2PS and VCVTUQQ2PD: Bochs, on which this set is tested where no CPU
	// has it, loses the lowest bit of numbers that use the highest, which may break
	// a tie.
	l[key{lane.To(lane.F64), lane.U32}] = resized(x86.VCVTUDQ2PD)
	l[key{lane.To(lane.F32), lane.I64}] = resized(x86.VCVTQQ2PS)
	l[key{lane.To(lane.F32), lane.U64}] = resized(x86.VCVTUQQ2PS)
	l[key{lane.To(lane.F64), lane.I64}] = resized(x86.VCVTQQ2PD)
}

// expandCast holds the conversions that take several instructions.
var expandCast = func() map[lane.Op]lane.Expand {
	m := map[lane.Op]lane.Expand{}
	for _, t := range append(signed, unsigned...) {
		m[lane.To(t)] = func(b *lane.B, a []lane.V) lane.V {
			switch from := a[0].Type; {
			case from == lane.F32 || from == lane.F64:
				return toInteger(b, t, a[0])
			case from.Integer() && t.Bytes < from.Bytes && t.Kind == from.Kind && !b.Rules.Has(lane.To(t), from):
				return wrapped(b, t, a[0])
			}
			return lane.Default(lane.To(t))(b, a)
		}
	}
	m[lane.To(lane.F64)] = func(b *lane.B, a []lane.V) lane.V {
		if from := a[0].Type; from.Integer() && from.Bytes == 8 {
			return fromInteger64(b, a[0])
		}
		return lane.Default(lane.To(lane.F64))(b, a)
	}
	return m
}()

// wrapped narrows integers of which the low bits are kept.
func wrapped(b *lane.B, t lane.Type, x lane.V) lane.V {
	upper := x.Op == lane.Shr && int(x.Imm) >= x.Type.Bits()-t.Bits() // the others are zero
	if t.Bytes < 4 && !upper {
		x = b.And(x, b.Bits(x.Type, 1<<t.Bits()-1))
	}
	return b.View(t, narrowed(b, t.As(lane.Unsigned), b.View(x.Type.As(lane.Unsigned), x)))
}

// narrowed narrows integers whose values fit in t, of any kind.
func narrowed(b *lane.B, t lane.Type, x lane.V) lane.V {
	if b.Rules.Has(lane.To(t), x.Type.As(t.Kind)) {
		return b.Convert(t, b.View(x.Type.As(t.Kind), x))
	}
	for x.Type.Bytes > t.Bytes {
		half := lane.I32.As(t.Kind)
		switch x.Type.Bytes {
		case 4:
			half = lane.I16.As(t.Kind)
		case 2:
			half = lane.I8.As(t.Kind)
		}
		x = b.As(narrow(half), half, x)
	}
	return x
}

// toInteger truncates floats, after it has made them fit where an instruction
// would not make them what they are to become.
func toInteger(b *lane.B, t lane.Type, x lane.V) lane.V {
	from := x.Type
	if from == lane.F32 && t.Bytes == 8 {
		return b.Convert(t, b.Convert(lane.F64, x))
	}
	number := func(v float64) lane.V { return b.Float(from, v) }
	signed := t.Kind == lane.Signed
	smallest, beyond := 0.0, float64(uint64(1)<<(t.Bits()-1)) // the first number too large
	if signed {
		smallest = -beyond
	} else {
		beyond *= 2
	}
	saturates := b.Rules.Has(narrow(lane.I16), lane.I32) // as AVX2 packs numbers
	switch {
	case t.Bytes < 4 && saturates && !signed:
		// Truncated, a NaN is negative, and packed it is 0.
		x = b.Do(minSecond, 0, number(beyond-1), x)
		return narrowed(b, t, b.As(truncate(lane.I32), lane.I32, x))
	case signed:
		x = b.Select(b.Unord(x, x), number(0), x)
	default:
		x = b.Do(maxSecond, 0, x, number(0)) // also for NaN
	}
	if t.Bytes < 4 || t.Bytes == 4 && from == lane.F64 {
		x = b.Do(minSecond, 0, x, number(beyond-1))
	}
	if t.Bytes < 4 && signed && !saturates || t.Bytes == 8 && signed {
		x = b.Do(maxSecond, 0, x, number(smallest))
	}
	var r lane.V
	tooLarge := b.Bits(t, 1<<(t.Bits()-1)-1)
	if !signed {
		tooLarge = b.Bits(t, math.MaxUint64>>(64-t.Bits()))
	}
	switch {
	case t.Bytes < 4:
		return narrowed(b, t, b.As(truncate(lane.I32), lane.I32, x))
	case b.Rules.Has(truncate(t), from):
		if r = b.As(truncate(t), t, x); !signed || t.Bytes == 4 && from == lane.F64 {
			return r
		}
	case t.Bytes == 4:
		// Of numbers from 2³¹ the first truncation is 2³¹, and the second one
		// the rest.
		low := b.As(truncate(lane.I32), lane.I32, x)
		high := b.As(truncate(lane.I32), lane.I32, b.Sub(x, number(1<<31)))
		if r = b.View(t, b.Or(low, b.And(high, b.Sar(low, 31)))); from == lane.F64 {
			return r
		}
	default:
		// Two whole numbers of 32 bits, the lower one not negative. Each is in
		// the low bits of its sum with a power of two.
		whole := b.Trunc(x)
		high := b.Floor(b.Mul(whole, number(0x1p-32)))
		low := b.Sub(whole, b.Mul(high, number(0x1p32)))
		h := b.Shl(b.View(lane.U64, b.Add(high, number(0x1.8p52))), 32)
		l := b.Xor(b.View(lane.U64, b.Add(low, number(0x1p52))), b.Bits(lane.U64, math.Float64bits(0x1p52)))
		r = b.View(t, b.Or(h, l))
	}
	return b.Select(b.View(t, b.Lt(x, number(beyond))), r, tooLarge)
}

// fromInteger64 puts the halves of x into the fractions of 2⁸⁴ and 2⁵², whose
// units are 2³² and 1, and takes those numbers away: only the sum rounds.
func fromInteger64(b *lane.B, x lane.V) lane.V {
	u := b.View(lane.U64, x)
	high := b.Shr(u, 32)
	away := 0x1p84 + 0x1p52
	if x.Type.Kind == lane.Signed { // 2⁶³ more
		high = b.Xor(high, b.Bits(lane.U64, 1<<31))
		away += 0x1p63
	}
	fraction := func(v lane.V, of float64) lane.V { return b.Or(v, b.Bits(lane.U64, math.Float64bits(of))) }
	h := b.View(lane.F64, fraction(high, 0x1p84))
	l := b.View(lane.F64, fraction(b.And(u, b.Bits(lane.U64, 1<<32-1)), 0x1p52))
	return b.Add(b.Sub(h, b.Float(lane.F64, away)), l)
}
