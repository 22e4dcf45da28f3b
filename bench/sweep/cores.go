package main

import (
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"strings"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

// lost is the speed-up below which splitting has lost: the rest is noise.
const lost = 0.95

// A workload is an operation that can be timed at any size.
type workload struct {
	name string
	// prepare returns a function that makes the operands of n elements, n up to
	// the largest, and returns a call that takes Serial or 0.
	prepare func(largest int) func(n int) func(tensor.Option) error
}

var workloads = []workload{
	{"contiguous add, float32", onFloat32(func(n int, dst, a, b []float32) (d, x, y *tensor.Tensor[float32]) {
		return view(dst, n), view(a, n), view(b, n)
	})},
	{"short row (n,3)+(3,), float32", onFloat32(func(n int, dst, a, b []float32) (d, x, y *tensor.Tensor[float32]) {
		return view(dst, n/3, 3), view(a, n/3, 3), view(b, 3)
	})},
	{"transposed a + b.T, float32", onFloat32(func(n int, dst, a, b []float32) (d, x, y *tensor.Tensor[float32]) {
		rows := 1 << (bits.Len(uint(n)) / 2)
		cols := n / rows
		return view(dst, rows, cols), view(a, rows, cols), tensor.Must(view(b, cols, rows).Transpose(1, 0))
	})},
	{"rsqrt, float64", func(largest int) func(int) func(tensor.Option) error {
		a, dst := numbers[float64](largest), numbers[float64](largest)
		return func(n int) func(tensor.Option) error {
			x, d := view(a, n), view(dst, n)
			return func(o tensor.Option) error { return tensor.RsqrtTo(d, x, o) }
		}
	}},
	{"division, int32", func(largest int) func(int) func(tensor.Option) error {
		a, b, dst := numbers[int32](largest), numbers[int32](largest), numbers[int32](largest)
		return func(n int) func(tensor.Option) error {
			x, y, d := view(a, n), view(b, n), view(dst, n)
			return func(o tensor.Option) error { return tensor.DivTo(d, x, y, o) }
		}
	}},
}

func onFloat32(operands func(n int, dst, a, b []float32) (d, x, y *tensor.Tensor[float32])) func(int) func(int) func(tensor.Option) error {
	return func(largest int) func(int) func(tensor.Option) error {
		dst, a, b := numbers[float32](largest), numbers[float32](largest), numbers[float32](largest)
		return func(n int) func(tensor.Option) error {
			d, x, y := operands(n, dst, a, b)
			return func(o tensor.Option) error { return tensor.AddTo(d, x, y, o) }
		}
	}
}

// sizes are the powers of two from one to the other, and what lies half-way.
func sizes(from, to int) []int {
	var all []int
	for n := from; n < to; n *= 2 {
		all = append(all, n, n+n/2)
	}
	return append(all, to)
}

// sweepCores compares one goroutine with all cores at each size: more cores
// must never be slower.
func sweepCores(out io.Writer, short bool) (*chart, error) {
	if runtime.GOMAXPROCS(0) == 1 {
		fmt.Fprintf(out, "## One goroutine against all cores\n\n%s. One core has nothing to split.\n\n", machine())
		return nil, nil
	}
	rounds, slice, largest := 15, 5*time.Millisecond, 32<<20
	if short {
		rounds, slice, largest = 2, 200*time.Microsecond, 1<<20
	}
	all := sizes(1<<10, largest)
	c := &chart{
		title: fmt.Sprintf("Speed-up of %d cores", runtime.GOMAXPROCS(0)),
		x:     "elements", logX: true, limit: 1,
		panels: []panel{{}},
	}
	for _, w := range workloads {
		at := w.prepare(largest)
		l := line{name: w.name}
		for _, n := range all {
			call := at(n)
			if err := call(0); err != nil {
				return nil, err
			}
			ns := fastest(rounds, slice, func() { call(tensor.Serial) }, func() { call(0) })
			l.points = append(l.points, point{float64(n), ns[0] / ns[1]})
		}
		c.panels[0].lines = append(c.panels[0].lines, l)
	}

	fmt.Fprintf(out, "## One goroutine against all cores\n\n%s. Written by `go run ./bench/sweep cores`.\n\n", machine())
	fmt.Fprintf(out, "Time with `tensor.Serial` divided by time without it, measured in turn, fastest of %d rounds. Bold is below %v: there\n"+
		"splitting the work loses.\n\n| elements |", rounds, lost)
	lines := c.panels[0].lines
	for _, l := range lines {
		fmt.Fprintf(out, " %s |", l.name)
	}
	fmt.Fprintf(out, "\n|---:|%s\n", strings.Repeat("---:|", len(lines)))
	for i, n := range all {
		fmt.Fprintf(out, "| %s |", sizeString(n))
		for _, l := range lines {
			if y := l.points[i].y; y < lost {
				fmt.Fprintf(out, " **%.2f** |", y)
			} else {
				fmt.Fprintf(out, " %.2f |", y)
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	for _, l := range lines {
		fmt.Fprintf(out, "- %s: %s\n", l.name, losses(l))
	}
	return c, nil
}

// losses lists the sizes at which a line is lost.
func losses(l line) string {
	var at []string
	for _, p := range l.points {
		if p.y < lost {
			at = append(at, sizeString(int(p.x)))
		}
	}
	if at == nil {
		return "no size loses"
	}
	return "loses at " + strings.Join(at, ", ")
}

// sizeString writes n, which is at least 1 Ki, with a binary prefix: 1.5 Ki.
func sizeString(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%g Mi", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%g Ki", float64(n)/(1<<10))
}
