// Package amd64 prints kernels for AVX2 and AVX-512 through avo.
package amd64

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// Target is a file of kernels for one of the two instruction sets.
type Target struct {
	set  *set
	data map[string]operand.Mem // constants of this file
	file *ir.File
	errs []error
}

// set is what differs between the instruction sets.
type set struct {
	suffix    string
	vecBytes  int
	registers int      // vector registers that instructions can name
	gate      []string // extensions, in avo's words, that the CPU check promises
	lowers    map[key]lower
}

var (
	avx2Gate   = []string{"AVX", "AVX2", "FMA3", "F16C"}
	avx512Gate = append([]string{"AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL", "BMI2"}, avx2Gate...)

	avx2   = &set{"AVX2", 32, 16, avx2Gate, avx2Lowers()}
	avx512 = &set{"AVX512", 64, 32, avx512Gate, avx512Lowers()}
)

// NewAVX2 starts a file of AVX2 kernels.
func NewAVX2() *Target { return newTarget(avx2) }

// NewAVX512 starts a file of AVX-512 (F, DQ, BW, VL) kernels.
func NewAVX512() *Target { return newTarget(avx512) }

func newTarget(s *set) *Target {
	t := &Target{set: s, data: map[string]operand.Mem{}, file: ir.NewFile()}
	t.file.Includes = []string{"textflag.h"}
	tags, err := buildtags.ParseConstraint("amd64,gc,!purego")
	if err != nil {
		panic(err)
	}
	t.file.Constraints = tags.ToConstraints()
	return t
}

func (t *Target) Suffix() string { return t.set.suffix }
func (t *Target) Arch() string   { return "amd64" }
func (t *Target) VecBytes() int  { return t.set.vecBytes }

func (t *Target) Rules() lane.Rules {
	return lane.Rules{
		Has:    func(op lane.Op, e lane.Type) bool { return t.set.lowers[key{op, e}] != nil },
		Expand: expansions,
	}
}

func (t *Target) Kernel(name string, l loop.Loop, k loop.Kernel) (held int) {
	m := t.function(name, func(m *machine) { l.Emit(m, k) })
	if l.Held >= 0 {
		held = m.MaxHeld()
	}
	return held
}

// function compiles each kernel alone, so that avo's errors, which know no
// function, get its name.
func (t *Target) function(name string, print func(*machine)) *machine {
	m := &machine{Context: build.NewContext(), target: t}
	m.Function(name)
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr("func(dst, a, b, c, d *byte, rows, cols, dstStep, aStep, bStep, cStep, dStep int)")
	print(m)
	if err := t.add(m); err != nil {
		t.errs = append(t.errs, fmt.Errorf("%s: %w", name, err))
	}
	return m
}

// add compiles and checks m's function.
func (t *Target) add(m *machine) error {
	f, err := m.Result()
	if err != nil {
		return err
	}
	for _, fn := range f.Functions() {
		fold(fn, t.set.vecBytes)
	}
	if err := pass.Compile.Execute(f); err != nil {
		return err
	}
	for _, fn := range f.Functions() {
		if err := t.set.check(fn); err != nil {
			return err
		}
	}
	for _, s := range f.Sections {
		t.file.AddSection(s)
	}
	return nil
}

// check rejects what the CPU check does not promise. Extensions are not enough:
// avo hands out all 32 vector registers to AVX2 code too and still calls it AVX.
func (s *set) check(fn *ir.Function) error {
	for _, isa := range fn.ISA {
		if !slices.Contains(s.gate, isa) {
			return fmt.Errorf("needs %s", isa)
		}
	}
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			p, ok := r.(reg.Physical)
			if ok && r.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= s.registers {
				return fmt.Errorf("uses %s: too many values are live", p.Asm())
			}
		}
	}
	return nil
}

func (t *Target) Print() ([]byte, error) {
	if len(t.errs) > 0 {
		return nil, errors.Join(t.errs...)
	}
	return printer.NewGoAsm(printer.Config{Argv: []string{"go", "generate", "./asm"}}).Print(t.file)
}
