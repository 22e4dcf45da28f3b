package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// How VROUNDPS and VRNDSCALEPS round; silent is for no inexact exception.
const (
	toEven = 0
	down   = 1
	up     = 2
	toZero = 3
	silent = 8
)

var roundings = map[lane.Op]uint64{lane.Round: toEven, lane.Floor: down, lane.Ceil: up, lane.Trunc: toZero}

// wholeNumber rounds to whole numbers.
func wholeNumber(f emit, how uint64) lower {
	return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		f(m.Context, operand.Imm(how|silent), a[0], d)
		return d
	}
}

// fused is first · second + third. Of NaNs the second source's survives before
// the destination's.
func fused(f emit) lower {
	return func(m *machine, _ *lane.Node, a []operand.Op) operand.Op {
		d := m.vec()
		m.VMOVAPS(a[1], d)
		f(m.Context, a[2], a[0], d)
		return d
	}
}

func sharedArithmetic(l map[key]lower) {
	type c = build.Context
	l[key{lane.FMA, lane.F32}] = fused((*c).VFMADD213PS)
	l[key{lane.FMA, lane.F64}] = fused((*c).VFMADD213PD)
}

func avx2Arithmetic(l map[key]lower) {
	type c = build.Context
	sharedArithmetic(l)
	for op, how := range roundings {
		l[key{op, lane.F32}] = wholeNumber(variadic((*c).VROUNDPS), how)
		l[key{op, lane.F64}] = wholeNumber(variadic((*c).VROUNDPD), how)
	}
}

func avx512Arithmetic(l map[key]lower) {
	type c = build.Context
	sharedArithmetic(l)
	for op, how := range roundings {
		l[key{op, lane.F32}] = wholeNumber((*c).VRNDSCALEPS, how)
		l[key{op, lane.F64}] = wholeNumber((*c).VRNDSCALEPD, how)
	}
}

// expandArithmetic holds compositions of instructions that only these sets have.
var expandArithmetic = map[lane.Op]lane.Expand{
	// VMAXPS keeps its second operand if that is a NaN or both are zeros; the sum
	// makes the zero positive and the NaN quiet.
	lane.Relu: func(b *lane.B, a []lane.V) lane.V {
		x := a[0]
		if x.Type.Kind != lane.Float {
			return lane.Default(lane.Relu)(b, a)
		}
		zero := b.Bits(x.Type, 0)
		return b.Add(b.Do(maxSecond, 0, zero, x), zero)
	},
}
