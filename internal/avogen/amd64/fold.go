package amd64

import (
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// foldable is a selection of the instructions whose first operand may be a whole
// vector in memory: those that most programs begin with.
var foldable = map[string]bool{
	"VADDPS": true, "VADDPD": true, "VSUBPS": true, "VSUBPD": true, "VMULPS": true, "VMULPD": true, "VDIVPS": true, "VDIVPD": true,
	"VPADDB": true, "VPADDW": true, "VPADDD": true, "VPADDQ": true, "VPSUBB": true, "VPSUBW": true, "VPSUBD": true, "VPSUBQ": true,
	"VPMULLW": true, "VPMULLD": true, "VPMULLQ": true, "VSQRTPS": true, "VSQRTPD": true,
	"VPAND": true, "VPOR": true, "VPXOR": true, "VPANDQ": true, "VPORQ": true, "VPXORQ": true, "VANDPS": true, "VANDPD": true,
	"VPMAXSB": true, "VPMAXSW": true, "VPMAXSD": true, "VPMAXSQ": true, "VPMAXUB": true, "VPMAXUW": true, "VPMAXUD": true, "VPMAXUQ": true,
	"VPMINSB": true, "VPMINSW": true, "VPMINSD": true, "VPMINSQ": true, "VPMINUB": true, "VPMINUW": true, "VPMINUD": true, "VPMINUQ": true,
}

// fold makes a load the memory operand of the instruction after it, if nothing
// else uses what was loaded: one instruction less to fetch and to retire.
func fold(fn *ir.Function, vecBytes int) {
	uses := map[reg.ID]int{}
	for _, i := range fn.Instructions() {
		for _, op := range i.Inputs { // as InputRegisters, but for what x ^ x cancels
			for _, r := range operand.Registers(op) {
				uses[r.ID()]++
			}
		}
	}
	var nodes []ir.Node
	for _, n := range fn.Nodes {
		if i, ok := n.(*ir.Instruction); ok && len(nodes) > 0 && foldable[i.Opcode] {
			load, ok := nodes[len(nodes)-1].(*ir.Instruction)
			if ok && loads(load, i.Operands[0], vecBytes) && uses[i.Operands[0].(reg.Register).ID()] == 1 {
				nodes = nodes[:len(nodes)-1]
				for k, in := range i.Inputs {
					if in == i.Operands[0] {
						i.Inputs[k] = load.Operands[0]
					}
				}
				i.Operands[0] = load.Operands[0]
			}
		}
		nodes = append(nodes, n)
	}
	fn.Nodes = nodes
}

// loads tells whether an instruction loads a whole vector to op, without a mask.
func loads(i *ir.Instruction, op operand.Op, vecBytes int) bool {
	if i.Opcode != "VMOVUPS" || len(i.Operands) != 2 || len(i.Suffixes) > 0 {
		return false
	}
	_, memory := i.Operands[0].(operand.Mem)
	v, ok := i.Operands[1].(reg.Register)
	to, same := op.(reg.Register)
	return memory && ok && same && v.ID() == to.ID() && int(v.Size()) == vecBytes
}
