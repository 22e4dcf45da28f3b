package tensor

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/lanecast/lanecast/broadcast"
)

// BroadcastTensors returns the tensors as views expanded to the shape that
// theirs broadcast to. It fails with a [*broadcast.MismatchError] if they do
// not.
func BroadcastTensors[T Element](ts ...*Tensor[T]) ([]*Tensor[T], error) {
	if len(ts) == 0 {
		return nil, nil
	}
	ts, err := operands("BroadcastTensors", ts)
	if err != nil {
		return nil, err
	}
	shapes := make([][]int, len(ts))
	for i, t := range ts {
		shapes[i] = t.shape
	}
	shape, err := broadcast.Shape(shapes...)
	if err != nil {
		return nil, fmt.Errorf("tensor: BroadcastTensors: %w", err)
	}
	views := make([]*Tensor[T], len(ts))
	for i, t := range ts {
		if views[i], err = t.expand("BroadcastTensors", shape); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// Split returns views of consecutive pieces of one dimension. Of one size,
// every piece is that long but the last, which may be shorter; several sizes
// are those of the pieces and add up to the whole dimension. It fails with an
// [*AxisError], or with an [*ArgumentError] if a size is negative, the only one
// is 0 though the dimension is not, or several do not add up.
func (t *Tensor[T]) Split(axis int, sizes ...int) ([]*Tensor[T], error) {
	t, axis, err := t.onAxis("Split", axis)
	if err != nil {
		return nil, err
	}
	n := t.shape[axis]
	switch {
	case len(sizes) == 0:
		return nil, &ArgumentError{Op: "Split", Name: "the number of sizes", Got: 0, Want: "1 or more"}
	case len(sizes) == 1 && sizes[0] >= 0 && n == 0:
		return []*Tensor[T]{t}, nil
	case len(sizes) == 1:
		size := sizes[0]
		if size < 1 {
			return nil, &ArgumentError{Op: "Split", Name: "size", Got: size, Want: "1 or more"}
		}
		count := (n-1)/size + 1
		if !roomFor(count, int(unsafe.Sizeof(header4[T]{}))) {
			return nil, &ShapeError{Op: "Split", Shape: clone(t.shape), Reason: fmt.Sprintf("%d pieces are larger than memory", count)}
		}
		pieces := make([]*Tensor[T], count)
		for i := range pieces {
			pieces[i] = t.narrow(axis, i*size, min(size, n-i*size))
		}
		return pieces, nil
	}
	pieces, at := make([]*Tensor[T], len(sizes)), 0
	for i, size := range sizes {
		if size < 0 || size > n-at || i == len(sizes)-1 && size != n-at {
			want := fmt.Sprintf("sizes of 0 or more that add up to %d", n)
			return nil, &ArgumentError{Op: "Split", Name: fmt.Sprintf("size %d of %s", i, formatShape(sizes)), Got: size, Want: want}
		}
		pieces[i] = t.narrow(axis, at, size)
		at += size
	}
	return pieces, nil
}

// Concat returns a new row-major tensor of all given ones, one after the other
// along an axis. Their shapes may differ in that dimension only, else it fails
// with a [*JoinError]. It also fails with an [*AxisError], with an
// [*ArgumentError] if there are no tensors, and with a [*ShapeError] if the
// result does not fit in memory.
func Concat[T Element](axis int, ts ...*Tensor[T]) (*Tensor[T], error) {
	ts, err := operands("Concat", ts)
	if err != nil {
		return nil, err
	}
	first := ts[0].shape
	if axis, err = axisOf("Concat", axis, len(first)); err != nil {
		return nil, err
	}
	shape := clone(first)
	for i, t := range ts[1:] {
		same := len(t.shape) == len(first) &&
			slices.Equal(t.shape[:axis], first[:axis]) && slices.Equal(t.shape[axis+1:], first[axis+1:])
		if !same {
			return nil, &JoinError{Op: "Concat", Operand: i + 1, Shape: clone(t.shape), First: clone(first), Axis: axis}
		}
		if shape[axis] > math.MaxInt-t.shape[axis] {
			return nil, &ShapeError{Op: "Concat", Shape: shape, Reason: "more elements than an int counts"}
		}
		shape[axis] += t.shape[axis]
	}
	joined, err := zeros[T]("Concat", shape)
	if err != nil {
		return nil, err
	}
	at := 0
	for _, t := range ts {
		n := t.shape[axis]
		copyTo(joined.narrow(axis, at, n), t)
		at += n
	}
	return joined, nil
}

// Stack returns a new row-major tensor of all given ones, which have the same
// shape, along a new dimension before the given axis; axis -1 puts it last. It
// fails as [Concat] does.
func Stack[T Element](axis int, ts ...*Tensor[T]) (*Tensor[T], error) {
	ts, err := operands("Stack", ts)
	if err != nil {
		return nil, err
	}
	first := ts[0].shape
	if axis, err = axisOf("Stack", axis, len(first)+1); err != nil {
		return nil, err
	}
	for i, t := range ts {
		if !slices.Equal(t.shape, first) {
			return nil, &JoinError{Op: "Stack", Operand: i, Shape: clone(t.shape), First: clone(first), Axis: -1}
		}
	}
	stacked, err := zeros[T]("Stack", slices.Insert(clone(first), axis, len(ts)))
	if err != nil {
		return nil, err
	}
	for i, t := range ts {
		copyTo(stacked.pick(axis, i), t)
	}
	return stacked, nil
}

// operands returns tensors of which none is nil or the zero Tensor.
func operands[T Element](op string, ts []*Tensor[T]) ([]*Tensor[T], error) {
	if len(ts) == 0 {
		return nil, &ArgumentError{Op: op, Name: "the number of tensors", Got: 0, Want: "1 or more"}
	}
	normal := make([]*Tensor[T], len(ts))
	for i, t := range ts {
		var err error
		if normal[i], err = t.normal(op, i); err != nil {
			return nil, err
		}
	}
	return normal, nil
}
