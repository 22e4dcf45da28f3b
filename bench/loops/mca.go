package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

const (
	slack = 1.25 // how far above the limit of the ports a loop may be
	worst = 6    // of the loops above it are named for each CPU
)

// cycles is what llvm-mca says of one loop on one CPU.
type cycles struct {
	perVector float64 // of the whole loop
	limit     float64 // for its loads, stores and vector instructions alone
	whole     float64 // the limit with the loop control
}

func (c cycles) over() bool { return c.perVector > slack*c.limit }

func findMCA() (string, error) {
	for _, name := range []string{"llvm-mca-16", "llvm-mca"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("llvm-mca-16 (Debian: llvm-16) %w", errMissing)
}

// writeCycles prints a row for each of the chosen kernels, and which of all are
// far above their limits.
func writeCycles(out io.Writer, mca string, all, chosen []kernel) error {
	times := map[string]map[string]cycles{} // by set and CPU, then by kernel
	for _, set := range sets {
		of := slices.DeleteFunc(slices.Clone(all), func(k kernel) bool { return k.set != set.name })
		for _, cpu := range set.cpus {
			t, err := simulate(mca, set, cpu, of)
			if err != nil {
				return err
			}
			times[set.name+" "+cpu] = t
		}
	}
	version, err := exec.Command(mca, "--version").Output()
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(version)), "\n")
	fmt.Fprintf(out, "## Cycles per vector on CPUs that were not at hand\n\n"+
		"Written by `go run ./bench/loops -mca` with %s: no measurement, and caches are taken to keep up.\n"+
		"A cell is the main loop's cycles per vector of the widest operand / the limit: the reciprocal throughput of its\n"+
		"loads, stores and vector instructions, loop control left out. Bold where it is more than %.0f %% above.\n\n| kernel |",
		first, 100*(slack-1))
	columns := 0
	for _, set := range sets {
		for _, cpu := range set.cpus {
			fmt.Fprintf(out, " %s %s |", set.name, cpu)
			columns++
		}
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---|", columns))
	rows(out, chosen, func(k *kernel, set instructionSet) string {
		var cells strings.Builder
		for _, cpu := range set.cpus {
			if k == nil {
				cells.WriteString(" – |")
				continue
			}
			c, bold := times[set.name+" "+cpu][k.key()], ""
			if c.over() {
				bold = "**"
			}
			fmt.Fprintf(&cells, " %s%.2f / %.2f%s |", bold, c.perVector, c.limit, bold)
		}
		return cells.String()
	})
	fmt.Fprintln(out)
	for _, set := range sets {
		for _, cpu := range set.cpus {
			t := times[set.name+" "+cpu]
			var over []string
			whole := 0
			for name, c := range t {
				if c.over() {
					over = append(over, name)
				}
				if c.perVector > slack*c.whole {
					whole++
				}
			}
			slices.SortFunc(over, func(a, b string) int {
				return cmp.Or(cmp.Compare(t[b].perVector/t[b].limit, t[a].perVector/t[a].limit), cmp.Compare(a, b))
			})
			fmt.Fprintf(out, "- %s on %s: of %d loops, %d are more than %.0f %% above (%d if the limit is to include loop control)",
				set.name, cpu, len(t), len(over), 100*(slack-1), whole)
			for i, name := range over[:min(worst, len(over))] {
				fmt.Fprintf(out, "%s %s %.2f / %.2f", []string{",", "; the worst:"}[max(0, 1-i)], name, t[name].perVector, t[name].limit)
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprint(out, reasons)
	return nil
}

// reasons are why loops may stay above their limits.
const reasons = `
Why they are left so:

- Loop control, some six instructions for each turn of four vectors, takes issue slots that the limit leaves out. Where
  few loops remain with it in the limit, that is all. Eight vectors a turn would halve it, and have rows of five to eight
  vectors go one by one.
- A long program (Rsqrt, Hypot, remainders, most of 16-bit floats) waits for its own results. Two vectors are computed
  side by side where registers hold them; the 16 of AVX2 seldom do, and AVX-512's seven masks not always.
- Of the rest, most are short casts, in which one port has all of the shuffles while the limit spreads them.
`

// simulate hands every loop to llvm-mca twice: whole, and without the
// instructions that only keep it going.
func simulate(mca string, set instructionSet, cpu string, kernels []kernel) (map[string]cycles, error) {
	var text bytes.Buffer
	for _, k := range kernels {
		for _, part := range []string{"loop", "work"} {
			label := fmt.Sprintf(".L%s_%s", k.name, part)
			fmt.Fprintf(&text, "# LLVM-MCA-BEGIN %s\n%s:\n", label, label)
			for _, in := range k.loop {
				loads, operations, stores := in.kind()
				operands := in.operands
				if in.target != 0 { // the branches of llvm-mca all fall through
					operands = target.ReplaceAllString(operands, label+" <")
					operands, _, _ = strings.Cut(operands, " <")
				}
				if part == "loop" || loads+operations+stores > 0 {
					fmt.Fprintf(&text, "%s %s\n", in.mnemonic, operands)
				}
			}
			fmt.Fprintln(&text, "# LLVM-MCA-END")
		}
	}
	const iterations = 100
	cmd := exec.Command(mca, "-mtriple="+set.triple+"-linux-gnu", "-mcpu="+cpu, "-json",
		fmt.Sprintf("-iterations=%d", iterations), "-instruction-info=false", "-resource-pressure=false")
	cmd.Stdin = &text
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s -mcpu=%s: %w\n%s", mca, cpu, err, said.Bytes()[:min(said.Len(), 2000)])
	}
	var report struct {
		CodeRegions []struct {
			SummaryView struct{ BlockRThroughput, TotalCycles float64 }
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return nil, fmt.Errorf("%s -mcpu=%s: %w", mca, cpu, err)
	}
	if len(report.CodeRegions) != 2*len(kernels) {
		return nil, fmt.Errorf("%s -mcpu=%s: %d regions for %d kernels", mca, cpu, len(report.CodeRegions), len(kernels))
	}
	times := map[string]cycles{}
	for i, k := range kernels {
		vectors := float64(k.count.vectors)
		loop, work := report.CodeRegions[2*i].SummaryView, report.CodeRegions[2*i+1].SummaryView
		times[k.key()] = cycles{loop.TotalCycles / iterations / vectors, work.BlockRThroughput / vectors, loop.BlockRThroughput / vectors}
	}
	return times, nil
}
