package broadcast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// avx2 is the target that the tables below were worked out for: float32.
var avx2 = Target{Lanes: 8, Held: 8, Block: 2048, Line: 16, Short: 8}

// dense is a row-major operand.
func dense(shape ...int) Operand {
	strides, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= max(shape[i], 1)
	}
	return Operand{shape, strides}
}

func swapped(o Operand, i, j int) Operand {
	s := Operand{append([]int{}, o.Shape...), append([]int{}, o.Strides...)}
	s.Shape[i], s.Shape[j] = s.Shape[j], s.Shape[i]
	s.Strides[i], s.Strides[j] = s.Strides[j], s.Strides[i]
	return s
}

func stepped(o Operand, axis, by int) Operand {
	s := Operand{append([]int{}, o.Shape...), append([]int{}, o.Strides...)}
	s.Strides[axis] *= by
	return s
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name     string
		dst      Operand
		src      []Operand
		cols     int
		loops    []int // sizes, innermost first
		patterns []Pattern
		made     []bool // materialised, destination first
	}{
		{"contiguous", dense(30, 40), []Operand{dense(30, 40), dense(30, 40)},
			1200, []int{1}, []Pattern{Contiguous, Contiguous}, []bool{false, false, false}},
		{"long", dense(10000), []Operand{dense(10000), dense(10000)},
			2048, []int{5}, []Pattern{Contiguous, Contiguous}, []bool{false, false, false}},
		{"scalar", dense(30, 40), []Operand{dense(30, 40), dense()},
			1200, []int{1}, []Pattern{Contiguous, Scalar}, []bool{false, false, false}},
		{"row", dense(512, 512), []Operand{dense(512, 512), dense(512)},
			512, []int{512}, []Pattern{Contiguous, Row}, []bool{false, false, false}},
		{"column", dense(512, 512), []Operand{dense(512, 512), dense(512, 1)},
			512, []int{512}, []Pattern{Contiguous, Column}, []bool{false, false, false}},
		{"outer", dense(512, 512), []Operand{dense(512, 1), dense(512)},
			512, []int{512}, []Pattern{Column, Row}, []bool{false, false, false}},
		{"short row: six vectors of threes", dense(100000, 3), []Operand{dense(100000, 3), dense(3)},
			48, []int{6250}, []Pattern{Contiguous, Row}, []bool{false, false, true}},
		{"short row on the left", dense(100000, 7), []Operand{dense(7), dense(100000, 7)},
			56, []int{12500}, []Pattern{Row, Contiguous}, []bool{false, true, false}},
		{"short column", dense(100000, 3), []Operand{dense(100000, 3), dense(100000, 1)},
			2046, []int{147}, []Pattern{Contiguous, Column}, []bool{false, false, true}},
		{"short row, changing", dense(1024, 32, 32, 2), []Operand{dense(1, 32, 32, 2), dense(1024, 1, 1, 2)},
			64, []int{32, 1024}, []Pattern{Contiguous, Row}, []bool{false, false, true}},
		{"few repetitions", dense(5, 3, 4, 1), []Operand{dense(5, 3, 4, 1), dense(3, 1, 1)},
			12, []int{5}, []Pattern{Contiguous, Column}, []bool{false, false, true}},
		{"middle axis", dense(64, 128, 96), []Operand{dense(64, 1, 96), dense(1, 128, 96)},
			96, []int{128, 64}, []Pattern{Row, Contiguous}, []bool{false, false, false}},
		{"transposed", dense(100, 200), []Operand{dense(100, 200), swapped(dense(200, 100), 0, 1)},
			128, []int{100, 2}, []Pattern{Contiguous, Strided}, []bool{false, false, true}},
		{"all transposed", swapped(dense(200, 100), 0, 1), []Operand{swapped(dense(200, 100), 0, 1), swapped(dense(200, 100), 0, 1)},
			2048, []int{10}, []Pattern{Contiguous, Contiguous}, []bool{false, false, false}},
		{"far axis", dense(16, 20, 30), []Operand{swapped(dense(30, 20, 16), 0, 2)},
			30, []int{16, 20}, []Pattern{Strided}, []bool{false, true}},
		{"every second", dense(5000), []Operand{stepped(dense(5000), 0, 2)},
			2048, []int{3}, []Pattern{Strided}, []bool{false, true}},
		{"strided destination", stepped(dense(500), 0, 2), []Operand{dense(500)},
			500, []int{1}, []Pattern{Contiguous}, []bool{true, false}},
		{"short rows with gaps", Operand{[]int{1000, 3}, []int{4, 1}}, []Operand{dense(1000, 3)},
			2046, []int{2}, []Pattern{Contiguous}, []bool{true, false}},
		{"reversed together", stepped(dense(50), 0, -1), []Operand{stepped(dense(50), 0, -1), stepped(dense(50), 0, 0)},
			50, []int{1}, []Pattern{Contiguous, Scalar}, []bool{false, false, false}},
		{"one element", dense(1, 1), []Operand{dense(), dense(1)},
			1, []int{1}, []Pattern{Contiguous, Contiguous}, []bool{false, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Plan
			p.Make(avx2, c.dst, c.src...)
			assert.Equal(t, c.cols, p.Cols, "cols")
			var loops []int
			for _, d := range p.Loops {
				loops = append(loops, d.N)
			}
			assert.Equal(t, c.loops, loops, "loops")
			for i, want := range c.patterns {
				assert.Equal(t, want, p.Pattern(i), "pattern of source %d", i)
			}
			for o, want := range c.made {
				assert.Equal(t, want, p.Materialise[o], "materialise operand %d", o)
			}
		})
	}
}

func TestPlanEmpty(t *testing.T) {
	var p Plan
	p.Make(avx2, dense(3, 0), dense(3, 0), dense(1, 1))
	assert.Zero(t, p.Rows())
	assert.Zero(t, p.Size)
}

// A plan visits each element of the destination once, and pairs it with the
// elements of the sources that index arithmetic gives.
func TestPlanCovers(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		sizes := []int{1, 2, 3, 5, 8, 17, 40}
		shape, total := make([]int, r.IntN(11)), 1
		for i := range shape {
			if shape[i] = sizes[r.IntN(len(sizes))]; total*shape[i] > 5000 {
				shape[i] = 1
			}
			total *= shape[i]
		}
		random := func(stretch bool) Operand {
			o := dense(shape...)
			for i, j := range r.Perm(len(shape)) {
				if r.IntN(2) == 0 {
					break
				}
				o = swapped(o, i, j) // of other sizes, but the strides stay apart
			}
			o.Shape = append([]int{}, shape...)
			step := 1
			for _, i := range r.Perm(len(shape)) {
				o.Strides[i] = step * (1 - 2*(r.IntN(4)/3))
				step *= shape[i] + r.IntN(4)/3
			}
			for i := range shape {
				if stretch && r.IntN(3) == 0 {
					o.Shape[i] = 1
				}
			}
			if stretch {
				k := r.IntN(len(shape) + 1)
				o.Shape, o.Strides = o.Shape[k:], o.Strides[k:]
			}
			return o
		}
		dst := random(false)
		src := make([]Operand, 1+r.IntN(MaxSources))
		for i := range src {
			src[i] = random(true)
		}
		want := map[[operands]int]int{}
		index := make([]int, len(shape))
		for range total {
			var at [operands]int
			for i, x := range index {
				at[0] += x * dst.Strides[i]
			}
			for s, o := range src {
				for i := range o.Shape {
					if o.Shape[i] != 1 {
						at[1+s] += index[len(shape)-len(o.Shape)+i] * o.Strides[i]
					}
				}
			}
			want[at]++
			for i := len(index) - 1; i >= 0; i-- {
				if index[i]++; index[i] < shape[i] {
					break
				}
				index[i] = 0
			}
		}
		var p Plan
		p.Make(Target{Lanes: 4, Held: 4, Block: 64, Line: 8, Short: 8}, dst, src...)
		got := map[[operands]int]int{}
		var loops func(l int, at [operands]int, cols int)
		var inner func(i int, at [operands]int, cols int)
		inner = func(i int, at [operands]int, cols int) {
			if i < 0 {
				for o := 1 + len(src); o < operands; o++ {
					at[o] = 0
				}
				got[at]++
				return
			}
			n := p.Inner[i].N
			if i == len(p.Inner)-1 {
				for _, d := range p.Inner[:i] {
					cols /= d.N
				}
				n = cols
			}
			for x := range n {
				next := at
				for o := range next {
					next[o] += x * p.Inner[i].Stride[o]
				}
				inner(i-1, next, 0)
			}
		}
		loops = func(l int, at [operands]int, cols int) {
			if l < 0 {
				inner(len(p.Inner)-1, at, cols)
				return
			}
			for x := range p.Loops[l].N {
				next, c := at, cols
				for o := range next {
					next[o] += x * p.Loops[l].Stride[o]
				}
				if l == p.Split && x == p.Loops[l].N-1 {
					c = p.Tail
				}
				loops(l-1, next, c)
			}
		}
		loops(len(p.Loops)-1, p.Offset, p.Cols)
		require.Equal(t, want, got, "seed %d: %v = %v", seed, dst, src)
	}
}

func TestPlanAllocatesNothing(t *testing.T) {
	p := new(Plan)
	dst := dense(2, 3, 2, 3, 2, 3, 2, 3)
	a, b := dense(2, 1, 2, 1, 2, 1, 2, 1), dense(1, 3, 1, 3, 1, 3, 1, 3)
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.Make(avx2, dst, a, b) }))
	strides := make([]int, 8)
	assert.Zero(t, testing.AllocsPerRun(100, func() { KeepOrder(strides, dst.Shape, a, b) }))
}

func TestKeepOrder(t *testing.T) {
	nhwc := Operand{[]int{2, 3, 4, 5}, []int{60, 1, 15, 3}}
	for _, c := range []struct {
		name  string
		shape []int
		src   []Operand
		want  []int
	}{
		{"row-major", []int{2, 3}, []Operand{dense(2, 3), dense(3)}, []int{3, 1}},
		{"both transposed", []int{2, 3}, []Operand{swapped(dense(3, 2), 0, 1), swapped(dense(3, 2), 0, 1)}, []int{1, 2}},
		{"the first decides", []int{3, 3}, []Operand{swapped(dense(3, 3), 0, 1), dense(3, 3)}, []int{1, 3}},
		{"channels last", nhwc.Shape, []Operand{nhwc, dense(3, 1, 1)}, nhwc.Strides},
		{"stretched", []int{4, 4}, []Operand{dense(4, 1), dense(1, 4)}, []int{4, 1}},
		{"scalars", []int{}, []Operand{dense(), dense()}, []int{}},
		{"empty", []int{0, 3}, []Operand{dense(0, 3)}, []int{3, 1}},
	} {
		got := make([]int, len(c.shape))
		KeepOrder(got, c.shape, c.src...)
		assert.Equal(t, c.want, got, c.name)
	}
}

func ExamplePlan() {
	// Ten thousand pixels of three channels minus a mean per channel: the mean is
	// repeated to three whole vectors.
	var p Plan
	pixels := Operand{Shape: []int{10000, 3}, Strides: []int{3, 1}}
	mean := Operand{Shape: []int{3}, Strides: []int{1}}
	p.Make(Target{Lanes: 8, Held: 8, Block: 2048, Line: 16, Short: 8}, pixels, pixels, mean)
	fmt.Println(p.Pattern(0), p.Pattern(1), p.Cols, p.Rows())
	// Output: Contiguous Row 48 625
}
