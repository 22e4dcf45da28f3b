package arm64

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The assembler collects one function's instructions over virtual registers,
// gives them the machine's registers and prints Go's arm64 assembly. It knows
// nothing of lanes or loops.

// reg is a virtual register.
type reg struct {
	vec      bool
	num      int // the machine's register, once allocated
	id       int // position in assembler.regs
	from, to int // first and last place where it is in use, see live
}

// written and updated mark the argument of an instruction that writes a
// register, or reads and writes it. A plain register is read.
type (
	written struct{ *reg }
	updated struct{ *reg }
)

// inst is one instruction or label.
type inst struct {
	label  string
	format string // of args, of which registers print as their numbers
	args   []any
	word   uint32 // if not 0, the encoding with all register fields 0; format is its comment
	uses   []*reg
	defs   []*reg
	target string // of a branch
	ends   bool   // the next instruction is not reached from here
	move   bool   // copies uses[0] to defs[0]
}

type assembler struct {
	code []*inst
	regs []*reg
}

func (a *assembler) reg(vec bool) *reg {
	r := &reg{vec: vec, id: len(a.regs)}
	a.regs = append(a.regs, r)
	return r
}

func (a *assembler) general() *reg { return a.reg(false) }
func (a *assembler) vector() *reg  { return a.reg(true) }

// op adds an instruction in Go's syntax.
func (a *assembler) op(format string, args ...any) *inst {
	c := &inst{format: format, args: args}
	for _, x := range args {
		switch x := x.(type) {
		case *reg:
			c.uses = append(c.uses, x)
		case written:
			c.defs = append(c.defs, x.reg)
		case updated:
			c.uses, c.defs = append(c.uses, x.reg), append(c.defs, x.reg)
		}
	}
	a.code = append(a.code, c)
	return c
}

// word adds an instruction that Go's assembler lacks. Its format and arguments
// are those of GNU objdump, whose order of registers is that of the fields of
// the encoding.
func (a *assembler) word(encoding uint32, format string, args ...any) {
	a.op(format, args...).word = encoding
}

// move copies s to d. It costs nothing if s is not needed afterwards.
func (a *assembler) move(format string, d, s *reg) { a.op(format, s, written{d}).move = true }

func (a *assembler) label(name string) { a.code = append(a.code, &inst{label: name}) }

// jump always branches; branch may. Both expect the flags to be set.
func (a *assembler) jump(target string) {
	c := a.op("B " + target)
	c.target, c.ends = target, true
}
func (a *assembler) branch(condition, target string) {
	a.op("B" + condition + " " + target).target = target
}
func (a *assembler) ret() { a.op("RET").ends = true }

// Registers are taken in turn, so that one is reused as late as possible:
// cores that do not rename would wait for its last reader. R16 to R18 and R26
// to R30 belong to the linker, the platform and Go.
var (
	generals = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25}
	vectors  = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
)

// bitset is a set of virtual registers by id.
type bitset []uint64

func (s bitset) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// merge adds t to s and says whether s grew.
func (s bitset) merge(t bitset) (grew bool) {
	for i := range s {
		old := s[i]
		s[i] |= t[i]
		grew = grew || s[i] != old
	}
	return grew
}

// live finds where each register is in use. Instruction i reads at place 2i and
// writes at place 2i+1, so a result may take the register of an operand.
func (a *assembler) live() error {
	at := map[string]int{}
	for i, c := range a.code {
		if c.label == "" {
			continue
		}
		if _, twice := at[c.label]; twice {
			return fmt.Errorf("label %s is set twice", c.label)
		}
		at[c.label] = i
	}
	before := make([]bitset, len(a.code)+1)
	for i := range before {
		before[i] = make(bitset, len(a.regs)/64+1)
	}
	for changed := true; changed; {
		changed = false
		for i := len(a.code) - 1; i >= 0; i-- {
			c := a.code[i]
			in := make(bitset, len(before[i]))
			if c.target != "" {
				j, ok := at[c.target]
				if !ok {
					return fmt.Errorf("no label %s", c.target)
				}
				in.merge(before[j])
			}
			if !c.ends {
				in.merge(before[i+1])
			}
			for _, r := range c.defs {
				in.remove(r.id)
			}
			for _, r := range c.uses {
				in.add(r.id)
			}
			changed = before[i].merge(in) || changed
		}
	}
	for _, r := range a.regs {
		if before[0].has(r.id) {
			return fmt.Errorf("a register is read before it is written, by %q", a.reader(r))
		}
		r.from, r.to = 2*len(a.code), -1
	}
	extend := func(r *reg, place int) {
		r.from, r.to = min(r.from, place), max(r.to, place)
	}
	for i, c := range a.code {
		for _, r := range a.regs {
			if before[i].has(r.id) {
				extend(r, 2*i)
			}
		}
		for _, r := range c.defs {
			extend(r, 2*i+1)
		}
	}
	return nil
}

// reader is the format of the first instruction that reads r.
func (a *assembler) reader(r *reg) string {
	for _, c := range a.code {
		for _, u := range c.uses {
			if u == r {
				return c.format
			}
		}
	}
	return ""
}

// allocate gives every register a number, in the order of first use. There is
// no spilling: a function that needs too many is an error.
func (a *assembler) allocate() error {
	if err := a.live(); err != nil {
		return err
	}
	order := slices.Clone(a.regs)
	slices.SortStableFunc(order, func(r, s *reg) int { return r.from - s.from })
	type file struct {
		numbers []int
		until   [32]int // last place where each is taken
		next    int
	}
	files := map[bool]*file{false: {numbers: generals}, true: {numbers: vectors}}
	for _, f := range files {
		for i := range f.until {
			f.until[i] = -1
		}
	}
	for _, r := range order {
		if r.to < 0 {
			continue // never used
		}
		f := files[r.vec]
		r.num = -1
		if c := a.code[r.from/2]; c.move && c.defs[0] == r && c.uses[0].to < r.from {
			r.num = c.uses[0].num
		}
		for k := 0; r.num < 0 && k < len(f.numbers); k++ {
			i := (f.next + k) % len(f.numbers)
			if f.until[f.numbers[i]] < r.from {
				r.num, f.next = f.numbers[i], i+1
			}
		}
		if r.num < 0 {
			return fmt.Errorf("out of %s registers at %q", map[bool]string{false: "general", true: "vector"}[r.vec],
				a.code[r.from/2].format)
		}
		f.until[r.num] = r.to
	}
	return nil
}

// pressure is the largest number of vector registers in use at one place.
func (a *assembler) pressure() (most int, err error) {
	if err := a.live(); err != nil {
		return 0, err
	}
	for _, r := range a.regs {
		n := 0
		for _, s := range a.regs {
			if s.vec && s.from <= r.from && r.from <= s.to {
				n++
			}
		}
		most = max(most, n)
	}
	return most, nil
}

// errTooManyFields: an encoding has fields for the registers d, n and m.
var errTooManyFields = errors.New("a word has at most three registers")

// print writes the instructions with their registers.
func (a *assembler) print(b *strings.Builder) error {
	for _, c := range a.code {
		if c.label != "" {
			fmt.Fprintf(b, "\n%s:\n", c.label)
			continue
		}
		if c.move && c.uses[0].num == c.defs[0].num {
			continue
		}
		var args []any
		var regs []int
		for _, x := range c.args {
			var r *reg
			switch x := x.(type) {
			case *reg:
				r = x
			case written:
				r = x.reg
			case updated:
				r = x.reg
			default:
				args = append(args, x)
				continue
			}
			args = append(args, r.num)
			regs = append(regs, r.num)
		}
		text := c.format
		if len(args) > 0 {
			text = fmt.Sprintf(c.format, args...)
		}
		if c.word != 0 {
			w := c.word
			for i, n := range regs {
				if i > 2 {
					return errTooManyFields
				}
				w |= uint32(n) << [...]int{0, 5, 16}[i]
			}
			text = fmt.Sprintf("WORD $%#08x // %s", w, text)
		}
		fmt.Fprintf(b, "\t%s\n", text)
	}
	return nil
}
