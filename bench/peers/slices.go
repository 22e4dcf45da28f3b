package main

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/floats"
)

// What a Go program would use instead of arrays: slice functions and plain
// loops, driven row by row over the workloads that they can express.

// binary is one operation of one library on slices: with a slice on both
// sides, or with a number on the right. Either may be nil.
type binary[T any] struct {
	slices func(dst, a, b []T)
	number func(dst, a []T, v T)
}

type library[T any] struct {
	binary map[string]binary[T]
	unary  map[string]func(dst, a []T)
}

// of adapts a function that also returns its destination.
func of[T any](f func(dst, a, b []T) []T) func(dst, a, b []T) {
	return func(dst, a, b []T) { f(dst, a, b) }
}

func ofNumber[T any](f func(dst, a []T, v T) []T) func(dst, a []T, v T) {
	return func(dst, a []T, v T) { f(dst, a, v) }
}

func ofUnary[T any](f func(dst, a []T) []T) func(dst, a []T) {
	return func(dst, a []T) { f(dst, a) }
}

var float32Libraries = map[string]library[float32]{
	"vek": {
		map[string]binary[float32]{
			"add":     {of(vek32.Add_Into), ofNumber(vek32.AddNumber_Into)},
			"sub":     {of(vek32.Sub_Into), ofNumber(vek32.SubNumber_Into)},
			"mul":     {of(vek32.Mul_Into), ofNumber(vek32.MulNumber_Into)},
			"div":     {of(vek32.Div_Into), ofNumber(vek32.DivNumber_Into)},
			"maximum": {of(vek32.Maximum_Into), ofNumber(vek32.MaximumNumber_Into)},
			"minimum": {of(vek32.Minimum_Into), ofNumber(vek32.MinimumNumber_Into)},
			"pow":     {of(vek32.Pow_Into), nil},
		},
		map[string]func(dst, a []float32){
			"neg":  ofUnary(vek32.Neg_Into),
			"abs":  ofUnary(vek32.Abs_Into),
			"sqrt": ofUnary(vek32.Sqrt_Into),
			"exp":  ofUnary(vek32.Exp_Into),
			"log":  ofUnary(vek32.Log_Into),
			"sin":  ofUnary(vek32.Sin_Into),
		},
	},
	"go_loop": loops[float32](),
}

var float64Libraries = map[string]library[float64]{
	"vek": {
		map[string]binary[float64]{
			"add":     {of(vek.Add_Into), ofNumber(vek.AddNumber_Into)},
			"sub":     {of(vek.Sub_Into), ofNumber(vek.SubNumber_Into)},
			"mul":     {of(vek.Mul_Into), ofNumber(vek.MulNumber_Into)},
			"div":     {of(vek.Div_Into), ofNumber(vek.DivNumber_Into)},
			"maximum": {of(vek.Maximum_Into), ofNumber(vek.MaximumNumber_Into)},
			"minimum": {of(vek.Minimum_Into), ofNumber(vek.MinimumNumber_Into)},
		},
		map[string]func(dst, a []float64){
			"neg":  ofUnary(vek.Neg_Into),
			"abs":  ofUnary(vek.Abs_Into),
			"sqrt": ofUnary(vek.Sqrt_Into),
		},
	},
	"gonum": {
		binary: map[string]binary[float64]{
			"add": {of(floats.AddTo), nil},
			"sub": {of(floats.SubTo), nil},
			"mul": {of(floats.MulTo), func(dst, a []float64, v float64) { floats.ScaleTo(dst, v, a) }},
			"div": {of(floats.DivTo), nil},
		},
	},
	"go_loop": loops[float64](),
}

type number interface {
	float32 | float64 | int32 | int64 | uint8
}

func loops[T number]() library[T] {
	return library[T]{
		map[string]binary[T]{
			"add":     {addSlices[T], addNumber[T]},
			"sub":     {subSlices[T], subNumber[T]},
			"mul":     {mulSlices[T], mulNumber[T]},
			"div":     {divSlices[T], nil},
			"maximum": {maxSlices[T], nil},
		},
		map[string]func(dst, a []T){"neg": negSlice[T]},
	}
}

func addSlices[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func addNumber[T number](dst, a []T, v T) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + v
	}
}

func subSlices[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func subNumber[T number](dst, a []T, v T) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - v
	}
}

func mulSlices[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func mulNumber[T number](dst, a []T, v T) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * v
	}
}

func divSlices[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maxSlices[T number](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func negSlice[T number](dst, a []T) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = -a[i]
	}
}

// A grid is a workload seen as rows of a: b is as large as a (and all is one
// row), or it is one row for all, or a number per row, the numbers starting
// over after the last.
type grid struct {
	rows, cols int
	numbers    bool
}

// gridOf returns false where slices cannot express the workload so.
func gridOf(a, b []int) (grid, bool) {
	n := product(a)
	for len(b) > 0 && b[0] == 1 {
		b = b[1:]
	}
	switch {
	case slices.Equal(a, b):
		return grid{rows: 1, cols: n}, true
	case product(b) == 1:
		return grid{rows: 1, cols: n, numbers: true}, true
	case len(b) <= len(a) && slices.Equal(a[len(a)-len(b):], b):
		return grid{rows: n / product(b), cols: product(b)}, true
	}
	cols := 1
	for len(a) > 0 && len(b) > 0 && b[len(b)-1] == 1 {
		cols *= a[len(a)-1]
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(b) <= len(a) && slices.Equal(a[len(a)-len(b):], b) {
		return grid{rows: n / cols, cols: cols, numbers: true}, true
	}
	return grid{}, false
}

// calls returns a function for each library that can express the workload.
func calls[T number](libraries map[string]library[T], w workload) map[string]func() {
	out := map[string]func(){}
	for _, o := range w.Operands {
		if o.Layout != "c" {
			return out
		}
	}
	a := values[T](w.Operands[0].size())
	dst := values[T](len(a))
	for name, lib := range libraries {
		if len(w.Operands) == 1 && lib.unary[w.Op] != nil {
			f := lib.unary[w.Op]
			out[name] = func() { f(dst, a) }
		}
		if len(w.Operands) != 2 {
			continue
		}
		g, ok := gridOf(w.Operands[0].Shape, w.Operands[1].Shape)
		if !ok {
			continue
		}
		b := values[T](w.Operands[1].size())
		if f := lib.binary[w.Op].number; g.numbers && f != nil {
			out[name] = func() {
				for r, i := 0, 0; r < g.rows; r++ {
					f(dst[r*g.cols:(r+1)*g.cols], a[r*g.cols:(r+1)*g.cols], b[i])
					if i++; i == len(b) {
						i = 0
					}
				}
			}
		}
		if f := lib.binary[w.Op].slices; !g.numbers && f != nil {
			out[name] = func() {
				for r := range g.rows {
					f(dst[r*g.cols:(r+1)*g.cols], a[r*g.cols:(r+1)*g.cols], b)
				}
			}
		}
	}
	return out
}

func values[T number](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(1 + i%97)
	}
	return s
}

// timeSlices prints a JSON line for each workload and Go library.
func timeSlices(out io.Writer, workloads []workload, ms float64) error {
	lines := json.NewEncoder(out)
	for _, w := range workloads {
		var functions map[string]func()
		switch w.Operands[len(w.Operands)-1].DType {
		case "float32":
			functions = calls(float32Libraries, w)
		case "float64":
			functions = calls(float64Libraries, w)
		case "int32":
			functions = calls(map[string]library[int32]{"go_loop": loops[int32]()}, w)
		case "int64":
			functions = calls(map[string]library[int64]{"go_loop": loops[int64]()}, w)
		case "uint8":
			functions = calls(map[string]library[uint8]{"go_loop": loops[uint8]()}, w)
		}
		for _, lib := range []string{"gonum", "vek", "go_loop"} {
			c := cell{Workload: w.Name, Lib: lib, Error: "no such operation on slices"}
			if f := functions[lib]; f != nil {
				c.Error = ""
				c.MinNs, c.MedNs = measure(f, ms)
			}
			if err := lines.Encode(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// rounds are those within one sitting of a library.
const rounds = 7

// measure returns the least and the median ns of a call over rounds that take
// about ms in all.
func measure(f func(), ms float64) (least, median float64) {
	repeat := func(n int) float64 {
		start := time.Now()
		for range n {
			f()
		}
		return max(1, float64(time.Since(start).Nanoseconds()))
	}
	slice := ms * 1e6 / rounds
	n := 1
	for t := repeat(1); t < slice/4; t = repeat(n) {
		n = min(max(2*n, int(float64(n)*slice/t)), 100*n)
	}
	n = max(1, int(float64(n)*slice/repeat(n)))
	var each []float64
	for range rounds {
		each = append(each, repeat(n)/float64(n))
	}
	slices.Sort(each)
	return each[0], each[rounds/2]
}
