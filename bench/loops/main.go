// Command loops reads the main loops of the assembled kernels with contiguous
// operands. It counts their instructions; on request it asks llvm-mca how long
// CPUs that are not at hand would take for them.
//
//	go run ./bench/loops                  the counts, as Markdown
//	go run ./bench/loops -mca             cycles per vector against the limit of the ports
//	go run ./bench/loops -check           exits with 1 if a contiguous Add holds more than it needs
//	go run ./bench/loops -ops Sqrt,Less   other operations; "all" for every kernel
//	go run ./bench/loops -results F       also puts the table into the section of a page
//	go run ./bench/loops a.test b.test    reads these test binaries of dispatch and builds none
//
// It needs GNU objdump for both machines and, with -mca, LLVM 16. It exits with
// 2 where a tool is missing.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lanecast/lanecast/bench/internal/page"
)

// types are the elements of the table, unless all operations are wanted. Those
// that compute the same bits share a kernel: the Add of Uint8 is that of Int8.
const types = "Float32,Float64,Int8,Int32,Int64,Uint8"

// errMissing is a tool that has to be installed first.
var errMissing = errors.New("not found")

func main() {
	switch err := run(os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errMissing):
		fmt.Fprintln(os.Stderr, "loops:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "loops:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	f := flag.NewFlagSet("loops", flag.ContinueOnError)
	ops := f.String("ops", "Add,Mul,Maximum,Div,Equal,Where,Clamp,FMA,Floor,CastFloat32,CastUint8", "`operations` in the table, or all")
	check := f.Bool("check", false, "exit with 1 if a contiguous Add holds more than it needs")
	simulate := f.Bool("mca", false, "ask llvm-mca for cycles instead of counting instructions")
	results := f.String("results", "", "`file` whose section is replaced by the table")
	if err := f.Parse(args); err != nil {
		return err
	}
	var mca string
	if *simulate {
		var err error
		if mca, err = findMCA(); err != nil {
			return err
		}
	}
	binaries := f.Args()
	if len(binaries) == 0 {
		dir, err := os.MkdirTemp("", "loops")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if binaries, err = build(dir); err != nil {
			return err
		}
	}
	var all []kernel
	for _, b := range binaries {
		k, err := readKernels(b)
		if err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
		all = append(all, k...)
	}
	slices.SortStableFunc(all, func(a, b kernel) int { return strings.Compare(a.op, b.op) })
	chosen := slices.DeleteFunc(slices.Clone(all), func(k kernel) bool {
		return *ops != "all" && !(listed(*ops, k.op) && listed(types, k.element))
	})

	name, text := "loops", new(bytes.Buffer)
	if *simulate {
		name = "mca"
		if err := writeCycles(text, mca, all, chosen); err != nil {
			return err
		}
	} else {
		writeCounts(text, chosen)
	}
	if _, err := stdout.Write(text.Bytes()); err != nil {
		return err
	}
	if *results != "" {
		if err := page.Write(*results, name, text.Bytes()); err != nil {
			return err
		}
	}
	if *check {
		return checkAdd(all)
	}
	return nil
}

// build makes a test binary for each machine: it links every kernel there is.
func build(dir string) ([]string, error) {
	var binaries []string
	for _, arch := range []string{"amd64", "arm64"} {
		binary := filepath.Join(dir, arch+".test")
		cmd := exec.Command("go", "test", "-c", "-o", binary, "github.com/lanecast/lanecast/dispatch")
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
		binaries = append(binaries, binary)
	}
	return binaries, nil
}

func listed(list, name string) bool {
	return slices.Contains(strings.Split(list, ","), name)
}

// checkAdd wants no more in the main loop of a contiguous addition than two
// loads, one operation and one store a vector, and the bookkeeping of the loop
// in one place for four vectors. Half floats are added as float32, which takes
// conversions: they are not asked.
func checkAdd(all []kernel) error {
	seen := map[string]int{}
	var bad []string
	for _, k := range all {
		if k.op != "Add" || strings.HasSuffix(k.element, "Float16") {
			continue
		}
		seen[k.set]++
		if c := k.count; c.loads > 2*c.vectors || c.operations > c.vectors || c.stores > c.vectors || c.groups*4 > c.vectors {
			bad = append(bad, fmt.Sprintf("%s: %d loads, %d operations, %d stores and %d groups of loop control for %d vectors",
				k.name, c.loads, c.operations, c.stores, c.groups, c.vectors))
		}
	}
	for _, set := range sets {
		if seen[set.name] == 0 {
			bad = append(bad, "no contiguous Add of "+set.name)
		}
	}
	if bad != nil {
		return errors.New(strings.Join(bad, "\n"))
	}
	return nil
}

// writeCounts prints a row for each kernel and a column for each set.
func writeCounts(out io.Writer, kernels []kernel) {
	fmt.Fprint(out, "## Instructions per vector\n\n"+
		"Written by `go run ./bench/loops` from the disassembly of the main loops. A cell counts, per vector of the widest\n"+
		"operand, loads + other vector instructions + stores (memory operands are loads), then the instructions of loop\n"+
		"control / the vectors that they serve. Types with the same bits share a kernel: the Add of Uint8 is that of Int8.\n\n| kernel |")
	for _, set := range sets {
		fmt.Fprintf(out, " %s |", set.name)
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---|", len(sets)))
	rows(out, kernels, func(k *kernel, set instructionSet) string {
		if k == nil {
			return " – |"
		}
		c, v := k.count, float64(k.count.vectors)
		return fmt.Sprintf(" %.3g + %.3g + %.3g, %d/%d |", float64(c.loads)/v, float64(c.operations)/v, float64(c.stores)/v, c.control, c.vectors)
	})
}

// rows prints a line for each kernel, whatever the sets that have it.
func rows(out io.Writer, kernels []kernel, cell func(k *kernel, set instructionSet) string) {
	have := map[string]*kernel{}
	var names []string
	for i := range kernels {
		k := &kernels[i]
		name := k.key()
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		have[name+k.set] = k
	}
	for _, name := range names {
		fmt.Fprintf(out, "| %s |", name)
		for _, set := range sets {
			fmt.Fprint(out, cell(have[name+set.name], set))
		}
		fmt.Fprintln(out)
	}
}
