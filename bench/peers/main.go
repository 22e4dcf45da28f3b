// Command peers times Lanecast beside NumPy, PyTorch, numexpr, gonum, vek and
// plain Go loops, and beside what the machine can stream, all in turn in one
// sitting. It prints the table and writes it to bench/RESULTS.md with a chart.
//
// Start it with bench/peers/run; nothing else should run on the machine.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lanecast/lanecast/bench/internal/page"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "peers:", err)
			os.Exit(1)
		}
	}
}

type options struct {
	root, workloads, only, python string
	rounds, procs                 int
	ms                            float64
	results                       string
	slices                        bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.root, "root", "../..", "`folder` of the Lanecast module")
	f.StringVar(&o.workloads, "workloads", "../workloads.json", "workload `file`")
	f.StringVar(&o.only, "only", "", "comma-separated `names` of the workloads to time; empty: all")
	f.StringVar(&o.python, "python", "", "Python `program`; empty: python3 or /usr/bin/python3, whichever has more of the libraries")
	f.IntVar(&o.rounds, "rounds", 5, "sit through this many rounds, of which the fastest counts")
	f.IntVar(&o.procs, "procs", 1, "cores that each library may use")
	f.Float64Var(&o.ms, "ms", 40, "measure each cell for about this many `milliseconds` a round")
	f.StringVar(&o.results, "results", "../RESULTS.md", "`file` to write the table to; empty: none")
	f.BoolVar(&o.slices, "slices", false, "only time the Go libraries, and print JSON lines")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.rounds < 1 || o.procs < 1 || !(o.ms > 0):
		return fmt.Errorf("-rounds %d -procs %d -ms %v: each must be more than 0", o.rounds, o.procs, o.ms)
	}
	workloads, err := readWorkloads(o.workloads)
	if err != nil {
		return err
	}
	if o.only != "" {
		if workloads, err = choose(workloads, strings.Split(o.only, ",")); err != nil {
			return err
		}
	}
	if o.slices {
		return timeSlices(stdout, workloads, o.ms)
	}
	return o.sideBySide(ctx, workloads, stdout, stderr)
}

// choose keeps the workloads with these names.
func choose(workloads []workload, names []string) ([]workload, error) {
	var out []workload
	for _, name := range names {
		n := len(out)
		for _, w := range workloads {
			if w.Name == name {
				out = append(out, w)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("no workload is named %q", name)
		}
	}
	return out, nil
}

// sideBySide builds everything, times it round after round, and reports.
func (o *options) sideBySide(ctx context.Context, workloads []workload, stdout, stderr io.Writer) error {
	folder, err := os.MkdirTemp("", "lanecast-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	list := filepath.Join(folder, "workloads.json")
	data, err := json.Marshal(workloads)
	if err != nil {
		return err
	}
	if err := os.WriteFile(list, data, 0o644); err != nil {
		return err
	}
	s, err := o.prepare(ctx, folder, list)
	if err != nil {
		return err
	}
	for _, line := range s.about {
		fmt.Fprintln(stderr, line)
	}

	t, l := newTimes(), limits{}
	for round := range o.rounds {
		for _, c := range s.contestants {
			fmt.Fprintf(stderr, "round %d of %d: %s\n", round+1, o.rounds, c.name)
			out, err := output(ctx, "", c.command...)
			if err != nil {
				return err
			}
			add := t.add
			if c.limit {
				add = l.add
			}
			if err := add(out); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}

	results := compare(workloads, t, l)
	printTable(stdout, results)
	fmt.Fprintln(stdout)
	for _, line := range summary(results) {
		fmt.Fprintln(stdout, line)
	}
	if o.results == "" {
		return nil
	}
	return o.write(s, results)
}

// A contestant is a program that times all workloads.
type contestant struct {
	name    string
	command []string
	limit   bool // prints what the machine can stream instead
}

// A sitting is what takes part, and on what machine.
type sitting struct {
	set         string // instruction set of ours
	about       []string
	contestants []contestant
}

// prepare builds the programs and finds out which peers are there.
func (o *options) prepare(ctx context.Context, folder, list string) (*sitting, error) {
	s := &sitting{}
	ms := strconv.FormatFloat(o.ms, 'g', -1, 64)

	bench := filepath.Join(folder, "bench")
	if _, err := output(ctx, o.root, "go", "build", "-o", bench, "./bench"); err != nil {
		return nil, err
	}
	about, err := output(ctx, "", bench, "-about", "-procs", strconv.Itoa(o.procs))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(about)) {
		line = strings.Join(strings.Fields(line), " ")
		s.about = append(s.about, line)
		if set, ok := strings.CutPrefix(line, "instruction set "); ok {
			s.set, _, _ = strings.Cut(set, ",")
		}
	}

	limit := filepath.Join(folder, "limit")
	if _, err := output(ctx, "", "cc", "-O3", "-march=native", "-fno-tree-loop-distribute-patterns", "-o", limit, "limit/limit.c"); err != nil {
		s.absent("limit.c", "apt-get install gcc", err)
	} else {
		version, _ := output(ctx, "", "cc", "--version")
		s.present("limit.c, built by", strings.SplitN(string(version), "\n", 2)[0])
		s.contestants = append(s.contestants, contestant{"limit.c", []string{limit, ms}, true})
	}

	python, versions := o.findPython(ctx)
	var libs []string
	for _, lib := range []struct{ name, title, install string }{
		{"numpy", "NumPy", "apt-get install python3-numpy"},
		{"torch", "PyTorch", "apt-get install python3-torch"},
		{"numexpr", "numexpr", "apt-get install python3-numexpr"},
	} {
		if versions[lib.name] == "" {
			s.absent(lib.title, lib.install, nil)
			continue
		}
		s.present(lib.title, versions[lib.name])
		libs = append(libs, lib.name)
	}
	if versions["numpy"] != "" { // the others get their arrays from it
		for _, lib := range libs {
			s.contestants = append(s.contestants, contestant{lib, []string{python, "peers.py", "--workloads", list,
				"--libs", lib, "--ms", ms, "--rounds", strconv.Itoa(rounds), "--threads", strconv.Itoa(o.procs)}, false})
		}
	}

	for _, module := range []struct{ title, path string }{{"gonum", "gonum.org/v1/gonum"}, {"vek", "github.com/viterin/vek"}} {
		version, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Version}}", module.path)
		if err != nil {
			return nil, err
		}
		s.present(module.title, strings.TrimSpace(string(version)))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s.contestants = append(s.contestants,
		contestant{"gonum, vek, Go loops", []string{self, "-slices", "-workloads", list, "-ms", ms}, false},
		contestant{ours, []string{bench, "-json", "-workloads", list, "-ms", ms, "-rounds", strconv.Itoa(rounds), "-procs", strconv.Itoa(o.procs)}, false})
	return s, nil
}

func (s *sitting) present(title, version string) {
	s.about = append(s.about, fmt.Sprintf("%s %s", title, version))
}

func (s *sitting) absent(title, install string, err error) {
	line := fmt.Sprintf("%s is absent: %s", title, install)
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		line = fmt.Sprintf("%s is absent: %v", title, err)
	}
	s.about = append(s.about, line)
}

// findPython returns the Python program that has most of the libraries, and
// their versions.
func (o *options) findPython(ctx context.Context) (program string, versions map[string]string) {
	candidates := []string{"python3", "/usr/bin/python3"}
	if o.python != "" {
		candidates = []string{o.python}
	}
	for _, c := range candidates {
		out, err := output(ctx, "", c, "peers.py", "--versions")
		if err != nil {
			continue
		}
		var all map[string]*string // null where absent
		if json.Unmarshal(out, &all) != nil {
			continue
		}
		found := map[string]string{}
		for lib, version := range all {
			if version != nil {
				found[lib] = *version
			}
		}
		if program == "" || len(found) > len(versions) {
			program, versions = c, found
		}
	}
	return program, versions
}

// output runs a command in a folder; its error includes what the command said.
func output(ctx context.Context, folder string, command ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = folder
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// write puts the table into the results file, and the chart beside it. Each
// workload file, instruction set and number of cores has a section of its own.
func (o *options) write(s *sitting, results []result) error {
	set := s.set
	cores := "one core"
	list := strings.TrimSuffix(filepath.Base(o.workloads), ".json")
	name := "side-by-side-" + list + "-" + strings.ToLower(set)
	if o.procs > 1 {
		cores = fmt.Sprintf("%d cores", o.procs)
		name += fmt.Sprintf("-%d-cores", o.procs)
	}
	chart := name + ".svg"
	var svg bytes.Buffer
	if err := writeChart(&svg, "Time of the fastest peer / time of Lanecast, "+set+", "+cores, results); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(o.results), chart), svg.Bytes(), 0o644); err != nil {
		return err
	}

	var text bytes.Buffer
	fmt.Fprintf(&text, "## Side by side: %s, %s, %s\n\n", list, set, cores)
	fmt.Fprintf(&text, "Written by `bench/peers/run` on %s. Rounds in turn: %d; the fastest counts.\n\n",
		time.Now().UTC().Format("2006-01-02"), o.rounds)
	for _, line := range s.about {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprint(&text, "\n*Ratio* is the fastest peer's time divided by ours, bold where a peer is faster; plain loops are shown but\n"+
		"do not count, nor do slice libraries up to 64 elements. *Of limit* is the time in which `limit.c` streams as many\n"+
		"bytes, divided by ours.\n\n")
	printMarkdown(&text, results)
	fmt.Fprintln(&text)
	for _, line := range summary(results) {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	fmt.Fprintf(&text, "\n![ratios as a chart](%s)\n", chart)

	return page.Write(o.results, name, text.Bytes())
}
