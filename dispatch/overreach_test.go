//go:build !race && !purego

package dispatch

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assembled says how the kernels of one instruction set are checked: they are
// disassembled, and an assembler that knows nothing above the set must accept
// what comes out.
type assembled struct {
	arch      string
	tools     string // prefix of GNU objdump and as
	packages  string // of Debian
	assembler []string
	check     func(code []instruction) error
}

var overreach = map[ISA]assembled{
	AVX2: {"amd64", "x86_64-linux-gnu-", "binutils-x86-64-linux-gnu",
		[]string{"-march=generic64+avx2+fma+f16c", "-msse-check=error"}, checkAVX2},
	AVX512: {"amd64", "x86_64-linux-gnu-", "binutils-x86-64-linux-gnu",
		[]string{"-march=generic64+avx2+fma+f16c+bmi2+avx512f+avx512dq+avx512bw+avx512vl", "-msse-check=error"}, checkX86},
	NEON: {"arm64", "aarch64-linux-gnu-", "binutils-aarch64-linux-gnu",
		[]string{"-march=armv8-a"}, checkARM},
}

type instruction struct {
	address  uint64
	bytes    string // as objdump prints them
	mnemonic string
	operands string
}

func (i instruction) String() string {
	return fmt.Sprintf("%#x: %s %s", i.address, i.mnemonic, i.operands)
}

// TestOverreach reads the assembled kernels of a test binary: none may hold an
// instruction above its set, and each must leave the registers as Go expects.
func TestOverreach(t *testing.T) {
	if os.Getenv("LANECAST_TEST_SAMPLE") != "" || testing.Short() {
		t.Skip("the instructions are the same on every machine: they are checked without -short and LANECAST_TEST_SAMPLE")
	}
	binaries := map[string]string{}
	for isa, how := range overreach {
		t.Run(isa.String(), func(t *testing.T) {
			for _, tool := range []string{how.tools + "objdump", how.tools + "as", "go"} {
				if _, err := exec.LookPath(tool); err != nil {
					if os.Getenv("CI") != "" || os.Getenv("LANECAST_TEST_REQUIRE_OBJDUMP") != "" {
						t.Fatalf("%s is required here (Debian: %s): %v", tool, how.packages, err)
					}
					t.Skipf("not checked without %s (Debian: %s)", tool, how.packages)
				}
			}
			binary := binaries[how.arch]
			if binary == "" {
				binary = filepath.Join(os.TempDir(), fmt.Sprintf("lanecast-%s-%d.test", how.arch, os.Getpid()))
				build := exec.Command("go", "test", "-c", "-o", binary, ".")
				build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+how.arch, "CGO_ENABLED=0", "GOFLAGS=")
				out, err := build.CombinedOutput()
				require.NoError(t, err, "%s", out)
				binaries[how.arch] = binary
			}
			code := disassemble(t, binary, how.tools+"objdump", isa.String())
			for name, instructions := range code {
				assert.NoError(t, how.check(instructions), name)
			}
			reassemble(t, code, how)
			t.Logf("%d kernels", len(code))
		})
	}
	for _, binary := range binaries {
		assert.NoError(t, os.Remove(binary))
	}
}

// disassemble gives the code of the kernels whose names end in suffix.
func disassemble(t *testing.T, binary, objdump, suffix string) map[string][]instruction {
	f, err := elf.Open(binary)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.Symbols()
	require.NoError(t, err)
	// Only what assembly defines has this ABI; the symbol without it is a
	// wrapper that the compiler makes.
	kernel := regexp.MustCompile(`/asm\.(\w+` + suffix + `)\.abi0$`)
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return !kernel.MatchString(s.Name) })
	require.NotEmpty(t, symbols, "the kernels of %s", suffix)
	slices.SortFunc(symbols, func(a, b elf.Symbol) int { return int(a.Value) - int(b.Value) })

	last := symbols[len(symbols)-1]
	out, err := exec.Command(objdump, "-d", "-w", "-z",
		fmt.Sprintf("--start-address=%#x", symbols[0].Value), fmt.Sprintf("--stop-address=%#x", last.Value+last.Size), binary).Output()
	require.NoError(t, err)
	code := map[string][]instruction{}
	next := 0 // symbol
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 3 {
			continue
		}
		address, err := strconv.ParseUint(strings.TrimSuffix(f[0], ":"), 16, 64)
		require.NoError(t, err, line)
		for next < len(symbols) && address >= symbols[next].Value+symbols[next].Size {
			next++
		}
		if next == len(symbols) || address < symbols[next].Value {
			continue // another function, or the filling between two
		}
		text := strings.Join(f[2:], " ")
		for _, remark := range []string{" //", " # "} {
			text, _, _ = strings.Cut(text, remark)
		}
		mnemonic, operands, _ := strings.Cut(strings.TrimSpace(text), " ")
		name := kernel.FindStringSubmatch(symbols[next].Name)[1]
		code[name] = append(code[name], instruction{address, strings.TrimSpace(f[1]), mnemonic, strings.TrimSpace(operands)})
	}
	require.Len(t, code, len(symbols))
	return code
}

// reassemble hands the instructions to an assembler that has the set and
// nothing more. Branches are left out: their targets would have to be defined.
func reassemble(t *testing.T, code map[string][]instruction, how assembled) {
	var text strings.Builder
	var lines []string // where the instruction of each line is
	seen := map[string]bool{}
	for name, instructions := range code {
		for _, i := range instructions {
			require.NotContains(t, i.mnemonic, "(bad)", "%s: %v", name, i)
			require.NotContains(t, i.mnemonic, ".inst", "%s: %v", name, i)
			line := i.mnemonic + " " + i.operands
			if strings.Contains(i.operands, "<") || seen[line] {
				continue
			}
			seen[line] = true
			fmt.Fprintln(&text, line)
			lines = append(lines, fmt.Sprintf("%s: %v", name, i))
		}
	}
	source := filepath.Join(t.TempDir(), "kernels.s")
	require.NoError(t, os.WriteFile(source, []byte(text.String()), 0o644))
	as := exec.Command(how.tools+"as", append(how.assembler, "-o", source+".o", source)...)
	out, err := as.CombinedOutput()
	if err == nil {
		return
	}
	report := regexp.MustCompile(`kernels\.s:(\d+): (.*)`).FindAllStringSubmatch(string(out), -1)
	for _, r := range report {
		n, err := strconv.Atoi(r[1])
		require.NoError(t, err)
		t.Errorf("%s: %s", lines[n-1], r[2])
	}
	require.NotEmpty(t, report, "%s", out)
}

var (
	basePointer = regexp.MustCompile(`%([re]?bp|bpl)\b`)
	wide        = regexp.MustCompile(`%[yz]mm\d+(\{[^,]*\})*$`) // as the destination, which comes last
	target      = regexp.MustCompile(`^([0-9a-f]+) <`)
)

// checkX86 wants BP left alone, and no path to RET on which the upper half of a
// vector register was written and VZEROUPPER did not follow.
func checkX86(code []instruction) error {
	at := map[uint64]int{}
	for i, in := range code {
		at[in.address] = i
		if basePointer.MatchString(in.operands) {
			return fmt.Errorf("BP is used: %v", in)
		}
	}
	// seen holds, for each instruction, whether it was reached with clean and
	// with written upper halves.
	seen := make([][2]bool, len(code))
	type state struct{ i, written int }
	for todo := []state{{0, 0}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.i == len(code) {
			return fmt.Errorf("runs past its end")
		}
		if seen[s.i][s.written] {
			continue
		}
		seen[s.i][s.written] = true
		in, next := code[s.i], state{s.i + 1, s.written}
		switch {
		case strings.HasPrefix(in.mnemonic, "ret"):
			if s.written == 1 {
				return fmt.Errorf("no VZEROUPPER before %v", in)
			}
			continue
		case in.mnemonic == "vzeroupper":
			next.written = 0
		case wide.MatchString(in.operands):
			next.written = 1
		case strings.HasPrefix(in.mnemonic, "j"):
			m := target.FindStringSubmatch(in.operands)
			if m == nil {
				return fmt.Errorf("jumps to where cannot be known: %v", in)
			}
			address, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return err
			}
			i, ok := at[address]
			if !ok {
				return fmt.Errorf("jumps out of the kernel: %v", in)
			}
			todo = append(todo, state{i, s.written})
			if in.mnemonic == "jmp" {
				continue
			}
		}
		todo = append(todo, next)
	}
	return nil
}

// checkAVX2 also wants no EVEX encoding, which the text of an instruction does
// not always show.
func checkAVX2(code []instruction) error {
	for _, in := range code {
		if strings.HasPrefix(in.bytes, "62 ") {
			return fmt.Errorf("EVEX encoding: %v", in)
		}
	}
	return checkX86(code)
}

var reserved = regexp.MustCompile(`\b[xw](18|28|29)\b`)

// checkARM wants the platform's register, the goroutine's and the frame
// pointer left alone.
func checkARM(code []instruction) error {
	for _, in := range code {
		if reserved.MatchString(in.operands) {
			return fmt.Errorf("a reserved register is used: %v", in)
		}
	}
	return nil
}
