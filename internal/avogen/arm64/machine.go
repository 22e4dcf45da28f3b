package arm64

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

const vecBytes = 16

// machine is the loop.Machine of NEON.
type machine struct {
	assembler
	prog   *lane.Prog
	consts map[*lane.Node]*reg
	parts  int // prepared tails used so far; numbers their labels
}

var _ loop.Machine = (*machine)(nil)

func (m *machine) Begin(p *lane.Prog) { *m = machine{prog: p} }
func (m *machine) VecBytes() int      { return vecBytes }
func (m *machine) Lanes() int         { return vecBytes / m.prog.Widest() }

// MaxHeld counts what one run of the program needs, its operand of the held row
// included, and the vector that is stored last.
func (m *machine) MaxHeld() int {
	n, err := needed(m.prog, 1)
	if err != nil {
		return 1 // the kernel itself will report it
	}
	return min(max(len(vectors)-n, 1), 8)
}

// needed is how many vector registers so many runs of p need in a loop, constants
// included.
func needed(p *lane.Prog, runs int) (int, error) {
	var trial machine
	trial.Begin(p)
	trial.Consts(p)
	at, n := trial.Param("dst"), trial.Param("rows")
	trial.LoopLabel("again")
	var in [][]loop.Vec
	for range runs {
		var vs []loop.Vec
		for _, n := range p.In {
			vs = append(vs, trial.Load(n.Type, at, 0))
		}
		in = append(in, vs)
	}
	for _, v := range trial.Run(p, in...) {
		trial.Store(p.Out.Type, v, at, 0)
	}
	trial.JumpGreaterEq(n, 1, "again")
	trial.Return()
	return trial.pressure()
}

func (m *machine) Together(p *lane.Prog, scalars int) int {
	for runs := 4; runs > 1; runs-- {
		if n, err := needed(p, runs); err == nil && n+scalars <= len(vectors) {
			return runs
		}
	}
	return 1
}

func (m *machine) Param(name string) loop.GP {
	i := slices.Index(loop.Params, name)
	if i < 0 {
		panic("no parameter " + name)
	}
	d := m.general()
	m.op("MOVD %s+%d(FP), R%d", name, 8*i, written{d})
	return d
}

func (m *machine) Copy(r loop.GP) loop.GP {
	d := m.general()
	m.move("MOVD R%d, R%d", d, r.(*reg))
	return d
}

func (m *machine) Add(d, s loop.GP) {
	m.op("ADD R%d, R%d", s.(*reg), updated{d.(*reg)})
}

func (m *machine) AddImm(d loop.GP, n int) {
	if n < 0 {
		m.op("SUB $%d, R%d", -n, updated{d.(*reg)})
	} else {
		m.op("ADD $%d, R%d", n, updated{d.(*reg)})
	}
}

func (m *machine) Label(l string) { m.label(l) }
func (m *machine) LoopLabel(l string) {
	m.op("PCALIGN $16")
	m.label(l)
}
func (m *machine) Jump(l string) { m.jump(l) }
func (m *machine) JumpLess(r loop.GP, n int, l string) {
	m.op("CMP $%d, R%d", n, r.(*reg))
	m.branch("LT", l)
}
func (m *machine) JumpGreaterEq(r loop.GP, n int, l string) {
	m.op("CMP $%d, R%d", n, r.(*reg))
	m.branch("GE", l)
}
func (m *machine) Return() { m.ret() }

func (m *machine) Consts(p *lane.Prog) {
	m.consts = map[*lane.Node]*reg{}
	for _, n := range p.Consts() {
		r, d := m.general(), m.vector()
		m.op("MOVD $%#x, R%d", n.Imm, written{r})
		m.dup(shapes[n.Type.Bytes], d, r)
		m.consts[n] = d
	}
}

func (m *machine) Run(p *lane.Prog, in ...[]loop.Vec) []loop.Vec {
	value := make([]map[*lane.Node]*reg, len(in))
	for k := range in {
		value[k] = map[*lane.Node]*reg{}
		for i, n := range p.In {
			value[k][n] = in[k][i].(*reg)
		}
	}
	for _, n := range p.Nodes {
		for _, value := range value {
			switch n.Op {
			case lane.Input:
			case lane.Const:
				value[n] = m.consts[n]
			case lane.View:
				value[n] = value[n.Args[0]]
			default:
				var args []*reg
				for _, x := range n.Args {
					args = append(args, value[x])
				}
				d := m.vector()
				t := operands(n)
				lowering(n.Op, t)(m, shapes[t.Bytes], d, args, n.Imm)
				value[n] = d
			}
		}
	}
	var out []loop.Vec
	for k := range in {
		out = append(out, value[k][p.Out])
	}
	return out
}

func (m *machine) Load(t lane.Type, p loop.GP, off int) loop.Vec {
	d := m.vector()
	m.load(m.Lanes()*t.Bytes, d, p.(*reg), off)
	return d
}

func (m *machine) Store(t lane.Type, v loop.Vec, p loop.GP, off int) {
	m.store(m.Lanes()*t.Bytes, v.(*reg), p.(*reg), off)
}

func (m *machine) LoadEnd(t lane.Type, p, n loop.GP) loop.Vec {
	return m.Load(t, m.element(t, p, n), -m.Lanes()*t.Bytes)
}

func (m *machine) StoreEnd(t lane.Type, v loop.Vec, p, n loop.GP) {
	m.Store(t, v, m.element(t, p, n), -m.Lanes()*t.Bytes)
}

func (m *machine) Splat(t lane.Type, p loop.GP) loop.Vec {
	d := m.vector()
	m.splat(t.Bytes, d, p.(*reg))
	return d
}

// element is the address of element n of p.
func (m *machine) element(t lane.Type, p, n loop.GP) *reg {
	d := m.general()
	m.op("ADD R%d<<%d, R%d, R%d", n.(*reg), bits.TrailingZeros(uint(t.Bytes)), p.(*reg), written{d})
	return d
}

// moves are the instructions for the low bytes of a vector.
var moves = map[int]string{4: "FMOVS", 8: "FMOVD", 16: "FMOVQ"}

// load reads 2, 4, 8 or 16 bytes into the low part of d.
func (m *machine) load(bytes int, d, p *reg, off int) {
	if bytes == 2 {
		m.ldrh(d, p, off)
		return
	}
	m.op(moves[bytes]+" %d(R%d), F%d", off, p, written{d})
}

func (m *machine) store(bytes int, v, p *reg, off int) {
	if bytes == 2 {
		m.strh(v, p, off)
		return
	}
	m.op(moves[bytes]+" F%d, %d(R%d)", v, off, p)
}

// splat reads 1, 2, 4 or 8 bytes into every lane of that size.
func (m *machine) splat(bytes int, d, p *reg) {
	m.op("VLD1R (R%d), [V%d.%s]", p, written{d}, shapes[bytes].goas)
}

// part is a tail of n elements. With s the largest power of two up to n it is
// moved as the first s and the last s of them, which may overlap and lie side
// by side in a vector.
type part struct{ n *reg }

func (m *machine) Part(n loop.GP) loop.Part { return part{n.(*reg)} }

// sizes prints the code that each returns for every s, behind a choice of one.
func (m *machine) sizes(p part, each func(s int)) {
	m.parts++
	id := m.parts
	for s := m.Lanes() / 2; s > 1; s /= 2 {
		m.JumpGreaterEq(p.n, s, fmt.Sprintf("part%d_%d", id, s))
	}
	each(1)
	for s := 2; s < m.Lanes(); s *= 2 {
		m.Jump(fmt.Sprintf("partEnd%d", id))
		m.Label(fmt.Sprintf("part%d_%d", id, s))
		each(s)
	}
	m.Label(fmt.Sprintf("partEnd%d", id))
}

// last is the address of the last s elements of the tail at q.
func (m *machine) last(p part, t lane.Type, q *reg, s int) *reg {
	d := m.element(t, q, p.n)
	m.op("SUB $%d, R%d", s*t.Bytes, updated{d})
	return d
}

func (m *machine) LoadPart(pt loop.Part, ts []lane.Type, ps []loop.GP) (vs []loop.Vec) {
	p := pt.(part)
	for range ps {
		vs = append(vs, m.vector())
	}
	m.sizes(p, func(s int) {
		for i, t := range ts {
			v, q, bytes := vs[i].(*reg), ps[i].(*reg), s*t.Bytes
			m.splat(bytes, v, q)
			if s > 1 {
				m.op("VLD1 (R%d), V%d.%s[1]", m.last(p, t, q, s), updated{v}, shapes[bytes].lane)
			}
		}
	})
	return vs
}

func (m *machine) StorePart(pt loop.Part, t lane.Type, v loop.Vec, p loop.GP) {
	tail, q := pt.(part), p.(*reg)
	m.sizes(tail, func(s int) {
		piece := shapes[s*t.Bytes].lane
		m.op("VST1 V%d.%s[0], (R%d)", v.(*reg), piece, q)
		if s > 1 {
			m.op("VST1 V%d.%s[1], (R%d)", v.(*reg), piece, m.last(tail, t, q, s))
		}
	})
}
