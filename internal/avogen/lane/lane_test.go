package lane

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// all is a target that lowers everything but what is listed.
func all(but ...Op) Rules {
	return Rules{Has: func(op Op, _ Type) bool {
		for _, b := range but {
			if b == op {
				return false
			}
		}
		return true
	}}
}

func ops(p *Prog) (ops []Op) {
	for _, n := range p.Nodes {
		ops = append(ops, n.Op)
	}
	return ops
}

func TestCommonSubexpressionsMeet(t *testing.T) {
	p := Build(all(), []Type{F32, F32}, func(b *B, a []V) V {
		return b.Mul(b.Add(a[0], a[1]), b.Add(a[0], a[1]))
	})
	assert.Equal(t, []Op{Input, Input, Add, Mul}, ops(p))

	p = Build(all(), []Type{I32, I32}, func(b *B, a []V) V {
		return b.Sub(b.Sub(a[0], a[1]), b.Sub(a[1], a[0]))
	})
	assert.Equal(t, []Op{Input, Input, Sub, Sub, Sub}, ops(p), "the order of operands counts")

	p = Build(all(), []Type{I32}, func(b *B, a []V) V {
		return b.Add(b.Shl(a[0], 1), b.Shl(a[0], 2))
	})
	assert.Equal(t, []Op{Input, Shl, Shl, Add}, ops(p), "immediates count")
}

func TestDeadNodesGo(t *testing.T) {
	p := Build(all(), []Type{F32, F32}, func(b *B, a []V) V {
		b.Mul(b.Bits(F32, 7), a[1])
		return b.Neg(a[0])
	})
	assert.Equal(t, []Op{Input, Input, Neg}, ops(p), "inputs stay: kernels have them")
	for i, n := range p.Nodes {
		assert.Equal(t, i, n.ID)
	}
	assert.Empty(t, p.Consts())
	assert.Equal(t, 1, p.Cost())
}

func TestLoweringIsChosenInOrder(t *testing.T) {
	neg := func(b *B, a []V) V { return b.Neg(a[0]) }

	p := Build(all(), []Type{F32}, neg)
	assert.Equal(t, []Op{Input, Neg}, ops(p), "an instruction")

	r := all(Neg)
	p = Build(r, []Type{F32}, neg)
	assert.Equal(t, []Op{Input, Const, Xor}, ops(p), "the default composition")

	r.Expand = map[Op]Expand{Neg: func(b *B, a []V) V { return b.Mul(a[0], b.Bits(F32, 0xbf800000)) }}
	p = Build(r, []Type{F32}, neg)
	assert.Equal(t, []Op{Input, Const, Mul}, ops(p), "the target's composition")

	assert.PanicsWithValue(t, "no lowering of sqrt for float64", func() {
		Build(all(Sqrt), []Type{F64}, func(b *B, a []V) V { return b.Sqrt(a[0]) })
	})
	assert.PanicsWithValue(t, "add: float32 with int8", func() {
		Build(all(), []Type{F32, I8}, func(b *B, a []V) V { return b.Add(a[0], a[1]) })
	})
}

// Every default must end in ops that need no default.
func TestDefaultsNeedBasicOpsOnly(t *testing.T) {
	basic := []Op{Add, Sub, And, Or, Xor, Lt, Eq, Unord, Select}
	r := Rules{Has: func(op Op, _ Type) bool {
		for _, b := range basic {
			if op == b {
				return true
			}
		}
		return false
	}}
	for op, sources := range map[Op]int{Neg: 1, Abs: 1, Maximum: 2, Minimum: 2, AndNot: 2} {
		for _, e := range []Type{F32, F64, I8, I64, U8, U64} {
			in := []Type{e, e}[:sources]
			require.NotPanics(t, func() {
				p := Build(r, in, func(b *B, a []V) V { return b.Do(op, 0, a...) })
				require.Equal(t, e, p.Out.Type)
			}, "%s of %s", op, e.Name)
		}
	}
}

func TestViewKeepsTheLane(t *testing.T) {
	p := Build(all(), []Type{U8}, func(b *B, a []V) V {
		x := b.View(U16, a[0])
		return b.View(U8, b.And(x, b.Bits(U16, 0xff)))
	})
	assert.Equal(t, 1, p.Widest(), "a view has as many lanes as what it views")
	assert.Equal(t, 1, p.Cost(), "and costs nothing")

	p = Build(all(), []Type{F64, U8}, func(b *B, a []V) V { return a[1] })
	assert.Equal(t, 8, p.Widest())
}

func TestLive(t *testing.T) {
	for _, c := range []struct {
		name string
		in   int
		lane func(b *B, a []V) V
		want int
	}{
		{"copy", 1, func(b *B, a []V) V { return a[0] }, 1},
		{"one operation", 2, func(b *B, a []V) V { return b.Add(a[0], a[1]) }, 2},
		{"constants are apart", 1, func(b *B, a []V) V { return b.Add(a[0], b.Bits(F32, 1)) }, 1},
		{"operands live on", 2, func(b *B, a []V) V {
			return b.Mul(b.Add(a[0], a[1]), b.Sub(a[0], a[1]))
		}, 3},
	} {
		p := Build(all(), []Type{F32, F32}[:c.in], c.lane)
		assert.Equal(t, c.want, p.Live(), c.name)
	}
	two := Build(all(), []Type{F32, F32}, func(b *B, a []V) V {
		m, n := b.Lt(a[0], a[1]), b.Eq(a[0], a[1])
		return b.Select(n, a[0], b.Select(m, a[1], a[0]))
	})
	assert.Equal(t, 2, two.LiveMasks())
	assert.Equal(t, 0, Build(all(), []Type{F32}, func(b *B, a []V) V { return a[0] }).LiveMasks())
}
