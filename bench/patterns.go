package main

import (
	"fmt"
	"math"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

// A pattern is a way in which two operands meet in a result of rows × cols.
type pattern struct {
	name     string
	operands func(dtype string, rows, cols int) []operand
	loop     func(dst, a, b []float32, rows, cols int) // by hand, for float32 and +
}

func pair(dtype string, aShape []int, aLayout string, bShape []int, bLayout string) []operand {
	return []operand{{dtype, aShape, aLayout}, {dtype, bShape, bLayout}}
}

// grid is the shape of a result: a single row has one dimension.
func grid(rows, cols int) []int {
	if rows == 1 {
		return []int{cols}
	}
	return []int{rows, cols}
}

var (
	contiguous = pattern{"contiguous", func(t string, r, c int) []operand {
		return pair(t, grid(r, c), "c", grid(r, c), "c")
	}, loopContiguous}
	scalar = pattern{"scalar", func(t string, r, c int) []operand {
		return pair(t, grid(r, c), "c", []int{}, "c")
	}, loopScalar}
	row = pattern{"row", func(t string, r, c int) []operand {
		return pair(t, []int{r, c}, "c", []int{c}, "c")
	}, loopRow}
	column = pattern{"column", func(t string, r, c int) []operand {
		return pair(t, []int{r, c}, "c", []int{r, 1}, "c")
	}, loopColumn}
	outer = pattern{"outer", func(t string, r, c int) []operand {
		return pair(t, []int{r, 1}, "c", []int{c}, "c")
	}, loopOuter}
	transposed = pattern{"transposed", func(t string, r, c int) []operand {
		return pair(t, []int{r, c}, "c", []int{r, c}, "t")
	}, loopTransposed}
	stepped = pattern{"stepped", func(t string, r, c int) []operand {
		return pair(t, grid(r, c), "s2", grid(r, c), "s2")
	}, loopStepped}
)

// tableRow is a line of the report: a pattern at a size, under the name that
// people have for it.
type tableRow struct {
	label string
	pattern
	rows, cols int
}

var table = []tableRow{
	{"contiguous", contiguous, 512, 512},
	{"scalar", scalar, 512, 512},
	{"row", row, 512, 512},
	{"column", column, 512, 512},
	{"outer", outer, 512, 512},
	{"short row", row, 100000, 3},
	{"short column", column, 100000, 3},
	{"transposed", transposed, 1024, 1024},
	{"stepped", stepped, 512, 512},
}

// tableResult is what a line of the report shows.
type tableResult struct {
	operands         string
	bytes            int
	ours, loop, copy float64 // ns
}

// run proves that tensor.Add and the plain loop agree bit for bit, and times
// both beside the built-in copy of as many bytes.
func (p tableRow) run(rounds int, slice time.Duration) (*tableResult, error) {
	specs := p.operands("float32", p.rows, p.cols)
	rng := newRandom(0)
	a, aData, err := makeOperand[float32](specs[0], rng)
	if err != nil {
		return nil, err
	}
	b, bData, err := makeOperand[float32](specs[1], rng)
	if err != nil {
		return nil, err
	}
	dst, err := tensor.Add(a, b)
	if err != nil {
		return nil, err
	}
	byHand := make([]float32, p.rows*p.cols)
	p.loop(byHand, aData, bData, p.rows, p.cols)
	if err := sameBits(dst.Data(), byHand); err != nil {
		return nil, fmt.Errorf("%s %v + %v: %w", p.label, specs[0], specs[1], err)
	}

	bytes := 4 * (specs[0].size() + specs[1].size() + len(byHand))
	t := measure(rounds, slice,
		func() { tensor.AddTo(dst, a, b) },
		func() { p.loop(byHand, aData, bData, p.rows, p.cols) },
		copier(bytes))
	return &tableResult{
		operands: fmt.Sprintf("%v + %v", specs[0], specs[1]),
		bytes:    bytes,
		ours:     t[0].min, loop: t[1].min, copy: t[2].min,
	}, nil
}

// A bitsError says where a result differs from the plain loop's.
type bitsError struct {
	Index, Count int // first differing element in row-major order; how many differ
	Got, Want    float32
}

func (e *bitsError) Error() string {
	return fmt.Sprintf("%d elements differ from the plain loop, first at %d: %v (%#08x), not %v (%#08x)",
		e.Count, e.Index, e.Got, math.Float32bits(e.Got), e.Want, math.Float32bits(e.Want))
}

// sameBits compares a result with the plain loop's, bit for bit.
func sameBits(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, not %d", len(got), len(want))
	}
	var diff *bitsError
	for i := range want {
		if math.Float32bits(got[i]) == math.Float32bits(want[i]) {
			continue
		}
		if diff == nil {
			diff = &bitsError{Index: i, Got: got[i], Want: want[i]}
		}
		diff.Count++
	}
	if diff != nil {
		return diff
	}
	return nil
}
