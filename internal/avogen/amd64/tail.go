package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// tail is a prepared tail of n elements. On AVX-512 it is a mask. On AVX2,
// whose masked loads and stores are slow, it is two pieces of the largest power
// of two elements that fit, one at the start and one at the end, which may
// overlap; a vector then holds them side by side.
type tail struct {
	n loop.GP
	k reg.OpmaskVirtual
}

func (m *machine) Part(n loop.GP) loop.Part {
	p := &tail{n: n}
	if m.wide() {
		bits := m.GP64()
		m.MOVQ(operand.I32(-1), bits)
		m.BZHIQ(n.(operand.Op), bits, bits)
		p.k = m.K()
		m.KMOVQ(bits, p.k)
	}
	return p
}

// pieces calls f for each power of two that pieces may have as elements, in
// code that is reached for the tails which have such pieces.
func (m *machine) pieces(p *tail, f func(elements int)) {
	m.labels++
	label := func(elements int) string { return fmt.Sprintf("part%d_%d", m.labels, elements) }
	end := fmt.Sprintf("part%d_end", m.labels)
	for e := m.Lanes() / 2; e > 1; e /= 2 {
		m.JumpGreaterEq(p.n, e, label(e))
	}
	f(1)
	for e := 2; e < m.Lanes(); e *= 2 {
		m.Jump(end)
		m.Label(label(e))
		f(e)
	}
	m.Label(end)
}

func (m *machine) LoadPart(pt loop.Part, ts []lane.Type, ps []loop.GP) (vs []loop.Vec) {
	p := pt.(*tail)
	for range ps {
		vs = append(vs, m.vec())
	}
	if m.wide() {
		for i, q := range ps {
			v := vs[i].(reg.VecVirtual)
			var ins *ir.Instruction
			var err error
			switch src, d := mem(q, 0), part(v, m.size(ts[i])); ts[i].Bytes {
			case 1:
				ins, err = x86.VMOVDQU8_Z(src, p.k, d)
			case 2:
				ins, err = x86.VMOVDQU16_Z(src, p.k, d)
			case 4:
				ins, err = x86.VMOVUPS_Z(src, p.k, d)
			case 8:
				ins, err = x86.VMOVUPD_Z(src, p.k, d)
			}
			m.whole(v, ins, err)
		}
		return vs
	}
	m.pieces(p, func(elements int) {
		for i, q := range ps {
			v, size := vs[i].(reg.VecVirtual), elements*ts[i].Bytes
			m.loadTo(v, mem(q, 0), size)
			if elements == 1 {
				continue
			}
			x, hi, second := v.AsX(), memEnd(ts[i], q, p.n, size), operand.Imm(1)
			switch size {
			case 2:
				m.VPINSRW(second, hi, x, x)
			case 4:
				m.VPINSRD(second, hi, x, x)
			case 8:
				m.VMOVHPS(hi, x, x)
			case 16:
				m.VINSERTF128(second, hi, v, v)
			}
		}
	})
	return vs
}

func (m *machine) StorePart(pt loop.Part, t lane.Type, vec loop.Vec, q loop.GP) {
	p, v := pt.(*tail), vec.(reg.VecVirtual)
	if m.wide() {
		switch s, dst := part(v, m.size(t)), mem(q, 0); t.Bytes {
		case 1:
			m.VMOVDQU8(s, p.k, dst)
		case 2:
			m.VMOVDQU16(s, p.k, dst)
		case 4:
			m.VMOVUPS(s, p.k, dst)
		case 8:
			m.VMOVUPD(s, p.k, dst)
		}
		return
	}
	m.pieces(p, func(elements int) {
		size := elements * t.Bytes
		m.store(v, mem(q, 0), size)
		if elements == 1 {
			return
		}
		x, hi, second := v.AsX(), memEnd(t, q, p.n, size), operand.Imm(1)
		switch size {
		case 2:
			m.VPEXTRW(second, x, hi)
		case 4:
			m.VPEXTRD(second, x, hi)
		case 8:
			m.VMOVHPS(x, hi)
		case 16:
			m.VEXTRACTF128(second, v, hi)
		}
	})
}
