package dispatch

import (
	"slices"
	"unsafe"
)

// run is a dimension of a block as one operand walks it: so many elements, so
// many bytes apart.
type run struct {
	n, stride int
}

// block is the part of an operand that a row (or several) of a plan needs,
// innermost dimension first. Dimensions of one element are left out, and
// neighbours that are walked as one are joined.
type block struct {
	dims []run
	buf  [10]run
}

func (b *block) reset() { b.dims = b.buf[:0] }

func (b *block) add(n, stride int) {
	if n == 1 {
		return
	}
	if k := len(b.dims) - 1; k >= 0 && b.dims[k].stride*b.dims[k].n == stride {
		b.dims[k].n *= n
		return
	}
	b.dims = append(b.dims, run{n, stride})
}

// Gather copies the elements of src, of so many bytes each, to dst in row-major
// order.
func Gather(dst unsafe.Pointer, src Operand, size int) {
	w := walks.Get().(*walk)
	w.block.reset()
	for i := len(src.Shape) - 1; i >= 0; i-- {
		w.block.add(src.Shape[i], src.Strides[i]*size)
	}
	m := &w.movers[0]
	m.moves = &moveSets[Active()]
	if !slices.Contains(src.Shape, 0) {
		m.gatherAll(dst, src.Ptr, size, w.block.dims)
	}
	walks.Put(w)
}

// mover brings blocks of one operand into scratch and back.
type mover struct {
	*moves
	pattern [maxShuffles]pattern // by shuffle
}

// gatherAll is gather for blocks of any size. Assembly cannot be preempted, so
// a large block is cut, though not through the lines of a transposed source.
func (m *mover) gatherAll(dst, src unsafe.Pointer, size int, b []run) {
	last, per := outermost(b)
	row := per * size
	some := max(1, scratchBytes/row)
	if len(b) == 2 && last.stride == size && b[0].stride != size && b[0].stride != 0 {
		some = max(some, line/size)
	}
	if last.n <= some {
		m.gather(dst, src, size, b)
		return
	}
	part := slices.Clone(b)
	for i := 0; i < last.n; i += some {
		d, s := unsafe.Add(dst, i*row), unsafe.Add(src, i*last.stride)
		if some == 1 {
			m.gatherAll(d, s, size, b[:len(b)-1])
			continue
		}
		part[len(b)-1].n = min(some, last.n-i)
		m.gather(d, s, size, part)
	}
}

// outermost gives the last dimension of a block and the elements of the others.
func outermost(b []run) (last run, per int) {
	last, per = run{1, 0}, 1
	for _, r := range b {
		last, per = r, per*last.n
	}
	return last, per
}

// gather copies the block of elements of the given size at src to dst, stride 1.
func (m *mover) gather(dst, src unsafe.Pointer, size int, b []run) {
	if m.vector == 0 || len(b) == 0 {
		gather(dst, src, size, b)
		return
	}
	last, per := outermost(b)
	row := per * size
	in, out := b[0], last // for one or two dimensions
	if len(b) == 1 {
		out = run{1, 0}
	}
	tile := len(b) <= 2
	switch {
	case len(b) > 1 && last.stride == 0: // one, then copies of it
		m.gather(dst, src, size, b[:len(b)-1])
		repeat(unsafe.Slice((*byte)(dst), row*last.n), row)
	case len(b) == 2 && out.stride == size && in.stride != 0 && m.transposed(dst, src, size, in, out.n):
	case tile && in.stride == size && in.n*size >= m.vector:
		m.copyRows(dst, src, out.n, in.n*size, in.n*size, out.stride)
	case tile && in.stride == 0 && (len(b) == 1 || in.n*size >= maxPeriod):
		m.fillRows(dst, src, size, in.n, out)
	case m.shuffled(dst, src, size, b):
	case tile && in.stride == size:
		m.copyRows(dst, src, out.n, in.n*size, in.n*size, out.stride)
	case tile && in.stride == 0:
		m.fillRows(dst, src, size, in.n, out)
	case len(b) == 1 || len(b) == 2 && row < m.vector:
		gather(dst, src, size, b)
	default:
		for i := range last.n {
			m.gather(unsafe.Add(dst, i*row), unsafe.Add(src, i*last.stride), size, b[:len(b)-1])
		}
	}
}

// scatter is the mirror image: it copies elements from src, stride 1, to the
// block at dst, and writes nothing between them. The planner makes sure that no
// dimension of dst has a smaller stride than the first.
func (m *mover) scatter(dst, src unsafe.Pointer, size int, b []run) {
	last, per := outermost(b)
	row := per * size
	switch {
	case m.vector == 0:
		scatter(dst, src, size, b)
	case len(b) == 1 && last.stride == -size:
		end := (last.n - 1) * size
		m.gather(unsafe.Add(dst, -end), unsafe.Add(src, end), size, b)
	case len(b) == 2 && b[0].stride == size:
		m.copyRows(dst, src, last.n, row, last.stride, row)
	case len(b) > 1 && row >= m.vector:
		for i := range last.n {
			m.scatter(unsafe.Add(dst, i*last.stride), unsafe.Add(src, i*row), size, b[:len(b)-1])
		}
	default:
		scatter(dst, src, size, b)
	}
}

func (m *mover) copyRows(dst, src unsafe.Pointer, rows, bytes, dstStep, srcStep int) {
	m.copy(dst, src, nil, nil, nil, rows, bytes, dstStep, srcStep, 0, 0, 0)
}

func (m *mover) fillRows(dst, src unsafe.Pointer, size, cols int, out run) {
	m.fill[logSize(size)](dst, src, nil, nil, nil, out.n, cols, cols*size, out.stride, 0, 0, 0)
}

// transposed copies rows × in.n elements whose columns lie side by side in src,
// if there are enough for a tile. Rows and columns that no whole tile is left
// for are in one that overlaps its neighbour. A call gets two cache lines of
// each column, in a block that stays in the first-level cache.
func (m *mover) transposed(dst, src unsafe.Pointer, size int, in run, rows int) bool {
	high, wide := half/size, m.vector/size
	if rows < high || in.n < wide {
		return false
	}
	for r, nr := 0, 0; r < rows; r += nr {
		r, nr = tiles(r, rows, high, 2*line/size)
		for c, nc := 0, 0; c < in.n; c += nc {
			c, nc = tiles(c, in.n, wide, scratchBytes/(nr*size))
			m.transpose[logSize(size)](unsafe.Add(dst, (r*in.n+c)*size), unsafe.Add(src, r*size+c*in.stride), nil, nil, nil,
				nr, nc, in.n*size, in.stride, 0, 0, 0)
		}
	}
	return true
}

// tiles says where the next tiles of so many elements begin, and how many
// elements, at most limit, they cover.
func tiles(at, n, tile, limit int) (from, covered int) {
	if n-at < tile {
		return n - tile, tile
	}
	return at, min(n-at, limit) / tile * tile
}

// gather in Go, without kernels.
func gather(dst, src unsafe.Pointer, size int, b []run) {
	switch size {
	case 1:
		gatherDims[uint8](dst, src, b)
	case 2:
		gatherDims[uint16](dst, src, b)
	case 4:
		gatherDims[uint32](dst, src, b)
	case 8:
		gatherDims[uint64](dst, src, b)
	}
}

// scatter in Go.
func scatter(dst, src unsafe.Pointer, size int, b []run) {
	switch size {
	case 1:
		scatterDims[uint8](dst, src, b)
	case 2:
		scatterDims[uint16](dst, src, b)
	case 4:
		scatterDims[uint32](dst, src, b)
	case 8:
		scatterDims[uint64](dst, src, b)
	}
}

type word interface {
	uint8 | uint16 | uint32 | uint64
}

func gatherDims[T word](dst, src unsafe.Pointer, b []run) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	if len(b) == 0 {
		*(*T)(dst) = *(*T)(src)
		return
	}
	if len(b) == 1 {
		gatherRow[T](dst, src, b[0])
		return
	}
	last := b[len(b)-1]
	inner := b[:len(b)-1]
	per := 1
	for _, r := range inner {
		per *= r.n
	}
	if last.stride == 0 { // one, then copies of it
		gatherDims[T](dst, src, inner)
		repeat(unsafe.Slice((*T)(dst), per*last.n), per)
		return
	}
	if len(inner) == 1 {
		gatherTile[T](dst, src, inner[0], last)
		return
	}
	for i := range last.n {
		gatherDims[T](unsafe.Add(dst, i*per*size), unsafe.Add(src, i*last.stride), inner)
	}
}

// repeat fills s with copies of its first per elements.
func repeat[T word](s []T, per int) {
	for per < len(s) {
		per += copy(s[per:], s[:per])
	}
}

// gatherRow copies one run.
func gatherRow[T word](dst, src unsafe.Pointer, r run) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	d := unsafe.Slice((*T)(dst), r.n)
	switch r.stride {
	case size:
		copy(d, unsafe.Slice((*T)(src), r.n))
	case 0:
		v := *(*T)(src)
		for i := range d {
			d[i] = v
		}
	default:
		for i := range d {
			d[i] = *(*T)(unsafe.Add(src, i*r.stride))
		}
	}
}

// gatherTile copies rows × in.n elements.
func gatherTile[T word](dst, src unsafe.Pointer, in, out run) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	switch {
	case in.stride == 0 && in.n < 16: // a short column
		d := unsafe.Slice((*T)(dst), in.n*out.n)
		for r := range out.n {
			v := *(*T)(unsafe.Add(src, r*out.stride))
			row := d[r*in.n:][:in.n]
			for i := range row {
				row[i] = v
			}
		}
	case in.stride == size && in.n < 16: // short rows with gaps
		d := unsafe.Slice((*T)(dst), in.n*out.n)
		for r := range out.n {
			s := unsafe.Slice((*T)(unsafe.Add(src, r*out.stride)), in.n)
			row := d[r*in.n:][:in.n]
			for i := range row {
				row[i] = s[i]
			}
		}
	case out.stride == size && in.stride != 0: // transposed
		transpose[T](dst, src, in, out.n, in.n*size)
	default:
		for r := range out.n {
			gatherRow[T](unsafe.Add(dst, r*in.n*size), unsafe.Add(src, r*out.stride), in)
		}
	}
}

// transpose copies rows × in.n elements whose columns lie side by side in src,
// along the lines of src.
func transpose[T word](dst, src unsafe.Pointer, in run, rows, dstStep int) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	for i := range in.n {
		s := unsafe.Slice((*T)(unsafe.Add(src, i*in.stride)), rows)
		for r, v := range s {
			*(*T)(unsafe.Add(dst, r*dstStep+i*size)) = v
		}
	}
}

func scatterDims[T word](dst, src unsafe.Pointer, b []run) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	if len(b) == 0 {
		*(*T)(dst) = *(*T)(src)
		return
	}
	if len(b) == 1 {
		scatterRow[T](dst, src, b[0])
		return
	}
	last := b[len(b)-1]
	inner := b[:len(b)-1]
	per := 1
	for _, r := range inner {
		per *= r.n
	}
	for i := range last.n {
		d, s := unsafe.Add(dst, i*last.stride), unsafe.Add(src, i*per*size)
		if len(inner) == 1 {
			scatterRow[T](d, s, inner[0])
		} else {
			scatterDims[T](d, s, inner)
		}
	}
}

func scatterRow[T word](dst, src unsafe.Pointer, r run) {
	size := int(unsafe.Sizeof(*(*T)(nil)))
	s := unsafe.Slice((*T)(src), r.n)
	if r.stride == size {
		copy(unsafe.Slice((*T)(dst), r.n), s)
		return
	}
	for i, v := range s {
		*(*T)(unsafe.Add(dst, i*r.stride)) = v
	}
}
