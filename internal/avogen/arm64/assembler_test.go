package arm64

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func printed(t *testing.T, a *assembler) string {
	t.Helper()
	require.NoError(t, a.allocate())
	var b strings.Builder
	require.NoError(t, a.print(&b))
	return b.String()
}

// constant adds a register with a value.
func constant(a *assembler, n int) *reg {
	r := a.general()
	a.op("MOVD $%d, R%d", n, written{r})
	return r
}

func TestAllocatorErrors(t *testing.T) {
	for name, c := range map[string]struct {
		code func(a *assembler)
		want string
	}{
		"read before write": {func(a *assembler) {
			r := a.general()
			a.op("ADD $1, R%d", updated{r})
			a.ret()
		}, "read before it is written"},
		"written on one path only": {func(a *assembler) {
			n, r := constant(a, 1), a.general()
			a.op("CMP $%d, R%d", 1, n)
			a.branch("LT", "skip")
			a.op("MOVD $2, R%d", written{r})
			a.label("skip")
			a.op("MOVD R%d, ret+0(FP)", r)
			a.ret()
		}, "read before it is written"},
		"read in the first turn of a loop, written at its end": {func(a *assembler) {
			n, r := constant(a, 9), a.general()
			a.label("loop")
			a.op("MOVD R%d, ret+0(FP)", r)
			a.op("MOVD $2, R%d", written{r})
			a.op("CMP $%d, R%d", 1, n)
			a.branch("GE", "loop")
			a.ret()
		}, "read before it is written"},
		"too many vectors":  {func(a *assembler) { alive(a, true, 33) }, "out of vector registers"},
		"too many generals": {func(a *assembler) { alive(a, false, 24) }, "out of general registers"},
		"no label":          {func(a *assembler) { a.jump("nowhere") }, "no label nowhere"},
		"a label twice":     {func(a *assembler) { a.label("x"); a.label("x") }, "label x is set twice"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &assembler{}
			c.code(a)
			assert.ErrorContains(t, a.allocate(), c.want)
		})
	}
}

// alive writes n registers before it reads them all.
func alive(a *assembler, vec bool, n int) (rs []*reg) {
	for range n {
		r := a.reg(vec)
		a.op("SET %d", written{r})
		rs = append(rs, r)
	}
	for _, r := range rs {
		a.op("GET %d", r)
	}
	a.ret()
	return rs
}

func TestAllocatorUsesEveryRegister(t *testing.T) {
	for vec, want := range map[bool][]int{true: vectors, false: generals} {
		a := &assembler{}
		rs := alive(a, vec, len(want))
		require.NoError(t, a.allocate())
		var got []int
		for _, r := range rs {
			got = append(got, r.num)
		}
		assert.Equal(t, want, got)
	}
	for _, reserved := range []int{16, 17, 18, 26, 27, 28, 29, 30, 31} {
		assert.NotContains(t, generals, reserved)
	}
}

// What a loop reads in its next turn must survive the rest of this one, though
// no later line reads it.
func TestAllocatorKeepsWhatLoopsRead(t *testing.T) {
	a := &assembler{}
	held, n := a.vector(), constant(a, 9)
	a.op("SET V%d", written{held})
	a.label("loop")
	a.op("GET V%d", held)
	var inner []*reg
	for range 40 { // more than there are registers, one after the other
		v := a.vector()
		a.op("SET V%d", written{v})
		a.op("GET V%d", v)
		inner = append(inner, v)
	}
	a.op("CMP $%d, R%d", 1, n)
	a.branch("GE", "loop")
	after := a.vector()
	a.op("SET V%d", written{after})
	a.op("GET V%d", after)
	a.ret()
	require.NoError(t, a.allocate())
	for _, v := range inner {
		assert.NotEqual(t, held.num, v.num)
	}
	assert.NotEqual(t, inner[0].num, inner[1].num, "registers are taken in turn")
	most, err := a.pressure()
	require.NoError(t, err)
	assert.Equal(t, 2, most)
}

// A value may arrive from two branches in one register.
func TestAllocatorJoinsBranches(t *testing.T) {
	a := &assembler{}
	n, v := constant(a, 1), a.general()
	a.op("CMP $%d, R%d", 1, n)
	a.branch("LT", "less")
	other := constant(a, 3)
	a.op("ADD R%d, R%d, R%d", other, n, written{v})
	a.jump("end")
	a.label("less")
	w := constant(a, 4)
	a.op("ADD R%d, R%d, R%d", w, n, written{v})
	a.label("end")
	a.op("MOVD R%d, ret+0(FP)", v)
	a.ret()
	require.NoError(t, a.allocate())
	assert.NotEqual(t, v.num, w.num, "v waits for the join from its first assignment on")
}

func TestMoves(t *testing.T) {
	a := &assembler{}
	x := constant(a, 1)
	y := a.general()
	a.move("MOVD R%d, R%d", y, x) // x is done: nothing to do
	z := a.general()
	a.move("MOVD R%d, R%d", z, y) // y is needed again
	a.op("ADD $%d, R%d", 1, updated{z})
	a.op("GET R%d, R%d", y, z)
	a.ret()
	assert.Equal(t, "\tMOVD $1, R0\n\tMOVD R0, R1\n\tADD $1, R1\n\tGET R0, R1\n\tRET\n", printed(t, a))
}

// What is written by one path and read by another that nothing else leads to is
// not read before it is written.
func TestAllocatorFollowsJumps(t *testing.T) {
	a := &assembler{}
	n, r := constant(a, 1), a.general()
	a.op("CMP $%d, R%d", 1, n)
	a.branch("LT", "set")
	a.ret()
	a.label("get")
	a.op("MOVD R%d, ret+0(FP)", r)
	a.ret()
	a.label("set")
	a.op("MOVD $2, R%d", written{r})
	a.jump("get")
	assert.NoError(t, a.allocate())
}

// Two results of one instruction differ, even if nothing reads them.
func TestResultsDiffer(t *testing.T) {
	for others, fits := range map[int]bool{30: true, 31: false} {
		a := &assembler{}
		p := constant(a, 0)
		var rs []*reg
		for range others {
			rs = append(rs, a.vector())
			a.op("SET V%d", written{rs[len(rs)-1]})
		}
		x, y := a.vector(), a.vector()
		a.op("FLDPQ (R%d), (F%d, F%d)", p, written{x}, written{y})
		for _, r := range rs {
			a.op("GET V%d", r)
		}
		a.ret()
		err := a.allocate()
		assert.Equal(t, fits, err == nil, "%d others: %v", others, err)
		assert.NotEqual(t, x.num, y.num)
	}
}

func TestWordsHoldTheirRegisters(t *testing.T) {
	a := &assembler{}
	rs := alive(&assembler{}, true, 3)
	for i, r := range rs {
		r.num = i + 29
	}
	a.fadd(shapes[8], rs[0], rs[1], rs[2])
	a.label("x")
	var b strings.Builder
	require.NoError(t, a.print(&b))
	assert.Equal(t, "\tWORD $0x4e7fd7dd // fadd v29.2d, v30.2d, v31.2d\n\nx:\n", b.String())
	a.word(1, "four v%d, v%d, v%d, v%d", rs[0], rs[1], rs[2], rs[0])
	assert.ErrorIs(t, a.print(&b), errTooManyFields)
}
