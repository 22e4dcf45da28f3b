package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// instructionSet is one that has kernels in assembly.
type instructionSet struct {
	name   string
	bytes  int // of a vector
	triple string
	cpus   []string // that llvm-mca has a model of
}

var sets = []instructionSet{
	{"AVX2", 32, "x86_64", []string{"znver3", "icelake-server"}},
	{"AVX512", 64, "x86_64", []string{"icelake-server", "znver4"}},
	{"NEON", 16, "aarch64", []string{"neoverse-n1", "neoverse-v1", "apple-m1"}},
}

// kernel is the main loop of an assembled kernel.
type kernel struct {
	name, op, element, set string
	loop                   []instruction
	count                  count
}

// key names the kernel within its set.
func (k *kernel) key() string { return k.op + " " + k.element }

type instruction struct {
	address  uint64
	mnemonic string
	operands string
	target   uint64 // of a branch
}

// count is what one turn of a loop holds.
type count struct {
	vectors    int // of the widest operand
	loads      int
	operations int // other vector instructions
	stores     int
	control    int // instructions without memory and vectors
	groups     int // runs of control instructions
}

var (
	kernelName = regexp.MustCompile(`/asm\.((\w+?)(BFloat16|Float\d+|Int\d+|Uint\d+|Bool)Contiguous(NEON|AVX2|AVX512))\.abi0$`)
	header     = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	branch     = regexp.MustCompile(`^(j\w+|b|b\.\w+|cbn?z|tbn?z)$`)
	target     = regexp.MustCompile(`\b([0-9a-f]+) <`)
)

// readKernels disassembles the kernels of a test binary.
func readKernels(binary string) ([]kernel, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	objdump, from := "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"
	if f.Machine == elf.EM_AARCH64 {
		objdump, from = "aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"
	}
	if _, err := exec.LookPath(objdump); err != nil {
		return nil, fmt.Errorf("%s (Debian: %s) %w", objdump, from, errMissing)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	first, last := ^uint64(0), uint64(0)
	for _, s := range symbols {
		if kernelName.MatchString(s.Name) {
			first, last = min(first, s.Value), max(last, s.Value+s.Size)
		}
	}
	if last == 0 {
		return nil, errors.New("holds no kernels")
	}
	out, err := exec.Command(objdump, "-d", "-w", "-z", "--no-show-raw-insn",
		fmt.Sprintf("--start-address=%#x", first), fmt.Sprintf("--stop-address=%#x", last), binary).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", objdump, err)
	}
	return parse(string(out))
}

// parse reads what objdump printed.
func parse(listing string) ([]kernel, error) {
	var all []kernel
	for part := range strings.SplitSeq(listing, "\n\n") {
		title, body, _ := strings.Cut(strings.TrimLeft(part, "\n"), "\n")
		h := header.FindStringSubmatch(title)
		if h == nil {
			continue
		}
		name := kernelName.FindStringSubmatch(h[1])
		if name == nil {
			continue
		}
		k := kernel{name: name[1], op: name[2], element: name[3], set: name[4]}
		var code []instruction
		for line := range strings.Lines(body) {
			address, text, ok := strings.Cut(strings.TrimSpace(line), ":\t")
			if !ok {
				continue
			}
			at, err := strconv.ParseUint(address, 16, 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			for _, remark := range []string{"//", " # "} {
				text, _, _ = strings.Cut(text, remark)
			}
			text = strings.ReplaceAll(text, "\t", " ")
			mnemonic, operands, _ := strings.Cut(strings.TrimSpace(text), " ")
			in := instruction{address: at, mnemonic: mnemonic, operands: strings.TrimSpace(operands)}
			if m := target.FindStringSubmatch(operands); m != nil && branch.MatchString(mnemonic) {
				if in.target, err = strconv.ParseUint(m[1], 16, 64); err != nil {
					return nil, fmt.Errorf("%q: %w", line, err)
				}
			}
			code = append(code, in)
		}
		if k.loop = mainLoop(code); k.loop == nil {
			return nil, fmt.Errorf("%s has no loop that stores", k.name)
		}
		k.count = k.tally()
		all = append(all, k)
	}
	return all, nil
}

// mainLoop gives the instructions from the target of a backward branch to that
// branch: of the loops that hold no other loop with a store, the one with the
// most stores. The loop over the rows holds the others.
func mainLoop(code []instruction) []instruction {
	var main []instruction
	most, last := 0, 0
	for i, in := range code { // loops end in order, the inner before the outer
		if in.target == 0 || in.target > in.address {
			continue
		}
		start := slices.IndexFunc(code[:i+1], func(c instruction) bool { return c.address == in.target })
		if start < last {
			continue
		}
		loop := code[start : i+1]
		stores := 0
		for _, c := range loop {
			_, _, s := c.kind()
			stores += s
		}
		if stores > 0 {
			last = i + 1
		}
		if stores > most {
			main, most = loop, stores
		}
	}
	return main
}

var (
	vectorX86   = regexp.MustCompile(`%([xyz]mm|k)\d`)
	intoMemory  = regexp.MustCompile(`\)(\{[^}]*\})*$`) // the destination comes last
	moveX86     = regexp.MustCompile(`^(v?mov|vbroadcast|vpbroadcast|kmov)`)
	withoutLoad = regexp.MustCompile(`^(nop|lea|prefetch|prfm)`)
	vectorARM   = regexp.MustCompile(`\b[vqdshb]\d+\b`)
	advance     = regexp.MustCompile(`^(?:\$0x([0-9a-f]+),%\w+|x\d+, x\d+, #0x([0-9a-f]+))$`)
)

// kind says how much one instruction does of each: an operation with a memory
// operand is two, a pair of registers loaded or stored as well.
func (in instruction) kind() (loads, operations, stores int) {
	arm := strings.Contains(in.operands, "[")
	switch {
	case in.target != 0, withoutLoad.MatchString(in.mnemonic):
	case strings.Contains(in.operands, "("):
		loads = 1
		if intoMemory.MatchString(in.operands) {
			loads, stores = 0, 1
		}
		if !moveX86.MatchString(in.mnemonic) {
			operations = 1
		}
	case arm && strings.HasPrefix(in.mnemonic, "ld"):
		loads = in.registers()
	case arm && strings.HasPrefix(in.mnemonic, "st"):
		stores = in.registers()
	case vectorX86.MatchString(in.operands), vectorARM.MatchString(in.operands):
		operations = 1
	}
	return loads, operations, stores
}

// registers is how many of them are loaded or stored: those before the address.
func (in instruction) registers() int {
	before, _, _ := strings.Cut(in.operands, " [")
	return max(1, strings.Count(before, ",")) // a comma follows each
}

func (k *kernel) tally() count {
	var c count
	widest, run := 0, false
	for _, in := range k.loop {
		loads, operations, stores := in.kind()
		c.loads += loads
		c.operations += operations
		c.stores += stores
		control := loads+operations+stores == 0
		if control {
			c.control++
			if !run {
				c.groups++
			}
		}
		run = control
		if m := advance.FindStringSubmatch(in.operands); m != nil && in.mnemonic == "add" {
			n, _ := strconv.ParseInt(m[1]+m[2], 16, 32) // the other is empty
			widest = max(widest, int(n))
		}
	}
	set := sets[slices.IndexFunc(sets, func(s instructionSet) bool { return s.name == k.set })]
	if c.vectors = widest / set.bytes; c.vectors == 0 {
		c.vectors = c.stores // no operand advances by as much as a vector
	}
	return c
}
