package broadcast

import (
	"fmt"
	"slices"
)

// MaxSources is the largest number of sources of a plan.
const MaxSources = 4

const operands = 1 + MaxSources

// Operand is the layout of one array: the size of each dimension, outermost
// first, and the distance in elements from one index to the next.
type Operand struct {
	Shape, Strides []int
}

// Pattern says how the inner tile of a plan walks a source: its inner stride
// and its outer stride, in elements.
type Pattern uint8

const (
	Contiguous Pattern = iota // 1, any: x[i, :]
	Scalar                    // 0, 0: a number
	Column                    // 0, not 0: x[:, None], a scalar per row
	Row                       // 1, 0: x[None, :], the same row for every row
	Strided                   // other, any: a transposed, stepped or reversed view
)

func (p Pattern) String() string {
	names := [...]string{"Contiguous", "Scalar", "Column", "Row", "Strided"}
	if int(p) >= len(names) {
		return fmt.Sprintf("Pattern(%d)", uint8(p))
	}
	return names[p]
}

// Target says what the kernels can do that a plan is made for.
type Target struct {
	Lanes int // elements in a vector
	Held  int // vectors of a row that a kernel can keep in registers, 0 if none does
	Block int // elements of scratch that each operand may use
	Line  int // elements in a cache line
	Short int // elements below which a row costs more by itself than as a part of a longer one made in scratch
}

// Dim is one loop of a plan: how often, and the stride of each operand in
// elements, the destination first.
type Dim struct {
	N      int
	Stride [operands]int
}

// Plan is the loop nest that computes a broadcast operation. A row is Cols
// elements of the destination, in the order of its memory: the dimensions
// Inner, the last of which may be a piece of a dimension. Loops, of which there
// is at least one, runs through the rows; Loops[0] and the row form the tile
// that a kernel call is given. Both are innermost first.
//
// The zero Plan is ready for use, and a Plan may be made again: from the second
// time on, and for up to 8 dimensions always, that allocates nothing.
type Plan struct {
	Sources int
	Size    int           // elements of the destination
	Offset  [operands]int // where each operand's walk begins, in elements from its element [0, …, 0]
	Inner   []Dim
	Loops   []Dim
	Cols    int
	Split   int // the loop over the pieces of a dimension, or -1: its last piece is a row of Tail elements
	Tail    int // Cols if the pieces are equal

	// Materialise tells for each operand whether its rows must be brought into
	// scratch, stride 1, because no kernel walks it as it is: a source is
	// gathered before, a destination (operand 0) is scattered after.
	Materialise [operands]bool
	// Scalar tells of a source that is not materialised that its inner stride is
	// 0 along the whole row; else it is 1.
	Scalar [operands]bool

	pattern [operands]Pattern
	strided bool // a source is
	dims    []Dim
	buf     [9]Dim // 8 dimensions, and one split in two
}

// Pattern of a source (the first is 0) in the inner tile, before short rows
// are joined to longer ones.
func (p *Plan) Pattern(source int) Pattern { return p.pattern[1+source] }

// Rows is the number of rows: the product of the loops.
func (p *Plan) Rows() int {
	if p.Size == 0 {
		return 0
	}
	n := 1
	for i := range p.Loops {
		n *= p.Loops[i].N
	}
	return n
}

// Make plans an operation. The sources must broadcast to the destination's
// shape (see Into), and no two elements of the destination may share memory.
func (p *Plan) Make(t Target, dst Operand, src ...Operand) {
	p.Sources = len(src)
	sorted := p.nest(dst, src)
	p.Split, p.Tail = -1, 0
	if p.Size == 0 {
		p.Inner, p.Loops, p.Cols = nil, nil, 0
		return
	}
	if !sorted {
		p.order()
		p.merge()
	}
	if len(p.dims) == 0 { // one element
		d := Dim{N: 1}
		for i := range d.Stride {
			d.Stride[i] = 1
		}
		p.dims = append(p.dims, d)
	}
	p.classify()
	p.tile(t)
}

// nest aligns the operands right, drops dimensions of size 1, turns round those
// that every operand walks backwards, and joins neighbours that every operand
// walks as one. It tells whether they are in the order of the destination's
// memory.
func (p *Plan) nest(dst Operand, src []Operand) (sorted bool) {
	if p.dims == nil {
		p.dims = p.buf[:0]
	}
	dims := p.dims[:0]
	p.Offset = [operands]int{}
	p.Size = 1
	sorted = true
	for back := 1; back <= len(dst.Shape); back++ {
		i := len(dst.Shape) - back
		n := dst.Shape[i]
		p.Size *= n
		if n <= 1 {
			continue
		}
		dims = slices.Grow(dims, 1)[:len(dims)+1]
		d := &dims[len(dims)-1]
		d.N, d.Stride[0] = n, dst.Strides[i]
		backwards := d.Stride[0] < 0
		for s := range src {
			stride := 0
			if j := len(src[s].Shape) - back; j >= 0 && src[s].Shape[j] != 1 {
				stride = src[s].Strides[j]
			}
			d.Stride[1+s] = stride
			backwards = backwards && stride <= 0
		}
		if backwards {
			for o := range 1 + len(src) {
				p.Offset[o] += (n - 1) * d.Stride[o]
				d.Stride[o] = -d.Stride[o]
			}
		}
		if len(dims) > 1 {
			in := &dims[len(dims)-2]
			if follows(in, d, len(src)) {
				in.N *= n
				dims = dims[:len(dims)-1]
			} else if abs(d.Stride[0]) < abs(in.Stride[0]) {
				sorted = false
			}
		}
	}
	p.dims = dims
	return sorted
}

// order sorts the dimensions by the destination's memory, innermost first.
func (p *Plan) order() {
	d := p.dims
	for i := 1; i < len(d); i++ {
		for j := i; j > 0 && abs(d[j].Stride[0]) < abs(d[j-1].Stride[0]); j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
}

// merge joins what order has made neighbours.
func (p *Plan) merge() {
	d, w := p.dims, 0
	for i := 1; i < len(d); i++ {
		if follows(&d[w], &d[i], p.Sources) {
			d[w].N *= d[i].N
		} else {
			w++
			d[w] = d[i]
		}
	}
	if len(d) > 0 {
		p.dims = d[:w+1]
	}
}

func follows(in, out *Dim, sources int) bool {
	for o := 0; o <= sources; o++ {
		if out.Stride[o] != in.Stride[o]*in.N {
			return false
		}
	}
	return true
}

// classify names each source's pattern in the tile of the two inner dimensions.
func (p *Plan) classify() {
	p.strided = false
	for o := 1; o <= p.Sources; o++ {
		in, out := p.dims[0].Stride[o], 0
		if len(p.dims) > 1 {
			out = p.dims[1].Stride[o]
		}
		switch {
		case in == 0 && out == 0:
			p.pattern[o] = Scalar
		case in == 0:
			p.pattern[o] = Column
		case in != 1:
			p.pattern[o] = Strided
			p.strided = true
		case out == 0 && len(p.dims) > 1:
			p.pattern[o] = Row
		default:
			p.pattern[o] = Contiguous
		}
	}
}

// tile decides what a row is. A row is the innermost dimension, or a piece of
// it, unless that is so short that the time would go into beginning rows: then
// it is as many of the inner dimensions as make a row worth while, and the
// operands that do not walk those with one stride are materialised.
func (p *Plan) tile(t Target) {
	d := p.dims
	transposed := p.turn(t)
	k, per := 0, 1 // the row is dimensions 0…k-1, per elements, times a piece of dimension k
	if !transposed {
		k, per = p.join(t)
	}
	in := p.strides(k)
	piece := p.piece(t, k, per, transposed, &in)
	if piece == 1 && k > 0 {
		in = p.strides(k - 1)
	}
	p.Cols = per * piece
	p.Tail = p.Cols
	n := d[k].N
	if rest := n % piece; rest != 0 {
		p.Tail = per * rest
	}
	if piece < n { // split dimension k
		d = append(d, Dim{})
		copy(d[k+2:], d[k+1:])
		d[k].N = piece
		d[k+1] = d[k]
		d[k+1].N = (n + piece - 1) / piece
		for o := range d[k+1].Stride[:1+p.Sources] {
			d[k+1].Stride[o] *= piece
		}
		p.Split = 0
		if transposed {
			d[k+1], d[k+2] = d[k+2], d[k+1]
			p.Split = 1
		}
	}
	if len(d) == k+1 {
		d = append(d, Dim{N: 1})
	}
	p.dims, p.Inner, p.Loops = d, d[:k+1], d[k+1:]
	for o := 0; o <= p.Sources; o++ {
		p.Materialise[o] = in[o] != 1 && (in[o] != 0 || o == 0)
		p.Scalar[o] = in[o] == 0
	}
}

// strides is inner for all operands.
func (p *Plan) strides(k int) (in [operands]int) {
	for o := 0; o <= p.Sources; o++ {
		in[o] = p.inner(o, k)
	}
	return in
}

// turn looks for a source whose stride is 1 along another dimension than the
// innermost, and makes that dimension the tile's other axis.
func (p *Plan) turn(t Target) bool {
	d := p.dims
	if !p.strided || d[0].N < t.Lanes {
		return false
	}
	for o := 1; o <= p.Sources; o++ {
		if p.pattern[o] != Strided {
			continue
		}
		for j := 1; j < len(d); j++ {
			if d[j].Stride[o] == 1 && d[j].N >= t.Lanes {
				turned := d[j]
				copy(d[2:], d[1:j])
				d[1] = turned
				return true
			}
		}
	}
	return false
}

// join says how many whole dimensions a row has, and their elements.
func (p *Plan) join(t Target) (k, per int) {
	d := p.dims
	per = 1
	short := t.Short
	if len(d) > 1 && d[1].Stride[0] != d[0].N*d[0].Stride[0] {
		short = min(short, t.Lanes) // beginning a row costs less than scattering it
	}
	if d[0].N >= short {
		return 0, 1
	}
	long := 8 * t.Lanes
	for k+1 < len(d) && per*d[k].N < long {
		next := per * d[k].N
		if next >= t.Lanes && next*8 > p.Size && p.repeats(k+1) {
			break // few repetitions: let the rows be those
		}
		if next >= t.Lanes && d[k+1].Stride[0] != d[k].N*d[k].Stride[0] {
			break // as far as the destination goes without gaps
		}
		per *= d[k].N
		k++
	}
	return k, per
}

// repeats tells whether the sources that need materialising up to dimension
// k-1 are the same for every index of dimension k.
func (p *Plan) repeats(k int) bool {
	for o := 1; o <= p.Sources; o++ {
		if in := p.inner(o, k-1); in != 0 && in != 1 && p.dims[k].Stride[o] != 0 {
			return false
		}
	}
	return true
}

// inner is the one stride with which operand o walks dimensions 0…k, or -1 if
// that is none of 0 and 1.
func (p *Plan) inner(o, k int) int {
	want, first := 1, -1
	for i := 0; i <= k; i++ {
		d := &p.dims[i]
		if d.N == 1 {
			continue
		}
		s := d.Stride[o]
		if first < 0 {
			if s != 0 && s != 1 {
				return -1
			}
			first = s
		} else if s != first*want {
			return -1
		}
		want *= d.N
	}
	if first < 0 {
		return 1
	}
	return first
}

// piece says how much of dimension k belongs to a row: never more than scratch
// holds, so that any operand can go through it, and so that a long dimension is
// many rows, between which the work can be cut.
func (p *Plan) piece(t Target, k, per int, transposed bool, in *[operands]int) int {
	n := p.dims[k].N
	limit := t.Block
	made, repeated := 0, true
	for o := 0; o <= p.Sources; o++ {
		if in[o] != 1 && (in[o] != 0 || o == 0) {
			made++
			repeated = repeated && o > 0 && p.dims[k].Stride[o] == 0
		}
	}
	switch {
	case transposed:
		limit = t.Block / t.Line // a line of each column of the source
	case made == 1 && repeated && k > 0 && p.Sources == 2 && t.Held > 0:
		// A short row, repeated: best as whole vectors that stay in registers.
		limit = t.Held * t.Lanes
		if few := n / 4; few > 0 {
			limit = min(limit, per*few)
		}
		for c := limit / per; c > 0; c-- {
			if per*c%t.Lanes == 0 {
				return min(c, n)
			}
		}
	}
	return min(n, max(1, limit/per))
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
