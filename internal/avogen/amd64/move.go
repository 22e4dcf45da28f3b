package amd64

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// half is what one shuffle reaches: its bytes stay within 16.
const half = 16

// Moves adds the kernels that move elements. They are written for vectors of 32
// bytes, which AVX-512 has too.
func (t *Target) Moves() []loop.Move {
	if t.set != avx2 {
		return nil
	}
	list := loop.Rows(t)
	add := func(name, doc string, print func(m *machine)) {
		name += t.Suffix()
		t.function(name, print)
		list = append(list, loop.Move{Name: name, Doc: doc})
	}
	for _, e := range loop.MoveTypes {
		n := half / e.Bytes
		add("Transpose"+e.Title(), fmt.Sprintf("dst[r][i] = a[i][r], rows a multiple of %d and cols of %d", n, 2*n),
			func(m *machine) { m.transpose(e) })
	}
	for k := 1; k <= loop.ShuffleLoads; k++ {
		add(fmt.Sprintf("Shuffle%d", k), fmt.Sprintf("vectors of %d bytes, cols a row, as the table b says with %d loads for each half", 2*half, k),
			func(m *machine) { m.shuffle(k) })
	}
	add("Stream", "dst[r][i] = a[r][i], bytes, by non-temporal stores: dst, dstStep and cols are multiples of 32; Fence has to follow", (*machine).stream)
	add("Fence", "nothing: it orders what was streamed before what is stored after it", (*machine).fence)
	return list
}

// transpose goes along the source's lines, a column of tiles at a time, so that
// a line is used up while it is in the first-level cache. A tile has the rows
// that fill half a vector of the source; a register holds two such halves, of
// columns that are as many apart. With n columns in n registers, log2(n) times
// interleaving register i with i+n/2 transposes both halves at once.
func (m *machine) transpose(e lane.Type) {
	n := half / e.Bytes
	rows, cols := m.Param("rows"), m.Param("cols")
	m.JumpLess(rows, n, "done")
	m.JumpLess(cols, 2*n, "done")
	d, p := m.param("dst"), m.param("a")
	dStep, step := m.param("dstStep"), m.param("aStep")
	step3 := m.GP64()
	m.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)

	m.Label("columns")
	rows = m.Param("rows")
	m.LoopLabel("tile")
	every := []reg.Register{p} // every fourth column
	column := func(i int) operand.Mem {
		for k := len(every); k <= i/4; k++ {
			q := m.GP64()
			m.LEAQ(operand.Mem{Base: every[k-1], Index: step, Scale: 4}, q)
			every = append(every, q)
		}
		at := operand.Mem{Base: every[i/4]}
		switch i % 4 {
		case 1, 2:
			at.Index, at.Scale = step, uint8(i%4)
		case 3:
			at.Index, at.Scale = step3, 1
		}
		return at
	}
	load := func(i int) reg.VecVirtual {
		v := m.load(column(i), half)
		m.VINSERTI128(operand.Imm(1), column(i+n), v, v)
		return v
	}
	type c = build.Context
	zip := []emit{
		byBytes(e, (*c).VPUNPCKLBW, (*c).VPUNPCKLWD, (*c).VPUNPCKLDQ, (*c).VPUNPCKLQDQ),
		byBytes(e, (*c).VPUNPCKHBW, (*c).VPUNPCKHWD, (*c).VPUNPCKHDQ, (*c).VPUNPCKHQDQ),
	}
	interleave := func(high int, a, b reg.VecVirtual) reg.VecVirtual {
		v := m.vec()
		zip[high](m.Context, b, a, v)
		return v
	}
	parts := 1
	if n == m.target.set.registers {
		parts = 2 // the low and the high results of the first step, one after the other
	}
	for part := range parts {
		var v []reg.VecVirtual
		for i := range n / parts {
			x := load(i)
			if parts == 2 {
				x = interleave(part, x, load(i+n/2))
			}
			v = append(v, x)
		}
		for range log2(len(v)) {
			var next []reg.VecVirtual
			for i := range len(v) / 2 {
				next = append(next, interleave(0, v[i], v[i+len(v)/2]), interleave(1, v[i], v[i+len(v)/2]))
			}
			v = next
		}
		for _, x := range v {
			m.VMOVDQU(x, mem(d, 0))
			m.Add(d, dStep)
		}
	}
	m.AddImm(p, half)
	m.AddImm(rows, -n)
	m.JumpGreaterEq(rows, n, "tile")

	// Back to the first row, and on to the next columns.
	back, written := m.param("rows"), m.param("rows")
	m.IMULQ(dStep, written)
	m.SUBQ(written, d)
	m.AddImm(d, 2*half)
	m.SHLQ(operand.Imm(uint64(log2(e.Bytes))), back)
	m.SUBQ(back, p)
	for range 2 * n / 8 {
		m.LEAQ(operand.Mem{Base: p, Index: step, Scale: 8}, p)
	}
	if 2*n%8 != 0 {
		m.LEAQ(operand.Mem{Base: p, Index: step, Scale: 4}, p)
	}
	m.AddImm(cols, -2*n)
	m.JumpGreaterEq(cols, 2*n, "columns")
	m.Label("done")
	m.Return()
}

// shuffle builds each half of a vector from the given number of loads of 16
// bytes: what it takes of each is shuffled into place, where all others are 0.
// The table has an entry for each vector of a row: for each load, the 32
// indices of the shuffle and the offsets of its two halves from the source's
// row. An entry stays in registers for all rows.
func (m *machine) shuffle(loads int) {
	rows, cols := m.Param("rows"), m.Param("cols")
	m.JumpLess(rows, 1, "done")
	m.JumpLess(cols, 1, "done")
	table := m.param("b")
	d := m.param("dst")

	m.Label("vector")
	var index []reg.VecVirtual
	var off [][2]reg.Register
	for k := range loads {
		entry := k * (2*half + 2*8)
		index = append(index, m.load(mem(table, entry), 2*half))
		var o [2]reg.Register
		for h := range o {
			o[h] = m.GP64()
			m.MOVQ(mem(table, entry+2*half+8*h), o[h])
		}
		off = append(off, o)
	}
	rows = m.Param("rows")
	a, to := m.param("a"), m.Copy(d)
	// With four loads the registers do not suffice for the steps too.
	var aStep, dStep operand.Op = m.frame("aStep"), m.frame("dstStep")
	if loads < loop.ShuffleLoads {
		aStep, dStep = m.param("aStep"), m.param("dstStep")
	}
	loop.Unrolled(m, rows, 4, func() {
		var sum reg.VecVirtual
		for k := range loads {
			v := m.load(operand.Mem{Base: a, Index: off[k][0], Scale: 1}, half)
			m.VINSERTI128(operand.Imm(1), operand.Mem{Base: a, Index: off[k][1], Scale: 1}, v, v)
			m.VPSHUFB(index[k], v, v)
			if k > 0 {
				m.VPOR(sum, v, v)
			}
			sum = v
		}
		m.VMOVDQU(sum, mem(to, 0))
		m.ADDQ(aStep, a)
		m.ADDQ(dStep, to.(operand.Op))
	})
	m.AddImm(table, loads*(2*half+2*8))
	m.AddImm(d, 2*half)
	m.AddImm(cols, -1)
	m.JumpGreaterEq(cols, 1, "vector")
	m.Label("done")
	m.Return()
}

func log2(n int) int { return bits.TrailingZeros(uint(n)) }

// frame is where a parameter is.
func (m *machine) frame(name string) operand.Mem {
	p, err := m.Context.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
