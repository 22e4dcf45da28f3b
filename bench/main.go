// Command bench shows what Lanecast does on this machine.
//
// Without flags it prints the CPU and instruction set, normalises a photograph
// and times the broadcast patterns; every result is compared bit for bit with a
// loop written by hand. It exits with 1 if one differs.
//
//	go run ./bench                      the report
//	go run ./bench -short               the same in a few seconds
//	go run ./bench -o picture.png       also writes the normalised photograph
//	go run ./bench -about               the CPU and the instruction set alone
//	go run ./bench -markdown            the pattern table alone, as Markdown
//	go run ./bench -json -workloads F   times the entries of a workload file, as JSON lines
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/lanecast/lanecast/dispatch"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// envError is a wrong LANECAST_ISA in the environment: numbers measured on
// another instruction set than the one asked for would mislead.
var envError = dispatch.EnvError

// options are the command line.
type options struct {
	photo, picture        string
	short, json, markdown bool
	about                 bool
	workloads, only       string
	rounds, procs         int
	perMeasurement        time.Duration
}

// run is main without its process: it returns the exit status, 1 for a failure
// and 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if err := o.run(stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	var ms float64
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.photo, "i", "", "normalise the PNG or JPEG `file` instead of the photograph inside")
	f.StringVar(&o.picture, "o", "", "write the normalised photograph to `file`, as PNG")
	f.BoolVar(&o.short, "short", false, "measure briefly: a few seconds in all, rough numbers")
	f.BoolVar(&o.about, "about", false, "print the CPU and the instruction set, and stop")
	f.BoolVar(&o.markdown, "markdown", false, "print the pattern table alone, as Markdown")
	f.BoolVar(&o.json, "json", false, "time the entries of -workloads and print JSON lines")
	f.StringVar(&o.workloads, "workloads", "bench/workloads.json", "workload `file` for -json")
	f.StringVar(&o.only, "only", "", "comma-separated `names` of the workloads to time; empty: all")
	f.Float64Var(&ms, "ms", 200, "measure each thing for about this many `milliseconds`")
	f.IntVar(&o.rounds, "rounds", 21, "in this many rounds, of which the fastest counts")
	f.IntVar(&o.procs, "procs", 1, "cores to use (GOMAXPROCS); 0: all")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var wrong string
	switch {
	case f.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q", f.Arg(0))
	case o.rounds < 1:
		wrong = fmt.Sprintf("-rounds %d: at least 1", o.rounds)
	case !(ms > 0):
		wrong = fmt.Sprintf("-ms %v: more than 0", ms)
	case o.procs < 0:
		wrong = fmt.Sprintf("-procs %d: at least 0", o.procs)
	}
	if wrong != "" {
		fmt.Fprintln(stderr, "bench:", wrong)
		f.Usage()
		return nil, errors.New(wrong)
	}
	if o.short {
		ms, o.rounds = min(ms, 10), min(o.rounds, 3)
	}
	o.perMeasurement = time.Duration(ms * float64(time.Millisecond))
	return o, nil
}

func (o *options) run(stdout, stderr io.Writer) error {
	if err := envError(); err != nil {
		return err
	}
	if o.procs == 0 {
		o.procs = runtime.NumCPU()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.procs))
	progress := progressOn(stderr)
	defer progress("")
	slice := o.perMeasurement / time.Duration(o.rounds)

	switch {
	case o.about:
		about(stdout)
		return nil
	case o.json:
		var only []string
		if o.only != "" {
			only = strings.Split(o.only, ",")
		}
		workloads, err := readWorkloads(o.workloads, only)
		if err != nil {
			return err
		}
		return runWorkloads(stdout, workloads, o.rounds, slice, progress)
	case o.markdown:
		return reportMarkdown(stdout, o.rounds, slice, progress)
	}
	p, err := loadPhoto(o.photo)
	if err != nil {
		return err
	}
	normalized, err := report(stdout, p, o.rounds, slice, progress)
	if err != nil || o.picture == "" {
		return err
	}
	var picture bytes.Buffer
	if err := writePicture(&picture, normalized); err != nil {
		return err
	}
	if err := os.WriteFile(o.picture, picture.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nThe normalised photograph is in %s: black is two deviations below a channel's mean, full two above.\n", o.picture)
	return nil
}

// progressOn returns a function that says what is being done. On a terminal
// each message replaces the one before, and an empty one makes room for output.
func progressOn(w io.Writer) func(string) {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return func(s string) { fmt.Fprintf(w, "\r\x1b[K%s", s) }
		}
	}
	return func(s string) {
		if s != "" {
			fmt.Fprintln(w, s)
		}
	}
}
