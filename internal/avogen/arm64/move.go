package arm64

import (
	"fmt"
	"math/bits"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// Moves adds the kernels that move elements.
func (t *target) Moves() []loop.Move {
	list := loop.Rows(t)
	add := func(name, doc string, print func(m *machine)) {
		name += t.Suffix()
		m := &machine{}
		print(m)
		t.add(name, doc, m)
		list = append(list, loop.Move{Name: name, Doc: doc})
	}
	for _, e := range loop.MoveTypes {
		n := vecBytes / e.Bytes
		add("Transpose"+e.Title(), fmt.Sprintf("dst[r][i] = a[i][r], rows and cols multiples of %d", n),
			func(m *machine) { m.transpose(e) })
	}
	for k := 1; k <= loop.ShuffleLoads; k++ {
		add(fmt.Sprintf("Shuffle%d", k), fmt.Sprintf("vectors of %d bytes, cols a row, as the table b says with loads: %d", vecBytes, k),
			func(m *machine) { m.shuffle(k) })
	}
	return list
}

// transpose goes along the source's lines, a column of tiles at a time, so that
// a line is used up while it is in the first-level cache. With n columns in n
// registers, log2(n) times interleaving register i with i+n/2 transposes them.
func (m *machine) transpose(e lane.Type) {
	n, s := vecBytes/e.Bytes, shapes[e.Bytes]
	cols := m.Param("cols")
	m.JumpLess(m.Param("rows"), n, "done")
	m.JumpLess(cols, n, "done")
	dst, a := m.Param("dst"), m.Param("a")
	dStep, step := m.Param("dstStep"), m.Param("aStep")

	m.Label("columns")
	rows, d, p := m.Param("rows"), m.Copy(dst), m.Copy(a)
	m.LoopLabel("tile")
	var v []*reg
	column := m.Copy(p)
	for i := range n {
		if i > 0 {
			m.Add(column, step)
		}
		x := m.vector()
		m.load(vecBytes, x, column.(*reg), 0)
		v = append(v, x)
	}
	for range bits.TrailingZeros(uint(n)) {
		var next []*reg
		for i := range n / 2 {
			low, high := m.vector(), m.vector()
			m.binary("VZIP1", s, low, v[i], v[i+n/2])
			m.binary("VZIP2", s, high, v[i], v[i+n/2])
			next = append(next, low, high)
		}
		v = next
	}
	for _, x := range v {
		m.store(vecBytes, x, d.(*reg), 0)
		m.Add(d, dStep)
	}
	m.AddImm(p, vecBytes)
	m.AddImm(rows, -n)
	m.JumpGreaterEq(rows, n, "tile")

	m.AddImm(dst, vecBytes)
	m.op("ADD R%d<<%d, R%d", step.(*reg), bits.TrailingZeros(uint(n)), updated{a.(*reg)})
	m.AddImm(cols, -n)
	m.JumpGreaterEq(cols, n, "columns")
	m.Label("done")
	m.Return()
}

// shuffle builds a vector from the given number of loads: what it takes of each
// is looked up into place, where all others are 0. The table has an entry for
// each vector of a row: for each load, its 16 indices and its offset from the
// source's row. An entry stays in registers for all rows.
func (m *machine) shuffle(loads int) {
	cols := m.Param("cols")
	m.JumpLess(m.Param("rows"), 1, "done")
	m.JumpLess(cols, 1, "done")
	dst, a, table := m.Param("dst"), m.Param("a"), m.Param("b")
	dStep, step := m.Param("dstStep"), m.Param("aStep")

	m.Label("vector")
	var index, from []*reg
	for k := range loads {
		x, p := m.vector(), m.general()
		m.load(vecBytes, x, table.(*reg), k*(vecBytes+8))
		m.op("MOVD %d(R%d), R%d", k*(vecBytes+8)+vecBytes, table.(*reg), written{p})
		m.Add(p, a)
		index, from = append(index, x), append(from, p)
	}
	rows, d := m.Param("rows"), m.Copy(dst)
	loop.Unrolled(m, rows, 4, func() {
		var sum *reg
		for k := range loads {
			x := m.vector()
			m.load(vecBytes, x, from[k], 0)
			y := m.vector()
			m.op("VTBL V%d.B16, [V%d.B16], V%d.B16", index[k], x, written{y})
			m.Add(from[k], step)
			if k > 0 {
				both := m.vector()
				m.orr(both, sum, y)
				y = both
			}
			sum = y
		}
		m.store(vecBytes, sum, d.(*reg), 0)
		m.Add(d, dStep)
	})
	m.AddImm(table, loads*(vecBytes+8))
	m.AddImm(dst, vecBytes)
	m.AddImm(cols, -1)
	m.JumpGreaterEq(cols, 1, "vector")
	m.Label("done")
	m.Return()
}
