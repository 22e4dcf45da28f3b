package dispatch

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/broadcast"
)

// However many goroutines share the work, the bytes are the same and none of
// them is left.
func TestSplit(t *testing.T) {
	const rows, cols = 123, 211
	contiguous := broadcast.Operand{Shape: []int{rows, cols}, Strides: []int{cols, 1}}
	column := broadcast.Operand{Shape: []int{rows * cols, 3}, Strides: []int{3, 1}}
	tests := []struct {
		name      string
		dst, a, b broadcast.Operand
		streams   bool
	}{
		{"contiguous", contiguous, contiguous, contiguous, false},
		{"streamed", contiguous, contiguous, contiguous, true},
		{"short row", column, column, broadcast.Operand{Shape: []int{3}, Strides: []int{1}}, false},
		{"transposed", contiguous, contiguous, broadcast.Operand{Shape: []int{rows, cols}, Strides: []int{1, rows}}, false},
		{"strided destination", broadcast.Operand{Shape: []int{rows, cols}, Strides: []int{2*cols + 5, 2}}, contiguous, contiguous, false},
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(bytes int) { lastLevel = bytes }(lastLevel)
	goroutines := runtime.NumGoroutine()
	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		defer restore()
		// So dear that few elements are worth many goroutines.
		row := *Add.Rows[Float32]
		row.Cost = 4e6
		for _, test := range tests {
			if lastLevel = 0; test.streams {
				lastLevel = 4
			}
			r := rand.New(rand.NewPCG(1, 2))
			dst, before := randomStorage(r, test.dst)
			a, _ := randomStorage(r, test.a)
			b, _ := randomStorage(r, test.b)
			var w walk
			w.start(&row, dst, []Operand{a, b})
			require.Equal(t, test.streams && moveSets[isa].stream != nil, w.stream)

			var want []byte
			for _, procs := range []int{1, 2, 7} {
				runtime.GOMAXPROCS(procs)
				procs = runtime.GOMAXPROCS(0) // WebAssembly has one
				require.Equal(t, procs, w.goroutines(false, w.plan.Rows()), "%v, %s: goroutines", isa, test.name)
				for range 3 {
					got := slices.Clone(before)
					dst.Ptr = unsafe.Pointer(&got[0])
					row.Run(false, dst, a, b)
					bits := unsafe.Slice((*byte)(dst.Ptr), 4*len(got))
					if want == nil {
						want = bits
					}
					assert.True(t, bytes.Equal(want, bits), "%v, %s: other bytes with %d goroutines", isa, test.name, procs)
				}
			}
		}
	}
	// One that has done its work takes a moment to go.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines, "goroutines left")
}

// randomStorage returns an operand of random bits in storage of its own.
func randomStorage(r *rand.Rand, layout broadcast.Operand) (Operand, []uint32) {
	n := 1
	for i, d := range layout.Shape {
		n += (d - 1) * layout.Strides[i]
	}
	s := make([]uint32, n)
	for i := range s {
		s[i] = r.Uint32()
	}
	return Operand{Ptr: unsafe.Pointer(&s[0]), Operand: layout}, s
}
