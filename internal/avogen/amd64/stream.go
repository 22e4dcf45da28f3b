package amd64

import (
	"github.com/mmcloughlin/avo/ir"

	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// stream copies rows of bytes around the caches. The destination, its step and
// the length of a row are multiples of a vector: a non-temporal store faults
// elsewhere.
func (m *machine) stream() {
	const vector, times = 2 * half, 4
	rows, cols := m.Param("rows"), m.Param("cols")
	m.JumpLess(rows, 1, "done")
	m.JumpLess(cols, vector, "done")
	base := []loop.GP{m.Param("dst"), m.Param("a")}
	step := []loop.GP{m.Param("dstStep"), m.Param("aStep")}

	m.Label("row")
	d, a, n := m.Copy(base[0]), m.Copy(base[1]), m.Copy(cols)
	some := func(n loop.GP, label string, vectors int) {
		m.JumpLess(n, vectors*vector, label+"End")
		m.LoopLabel(label)
		for i := range vectors {
			m.VMOVNTDQ(m.load(mem(a, i*vector), vector), mem(d, i*vector))
		}
		m.AddImm(a, vectors*vector)
		m.AddImm(d, vectors*vector)
		m.AddImm(n, -vectors*vector)
		m.JumpGreaterEq(n, vectors*vector, label)
		m.Label(label + "End")
	}
	some(n, "many", times)
	some(n, "one", 1)
	for i := range base {
		m.Add(base[i], step[i])
	}
	m.AddImm(rows, -1)
	m.JumpGreaterEq(rows, 1, "row")
	m.Label("done")
	m.Return()
}

// fence orders what was streamed before all stores that follow. avo counts the
// instruction as SSE, though it has no register.
func (m *machine) fence() {
	m.Instruction(&ir.Instruction{Opcode: "SFENCE"})
	m.Return()
}
