package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

// sweepCollections starts collections while an operation runs. Each stops the
// world twice, and has to wait for the kernels that run, which nothing
// interrupts.
func sweepCollections(out io.Writer, short bool) (*chart, error) {
	collections, addBytes, divBytes := 200, 1<<30, 256<<20
	if short {
		collections, addBytes, divBytes = 20, 64<<20, 16<<20
	}
	fmt.Fprintf(out, "## What a garbage collection waits for\n\n%s. Written by `go run ./bench/sweep gc`.\n\n", machine())
	fmt.Fprintf(out, "%d collections started while an operation runs on all cores. The delay is the time from the decision to stop the\n"+
		"world until it has stopped (`/sched/pauses/stopping/gc`), the pause that with what the collector does then (`total`);\n"+
		"times are the upper ends of the runtime's histogram buckets.\n\n", collections)
	fmt.Fprint(out, "| meanwhile | stops | delay: median | 99 % | longest | pause: longest |\n|---|---:|---:|---:|---:|---:|\n")
	for _, load := range []struct {
		name    string
		prepare func() func() error
	}{
		{"nothing", func() func() error { return nil }},
		{fmt.Sprintf("`AddTo`, float32, %d MiB each", addBytes>>20), func() func() error {
			n := addBytes / 4
			a, b, dst := view(numbers[float32](n), n), view(numbers[float32](n), n), view(numbers[float32](n), n)
			return func() error { return tensor.AddTo(dst, a, b) }
		}},
		{fmt.Sprintf("`DivTo`, int32, %d MiB each", divBytes>>20), func() func() error {
			n := divBytes / 4
			a, b, dst := view(numbers[int32](n), n), view(numbers[int32](n), n), view(numbers[int32](n), n)
			return func() error { return tensor.DivTo(dst, a, b) }
		}},
	} {
		delay, pause, err := collect(collections, load.prepare())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "| %s | %d | %v | %v | %v | %v |\n", load.name, delay.count(),
			delay.quantile(0.5), delay.quantile(0.99), delay.quantile(1), pause.quantile(1))
	}
	return nil, nil
}

// collect runs n collections, while another goroutine does nothing but call
// work if there is any.
func collect(n int, work func() error) (delay, pause histogram, err error) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	if work != nil {
		if err := work(); err != nil {
			return histogram{}, histogram{}, err
		}
		wg.Go(func() {
			for !stop.Load() {
				work()
			}
		})
	}
	runtime.GC() // what came before is not counted
	delayBefore, pauseBefore := pauses()
	for i := range n {
		time.Sleep(time.Duration(i%10) * 200 * time.Microsecond) // at any moment of a call
		runtime.GC()
	}
	delay, pause = pauses()
	stop.Store(true)
	wg.Wait()
	return delay.since(delayBefore), pause.since(pauseBefore), nil
}

// histogram counts durations: counts[i] of them are between bounds[i] and
// bounds[i+1] seconds.
type histogram struct {
	counts []uint64
	bounds []float64
}

// pauses reads the runtime's histograms of all collections so far.
func pauses() (delay, pause histogram) {
	s := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	of := func(v metrics.Value) histogram {
		h := v.Float64Histogram()
		return histogram{h.Counts, h.Buckets}
	}
	return of(s[0].Value), of(s[1].Value)
}

// since is what came after before.
func (h histogram) since(before histogram) histogram {
	d := histogram{make([]uint64, len(h.counts)), h.bounds}
	for i := range d.counts {
		d.counts[i] = h.counts[i] - before.counts[i]
	}
	return d
}

func (h histogram) count() (n uint64) {
	for _, c := range h.counts {
		n += c
	}
	return n
}

// quantile is the smallest bound that a share q of the durations is not above.
func (h histogram) quantile(q float64) time.Duration {
	want := uint64(math.Ceil(q * float64(h.count())))
	var n uint64
	for i, c := range h.counts {
		if n += c; n >= want {
			bound := h.bounds[i+1]
			if math.IsInf(bound, 1) {
				bound = h.bounds[i]
			}
			return time.Duration(bound * 1e9).Round(100 * time.Nanosecond)
		}
	}
	return 0
}
