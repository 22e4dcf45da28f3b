package main

import (
	"math"
	"runtime"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

// fastest times the functions in turn, round after round, so that a phase in
// which the machine is slow hits all of them alike, and returns the fastest
// time of a call of each in ns. A round runs each of them for about slice.
func fastest(rounds int, slice time.Duration, fs ...func()) []float64 {
	runtime.GC() // not in the middle of it
	calls := make([]int, len(fs))
	for i, f := range fs {
		repeat(1, f) // touches code and data
		once := max(repeat(1, f), time.Nanosecond)
		calls[i] = int(min(max(1, slice/once), 1<<20))
	}
	ns := make([]float64, len(fs))
	for i := range ns {
		ns[i] = math.Inf(1)
	}
	for range rounds {
		for i, f := range fs {
			ns[i] = min(ns[i], float64(repeat(calls[i], f))/float64(calls[i]))
		}
	}
	return ns
}

func repeat(n int, f func()) time.Duration {
	start := time.Now()
	for range n {
		f()
	}
	return time.Since(start)
}

// numbers returns n small ones, none of them zero. Every page is written:
// memory that never was is read faster than anything real.
func numbers[T tensor.Number](n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(1 + i%99)
	}
	return s
}

// view makes a tensor of the first elements of s.
func view[T tensor.Number](s []T, shape ...int) *tensor.Tensor[T] {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tensor.Must(tensor.FromSlice(s[:n], shape...))
}
