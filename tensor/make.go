package tensor

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
)

// Zeros returns a new tensor of zeros, or of false. It fails with a
// [*ShapeError] if a size is negative or the elements do not fit in memory.
func Zeros[T Element](shape ...int) (*Tensor[T], error) {
	return zeros[T]("Zeros", shape)
}

func zeros[T Element](op string, shape []int) (*Tensor[T], error) {
	n, err := count(op, shape)
	if err != nil {
		return nil, err
	}
	if !fits[T](n) {
		return nil, &ShapeError{Op: op, Shape: clone(shape), Reason: "larger than memory"}
	}
	return fromSlice(make([]T, n), shape), nil
}

// fromSlice gives data a row-major shape that is known to be good.
func fromSlice[T Element](data []T, shape []int) *Tensor[T] {
	t := newHeader[T](len(shape))
	t.data, t.size, t.contiguous = data, len(data), true
	t.point()
	copy(t.shape, shape)
	rowMajor(t.strides, shape)
	return t
}

// Full returns a new tensor with all elements equal to value. It fails as
// [Zeros] does.
func Full[T Element](value T, shape ...int) (*Tensor[T], error) {
	t, err := zeros[T]("Full", shape)
	if err != nil {
		return nil, err
	}
	return t, FillTo(t, value)
}

// FromSlice returns a tensor of the elements of data in row-major order, which
// it shares. It fails with a [*LengthError] if data is not exactly as long as
// the shape has elements, and with a [*ShapeError] if a size is negative.
func FromSlice[T Element](data []T, shape ...int) (*Tensor[T], error) {
	n, err := count("FromSlice", shape)
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, &LengthError{Op: "FromSlice", Len: len(data), Shape: clone(shape)}
	}
	return fromSlice(data, shape), nil
}

// FromStrided returns a tensor over data, which it shares: element [i, j, …]
// is data[offset + i*strides[0] + j*strides[1] + …]. An image with padded
// lines is FromStrided(pix, []int{height, width, 4}, []int{lineLength, 4, 1},
// 0). Strides may be zero or negative. It fails with a [*BoundsError] if an
// element would lie outside data, with an [*ArgumentError] if there are not
// as many strides as sizes, and with a [*ShapeError] if a size is negative.
func FromStrided[T Element](data []T, shape, strides []int, offset int) (*Tensor[T], error) {
	n, err := count("FromStrided", shape)
	if err != nil {
		return nil, err
	}
	if len(strides) != len(shape) {
		return nil, &ArgumentError{Op: "FromStrided", Name: "the number of strides", Got: len(strides),
			Want: fmt.Sprintf("%d, one for each dimension of shape %s", len(shape), formatShape(shape))}
	}
	if !inside(len(data), n, shape, strides, offset) {
		return nil, &BoundsError{Op: "FromStrided", Shape: clone(shape), Strides: clone(strides), Offset: offset, Len: len(data)}
	}
	t := newHeader[T](len(shape))
	t.data, t.offset = data, offset
	copy(t.shape, shape)
	copy(t.strides, strides)
	return t.finish(), nil
}

// inside reports whether all elements of a layout, size of them, lie in a
// slice of the given length. Without elements the offset must do so, or be its
// end.
func inside(length, size int, shape, strides []int, offset int) bool {
	if offset < 0 || offset > length || size > 0 && offset == length {
		return false
	}
	if size == 0 {
		return true
	}
	before, after := uint(offset), uint(length-1-offset) // room on either side
	for i, n := range shape {
		room, stride := &after, uint(strides[i])
		if strides[i] < 0 {
			room, stride = &before, -stride
		}
		high, reach := bits.Mul(uint(n-1), stride)
		if high != 0 || reach > *room {
			return false
		}
		*room -= reach
	}
	return true
}

// count returns the number of elements of a shape, if it is one.
func count(op string, shape []int) (int, error) {
	n, err := broadcast.Len(shape)
	if err == nil {
		return n, nil
	}
	reason := "more elements than an int counts"
	if bad, ok := errors.AsType[*broadcast.ShapeError](err); ok && bad.Dim >= 0 {
		reason = fmt.Sprintf("size %d of dimension %d is negative", shape[bad.Dim], bad.Dim)
	}
	return 0, &ShapeError{Op: op, Shape: clone(shape), Reason: reason}
}

// Scalar returns a tensor of rank 0 that holds value.
func Scalar[T Element](value T) *Tensor[T] {
	return fromSlice([]T{value}, nil)
}

// Must returns its first argument, and panics with err if that is not nil.
func Must[V any](value V, err error) V {
	if err != nil {
		panic(err)
	}
	return value
}

// Arange returns start, start+step, start+2*step, … up to but without stop, a
// tensor of rank 1. It is empty if stop does not lie in the direction of step.
// Floating-point elements are start + i*step, computed in float64 with the
// product rounded, and then rounded to T. It fails with an [*ArgumentError] if
// step is 0 or an argument is NaN or infinite, and with a [*ShapeError] if the
// elements do not fit in memory.
func Arange[T Number](start, stop, step T) (*Tensor[T], error) {
	if err := finite("Arange", []string{"start", "stop", "step"}, start, stop, step); err != nil {
		return nil, err
	}
	if toFloat64(step) == 0 {
		return nil, &ArgumentError{Op: "Arange", Name: "step", Got: step, Want: "another number"}
	}
	t, err := zeros[T]("Arange", []int{steps(start, stop, step)})
	if err != nil {
		return nil, err
	}
	if isFloat[T]() {
		for i := range t.data {
			t.data[i] = fromFloat64[T](toFloat64(start) + float64(float64(i)*toFloat64(step)))
		}
		return t, nil
	}
	for i := range t.data {
		t.data[i] = start + T(i)*step
	}
	return t, nil
}

// steps returns how many steps lead from start to stop, counting a last one
// that goes beyond it, or more than fit in memory.
func steps[T Number](start, stop, step T) int {
	if isFloat[T]() {
		from, to, by := toFloat64(start), toFloat64(stop), toFloat64(step)
		n := math.Ceil((to - from) / by)
		if math.IsInf(to-from, 0) {
			n = math.Ceil(float64(to/by) - float64(from/by))
		}
		return int(min(max(n, 0), maxBytes))
	}
	from, to, by := uint64(start), uint64(stop), uint64(step)
	if step < 0 {
		start, stop = stop, start
		from, to, by = to, from, -by
	}
	if start >= stop {
		return 0
	}
	return int(min((to-from-1)/by, maxBytes)) + 1
}

// Linspace returns n evenly spaced numbers from start to stop, both included,
// a tensor of rank 1; of one number, that is start. They are computed in
// float64 as start + i*((stop-start)/(n-1)), with the product rounded, and then
// rounded to T. It fails with an [*ArgumentError] if an argument is NaN or
// infinite, and with a [*ShapeError] if n is negative or the elements do not
// fit in memory.
func Linspace[T Float](start, stop T, n int) (*Tensor[T], error) {
	if err := finite("Linspace", []string{"start", "stop"}, start, stop); err != nil {
		return nil, err
	}
	t, err := zeros[T]("Linspace", []int{n})
	if err != nil {
		return nil, err
	}
	first, last, pieces := toFloat64(start), toFloat64(stop), float64(max(n-1, 1))
	step := (last - first) / pieces
	if math.IsInf(step, 0) { // the difference is too large
		step = last/pieces - first/pieces
	}
	for i := range t.data {
		t.data[i] = fromFloat64[T](first + float64(float64(i)*step))
	}
	if n > 1 {
		t.data[n-1] = stop
	}
	return t, nil
}

// isFloat tells the two kinds of numbers apart.
func isFloat[T Number]() bool {
	switch typeOf[T]() {
	case dispatch.Float32, dispatch.Float64, dispatch.Float16, dispatch.BFloat16:
		return true
	}
	return false
}

// finite fails if a value is NaN or infinite.
func finite[T Number](op string, names []string, values ...T) error {
	for i, v := range values {
		if f := toFloat64(v); f-f != 0 {
			return &ArgumentError{Op: op, Name: names[i], Got: v, Want: "a finite number"}
		}
	}
	return nil
}
