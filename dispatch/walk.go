package dispatch

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
	"github.com/lanecast/lanecast/broadcast"
)

const operands = 1 + asm.MaxSources

// scratchBytes is what each operand of a block may use: with the largest
// number of sources in use all of it stays within a second-level cache, and
// three operands within a first-level one.
const scratchBytes = 8 << 10

// shortBytes is where a row ceases to be short, if it has two vectors then: on
// AVX2 as on AVX-512 that is half of a cache line, whatever the type.
const shortBytes = 32

// Costs are in picoseconds.
const (
	// callCost bounds one kernel call: assembly cannot be preempted, and a
	// collection has to wait for it.
	callCost = 50e6
	// A byte of an operand costs at least this from a near cache, and at most
	// this from main memory.
	nearByte, farByte = 10, 80
	// A row says what an element's work is at most, on the slowest instruction
	// set. In assembly it is usually this many times less, in Go this many.
	overstated, overstatedInGo = 8, 2
)

// Operand is an array as a kernel table sees it: the address of its element
// [0, …, 0] and its layout.
type Operand struct {
	Ptr unsafe.Pointer
	broadcast.Operand
}

// Flat computes n elements of operands that are all contiguous, but for the
// sources that form says are scalars. It needs no plan. It refuses, and does
// nothing, if that is more work than one call may do.
func (r *Row) Flat(n int, form asm.Form, dst, a, b, c, d unsafe.Pointer) bool {
	isa := Active()
	if n > small && !r.oneCall(isa, n) {
		return false
	}
	r.Sets[isa].Form[form](dst, a, b, c, d, 1, n, 0, 0, 0, 0, 0)
	return true
}

// small is a number of elements that no operation needs callCost for.
const small = 1 << 8

// Has tells whether there are kernels that take the given ones of so many
// sources, bit k for source k, as scalars and all others as contiguous rows.
func (r *Row) Has(sources int, scalars asm.Form) bool {
	if sources == 2 && scalars == asm.ScalarLeft|asm.ScalarRight {
		return false // that number is another form's
	}
	f := r.Sets[Active()].Form
	return int(scalars) < len(f) && f[scalars] != nil
}

// oneCall tells whether n elements are within callCost, which takes no division.
func (r *Row) oneCall(isa ISA, n int) bool {
	work, lanes := int64(r.Cost), int64(1)
	if isa != Generic {
		work, lanes = 2*work, int64(r.Sets[isa].Lanes)
	}
	return int64(n)*int64(r.bytes())*farByte <= callCost && int64(n)*work <= callCost*lanes
}

// perCall is the largest number of elements of one kernel call.
func (r *Row) perCall(isa ISA) int { return callCost / r.cost(isa) }

// cost is the most that an element takes on an instruction set.
func (r *Row) cost(isa ISA) int { return max(r.work(isa), r.bytes()*farByte) }

// work is the most that an element takes beside moving it.
func (r *Row) work(isa ISA) int {
	if isa == Generic {
		return int(r.Cost)
	}
	return 2 * int(r.Cost) / r.Sets[isa].Lanes
}

// bytes is what an element of each operand takes together.
func (r *Row) bytes() int {
	s := &r.Size
	return int(s[0]) + int(s[1]) + int(s[2]) + int(s[3]) + int(s[4])
}

// Run computes the operation over any layout of its operands. The sources must
// broadcast to the destination's shape, the destination's elements must not
// share memory with one another, and a source that shares memory with the
// destination must be the same view.
func (r *Row) Run(serial bool, dst Operand, src ...Operand) {
	w := walks.Get().(*walk)
	if n := elements(dst.Shape); n > 0 && n <= small && w.once(r, n, dst, src) {
		walks.Put(w)
		return
	}
	w.start(r, dst, src)
	if rows := w.plan.Rows(); rows > 0 {
		if k := w.goroutines(serial, rows); k > 1 {
			w.split(rows, k)
		} else {
			w.rows(0, rows)
		}
	}
	w.free()
}

// once computes a small operation as a single row, if the destination is
// contiguous: what a plan could save is less than what making one costs.
func (w *walk) once(r *Row, n int, dst Operand, src []Operand) bool {
	if d := w.expand(&dst, dst.Shape, 1); len(d) > 1 || len(d) == 1 && d[0].stride != 1 {
		return false
	}
	ptr := [operands]unsafe.Pointer{dst.Ptr}
	var form asm.Form
	for i := range src {
		size, o := int(r.Size[1+i]), 1+i
		ptr[o] = src[i].Ptr
		d := w.expand(&src[i], dst.Shape, size)
		switch {
		case len(d) == 0 || len(d) == 1 && d[0].stride == size:
			continue
		case len(d) == 1 && d[0].stride == 0 && r.Has(len(src), form|1<<i):
			form |= 1 << i
			continue
		}
		if w.scratch[o] == nil {
			w.scratch[o] = make([]byte, scratchBytes)
		}
		to := unsafe.Pointer(unsafe.SliceData(w.scratch[o]))
		gather(to, src[i].Ptr, size, d)
		ptr[o] = to
	}
	r.Sets[Active()].Form[form](ptr[0], ptr[1], ptr[2], ptr[3], ptr[4], 1, n, 0, 0, 0, 0, 0)
	return true
}

// expand describes an operand as broadcast to a shape.
func (w *walk) expand(a *Operand, shape []int, size int) []run {
	w.block.reset()
	for back := 1; back <= len(shape); back++ {
		stride := 0
		if j := len(a.Shape) - back; j >= 0 && a.Shape[j] != 1 {
			stride = a.Strides[j] * size
		}
		w.block.add(shape[len(shape)-back], stride)
	}
	return w.block.dims
}

// goroutines says how many the work pays for.
func (w *walk) goroutines(serial bool, rows int) int {
	// What fits into a call is not worth two goroutines, unless tests say so: that
	// bound takes an element's cost as overstated as it is.
	if serial || rows == 1 || callCost/overstatedInGo < 2*splitCost && w.row.oneCall(w.isa, w.plan.Size) {
		return 1
	}
	moved := 0 // bytes of an element; what is stretched over all rows stays near
	for o := 0; o <= w.plan.Sources; o++ {
		for i := range w.plan.Loops {
			if w.plan.Loops[i].Stride[o] != 0 {
				moved += int(w.row.Size[o])
				break
			}
		}
	}
	work := w.row.work(w.isa) / overstated
	if w.isa == Generic {
		work = w.row.work(w.isa) / overstatedInGo
	}
	each := max(work, moved*nearByte)
	worth := float64(w.plan.Size) * float64(each) / splitCost
	if worth < 2 {
		return 1 // asking for GOMAXPROCS takes a lock
	}
	return min(runtime.GOMAXPROCS(0), rows, int(min(worth, 1<<20)))
}

// split shares the rows among k goroutines and returns when all are computed.
func (w *walk) split(rows, k int) {
	s := &crew{walk: w, rows: rows, taken: make([]atomic.Bool, min(rows, pieces*k))}
	s.left.Add(len(s.taken))
	for i := 1; i < k; i++ {
		go s.work(len(s.taken) * i / k)
	}
	// The goroutine started last would run here next, and a core that finds only
	// such a one sleeps for 60 µs before it takes it away. So it is let run here
	// at once, and another core, awake after a few microseconds, goes on with this
	// one.
	runtime.Gosched()
	s.work(0)
	s.left.Wait()
}

// pieces is how many pieces of the work there are for each goroutine.
const pieces = 8

// crew is a walk whose rows several goroutines take, piece by piece: to wake a
// core takes as long as some work, and the others do not wait for it. One that
// comes when all is taken ends at once.
type crew struct {
	walk  *walk
	rows  int
	taken []atomic.Bool
	left  sync.WaitGroup // pieces that are not computed yet
}

// work takes pieces from one on, so that each core tends to get those again that
// its caches hold from the last time.
func (s *crew) work(from int) {
	var v *walk
	n := len(s.taken)
	for i := range n {
		if i = (from + i) % n; !s.taken[i].CompareAndSwap(false, true) {
			continue
		}
		if v == nil {
			v = walks.Get().(*walk)
			v.share(s.walk)
		}
		v.rows(s.piece(i), s.piece(i+1))
		s.left.Done()
	}
	if v != nil {
		v.free()
	}
}

// piece is the row that piece i begins with; 32 bits may not hold the product.
func (s *crew) piece(i int) int { return int(int64(s.rows) * int64(i) / int64(len(s.taken))) }

var walks = sync.Pool{New: func() any { return new(walk) }}

// walk runs a plan. It is taken from a pool: a kernel is called through a
// pointer, so what is passed to it cannot live on a stack.
type walk struct {
	plan    *broadcast.Plan // own, or another walk's
	own     broadcast.Plan
	row     *Row
	isa     ISA
	kernel  asm.Kernel
	base    [operands]unsafe.Pointer
	make    [operands]bool // what goes through scratch: the plan's, and what the kernel's form asks for
	perCall int            // elements of a kernel call, at most
	most    int            // rows per kernel call
	stream  bool           // the destination goes through scratch only to be written around the caches

	index   []int
	scratch [operands][]byte
	made    [operands]made
	movers  [operands]mover
	block   block
}

// made remembers what lies in an operand's scratch. The address is there to be
// compared only.
type made struct {
	from       uintptr
	rows, cols int
}

func (w *walk) start(r *Row, dst Operand, src []Operand) {
	w.isa = Active()
	k := &r.Sets[w.isa]
	widest := 1
	for _, s := range r.Size {
		widest = max(widest, int(s))
	}
	var layouts [asm.MaxSources]broadcast.Operand
	for i := range src {
		layouts[i] = src[i].Operand
	}
	w.row, w.plan = r, &w.own
	log := logSize(widest)
	block := scratchBytes >> log
	w.perCall = small
	if elements(dst.Shape) > small {
		w.perCall = r.perCall(w.isa)
		block = min(block, max(k.Lanes, w.perCall/k.Lanes*k.Lanes))
	}
	w.plan.Make(broadcast.Target{Lanes: k.Lanes, Held: k.Held, Block: block, Line: line >> log, Short: min(shortBytes>>log, 2*k.Lanes)},
		dst.Operand, layouts[:len(src)]...)
	w.base[0] = unsafe.Add(dst.Ptr, w.plan.Offset[0]*int(r.Size[0]))
	for i := range src {
		w.base[1+i] = unsafe.Add(src[i].Ptr, w.plan.Offset[1+i]*int(r.Size[1+i]))
	}
	w.stream = !w.plan.Materialise[0] && moveSets[w.isa].streams(w.plan.Size*int(r.Size[0]))
	for i := range src {
		w.stream = w.stream && src[i].Ptr != dst.Ptr
	}
	w.choose(k)
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// choose picks the kernel: the form that takes the scalar sources as they are,
// or as many of them as there is a form for; the others go through scratch.
func (w *walk) choose(k *Kernels) {
	p := w.plan
	w.make = p.Materialise
	w.make[0] = w.make[0] || w.stream
	if p.Size == 0 {
		return
	}
	w.most = p.Loops[0].N
	if p.Size > w.perCall {
		w.most = max(1, w.perCall/p.Cols)
	}
	scalars := asm.Form(0)
	for o := 1; o <= p.Sources; o++ {
		if p.Scalar[o] {
			scalars |= 1 << (o - 1)
		}
	}
	form := scalars
	for !w.row.Has(p.Sources, form) {
		form = (form - 1) & scalars
	}
	for o := 1; o <= p.Sources; o++ {
		if (scalars&^form)>>(o-1)&1 != 0 {
			w.make[o] = true
		}
	}
	if p.Sources == 2 && form == asm.Contiguous && p.Cols <= k.Held*k.Lanes && p.Loops[0].N > 1 {
		switch a, b := p.Loops[0].Stride[1] == 0, p.Loops[0].Stride[2] == 0; {
		case b && !a:
			form = asm.RowRight
		case a && !b:
			form = asm.RowLeft
		}
	}
	w.kernel = k.Form[form]
	for o := 0; o <= p.Sources; o++ {
		row := p.Cols * int(w.row.Size[o])
		if w.make[o] && row*w.most > scratchBytes && (o == 0 || p.Loops[0].Stride[o] != 0) {
			w.most = max(1, scratchBytes/row)
		}
	}
}

// share makes w walk the same plan as another, with its own scratch.
func (w *walk) share(o *walk) {
	w.plan, w.row, w.isa, w.kernel = o.plan, o.row, o.isa, o.kernel
	w.base, w.make, w.most, w.stream = o.base, o.make, o.most, o.stream
}

func (w *walk) free() {
	w.plan, w.base = nil, [operands]unsafe.Pointer{}
	walks.Put(w)
}

// rows computes the rows lo…hi-1 of the plan, a block at a time.
func (w *walk) rows(lo, hi int) {
	p := w.plan
	w.index = w.index[:0]
	at := lo
	for i := range p.Loops {
		w.index = append(w.index, 0)
		if at > 0 {
			w.index[i] = at % p.Loops[i].N
			at /= p.Loops[i].N
		}
	}
	for o := 0; o <= p.Sources; o++ {
		if w.make[o] {
			w.made[o] = made{}
			w.movers[o].moves = &moveSets[w.isa]
			if w.scratch[o] == nil {
				w.scratch[o] = make([]byte, scratchBytes)
			}
		}
	}
	var ptr [operands]unsafe.Pointer
	for lo < hi {
		for o := 0; o <= p.Sources; o++ {
			off := 0
			for i := range p.Loops {
				off += w.index[i] * p.Loops[i].Stride[o]
			}
			ptr[o] = unsafe.Add(w.base[o], off*int(w.row.Size[o]))
		}
		n := min(w.most, p.Loops[0].N-w.index[0], hi-lo)
		cols := p.Cols
		switch {
		case p.Split == 0 && p.Tail != p.Cols && w.index[0]+n == p.Loops[0].N:
			if n == 1 {
				cols = p.Tail
			} else {
				n-- // the short last row is a block of its own
			}
		case p.Split > 0 && w.index[p.Split] == p.Loops[p.Split].N-1:
			cols = p.Tail
		}
		w.compute(ptr, n, cols)
		lo += n
		w.index[0] += n
		for i := 0; i < len(w.index)-1 && w.index[i] == p.Loops[i].N; i++ {
			w.index[i] = 0
			w.index[i+1]++
		}
	}
	if w.stream {
		w.movers[0].fence(nil, nil, nil, nil, nil, 0, 0, 0, 0, 0, 0, 0)
	}
}

// compute runs one block: materialise, kernel, scatter. ptr holds the address of
// each operand's first element of the block; a source with no stride along the
// rows is made once and kept for the blocks that follow.
func (w *walk) compute(ptr [operands]unsafe.Pointer, rows, cols int) {
	p := w.plan
	var step [operands]int
	var dst unsafe.Pointer
	var next [3]fetch
	nextRows := min(rows, p.Loops[0].N-w.index[0]-rows) // of the block after this one
	for o := 0; o <= p.Sources; o++ {
		size := int(w.row.Size[o])
		stride := p.Loops[0].Stride[o] * size
		if !w.make[o] {
			step[o] = stride
			if w.stream && stride == cols*size && o <= len(next) && nextRows > 0 {
				next[o-1] = fetch{unsafe.Add(ptr[o], rows*stride), line * size / int(w.row.Size[0])}
			}
			continue
		}
		n := rows
		if o > 0 && stride == 0 {
			n = 1
		} else {
			step[o] = cols * size
		}
		to := unsafe.Pointer(unsafe.SliceData(w.scratch[o]))
		if o == 0 {
			dst = ptr[0]
		} else if want := (made{uintptr(ptr[o]), n, cols}); w.made[o] != want {
			w.movers[o].gather(to, ptr[o], size, w.shape(o, n, cols))
			w.made[o] = want
		}
		ptr[o] = to
	}
	w.kernel(ptr[0], ptr[1], ptr[2], ptr[3], ptr[4], rows, cols, step[0], step[1], step[2], step[3], step[4])
	switch {
	case w.stream:
		w.movers[0].streamRows(dst, ptr[0], rows, cols*int(w.row.Size[0]), p.Loops[0].Stride[0]*int(w.row.Size[0]), next, nextRows)
	case dst != nil:
		w.movers[0].scatter(dst, ptr[0], int(w.row.Size[0]), w.shape(0, rows, cols))
	}
}

// shape describes rows × cols elements of operand o.
func (w *walk) shape(o, rows, cols int) []run {
	p, size := w.plan, int(w.row.Size[o])
	w.block.reset()
	for i := range p.Inner {
		d := &p.Inner[i]
		n := d.N
		if i == len(p.Inner)-1 && cols != p.Cols {
			n = n * cols / p.Cols // the last piece
		}
		w.block.add(n, d.Stride[o]*size)
	}
	w.block.add(rows, p.Loops[0].Stride[o]*size)
	return w.block.dims
}
