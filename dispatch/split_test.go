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

// What is moved and what work usually costs decide how many goroutines pay.
func TestSplitPays(t *testing.T) {
	if splitCost == 1 {
		t.Skip("with -tags splitall everything pays")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	runtime.GOMAXPROCS(2)
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("WebAssembly has one")
	}
	flat := func(n int) []broadcast.Operand {
		return slices.Repeat([]broadcast.Operand{{Shape: []int{n}, Strides: []int{1}}}, 3)
	}
	stretched := func(n int) []broadcast.Operand {
		x := broadcast.Operand{Shape: []int{n / 64, 64}, Strides: []int{64, 1}}
		return []broadcast.Operand{x, x, {Shape: []int{64}, Strides: []int{1}}}
	}
	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		defer restore()
		for _, c := range []struct {
			name     string
			operands []broadcast.Operand
			row      *Row
			native   int // goroutines in assembly
			generic  int
		}{
			{"430 Ki, 12 bytes moved each", flat(430 << 10), Add.Rows[Float32], 2, 2},
			{"400 Ki", flat(400 << 10), Add.Rows[Float32], 1, 2},
			{"64 Ki", flat(64 << 10), Add.Rows[Float32], 1, 1},
			{"640 Ki with a row that stays, 8 bytes moved each", stretched(640 << 10), Add.Rows[Float32], 2, 2},
			{"600 Ki with a row that stays", stretched(600 << 10), Add.Rows[Float32], 1, 2},
			{"1 Mi divided", flat(1 << 20), Div.Rows[Int64], 2, 2},
		} {
			var w walk
			w.start(c.row, Operand{Operand: c.operands[0]}, []Operand{{Operand: c.operands[1]}, {Operand: c.operands[2]}})
			want := c.native
			if isa == Generic {
				want = c.generic
			}
			assert.Equal(t, want, w.goroutines(false, w.plan.Rows()), "%v: %s", isa, c.name)
			assert.Equal(t, 1, w.goroutines(true, w.plan.Rows()), "%v: %s, serial", isa, c.name)
		}
	}
}

// While a block is streamed, the next one of each source is fetched, where it
// lies in one piece.
func TestStreamFetches(t *testing.T) {
	defer func(bytes int) { lastLevel = bytes }(lastLevel)
	lastLevel = 4
	for _, isa := range Available() {
		set := moveSets[isa]
		if set.stream == nil {
			continue
		}
		restore, err := Use(isa)
		require.NoError(t, err)
		type asked struct {
			b, c         int // from the sources' first elements
			bStep, cStep int
		}
		const n = 1 << 14
		a, b, dst := make([]float32, n), make([]float32, n), make([]float32, 2*n)
		from := func(p unsafe.Pointer, s []float32) int { return int(uintptr(p) - uintptr(unsafe.Pointer(&s[0]))) }
		var got []asked
		moveSets[isa].stream = func(d, s, x, y, z unsafe.Pointer, rows, cols, dStep, sStep, xStep, yStep, zStep int) {
			got = append(got, asked{from(x, a), from(y, b), xStep, yStep})
			set.stream(d, s, x, y, z, rows, cols, dStep, sStep, xStep, yStep, zStep)
		}
		run := func(rows, cols, gap int) {
			got = nil
			x := broadcast.Operand{Shape: []int{rows, cols}, Strides: []int{cols, 1}}
			to := broadcast.Operand{Shape: []int{rows, cols}, Strides: []int{cols + gap, 1}}
			Add.Rows[Float32].Run(true, Operand{unsafe.Pointer(&dst[0]), to}, Operand{unsafe.Pointer(&a[0]), x}, Operand{unsafe.Pointer(&b[0]), x})
		}
		run(1, n, 0)
		require.Len(t, got, 4*n/scratchBytes, "%v", isa)
		for i, g := range got[:len(got)-1] { // in one piece: after the last block nothing follows
			assert.Equal(t, asked{(i + 1) * scratchBytes, (i + 1) * scratchBytes, line, line}, g, "%v: block %d", isa, i)
		}
		run(32, 512, 512) // rows of a block are streamed one by one
		perBlock := scratchBytes / (4 * 512)
		require.Len(t, got, 32, "%v", isa)
		for i, g := range got[:32-perBlock] {
			at := 4 * 512 * (i + perBlock)
			assert.Equal(t, asked{at, at, line, line}, g, "%v: row %d", isa, i)
		}
		moveSets[isa] = set
		restore()
	}
}
