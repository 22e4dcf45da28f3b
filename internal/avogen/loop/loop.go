package loop

import (
	"fmt"
	"math/bits"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// unroll is how many vectors there are in a turn of the main loop, and how many
// of them are computed side by side. A long program needs no more of them than
// that: it hides the loop's own instructions, but waits for its results where
// no other vector's instructions are near.
func unroll(m Machine, p *lane.Prog, scalars int) (turn, together int) {
	together = m.Together(p, scalars)
	switch {
	case Long(p):
		turn = min(2, together)
	case p.Cost() > 8:
		turn = 2
	default:
		turn = 4
	}
	return turn, min(turn, together)
}

// Long tells of a program with so many instructions that those of one vector
// keep the machine busy, as far as they need not wait for each other.
func Long(p *lane.Prog) bool { return p.Cost() > 16 }

// rowwise handles each row alone. A row of at least a vector has no tail: the
// vector that ends it, which overlaps the one before, is computed before that one
// is stored (the destination may be a source) and stored last.
func (l Loop) rowwise(m Machine, p *lane.Prog) {
	L := m.Lanes()
	rows := m.Param("rows")
	m.JumpLess(rows, 1, "done")
	cols := m.Param("cols")
	m.JumpLess(cols, 1, "done")

	names := append([]string{"dst"}, Sources[:len(p.In)]...)
	types := []lane.Type{p.Out.Type}
	for _, in := range p.In {
		types = append(types, in.Type)
	}
	scalar := func(i int) bool { return i > 0 && l.Scalar>>(i-1)&1 != 0 }
	var base []GP
	for _, n := range names {
		base = append(base, m.Param(n))
	}
	// With many operands the registers run out: what only the ends of rows need
	// is then read from the stack each time.
	step := func(i int) GP { return m.Param(names[i] + "Step") }
	count := func() GP { return m.Param("cols") }
	if len(names) <= 3 {
		var steps []GP
		for i := range names {
			steps = append(steps, step(i))
		}
		step = func(i int) GP { return steps[i] }
		count = func() GP { return m.Copy(cols) }
	}
	m.Consts(p)

	m.Label("row")
	n := count()
	at := make([]GP, len(names))     // where each operand is in the row
	splat := make([]Vec, len(names)) // scalars
	for i := range names {
		if scalar(i) {
			splat[i] = m.Splat(types[i], base[i])
		} else {
			at[i] = m.Copy(base[i])
		}
	}
	inputs := func(load func(i int) Vec) []Vec {
		var in []Vec
		for i := 1; i < len(names); i++ {
			if scalar(i) {
				in = append(in, splat[i])
			} else {
				in = append(in, load(i))
			}
		}
		return in
	}
	run := func(load func(i int) Vec) Vec { return m.Run(p, inputs(load))[0] }
	turn, together := unroll(m, p, bits.OnesCount(l.Scalar))
	vectors := func(u int) {
		for from := 0; from < u; from += together {
			var in [][]Vec
			for j := from; j < min(u, from+together); j++ {
				in = append(in, inputs(func(i int) Vec { return m.Load(types[i], at[i], j*L*types[i].Bytes) }))
			}
			for j, v := range m.Run(p, in...) {
				m.Store(types[0], v, at[0], (from+j)*L*types[0].Bytes)
			}
		}
		for i := range at {
			if at[i] != nil {
				m.AddImm(at[i], u*L*types[i].Bytes)
			}
		}
		m.AddImm(n, -u*L)
	}

	m.JumpLess(n, L, "tail")
	if turn > 1 {
		// The main loop leaves at least a vector: reading the end of a long row any
		// earlier would wait for memory that nothing has asked for yet.
		m.JumpLess(n, (turn+1)*L, "one")
		m.LoopLabel("body")
		vectors(turn)
		m.JumpGreaterEq(n, (turn+1)*L, "body")
		m.Label("one")
	}
	last := run(func(i int) Vec { return m.LoadEnd(types[i], at[i], n) })
	m.JumpLess(n, L+1, "end")
	if turn > 1 {
		m.Label("oneBody")
	} else {
		m.LoopLabel("oneBody")
	}
	vectors(1)
	m.JumpGreaterEq(n, L+1, "oneBody")
	m.Label("end")
	m.StoreEnd(types[0], last, at[0], n)
	m.Jump("next")

	m.Label("tail")
	part := m.Part(n)
	var ts []lane.Type
	var ps []GP
	for i := 1; i < len(names); i++ {
		if !scalar(i) {
			ts, ps = append(ts, types[i]), append(ps, at[i])
		}
	}
	loaded := m.LoadPart(part, ts, ps)
	v := run(func(int) Vec {
		v := loaded[0]
		loaded = loaded[1:]
		return v
	})
	m.StorePart(part, types[0], v, at[0])

	m.Label("next")
	for i := range base {
		m.Add(base[i], step(i))
	}
	m.AddImm(rows, -1)
	m.JumpGreaterEq(rows, 1, "row")
	m.Label("done")
	m.Return()
}

// rowHeld keeps one operand of two, a row, in registers: there is one loop over
// the rows for each number of vectors. A row of at least a vector is covered by
// whole vectors, the last of which overlaps its neighbour: all loads of the
// overlap happen before the first store, so the destination may be a source.
func (l Loop) rowHeld(m Machine, p *lane.Prog) {
	L, most := m.Lanes(), m.MaxHeld()
	rows := m.Param("rows")
	m.JumpLess(rows, 1, "done")
	n := m.Param("cols")
	m.JumpLess(n, 1, "done")
	held, moving := Sources[l.Held], Sources[1-l.Held]
	dt, ht, mt := p.Out.Type, p.In[l.Held].Type, p.In[1-l.Held].Type
	d, h, a := m.Param("dst"), m.Param(held), m.Param(moving)
	dStep, aStep := m.Param("dstStep"), m.Param(moving+"Step")
	m.Consts(p)

	run := func(moving, held Vec) Vec {
		in := make([]Vec, 2)
		in[l.Held], in[1-l.Held] = held, moving
		return m.Run(p, in)[0]
	}
	next := func(label string) {
		m.Add(a, aStep)
		m.Add(d, dStep)
		m.AddImm(rows, -1)
		m.JumpGreaterEq(rows, 1, label)
		m.Return()
	}
	for v := most; v > 1; v-- {
		m.JumpGreaterEq(n, (v-1)*L+1, fmt.Sprintf("held%d", v))
	}
	m.JumpLess(n, L, "short")
	for v := 1; v <= most; v++ {
		m.Label(fmt.Sprintf("held%d", v))
		row := make([]Vec, v)
		for j := range v - 1 {
			row[j] = m.Load(ht, h, j*L*ht.Bytes)
		}
		row[v-1] = m.LoadEnd(ht, h, n)
		label := fmt.Sprintf("row%d", v)
		m.LoopLabel(label)
		last := run(m.LoadEnd(mt, a, n), row[v-1])
		for j := range v - 1 {
			m.Store(dt, run(m.Load(mt, a, j*L*mt.Bytes), row[j]), d, j*L*dt.Bytes)
		}
		m.StoreEnd(dt, last, d, n)
		next(label)
	}
	m.Label("short")
	part := m.Part(n)
	row := m.LoadPart(part, []lane.Type{ht}, []GP{h})[0]
	m.Label("rowShort")
	v := run(m.LoadPart(part, []lane.Type{mt}, []GP{a})[0], row)
	m.StorePart(part, dt, v, d)
	next("rowShort")
	m.Label("done")
	m.Return()
}
