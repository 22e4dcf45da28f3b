package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/lanecast/lanecast/dispatch"
	"github.com/lanecast/lanecast/tensor"
)

// about prints which machine this is.
func about(out io.Writer) {
	fmt.Fprintf(out, "CPU              %s, %s, %s/%s, %s\n", cpuName(), cores(runtime.NumCPU()), runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(out, "instruction set  %v, on %s\n", dispatch.Active(), cores(runtime.GOMAXPROCS(0)))
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

// report prints what a newcomer wants to know: which machine this is, a real
// picture done right, and how fast each broadcast pattern runs here. It returns
// the normalised picture (H,W,3).
func report(out io.Writer, p *photo, rounds int, slice time.Duration, progress func(string)) (*tensor.Tensor[float32], error) {
	about(out)
	progress("timing the built-in copy …")
	copies := streaming(rounds, slice)
	progress("")
	fmt.Fprintf(out, "built-in copy    %s, read and written\n", copies)

	progress("normalising the photograph …")
	ways, normalized, err := p.normalize(rounds, slice)
	if err != nil {
		return nil, err
	}
	progress("")
	fmt.Fprintf(out, "\nA photograph of %d×%d pixels, float32: each channel to mean 0 and deviation 1\n\n", p.width, p.height)
	fmt.Fprintf(out, "  %-36s %-24s %8s %8s %9s   %s\n", "", "memory", "µs", "loop µs", "speed-up", "against the loop")
	for _, w := range ways {
		fmt.Fprintf(out, "  %-36s %-24s %8.2f %8.2f %8.1f×   %s\n",
			w.operands, w.memory, w.ours/1e3, w.loop/1e3, w.loop/w.ours, "same bits")
	}

	fmt.Fprintf(out, "\nBroadcast addition, float32, beside the loop one writes by hand in Go\n\n")
	fmt.Fprintf(out, "  %-13s %-33s %8s %7s %9s %9s %8s   %s\n", "pattern", "operands", "µs", "GB/s", "loop µs", "speed-up", "of copy", "against the loop")
	for _, line := range table {
		progress("timing " + line.label + " …")
		r, err := line.run(rounds, slice)
		if err != nil {
			return nil, err
		}
		progress("")
		fmt.Fprintf(out, "  %-13s %-33s %8.1f %7.1f %9.1f %8.1f× %7.0f%%   %s\n",
			line.label, r.operands, r.ours/1e3, float64(r.bytes)/r.ours, r.loop/1e3, r.loop/r.ours, 100*r.copy/r.ours, "same bits")
	}
	fmt.Fprint(out, footnote)
	return normalized, nil
}

const footnote = `
GB/s counts the elements read and written, a stretched operand once. "of copy" is
the time that the built-in copy takes to move as many bytes, divided by ours.
`

// reportMarkdown prints the pattern table alone, for the README.
func reportMarkdown(out io.Writer, rounds int, slice time.Duration, progress func(string)) error {
	fmt.Fprintf(out, "%s, %v, %s, %s:\n\n", cpuName(), dispatch.Active(), cores(runtime.GOMAXPROCS(0)), runtime.Version())
	fmt.Fprintln(out, "| pattern | operands | µs | GB/s | Go loop µs | speed-up | of `copy` |")
	fmt.Fprintln(out, "|---|---|---:|---:|---:|---:|---:|")
	for _, line := range table {
		progress("timing " + line.label + " …")
		r, err := line.run(rounds, slice)
		if err != nil {
			return err
		}
		progress("")
		fmt.Fprintf(out, "| %s | `%s` | %.1f | %.1f | %.1f | %.1f× | %.0f %% |\n",
			line.label, r.operands, r.ours/1e3, float64(r.bytes)/r.ours, r.loop/1e3, r.loop/r.ours, 100*r.copy/r.ours)
	}
	return nil
}
