package main

import (
	"runtime"
	"slices"
	"time"
)

// timing is what one call took, in ns, over several rounds.
type timing struct{ min, med float64 }

// measure times the functions in turn, round after round, so that a phase in
// which the machine is slow hits all of them alike. Each round runs each of
// them for about slice.
func measure(rounds int, slice time.Duration, fs ...func()) []timing {
	runtime.GC() // not in the middle of it
	calls := make([]int, len(fs))
	for i, f := range fs {
		calls[i] = calibrate(slice, f)
	}
	ns := make([][]float64, len(fs))
	for range rounds {
		for i, f := range fs {
			ns[i] = append(ns[i], float64(repeat(calls[i], f).Nanoseconds())/float64(calls[i]))
		}
	}
	out := make([]timing, len(fs))
	for i := range fs {
		slices.Sort(ns[i])
		out[i] = timing{min: ns[i][0], med: ns[i][rounds/2]}
	}
	return out
}

// calibrate returns how many calls of f take about slice. It leaves code,
// caches and pages warm.
func calibrate(slice time.Duration, f func()) int {
	f()
	for n := 1; ; {
		t := max(repeat(n, f), time.Nanosecond)
		want := int(float64(n) * float64(slice) / float64(t))
		if t >= slice/4 {
			return max(1, want)
		}
		n = min(max(want, 2*n), 100*n)
	}
}

func repeat(n int, f func()) time.Duration {
	start := time.Now()
	for range n {
		f()
	}
	return time.Since(start)
}
