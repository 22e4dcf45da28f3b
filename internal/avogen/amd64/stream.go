package amd64

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"

	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// stream copies a row of bytes around the caches. The destination and the length
// are multiples of a line: a non-temporal store faults where a vector is not
// aligned. Meanwhile it fetches what is to be read next: for every line that is
// written a line at each of b, c and d, which then go on by their steps. Reading
// and writing would otherwise wait for each other.
func (m *machine) stream() {
	const line = 64
	d, a, n := m.Param("dst"), m.Param("a"), m.Param("cols")
	next := []loop.GP{m.Param("b"), m.Param("c"), m.Param("d")}
	step := []loop.GP{m.Param("bStep"), m.Param("cStep"), m.Param("dStep")}
	some := func(label string, bytes int) {
		m.JumpLess(n, bytes, label+"End")
		m.LoopLabel(label)
		for i := 0; i < bytes; i += m.VecBytes() {
			if i%line == 0 {
				for k := range next {
					m.prefetch(next[k])
					m.Add(next[k], step[k])
				}
			}
			m.VMOVNTDQ(m.load(mem(a, i), m.VecBytes()), mem(d, i))
		}
		m.AddImm(a, bytes)
		m.AddImm(d, bytes)
		m.AddImm(n, -bytes)
		m.JumpGreaterEq(n, bytes, label)
		m.Label(label + "End")
	}
	some("many", 2*line)
	some("one", line)
	m.Return()
}

// prefetch asks for a line. avo counts the instruction as MMX, and that of fence
// as SSE, though they have no such registers.
func (m *machine) prefetch(p loop.GP) {
	m.Instruction(&ir.Instruction{Opcode: "PREFETCHT0", Operands: []operand.Op{mem(p, 0)}, Inputs: []operand.Op{p.(operand.Op)}})
}

// fence orders what was streamed before all stores that follow.
func (m *machine) fence() {
	m.Instruction(&ir.Instruction{Opcode: "SFENCE"})
	m.Return()
}
