// Package tensor holds N-dimensional arrays and their broadcasting arithmetic.
//
// A [Tensor] is a strided view over a slice. Constructors such as [Zeros] and
// [FromSlice] make one; methods such as [Tensor.Expand], [Tensor.Slice] and
// [Tensor.Transpose] make views of it, which share its slice and cost no more
// than their header; functions such as Add compute with tensors whose shapes
// need only be broadcastable.
//
// Shapes are counted in elements, outermost dimension first, and so are
// strides. An axis may be negative: -1 is the last one. Everything that can
// fail returns an error of one of the package's types, and [Must] unwraps;
// only [Tensor.At] and [Tensor.Set], and their likes for float32, panic, as
// indexing does in Go.
package tensor

import "unsafe"

// Element lists the element types.
type Element interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool | Float16 | BFloat16
}

// Number lists the element types that have arithmetic.
type Number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Float16 | BFloat16
}

// Float lists the floating-point element types.
type Float interface {
	float32 | float64 | Float16 | BFloat16
}

// Tensor is a strided view over a slice. Views share the slice. The zero
// Tensor is an empty one, of shape (0).
//
// Tensors may be read by many goroutines at once.
type Tensor[T Element] struct {
	array
	data   []T // the storage
	offset int // in data, of element [0, …, 0]; means nothing if there are no elements
}

// array is what a Tensor is apart from its element type, and all that an
// operation needs of an operand.
type array struct {
	ptr        unsafe.Pointer // element [0, …, 0], if there is one
	shape      []int          // never nil but in the zero Tensor
	strides    []int          // in elements; 0 for an expanded dimension
	size       int            // number of elements: the product of shape
	width      int            // bytes of an element
	contiguous bool           // row-major without gaps
}

// header4 and header8 are a Tensor together with its shape and strides, so that
// the three are one allocation.
type header4[T Element] struct {
	Tensor[T]
	dims [2 * 4]int
}

type header8[T Element] struct {
	Tensor[T]
	dims [2 * 8]int
}

// newHeader returns a Tensor with shape and strides of the given rank, all
// zero, in one allocation up to rank 8.
func newHeader[T Element](rank int) *Tensor[T] {
	var t *Tensor[T]
	var dims []int
	switch {
	case rank <= 4:
		h := new(header4[T])
		t, dims = &h.Tensor, h.dims[:]
	case rank <= 8:
		h := new(header8[T])
		t, dims = &h.Tensor, h.dims[:]
	default:
		t, dims = new(Tensor[T]), make([]int, 2*rank)
	}
	t.width = int(unsafe.Sizeof(*new(T)))
	t.shape = dims[:rank:rank]
	t.strides = dims[rank : 2*rank : 2*rank]
	return t
}

// view returns a new header for a view of t, of which shape and strides are to
// be filled in and finish to be called.
func (t *Tensor[T]) view(rank int) *Tensor[T] {
	v := newHeader[T](rank)
	v.data, v.offset = t.data, t.offset
	return v
}

// finish sets what follows from shape and strides.
func (t *Tensor[T]) finish() *Tensor[T] {
	t.size = product(t.shape)
	t.contiguous = isContiguous(t.shape, t.strides)
	t.point()
	return t
}

// point sets the address that follows from data, offset and size.
func (t *Tensor[T]) point() {
	if t.size > 0 {
		t.ptr = unsafe.Pointer(&t.data[t.offset])
	}
}

// normal returns t, or what the zero Tensor stands for. It fails for nil:
// operand says which of the arguments of op that is, 0 for a receiver.
func (t *Tensor[T]) normal(op string, operand int) (*Tensor[T], error) {
	if t == nil {
		return nil, &NilError{Op: op, Operand: operand}
	}
	if t.shape == nil {
		t = newHeader[T](1)
		t.strides[0] = 1
		t.contiguous = true
	}
	return t, nil
}

// dims returns shape and strides, also for the nil and the zero Tensor.
func (t *Tensor[T]) dims() (shape, strides []int) {
	if t == nil || t.shape == nil {
		return []int{0}, []int{1}
	}
	return t.shape, t.strides
}

// Shape returns a copy of the size of each dimension, outermost first.
func (t *Tensor[T]) Shape() []int {
	shape, _ := t.dims()
	return clone(shape)
}

// Strides returns a copy of the distance, in elements, from one index to the
// next of each dimension. An expanded dimension has stride 0, a reversed one a
// negative stride. The stride of a dimension of size 1 means nothing.
func (t *Tensor[T]) Strides() []int {
	_, strides := t.dims()
	return clone(strides)
}

// Rank returns the number of dimensions, 0 for a scalar.
func (t *Tensor[T]) Rank() int {
	shape, _ := t.dims()
	return len(shape)
}

// Len returns the number of elements, the product of the shape. The elements
// of an expanded dimension all count.
func (t *Tensor[T]) Len() int {
	if t == nil {
		return 0
	}
	return t.size
}

// IsContiguous reports whether the elements lie in row-major order without
// gaps.
func (t *Tensor[T]) IsContiguous() bool {
	return t == nil || t.shape == nil || t.contiguous
}

// At returns the element at an index of each dimension, counted from 0. It
// panics with an [*IndexError] if there are not as many indices as dimensions
// or one is out of range.
func (t *Tensor[T]) At(index ...int) T {
	return t.data[t.position(index)]
}

// Set writes the element at an index of each dimension, counted from 0. In an
// expanded view that changes every element that shares its place. It panics
// with an [*IndexError] if there are not as many indices as dimensions or one
// is out of range.
func (t *Tensor[T]) Set(value T, index ...int) {
	t.data[t.position(index)] = value
}

func (t *Tensor[T]) position(index []int) int {
	shape, strides := t.dims()
	if len(index) != len(shape) {
		panic(indexError(index, shape))
	}
	p := 0
	for i, at := range index {
		if uint(at) >= uint(shape[i]) {
			panic(indexError(index, shape))
		}
		p += at * strides[i]
	}
	return t.offset + p
}

// indexError copies its arguments, so that the indices of a correct call stay
// on its caller's stack.
func indexError(index, shape []int) *IndexError {
	return &IndexError{Index: clone(index), Shape: clone(shape)}
}

// Raw returns the elements themselves, not a copy, in row-major order, if the
// tensor is contiguous; otherwise nil and false.
func (t *Tensor[T]) Raw() ([]T, bool) {
	switch {
	case !t.IsContiguous():
		return nil, false
	case t.Len() == 0:
		return []T{}, true
	}
	return t.data[t.offset : t.offset+t.size : t.offset+t.size], true
}

// Data returns a copy of the elements in row-major order. It is nil if they
// would not fit in memory, as may be the case for an expanded view.
func (t *Tensor[T]) Data() []T {
	if t.Len() == 0 {
		return []T{}
	}
	c, err := t.clone("Data")
	if err != nil {
		return nil
	}
	return c.data
}

// product returns the number of elements of a shape that is known to be good.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// rowMajor fills strides with those of a new row-major array. A size of 0
// counts as 1, so that no stride is 0.
func rowMajor(strides, shape []int) {
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= max(shape[i], 1)
	}
}

func isContiguous(shape, strides []int) bool {
	step, contiguous := 1, true
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] == 0 {
			return true
		}
		if shape[i] != 1 && strides[i] != step {
			contiguous = false
		}
		step *= shape[i]
	}
	return contiguous
}
