package arm64

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/internal/avogen/arm64/words"
	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

var types = []lane.Type{lane.F32, lane.F64, lane.I8, lane.I16, lane.I32, lane.I64, lane.U8, lane.U16, lane.U32, lane.U64}

// kernels prints a program of n operands of type t in every loop.
func kernels(t lane.Type, n int, f func(b *lane.B, a []lane.V) lane.V) (map[string]string, error) {
	ts := make([]lane.Type, n)
	for i := range ts {
		ts[i] = t
	}
	texts := map[string]string{}
	for _, l := range loop.Loops(n) {
		file := New()
		file.Kernel("Op"+t.Title()+l.Name, l, loop.Kernel{Prog: lane.Build(file.Rules(), ts, f)})
		text, err := file.Print()
		if err != nil {
			return nil, err
		}
		texts[l.Name] = string(text)
	}
	return texts, nil
}

// sum of the products of all pairs of its operands: it holds many values.
func sum(b *lane.B, a []lane.V) lane.V {
	s := a[0]
	for _, x := range a {
		for _, y := range a {
			s = b.Add(b.Mul(x, y), s)
		}
	}
	return s
}

func TestEveryLoopFits(t *testing.T) {
	for _, typ := range types {
		for n := 1; n <= len(loop.Sources); n++ {
			texts, err := kernels(typ, n, sum)
			require.NoError(t, err, "%s, %d operands", typ.Name, n)
			require.Len(t, texts, len(loop.Loops(n)))
		}
	}
}

func TestErrorsNameTheKernel(t *testing.T) {
	_, err := kernels(lane.I32, 1, func(b *lane.B, a []lane.V) lane.V {
		s := a[0]
		for i := range 33 { // each in a register of its own for the whole kernel
			s = b.Add(s, b.Bits(lane.I32, uint64(i)))
		}
		return s
	})
	assert.ErrorContains(t, err, "OpInt32Contiguous: out of vector registers")
}

// A contiguous loop has at most two loads, the operation and a store for each
// vector, and one group of instructions that advances it for each four.
func TestMainLoopOfAdd(t *testing.T) {
	for _, typ := range types {
		texts, err := kernels(typ, 2, func(b *lane.B, a []lane.V) lane.V { return b.Add(a[0], a[1]) })
		require.NoError(t, err)
		_, body, _ := strings.Cut(texts["Contiguous"], "\nbody:\n")
		body, _, found := strings.Cut(body, "\tBGE body\n")
		require.True(t, found)
		count := func(pattern string) int { return len(regexp.MustCompile(pattern).FindAllString(body, -1)) }
		vectors := count(`FMOVQ F\d+, \d+\(R\d+\)`)
		assert.GreaterOrEqual(t, vectors, 4)
		assert.Equal(t, 2*vectors, count(`FMOVQ \d+\(R\d+\), F\d+`))
		assert.Equal(t, vectors, count(`VADD |// fadd `))
		assert.Regexp(t, `^(\tFMOVQ \d+\(R\d+\), F\d+\n){8}`, body, "vectors are computed side by side")
		advance := 3 + 1 + 1 // the pointers, the count and its comparison
		assert.LessOrEqual(t, strings.Count(body, "\n"), 4*vectors+advance*vectors/4)
	}
}

// Values narrower than the widest fill a part of a vector.
func TestNarrowOperands(t *testing.T) {
	for _, c := range []struct {
		narrow lane.Type
		load   string
	}{
		{lane.U32, `FMOVD 8\(R\d+\), F\d+`},
		{lane.U16, `FMOVS 4\(R\d+\), F\d+`},
		{lane.U8, `WORD \$0x\w+ // ldr h\d+, \[x\d+, #2\]`},
	} {
		file := New()
		prog := &lane.Prog{}
		for i, typ := range []lane.Type{c.narrow, lane.U64} {
			prog.In = append(prog.In, &lane.Node{ID: i, Op: lane.Input, Type: typ, Imm: uint64(i), Lane: typ.Bytes})
		}
		prog.Nodes, prog.Out = prog.In, prog.In[0]
		file.Kernel("First", loop.Loops(2)[0], loop.Kernel{Prog: prog})
		text, err := file.Print()
		require.NoError(t, err)
		assert.Regexp(t, c.load, string(text))
	}
}

func TestMaxHeld(t *testing.T) {
	for consts, want := range map[int]int{0: 8, 22: 8, 23: 7, 25: 5, 29: 1} {
		prog := lane.Build(rules, []lane.Type{lane.F32, lane.F32}, func(b *lane.B, a []lane.V) lane.V {
			s := b.Add(a[0], a[1])
			for i := range consts {
				s = b.Add(s, b.Bits(lane.F32, uint64(i)))
			}
			return s
		})
		for _, l := range loop.Loops(2) {
			m := &machine{}
			l.Emit(m, loop.Kernel{Prog: prog})
			assert.Equal(t, want, m.MaxHeld(), "%d constants", consts)
			assert.NoError(t, m.allocate(), "%d constants, %s", consts, l.Name)
		}
	}
}

// TestWords checks the instructions of every lowering, also those that no
// operation uses yet.
func TestWords(t *testing.T) {
	files := map[string]string{}
	for _, typ := range append(types, lane.Bool, lane.F16) {
		var m machine
		m.Begin(lane.Build(rules, []lane.Type{lane.U64}, func(b *lane.B, a []lane.V) lane.V { return a[0] }))
		p := m.Param("a")
		m.Store(typ, m.Load(typ, p, -2*typ.Bytes), p, -2*typ.Bytes)
		m.Store(typ, m.Load(typ, p, 6*typ.Bytes), p, 6*typ.Bytes)
		var all []map[lane.Op]lower
		for _, g := range groups {
			all = append(all, g.byBits, g.byKind[typ.Kind])
		}
		conversions := map[lane.Op]lower{}
		for _, to := range append(types, lane.F16, lane.BF16) {
			if op := lane.To(to); converting(op, typ) != nil {
				conversions[op] = converting(op, typ)
			}
		}
		all = append(all, conversions)
		for _, ops := range all {
			for op := range ops {
				for _, imm := range []uint64{1, uint64(typ.Bits() - 1)} {
					a, b, c := m.vector(), m.vector(), m.vector()
					for _, r := range []*reg{a, b, c} {
						m.splat(typ.Bytes, r, p.(*reg))
					}
					if l := lowering(op, typ); l != nil {
						l(&m, shapes[typ.Bytes], m.vector(), []*reg{a, b, c}, imm)
					}
				}
			}
		}
		m.Return()
		files[typ.Name] = printed(t, &m.assembler)
	}
	words.Check(t, files)
}
