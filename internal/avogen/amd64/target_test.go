package amd64

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

func sets() []*Target { return []*Target{NewAVX2(), NewAVX512()} }

func add(b *lane.B, a []lane.V) lane.V { return b.Add(a[0], a[1]) }

// kernel prints one kernel alone.
func kernel(t *Target, l loop.Loop, in []lane.Type, f func(*lane.B, []lane.V) lane.V) (int, string, error) {
	held := t.Kernel("Kernel"+l.Name, l, loop.Kernel{Prog: lane.Build(t.Rules(), in, f)})
	out, err := t.Print()
	return held, string(out), err
}

// crowd needs n values and their sources at once.
func crowd(n int) func(b *lane.B, a []lane.V) lane.V {
	return func(b *lane.B, a []lane.V) lane.V {
		var all []lane.V
		x := a[0]
		for range n {
			x = b.Add(x, a[1])
			all = append(all, x)
		}
		for len(all) > 1 { // the first is used last
			k := len(all) - 1
			all[k-1] = b.Sub(all[k-1], all[k])
			all = all[:k]
		}
		return all[0]
	}
}

func TestTooManyLiveValues(t *testing.T) {
	two := []lane.Type{lane.F32, lane.F32}
	contiguous := loop.Loops(2)[0]
	_, _, err := kernel(NewAVX2(), contiguous, two, crowd(8))
	require.NoError(t, err)
	_, _, err = kernel(NewAVX2(), contiguous, two, crowd(20))
	require.ErrorContains(t, err, "KernelContiguous: uses Y")
	require.ErrorContains(t, err, "too many values are live")
	_, _, err = kernel(NewAVX512(), contiguous, two, crowd(20))
	require.NoError(t, err, "AVX-512 has 32 registers")
	_, _, err = kernel(NewAVX512(), contiguous, two, crowd(40))
	require.ErrorContains(t, err, "KernelContiguous: ", "avo's own failure names the kernel too")
}

func TestGate(t *testing.T) {
	tgt := NewAVX2()
	tgt.set = &set{suffix: "AVX2", vecBytes: 32, registers: 16, gate: []string{"AVX"}, lowers: avx2.lowers}
	_, _, err := kernel(tgt, loop.Loops(2)[0], []lane.Type{lane.I32, lane.I32}, add)
	require.EqualError(t, err, "KernelContiguous: needs AVX2")
}

func TestHeldRowsLeaveRoomForTheProgram(t *testing.T) {
	two := []lane.Type{lane.F32, lane.F32}
	for _, right := range loop.Loops(2)[3:] {
		for _, tgt := range sets() {
			held, text, err := kernel(tgt, right, two, add)
			require.NoError(t, err)
			assert.Equal(t, 8, held)
			assert.Contains(t, text, "row8:")
			assert.NotContains(t, text, "row9:")
		}
		held, _, err := kernel(NewAVX2(), right, two, crowd(8))
		require.NoError(t, err)
		assert.Less(t, held, 8, "16 registers do not hold 8 vectors and 9 values")
		held, _, err = kernel(NewAVX512(), right, two, crowd(12))
		require.NoError(t, err)
		assert.Equal(t, 4, held, "a long program is printed less often")
	}
	held, _, err := kernel(NewAVX2(), loop.Loops(2)[0], two, add)
	require.NoError(t, err)
	assert.Zero(t, held)
}

// Every loop has registers enough, whatever its operands' widths.
func TestLoops(t *testing.T) {
	widths := [][2]lane.Type{{lane.U8, lane.U8}, {lane.U64, lane.U8}, {lane.U32, lane.U16}, {lane.U16, lane.U64}}
	for n := 1; n <= 4; n++ {
		for _, l := range loop.Loops(n) {
			for _, w := range widths {
				in := []lane.Type{w[0], w[1], w[1], w[0]}[:n]
				for _, tgt := range sets() {
					_, text, err := kernel(tgt, l, in, func(b *lane.B, a []lane.V) lane.V {
						v := a[0]
						for _, x := range a {
							if x.Type == v.Type {
								v = b.Xor(v, b.Sub(v, x))
							}
						}
						return v
					})
					require.NoError(t, err, "%s of %v", l.Name, in)
					require.Equal(t, strings.Count(text, "\tRET"), strings.Count(text, "VZEROUPPER"))
					require.NotContains(t, text, "BP")
				}
			}
		}
	}
}

// A narrow operand moves as many elements as the widest has in a vector.
func TestNarrowOperands(t *testing.T) {
	take := func(b *lane.B, a []lane.V) lane.V { return a[1] }
	for _, c := range []struct {
		tgt  *Target
		in   []lane.Type
		text []string
	}{
		{NewAVX2(), []lane.Type{lane.F64, lane.U8}, []string{"VMOVD   (R13), X", "-4(R13)(R10*1)", "ADDQ    $+16, R13"}},
		{NewAVX2(), []lane.Type{lane.F32, lane.U8}, []string{"VMOVQ   (R13), X", "-8(R13)(R10*1)", "ADDQ    $+32, R13"}},
		{NewAVX2(), []lane.Type{lane.F32, lane.U16}, []string{"VMOVUPS (R13), X", "-16(R13)(R10*2)"}},
		{NewAVX512(), []lane.Type{lane.F64, lane.U8}, []string{"VMOVQ   (R13), X", "-8(R13)(R10*1)", "VMOVDQU8.Z (R13), K"}},
		{NewAVX512(), []lane.Type{lane.F32, lane.U16}, []string{"VMOVUPS (R13), Y", "-32(R13)(R10*2)"}},
	} {
		_, text, err := kernel(c.tgt, loop.Loops(2)[0], c.in, take)
		require.NoError(t, err)
		for _, want := range c.text {
			assert.Contains(t, strings.ReplaceAll(text, ", Z", ", X"), want, "%s %v", c.tgt.Suffix(), c.in)
		}
	}
}

// Two NaNs: the first source is the one that Go lists second.
func TestOperandOrder(t *testing.T) {
	_, text, err := kernel(NewAVX2(), loop.Loops(2)[0], []lane.Type{lane.F32, lane.F32}, add)
	require.NoError(t, err)
	assert.Contains(t, text, "VMOVUPS (R12), Y1\n\tVADDPS  (R13), Y1, Y1")
}

// A long program computes two vectors side by side if registers and masks
// suffice, a short one leaves that to the CPU.
func TestTogether(t *testing.T) {
	body := func(tgt *Target, f lane.Expand) string {
		_, text, err := kernel(tgt, loop.Loops(2)[0], []lane.Type{lane.F32, lane.F32}, f)
		require.NoError(t, err)
		_, body, _ := strings.Cut(text, "\nbody:\n")
		return body
	}
	long := func(b *lane.B, a []lane.V) lane.V {
		x := a[0]
		for range 10 {
			x = b.Mul(b.Add(x, a[1]), a[0])
		}
		return x
	}
	const twoVectors = `^(\tVMOVUPS \d*\(R1[23]\), [YZ]\d+\n){4}\tVADDPS .*\n\tVADDPS `
	for _, tgt := range sets() {
		assert.Regexp(t, twoVectors, body(tgt, long), tgt.Suffix())
	}
	assert.NotRegexp(t, twoVectors, body(NewAVX2(), add), "a short program")
	assert.Empty(t, body(NewAVX2(), crowd(9)), "registers for one vector only")
	masks := func(b *lane.B, a []lane.V) lane.V { // four masks at a time, of seven
		var all []lane.V
		x := a[0]
		for range 4 {
			x = b.Add(x, a[1])
			all = append(all, b.Lt(x, a[1]))
		}
		for _, m := range all {
			for range 3 {
				x = b.Add(x, a[1])
			}
			x = b.Select(m, x, a[0])
		}
		return x
	}
	assert.Empty(t, body(NewAVX512(), masks), "masks for one vector only")
}

// A load is folded into its only use.
func TestFold(t *testing.T) {
	for name, c := range map[string]struct {
		prog lane.Expand
		text string
	}{
		"once":  {func(b *lane.B, a []lane.V) lane.V { return b.Mul(a[0], a[1]) }, "VMOVUPS (R12), Y1\n\tVMULPS  (R13), Y1, Y1"},
		"twice": {func(b *lane.B, a []lane.V) lane.V { return b.Mul(a[1], a[1]) }, "VMOVUPS (R13), Y1\n\tVMULPS  Y1, Y1, Y1"},
		"used again": {func(b *lane.B, a []lane.V) lane.V { return b.Mul(b.Sub(a[0], a[1]), a[1]) },
			"VMOVUPS (R13), Y2\n\tVSUBPS  Y2, Y1, Y1\n\tVMULPS  Y2, Y1, Y1"},
		"left of a difference": {func(b *lane.B, a []lane.V) lane.V { return b.Sub(a[1], a[0]) }, "VMOVUPS (R13), Y2\n\tVSUBPS  Y1, Y2, Y1"},
	} {
		_, text, err := kernel(NewAVX2(), loop.Loops(2)[0], []lane.Type{lane.F32, lane.F32}, c.prog)
		require.NoError(t, err)
		assert.Contains(t, text, c.text, name)
	}
}

func TestConstantsAreShared(t *testing.T) {
	tgt := NewAVX2()
	for _, name := range []string{"One", "Two"} {
		p := lane.Build(tgt.Rules(), []lane.Type{lane.F32}, func(b *lane.B, a []lane.V) lane.V { return b.Neg(a[0]) })
		tgt.Kernel(name, loop.Loops(1)[0], loop.Kernel{Prog: p})
	}
	out, err := tgt.Print()
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(out), "GLOBL"))
	assert.Equal(t, 2, strings.Count(string(out), "VBROADCASTSS const32_80000000<>+0(SB)"))
}
