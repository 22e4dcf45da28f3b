// Command sizes measures what Lanecast adds to a program and how long it takes
// to build.
//
//	go run ./bench/sizes                            prints a section
//	go run ./bench/sizes -results bench/RESULTS.md  and puts it into the file
//
// It needs the module cache, and builds everything from an empty build cache.
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
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/lanecast/lanecast/bench/internal/page"
)

// programs are compared with the first.
var programs = []struct{ title, source string }{
	{"prints a line", `import "fmt"
func main() { fmt.Println("hello") }`},
	{"calls `Add[float32]`", `import ("fmt"; "github.com/lanecast/lanecast/tensor")
func main() {
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3}, 3))
	y, err := tensor.Add(x, x)
	fmt.Println(y.Data(), err)
}`},
	{"logs a warning by log/slog, without Lanecast", `import ("fmt"; "log/slog")
func main() { fmt.Println("hello"); slog.Warn("hello", "a", 1) }`},
	{"asks cpuid for AVX2, without Lanecast", `import ("fmt"; "github.com/klauspost/cpuid/v2")
func main() { fmt.Println("hello", cpuid.CPU.Supports(cpuid.AVX2)) }`},
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("sizes", flag.ContinueOnError)
	f.SetOutput(stderr)
	results := f.String("results", "", "`file` whose section is replaced; empty: none")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	root, err := goTool("", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := write(&text, strings.TrimSpace(root)); err != nil {
		return err
	}
	if _, err := stdout.Write(text.Bytes()); err != nil {
		return err
	}
	if *results == "" {
		return nil
	}
	return page.Write(*results, "sizes", text.Bytes())
}

func write(out io.Writer, root string) error {
	// Inside the module, so that its dependencies are known there, but not a part
	// of it: go leaves out names with an underscore.
	dir, err := os.MkdirTemp(filepath.Join(root, "bench", "sizes"), "_tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(out, "## Sizes and the time to build\n\n%s/%s, %s, %s. Written by `go run ./bench/sizes`.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly))
	fmt.Fprint(out, "| a program that | KiB more than the first | the same, without symbols (`-s -w`) |\n|---|---:|---:|\n")
	var first [2]int64
	for i, p := range programs {
		main := filepath.Join(dir, "main.go")
		if err := os.WriteFile(main, []byte("package main\n\n"+p.source+"\n"), 0o644); err != nil {
			return err
		}
		var grown [2]int64
		for k, flags := range []string{"", "-s -w"} {
			if _, err := goTool(root, "build", "-ldflags", flags, "-o", filepath.Join(dir, "program"), main); err != nil {
				return err
			}
			info, err := os.Stat(filepath.Join(dir, "program"))
			if err != nil {
				return err
			}
			if i == 0 {
				first[k] = info.Size()
			}
			grown[k] = info.Size() - first[k]
		}
		fmt.Fprintf(out, "| %s | %d | %d |\n", p.title, grown[0]>>10, grown[1]>>10)
	}

	fmt.Fprint(out, "\nAn addition brings both: warnings that `LANECAST_WARN` asks for go to log/slog, and cpuid chooses the kernels.\n")

	code, kernels, err := machineCode(root, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n- Machine code of the whole table, which only tests link: %.1f MiB in %d kernels\n", float64(code)/(1<<20), kernels)
	start := time.Now()
	build := exec.Command("go", "build", "./...")
	build.Dir, build.Env = root, append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	fmt.Fprintf(out, "- `go build ./...` from an empty build cache, the standard library included: %.0f s on %d cores\n",
		time.Since(start).Seconds(), runtime.NumCPU())
	return nil
}

// machineCode adds up the kernels in a test binary, which links them all.
func machineCode(root, dir string) (bytes int64, kernels int, err error) {
	binary := filepath.Join(dir, "dispatch.test")
	if _, err := goTool(root, "test", "-c", "-o", binary, "./dispatch"); err != nil {
		return 0, 0, err
	}
	list, err := goTool(root, "tool", "nm", "-size", binary)
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) == 4 && f[2] == "T" && strings.Contains(f[3], "/asm.") && strings.HasSuffix(f[3], ".abi0") {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0, 0, err
			}
			bytes, kernels = bytes+n, kernels+1
		}
	}
	if kernels == 0 {
		return 0, 0, errors.New("no kernels in assembly are linked")
	}
	return bytes, kernels, nil
}

func goTool(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, said.String())
	}
	return string(out), nil
}
