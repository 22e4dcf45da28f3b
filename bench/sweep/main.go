// Command sweep measures Lanecast along one axis at a time, where a cliff would
// show: over row lengths, over sizes with one goroutine and with all, and over
// garbage collections that have to wait for it.
//
//	go run ./bench/sweep rows          short rows against contiguous operands
//	go run ./bench/sweep cores         one goroutine against all cores
//	go run ./bench/sweep gc            how long a collection waits
//	go run ./bench/sweep -short rows   the same in seconds, roughly; writes no files
//
// Several sweeps may be named. Each prints a section, puts it into
// bench/RESULTS.md, and draws its curves beside that file. Nothing else should
// run on the machine.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lanecast/lanecast/bench/internal/page"
	"github.com/lanecast/lanecast/dispatch"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1)
	}
}

// sweeps are what the command line can name. Each writes its section, and
// returns what is to be drawn, if anything is.
var sweeps = map[string]func(out io.Writer, short bool) (*chart, error){
	"rows":  sweepRows,
	"cores": sweepCores,
	"gc":    sweepCollections,
}

func run(args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("sweep", flag.ContinueOnError)
	f.SetOutput(stderr)
	short := f.Bool("short", false, "measure briefly, and write no files")
	results := f.String("results", "bench/RESULTS.md", "`file` whose sections are replaced; curves are drawn beside it")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("name one of the sweeps rows, cores and gc, or several")
	}
	for _, name := range f.Args() {
		if sweeps[name] == nil {
			return fmt.Errorf("there is no sweep %q: name rows, cores or gc", name)
		}
	}
	if err := dispatch.EnvError(); err != nil {
		return err
	}
	for _, name := range f.Args() {
		var section bytes.Buffer
		drawn, err := sweeps[name](&section, *short)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := stdout.Write(section.Bytes()); err != nil {
			return err
		}
		if *short {
			continue
		}
		if drawn != nil {
			picture := "sweep-" + name + ".svg"
			if err := os.WriteFile(filepath.Join(filepath.Dir(*results), picture), drawn.svg(), 0o644); err != nil {
				return err
			}
			fmt.Fprintf(&section, "\n![%s](%s)\n", drawn.title, picture)
		}
		if err := page.Write(*results, "sweep-"+name, section.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// machine says where and when the numbers of a section were measured.
func machine() string {
	cpu := runtime.GOARCH + " CPU"
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(info), "model name\t: "); ok {
		cpu, _, _ = strings.Cut(rest, "\n")
	}
	return fmt.Sprintf("%s, %v, GOMAXPROCS %d, %s, %s", cpu, dispatch.Active(), runtime.GOMAXPROCS(0), runtime.Version(), time.Now().Format(time.DateOnly))
}
