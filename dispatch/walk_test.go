package dispatch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
	"github.com/lanecast/lanecast/broadcast"
	"github.com/stretchr/testify/require"
)

// reached counts what the walks of a test went through.
type reached struct {
	patterns [5]int // of sources
	gathered [5]int // sources materialised, by pattern
	repeated int    // of those, rows made once for many
	filled   int    // scalars that no form takes
	scatters int
	streams  int
	pieces   int // a dimension cut, with a shorter last piece
	outer    int // that is not the loop next to the row
	sources  [1 + asm.MaxSources]int
	forms    [9]atomic.Int64
}

// mix is the operation that walks are tested with: it tells all sources apart.
func mix(src []uint64) (v uint64) {
	for i, x := range src {
		v = v*0x9E3779B97F4A7C15 + x + uint64(i)
	}
	return v
}

func load(p unsafe.Pointer, size uint8) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func store(p unsafe.Pointer, size uint8, v uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// mixRow is a row whose kernels are plain Go and check what they are given.
func mixRow(n int, size [operands]uint8, r *reached, fail func(string)) *Row {
	k, row := Kernels{Lanes: 8, Held: 4}, &Row{Size: size, Cost: 100}
	kernel := func(form asm.Form) asm.Kernel {
		return func(dst, a, b, c, d unsafe.Pointer, rows, cols, dstStep, aStep, bStep, cStep, dStep int) {
			r.forms[form].Add(1)
			src, step := [...]unsafe.Pointer{a, b, c, d}, [...]int{aStep, bStep, cStep, dStep}
			scalar := uint(form)
			if n == 2 && form >= asm.RowLeft {
				scalar = 0
				if held := int(form - asm.RowLeft); step[held] != 0 || cols > k.Held*k.Lanes {
					fail(fmt.Sprintf("held row of %d with step %d", cols, step[held]))
				}
			}
			if rows < 1 || cols < 1 || rows*cols > max(row.perCall(Active()), scratchBytes) {
				fail(fmt.Sprintf("%d rows of %d", rows, cols))
			}
			var buf [asm.MaxSources]uint64
			v := buf[:n]
			for y := range rows {
				for x := range cols {
					for s := range v {
						off := y * step[s]
						if scalar>>s&1 == 0 {
							off += x * int(size[1+s])
						}
						v[s] = load(unsafe.Add(src[s], off), size[1+s])
					}
					store(unsafe.Add(dst, y*dstStep+x*int(size[0])), size[0], mix(v))
				}
			}
		}
	}
	forms := map[int][]asm.Form{
		1: {0}, 2: {0, 1, 2, asm.RowLeft, asm.RowRight}, 3: {0, 1, 2, 3, 4, 5, 6}, 4: {0, 8}}[n]
	k.Form = make([]asm.Kernel, forms[len(forms)-1]+1)
	for _, f := range forms {
		k.Form[f] = kernel(f)
	}
	for i := range row.Sets {
		row.Sets[i] = k
	}
	return row
}

// layout is a random view: where its elements lie in a storage of its own.
type layout struct {
	Operand
	storage []byte
	offset  int // of element [0, …, 0], in bytes
}

// newLayout lays out shape in a random order of dimensions with random gaps,
// backwards here and there; a source may be expanded or lack dimensions.
func newLayout(r *rand.Rand, shape []int, size int, source bool) *layout {
	l := &layout{}
	shape = append([]int{}, shape...)
	if source && r.IntN(4) == 0 {
		shape = shape[r.IntN(len(shape)+1):]
	}
	for i := range shape {
		if source && r.IntN(3) == 0 && shape[i] > 0 {
			shape[i] = 1
		}
	}
	strides := make([]int, len(shape))
	order := r.Perm(len(shape))
	if r.IntN(2) == 0 { // mostly row-major
		for i := range order {
			order[i] = len(order) - 1 - i
		}
	}
	step, low := 1, 0
	if r.IntN(5) == 0 {
		step = 1 + r.IntN(3)
	}
	for _, i := range order {
		if source && r.IntN(8) == 0 {
			continue // expanded
		}
		strides[i] = step
		step *= max(shape[i], 1)
		if r.IntN(6) == 0 {
			step += r.IntN(3)
		}
		if r.IntN(8) == 0 && shape[i] > 0 {
			low += (shape[i] - 1) * strides[i]
			strides[i] = -strides[i]
		}
	}
	const margin = 64
	words := make([]uint64, (step*size+2*margin)/8+1) // aligned for every element
	for i := range words {
		words[i] = r.Uint64()
	}
	l.storage = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	l.offset = margin + low*size
	l.Operand = Operand{Ptr: unsafe.Pointer(&l.storage[l.offset]), Operand: broadcast.Operand{Shape: shape, Strides: strides}}
	return l
}

// at is the offset in storage of the element that belongs to an index of the
// result.
func (l *layout) at(index []int, size int) int {
	off := 0
	for i := range l.Shape {
		if l.Shape[i] != 1 {
			off += index[len(index)-len(l.Shape)+i] * l.Strides[i]
		}
	}
	return l.offset + off*size
}

// checkWalk runs one random operation and compares every byte.
func checkWalk(t testing.TB, seed uint64, got *reached) {
	r := rand.New(rand.NewPCG(seed, 1))
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 70, 130, 150, 300}
	shape := make([]int, r.IntN(11))
	total := 1
	for i := range shape {
		shape[i] = sizes[r.IntN(len(sizes))]
		if r.IntN(40) == 0 {
			shape[i] = 0
		}
		if total*shape[i] > 20000 {
			shape[i] = 1 + r.IntN(2)
		}
		if total*shape[i] > 40000 {
			shape[i] = 1
		}
		total *= max(shape[i], 1)
	}
	if r.IntN(10) == 0 {
		shape = []int{1000 + r.IntN(20000)}
	}
	n := 1 + r.IntN(asm.MaxSources)
	var size [operands]uint8
	for o := 0; o <= n; o++ {
		size[o] = 1 << r.IntN(4)
		if r.IntN(2) == 0 {
			size[o] = size[0]
		}
	}
	row := mixRow(n, size, got, func(s string) { t.Errorf("seed %d: %s", seed, s) })
	dst := newLayout(r, shape, int(size[0]), false)
	src := make([]*layout, n)
	ops := make([]Operand, n)
	for i := range src {
		src[i] = newLayout(r, shape, int(size[1+i]), true)
		ops[i] = src[i].Operand
		if size[1+i] == size[0] && r.IntN(6) == 0 {
			src[i], ops[i] = dst, dst.Operand // in place
		}
	}

	want := bytes.Clone(dst.storage)
	before := make([][]byte, n)
	for i := range src {
		before[i] = bytes.Clone(src[i].storage)
	}
	size1 := 1
	for _, d := range shape {
		size1 *= d
	}
	index, v := make([]int, len(shape)), make([]uint64, n)
	for range size1 {
		for i := range src {
			b := before[i][src[i].at(index, int(size[1+i])):]
			v[i] = load(unsafe.Pointer(&b[0]), size[1+i])
		}
		o := dst.at(index, int(size[0]))
		store(unsafe.Pointer(&want[o]), size[0], mix(v))
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}

	row.Run(r.IntN(2) == 0, dst.Operand, ops...)

	if !bytes.Equal(want, dst.storage) {
		t.Fatalf("seed %d: %d sources %v, destination %v: wrong bytes", seed, n, ops, dst.Operand)
	}
	for i := range src {
		if src[i] != dst {
			require.Equal(t, before[i], src[i].storage, "seed %d: source %d changed", seed, i)
		}
	}
	got.count(row, dst.Operand, ops)
}

func (r *reached) count(row *Row, dst Operand, src []Operand) {
	var w walk
	w.start(row, dst, src)
	p := w.plan
	if p.Size == 0 {
		return
	}
	r.sources[p.Sources]++
	for s := range src {
		r.patterns[p.Pattern(s)]++
		if p.Materialise[1+s] {
			r.gathered[p.Pattern(s)]++
			if p.Loops[0].Stride[1+s] == 0 && p.Loops[0].N > 1 {
				r.repeated++
			}
		} else if w.make[1+s] {
			r.filled++
		}
	}
	if p.Materialise[0] {
		r.scatters++
	}
	if w.stream {
		r.streams++
	}
	if p.Tail != p.Cols {
		r.pieces++
		if p.Split > 0 {
			r.outer++
		}
	}
}

func TestWalk(t *testing.T) {
	var r reached
	n := uint64(2500)
	if testing.Short() {
		n = 500
	}
	for seed := range n {
		checkWalk(t, seed, &r)
	}
	for p, k := range r.patterns {
		require.Positive(t, k, "no source was %v", broadcast.Pattern(p))
		if broadcast.Pattern(p) != broadcast.Scalar {
			require.Positive(t, r.gathered[p], "no %v source was materialised", broadcast.Pattern(p))
		}
	}
	require.Positive(t, r.repeated, "no row was made once for many")
	require.Positive(t, r.filled, "no scalar was filled in")
	require.Positive(t, r.scatters, "no destination was scattered")
	require.Positive(t, r.pieces, "no dimension was cut with a rest")
	require.Positive(t, r.outer, "no dimension was cut outside a transposed tile")
	for f := range r.forms {
		if f != 7 { // three scalars of three
			require.Positive(t, r.forms[f].Load(), "form %d was never called", f)
		}
	}
	for s := 1; s <= asm.MaxSources; s++ {
		require.Positive(t, r.sources[s])
	}
	t.Logf("patterns %v, materialised %v, repeated %d, filled %d, scattered %d, cut %d (%d outside)",
		r.patterns, r.gathered, r.repeated, r.filled, r.scatters, r.pieces, r.outer)
}

// Whatever is streamed around the caches is the same bytes.
func TestWalkStreams(t *testing.T) {
	for _, isa := range Available() {
		if moveSets[isa].stream == nil {
			continue
		}
		restore, err := Use(isa)
		require.NoError(t, err)
		defer restore()
		defer func(bytes int) { lastLevel = bytes }(lastLevel)
		lastLevel = 2
		var r reached
		for seed := range uint64(300) {
			checkWalk(t, seed, &r)
		}
		require.Greater(t, r.streams, 100, "%v", isa)
	}
}

func FuzzWalk(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		var r reached
		checkWalk(t, seed, &r)
	})
}
