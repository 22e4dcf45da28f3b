package dispatch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
	"github.com/lanecast/lanecast/broadcast"
	"github.com/stretchr/testify/require"
)

// arrangement is a block with the memory that it lies in, which ends or begins
// where nothing may be touched.
type arrangement struct {
	dims   []run
	n      int // elements
	memory []byte
	first  int // offset of the first element
	offset []int
}

// arrange lays out dims in memory at its end or at its beginning. It returns
// nil if it is too small.
func arrange(dims []run, size int, memory []byte, atEnd bool) *arrangement {
	a := &arrangement{dims: dims, n: 1, offset: []int{0}}
	low, high := 0, size
	for _, r := range dims {
		low, high = low+min(0, (r.n-1)*r.stride), high+max(0, (r.n-1)*r.stride)
		for i, n := 1, len(a.offset); i < r.n; i++ {
			for _, o := range a.offset[:n] {
				a.offset = append(a.offset, o+i*r.stride)
			}
		}
		a.n *= r.n
	}
	if high-low > len(memory) {
		return nil
	}
	a.memory = memory[:high-low]
	if atEnd {
		a.memory = memory[len(memory)-(high-low):]
	}
	a.first = -low
	return a
}

func (a *arrangement) at() unsafe.Pointer { return unsafe.Pointer(&a.memory[a.first]) }

func fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// counting gives a mover with the kernels of isa, each of which counts its calls
// under a name.
func counting(isa ISA, calls map[string]int) *mover {
	set := moveSets[isa]
	count := func(name string, k *asm.Kernel) {
		if kernel := *k; kernel != nil {
			*k = func(dst, a, b, c, d unsafe.Pointer, rows, cols, dstStep, aStep, bStep, cStep, dStep int) {
				calls[name]++
				kernel(dst, a, b, c, d, rows, cols, dstStep, aStep, bStep, cStep, dStep)
			}
		}
	}
	count("copy", &set.copy)
	for i := range set.fill {
		count(fmt.Sprint("fill", 1<<i), &set.fill[i])
		count(fmt.Sprint("transpose", 1<<i), &set.transpose[i])
	}
	for i := range set.shuffle {
		s := &set.shuffle[i]
		for k := range s.kernel {
			count(fmt.Sprintf("shuffle of %d, %d, %d", s.vector, s.unit, 1+k), &s.kernel[k])
		}
	}
	return &mover{moves: &set}
}

// pages are guarded memory for the two sides of a copy.
type pages struct{ block, packed []byte }

func newPages(t testing.TB) pages { return pages{guarded(t, 1<<17), guarded(t, 1<<15)} }

// checkGather gathers a block and compares every byte.
func checkGather(t testing.TB, m *mover, p pages, r *rand.Rand, dims []run, size int) {
	atEnd := r.IntN(2) == 0
	src := arrange(dims, size, p.block, atEnd)
	if src == nil || src.n*size > len(p.packed) {
		return
	}
	fill(r, src.memory)
	before := bytes.Clone(src.memory)
	dst := arrange([]run{{src.n, size}}, size, p.packed, r.IntN(2) == 0)
	want := make([]byte, len(p.packed)) // nothing is written around
	packed := want[addressOf(dst.memory)-addressOf(p.packed):]
	for i, o := range src.offset {
		copy(packed[i*size:], src.memory[src.first+o:][:size])
	}
	clear(p.packed)
	m.gather(dst.at(), src.at(), size, dims)
	require.True(t, bytes.Equal(want, p.packed), "%v, %d bytes each, at the end of a page: %v", dims, size, atEnd)
	require.True(t, bytes.Equal(before, src.memory), "the source changed: %v", dims)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// checkScatter scatters to a block whose elements do not overlap, and compares
// every byte of the memory that it lies in.
func checkScatter(t testing.TB, m *mover, p pages, r *rand.Rand, dims []run, size int) {
	dst := arrange(dims, size, p.block, r.IntN(2) == 0)
	if dst == nil || dst.n*size > len(p.packed) {
		return
	}
	src := arrange([]run{{dst.n, size}}, size, p.packed, r.IntN(2) == 0)
	fill(r, dst.memory)
	fill(r, src.memory)
	want := bytes.Clone(dst.memory)
	for i, o := range dst.offset {
		copy(want[dst.first+o:][:size], src.memory[i*size:][:size])
	}
	m.scatter(dst.at(), src.at(), size, dims)
	require.True(t, bytes.Equal(want, dst.memory), "%v, %d bytes each", dims, size)
}

// blocks are dimensions in elements that have kernels of their own, with every
// count around the sizes of vectors and tiles.
func blocks(each func(dims []run)) {
	sizes := []int{2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64, 70}
	for _, n := range append(sizes, 127, 300, 2000) {
		for _, stride := range []int{-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 17} {
			each([]run{{n, stride}})
		}
		for _, m := range sizes {
			each([]run{{n, m}, {m, 1}}) // transposed
			each([]run{{n, -m - 1}, {m, 1}})
			each([]run{{n, m}, {m, -1}})
			each([]run{{n, 1}, {m, n + 3}}) // rows with gaps
			each([]run{{n, 0}, {m, 1}})     // a column
			each([]run{{n, 0}, {m, -3}})
			each([]run{{n, -1}, {m, n}})
			each([]run{{n, 2}, {m, 2*n + 1}})
			each([]run{{n, 1}, {m, 0}})
			each([]run{{n, 3}, {m, 0}})
		}
	}
	for _, n := range []int{2, 3, 5} {
		for _, m := range []int{2, 4, 7} {
			for _, k := range []int{3, 9, 64, 100} {
				each([]run{{n, 1}, {m, 0}, {k, n}})
				each([]run{{n, m}, {m, 1}, {k, n * m}})
				each([]run{{n, 0}, {m, 1}, {k, -m}})
				each([]run{{n, -1}, {m, 3 * n}, {k, 0}})
			}
		}
	}
}

func inBytes(dims []run, size int) []run {
	scaled := make([]run, len(dims))
	for i, r := range dims {
		scaled[i] = run{r.n, r.stride * size}
	}
	return scaled
}

func TestGather(t *testing.T) {
	p := newPages(t)
	for _, isa := range Available() {
		t.Run(isa.String(), func(t *testing.T) {
			calls := map[string]int{}
			m := counting(isa, calls)
			r := rand.New(rand.NewPCG(1, 2))
			skip := 0
			for _, size := range []int{1, 2, 4, 8} {
				checkGather(t, m, p, r, nil, size)
				blocks(func(dims []run) {
					if skip++; !testing.Short() || skip%7 == 0 {
						checkGather(t, m, p, r, inBytes(dims, size), size)
					}
				})
			}
			if isa != Generic {
				families := 0
				for _, s := range m.shuffle {
					if s.unit > 0 {
						families++
					}
				}
				require.Len(t, calls, 1+4+4+maxLoads*families, "%v", calls)
			}
		})
	}
}

func TestScatter(t *testing.T) {
	p := newPages(t)
	for _, isa := range Available() {
		t.Run(isa.String(), func(t *testing.T) {
			calls := map[string]int{}
			m := counting(isa, calls)
			r := rand.New(rand.NewPCG(3, 4))
			for _, size := range []int{1, 2, 4, 8} {
				checkScatter(t, m, p, r, nil, size)
				for n := 2; n < 70; n++ {
					for _, stride := range []int{-3, -2, -1, 1, 2, 3, 4} {
						step := n*max(stride, -stride) + n%3
						for _, dims := range [][]run{
							{{n, stride}}, {{n, stride}, {9, step}}, {{n, stride}, {5, -step}},
							{{2, stride}, {3, 2 * max(stride, -stride)}, {n, 6*max(stride, -stride) + 1}},
						} {
							checkScatter(t, m, p, r, inBytes(dims, size), size)
						}
					}
				}
			}
			if isa != Generic {
				require.Positive(t, calls["copy"])
				delete(calls, "copy")
				require.NotEmpty(t, calls, "no reversed destination")
			}
		})
	}
}

// randomBlock has up to 5 dimensions with any strides.
func randomBlock(r *rand.Rand) (dims []run, size int) {
	for range r.IntN(6) {
		d := run{2 + r.IntN(12), r.IntN(25) - 12}
		if r.IntN(3) == 0 {
			d.n = 2 + r.IntN(200)
		}
		if k := len(dims) - 1; k >= 0 && r.IntN(2) == 0 {
			d.stride = dims[k].n*dims[k].stride + r.IntN(2)
		}
		dims = append(dims, d)
	}
	size = 1 << r.IntN(4)
	return inBytes(dims, size), size
}

// checkRandom uses one mover for several blocks: what it remembers of one must
// not harm the next.
func checkRandom(t testing.TB, p pages, seed uint64) {
	for _, isa := range Available() {
		r := rand.New(rand.NewPCG(seed, 5))
		m := &mover{moves: &moveSets[isa]}
		for range 4 {
			dims, size := randomBlock(r)
			n := 1
			for _, d := range dims {
				n *= d.n
			}
			for range 1 + r.IntN(2) {
				if n <= 1<<14 {
					checkGather(t, m, p, r, dims, size)
				}
				if len(dims) > 0 && r.IntN(2) == 0 {
					dims[len(dims)-1].n = 1 + r.IntN(40)
				}
			}
		}
	}
}

func TestGatherRandom(t *testing.T) {
	p := newPages(t)
	n := uint64(1000)
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		checkRandom(t, p, seed)
	}
}

func FuzzGather(f *testing.F) {
	p := newPages(f)
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, p, seed) })
}

// TestGatherLarge goes through blocks that are cut.
func TestGatherLarge(t *testing.T) {
	for _, c := range []struct{ shape, strides []int }{
		{[]int{300, 400}, []int{1, 300}},
		{[]int{400, 300}, []int{301, 1}},
		{[]int{3, 50000}, []int{0, -2}},
		{[]int{50000, 3}, []int{3, -1}},
		{[]int{40, 50, 60}, []int{1, 2400, 40}},
		{[]int{70000}, []int{1}},
		{[]int{1, 70000, 1}, []int{9, 2, 9}},
		{[]int{5, 0}, []int{1, 1}},
		{nil, nil},
	} {
		low, high := 0, 1
		total := 1
		for i, n := range c.shape {
			low, high = low+min(0, (n-1)*c.strides[i]), high+max(0, (n-1)*c.strides[i])
			total *= n
		}
		src := make([]uint16, max(high-low, 1))
		for i := range src {
			src[i] = uint16(i * 40503)
		}
		for _, isa := range Available() {
			restore, err := Use(isa)
			require.NoError(t, err)
			dst := make([]uint16, max(total, 1))
			from := Operand{Ptr: unsafe.Pointer(&src[-low]), Operand: broadcast.Operand{Shape: c.shape, Strides: c.strides}}
			Gather(unsafe.Pointer(&dst[0]), from, 2)
			restore()
			index := make([]int, len(c.shape))
			for i := range total {
				at := -low
				for k := range index {
					at += index[k] * c.strides[k]
				}
				if dst[i] != src[at] {
					t.Fatalf("%v: %v with strides %v: wrong at %v", isa, c.shape, c.strides, index)
				}
				for k := len(index) - 1; k >= 0; k-- {
					if index[k]++; index[k] < c.shape[k] {
						break
					}
					index[k] = 0
				}
			}
		}
	}
}
