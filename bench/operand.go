package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/lanecast/lanecast/tensor"
)

// operand describes one input of a timed call: what the operation sees (dtype
// and shape) and how that lies in memory (layout).
//
// Layouts: "c" row-major; "t" a view with the last two axes swapped; "s2" every
// second element of the last axis of an array twice as long; "r" the last axis
// reversed; "nhwc" memory in (N,H,W,C) order seen as (N,C,H,W).
type operand struct {
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Layout string `json:"layout"`
}

// String gives the shape as NumPy would index it: (512,512), (3,).T, (64,)[::2].
func (o operand) String() string {
	s := shapeString(o.Shape)
	switch o.Layout {
	case "t":
		s += ".T"
	case "s2":
		s += "[::2]"
	case "r":
		s += "[::-1]"
	}
	return s
}

func shapeString(shape []int) string {
	s := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ",")
	if len(shape) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

// size returns the number of elements.
func (o operand) size() int { return product(o.Shape) }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// makeOperand returns the operand filled with random values, and the slice that holds
// them. Every page is written: memory that never was is one page of zeros, read
// faster than anything real.
func makeOperand[T tensor.Element](o operand, rng *rand.Rand) (view *tensor.Tensor[T], data []T, err error) {
	rank := len(o.Shape)
	base := append([]int(nil), o.Shape...)
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	suits := true
	switch o.Layout {
	case "c":
	case "t":
		if suits = rank >= 2; suits {
			base[rank-2], base[rank-1] = base[rank-1], base[rank-2]
			axes[rank-2], axes[rank-1] = rank-1, rank-2
		}
	case "s2":
		if suits = rank >= 1; suits {
			base[rank-1] *= 2
		}
	case "r":
		suits = rank >= 1
	case "nhwc":
		if suits = rank == 4; suits {
			base[1], base[2], base[3] = base[2], base[3], base[1]
			axes = []int{0, 3, 1, 2}
		}
	default:
		return nil, nil, fmt.Errorf("unknown layout %q: known are c, t, s2, r and nhwc", o.Layout)
	}
	if !suits {
		return nil, nil, fmt.Errorf("layout %q does not suit shape %v", o.Layout, o.Shape)
	}
	if view, err = tensor.Zeros[T](base...); err != nil {
		return nil, nil, err
	}
	data, _ = view.Raw()
	fillRandom(rng, data)
	switch o.Layout {
	case "t", "nhwc":
		view, err = view.Transpose(axes...)
	case "s2":
		view, err = view.Slice(rank-1, 0, base[rank-1], 2)
	case "r":
		view, err = view.Flip(rank - 1)
	}
	return view, data, err
}

// newRandom returns a source of values that are the same in every run.
func newRandom(seed int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(seed))) }

// fillRandom fills s with floats in [0.25, 2.25), integers in 1 to 99, or bools.
func fillRandom[T tensor.Element](rng *rand.Rand, s []T) {
	switch s := any(s).(type) {
	case []float32:
		for i := range s {
			s[i] = 0.25 + 2*rng.Float32()
		}
	case []float64:
		for i := range s {
			s[i] = 0.25 + 2*rng.Float64()
		}
	case []tensor.Float16:
		for i := range s {
			s[i] = tensor.ToFloat16(0.25 + 2*rng.Float32())
		}
	case []tensor.BFloat16:
		for i := range s {
			s[i] = tensor.ToBFloat16(0.25 + 2*rng.Float32())
		}
	case []bool:
		for i := range s {
			s[i] = rng.IntN(2) == 0
		}
	case []int8:
		randomIntegers(rng, s)
	case []int16:
		randomIntegers(rng, s)
	case []int32:
		randomIntegers(rng, s)
	case []int64:
		randomIntegers(rng, s)
	case []uint8:
		randomIntegers(rng, s)
	case []uint16:
		randomIntegers(rng, s)
	case []uint32:
		randomIntegers(rng, s)
	case []uint64:
		randomIntegers(rng, s)
	}
}

func randomIntegers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](rng *rand.Rand, s []T) {
	for i := range s {
		s[i] = T(1 + rng.IntN(99))
	}
}
