package amd64

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// machine is the loop.Machine: one kernel being written.
type machine struct {
	*build.Context
	target *Target
	prog   *lane.Prog
	consts map[*lane.Node]operand.Op // registers, or memory if there are too many
	labels int                       // made by the machine itself
}

func (m *machine) wide() bool { return m.VecBytes() == 64 }

// vec is a fresh vector register.
func (m *machine) vec() reg.VecVirtual {
	if m.wide() {
		return m.ZMM()
	}
	return m.YMM()
}

func (m *machine) Begin(p *lane.Prog) { m.prog = p }
func (m *machine) VecBytes() int      { return m.target.set.vecBytes }
func (m *machine) Lanes() int         { return m.VecBytes() / m.prog.Widest() }

// MaxHeld leaves room for the constants, for the result that waits for the end
// of the row, and for one temporary of a lowering. A long program, printed once
// for each vector of each row length, would be mostly instruction cache misses.
func (m *machine) MaxHeld() int {
	n := min(8, m.target.set.registers-len(m.prog.Consts())-m.prog.Live()-2)
	if loop.Long(m.prog) {
		n = min(4, n)
	}
	return n
}

func (m *machine) Param(name string) loop.GP { return m.param(name) }

func (m *machine) param(name string) reg.Register {
	return m.Context.Load(m.Context.Param(name), m.GP64())
}

func (m *machine) Copy(r loop.GP) loop.GP {
	d := m.GP64()
	m.MOVQ(r.(operand.Op), d)
	return d
}

func (m *machine) Add(d, s loop.GP) { m.ADDQ(s.(operand.Op), d.(operand.Op)) }

func (m *machine) AddImm(d loop.GP, n int) {
	if n < 0 {
		m.SUBQ(operand.I32(-n), d.(operand.Op))
	} else {
		m.ADDQ(operand.I32(n), d.(operand.Op))
	}
}

// LoopLabel aligns: a hot loop across a 32-byte boundary lost up to 20 %.
func (m *machine) LoopLabel(l string) {
	m.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.I32(32)}})
	m.Label(l)
}

func (m *machine) Jump(l string) { m.JMP(operand.LabelRef(l)) }

func (m *machine) JumpLess(r loop.GP, n int, l string) {
	m.CMPQ(r.(operand.Op), operand.I32(n))
	m.JLT(operand.LabelRef(l))
}

func (m *machine) JumpGreaterEq(r loop.GP, n int, l string) {
	m.CMPQ(r.(operand.Op), operand.I32(n))
	m.JGE(operand.LabelRef(l))
}

func (m *machine) Return() {
	m.VZEROUPPER()
	m.RET()
}

// Consts broadcasts each constant from read-only data of the file, where
// kernels share it. Those that there are no registers for are broadcast by each
// use: two stay free for a lowering's temporaries, one for the vector that is
// stored last.
func (m *machine) Consts(p *lane.Prog) {
	m.consts = map[*lane.Node]operand.Op{}
	free := m.target.set.registers - p.Live() - 3
	for i, n := range p.Consts() {
		name := fmt.Sprintf("const%d_%x", n.Type.Bits(), n.Imm)
		src, ok := m.target.data[name]
		if !ok {
			c := map[int]operand.Constant{
				1: operand.U8(n.Imm), 2: operand.U16(n.Imm), 4: operand.U32(n.Imm), 8: operand.U64(n.Imm),
			}[n.Type.Bytes]
			src = m.ConstData(name, c)
			m.target.data[name] = src
		}
		m.consts[n] = src
		if i < free {
			m.consts[n] = m.constant(n)
		}
	}
}

// constant is a register that holds n.
func (m *machine) constant(n *lane.Node) operand.Op {
	c := m.consts[n]
	if _, memory := c.(operand.Mem); !memory {
		return c
	}
	d := m.vec()
	m.broadcast(n.Type, c, d)
	return d
}

func (m *machine) broadcast(t lane.Type, src, d operand.Op) {
	switch t.Bytes {
	case 1:
		m.VPBROADCASTB(src, d)
	case 2:
		m.VPBROADCASTW(src, d)
	case 4:
		m.VBROADCASTSS(src, d)
	case 8:
		m.VBROADCASTSD(src, d)
	}
}

// Together leaves room for two temporaries of a lowering, and for one mask. The
// CPU itself finds the next vector's instructions behind those of a short
// program: to print them side by side made conversions of halves slower.
func (m *machine) Together(p *lane.Prog, scalars int) int {
	if !loop.Long(p) {
		return 1
	}
	n := (m.target.set.registers - len(p.Consts()) - scalars - 2) / p.Live()
	if masks := p.LiveMasks(); m.wide() && masks > 0 {
		n = min(n, 6/masks) // of K1 to K7
	}
	return max(1, n)
}

func (m *machine) Run(p *lane.Prog, in ...[]loop.Vec) []loop.Vec {
	val := make([]map[*lane.Node]operand.Op, len(in))
	for k := range in {
		val[k] = map[*lane.Node]operand.Op{}
		for i, n := range p.In {
			val[k][n] = in[k][i].(operand.Op)
		}
	}
	value := func(k int, n *lane.Node) operand.Op {
		if n.Op == lane.Const {
			return m.constant(n)
		}
		return val[k][n]
	}
	for _, n := range p.Nodes {
		for k := range in {
			switch n.Op {
			case lane.Input, lane.Const:
			case lane.View:
				val[k][n] = value(k, n.Args[0])
			default:
				var a []operand.Op
				for _, arg := range n.Args {
					a = append(a, value(k, arg))
				}
				// Instructions are chosen by the type of what they work on.
				val[k][n] = m.target.set.lowers[key{n.Op, n.Args[len(n.Args)-1].Type}](m, n, a)
			}
		}
	}
	var out []loop.Vec
	for k := range in {
		out = append(out, value(k, p.Out))
	}
	return out
}

func mem(p loop.GP, off int) operand.Mem { return operand.Mem{Base: p.(reg.Register), Disp: off} }

// memEnd is size bytes before element n of p.
func memEnd(t lane.Type, p, n loop.GP, size int) operand.Mem {
	return operand.Mem{Base: p.(reg.Register), Index: n.(reg.Register), Scale: uint8(t.Bytes), Disp: -size}
}

// part is the register that holds just the low size bytes of v, or more.
func part(v reg.VecVirtual, size int) reg.Register {
	switch {
	case size <= 16:
		return v.AsX()
	case size == 32:
		return v.AsY()
	}
	return v.AsZ()
}

// whole adds an instruction that writes the low part of v and zeroes the rest.
// avo takes the write of X for one of 16 bytes and would keep v live before it.
func (m *machine) whole(v reg.VecVirtual, i *ir.Instruction, err error) {
	if err != nil {
		panic(err)
	}
	i.Outputs = []operand.Op{v}
	m.Instruction(i)
}

func (m *machine) load(src operand.Mem, size int) reg.VecVirtual {
	v := m.vec()
	m.loadTo(v, src, size)
	return v
}

func (m *machine) loadTo(v reg.VecVirtual, src operand.Mem, size int) {
	var i *ir.Instruction
	var err error
	switch size {
	case 1:
		r := m.GP32()
		m.MOVBLZX(src, r)
		i, err = x86.VMOVD(r, v.AsX())
	case 2:
		r := m.GP32()
		m.MOVWLZX(src, r)
		i, err = x86.VMOVD(r, v.AsX())
	case 4:
		i, err = x86.VMOVD(src, v.AsX())
	case 8:
		i, err = x86.VMOVQ(src, v.AsX())
	default:
		i, err = x86.VMOVUPS(src, part(v, size))
	}
	m.whole(v, i, err)
}

func (m *machine) store(v reg.VecVirtual, dst operand.Mem, size int) {
	switch size {
	case 1:
		m.VPEXTRB(operand.Imm(0), v.AsX(), dst)
	case 2:
		m.VPEXTRW(operand.Imm(0), v.AsX(), dst)
	case 4:
		m.VMOVD(v.AsX(), dst)
	case 8:
		m.VMOVQ(v.AsX(), dst)
	default:
		m.VMOVUPS(part(v, size), dst)
	}
}

// size is the bytes of a whole vector's lanes in memory.
func (m *machine) size(t lane.Type) int { return m.Lanes() * t.Bytes }

func (m *machine) Load(t lane.Type, p loop.GP, off int) loop.Vec {
	return m.load(mem(p, off), m.size(t))
}

func (m *machine) LoadEnd(t lane.Type, p, n loop.GP) loop.Vec {
	return m.load(memEnd(t, p, n, m.size(t)), m.size(t))
}

func (m *machine) Splat(t lane.Type, p loop.GP) loop.Vec {
	d := m.vec()
	m.broadcast(t, mem(p, 0), d)
	return d
}

func (m *machine) Store(t lane.Type, v loop.Vec, p loop.GP, off int) {
	m.store(v.(reg.VecVirtual), mem(p, off), m.size(t))
}

func (m *machine) StoreEnd(t lane.Type, v loop.Vec, p, n loop.GP) {
	m.store(v.(reg.VecVirtual), memEnd(t, p, n, m.size(t)), m.size(t))
}
