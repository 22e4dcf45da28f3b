package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Begin and End stand for whatever lies first and last in the direction of a
// [Tensor.Slice]: Slice(0, Begin, End, 2) takes every second element and
// Slice(0, End, Begin, -1) all of them backwards.
const (
	Begin = math.MinInt
	End   = math.MaxInt
)

// axisOf returns an axis counted from 0.
func axisOf(op string, axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, &AxisError{Op: op, Axis: axis, Rank: rank}
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// axesOf appends to dst distinct axes, counted from 0.
func axesOf(dst []int, op string, axes []int, rank int) ([]int, error) {
	for _, axis := range axes {
		a, err := axisOf(op, axis, rank)
		if err != nil {
			return nil, err
		}
		if slices.Contains(dst, a) {
			return nil, &AxisError{Op: op, Axis: axis, Rank: rank, Repeated: true}
		}
		dst = append(dst, a)
	}
	return dst, nil
}

// onAxis is normal and axisOf in one.
func (t *Tensor[T]) onAxis(op string, axis int) (*Tensor[T], int, error) {
	t, err := t.normal(op, 0)
	if err != nil {
		return nil, 0, err
	}
	axis, err = axisOf(op, axis, len(t.shape))
	return t, axis, err
}

// alike returns a header for a view of t that starts out as t itself.
func (t *Tensor[T]) alike() *Tensor[T] {
	v := t.view(len(t.shape))
	copy(v.shape, t.shape)
	copy(v.strides, t.strides)
	return v
}

// Expand returns a view of the given shape, in which dimensions of size 1 are
// stretched, with stride 0, and new dimensions may precede the others. A size
// of -1 keeps that of the tensor. However many elements the view has, no memory
// is used for them. It fails with an [*ExpandError] where a size other than 1
// would change, and with a [*ShapeError] if a size is negative or the elements
// are more than an int counts.
func (t *Tensor[T]) Expand(shape ...int) (*Tensor[T], error) {
	return t.expand("Expand", shape)
}

// ExpandAs returns the view that [Tensor.Expand] makes for the shape of other.
// It fails as Expand does, and with a [*NilError] if other is nil.
func (t *Tensor[T]) ExpandAs(other *Tensor[T]) (*Tensor[T], error) {
	other, err := other.normal("ExpandAs", 1)
	if err != nil {
		return nil, err
	}
	return t.expand("ExpandAs", other.shape)
}

// BroadcastTo is [Tensor.Expand] by its NumPy name.
func (t *Tensor[T]) BroadcastTo(shape ...int) (*Tensor[T], error) {
	return t.expand("BroadcastTo", shape)
}

func (t *Tensor[T]) expand(op string, shape []int) (*Tensor[T], error) {
	t, err := t.normal(op, 0)
	if err != nil {
		return nil, err
	}
	added := len(shape) - len(t.shape)
	if added < 0 {
		return nil, &ExpandError{Op: op, From: clone(t.shape), To: clone(shape), Axis: -1}
	}
	v := t.view(len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		want, have, stride := shape[i], 1, 0
		if i >= added {
			have, stride = t.shape[i-added], t.strides[i-added]
		} else if i+1 < len(shape) && len(t.shape) > 0 {
			stride = v.shape[i+1] * v.strides[i+1]
		}
		if want == -1 && i >= added {
			want = have
		}
		if want != have {
			if have != 1 || want == -1 {
				return nil, &ExpandError{Op: op, From: clone(t.shape), To: clone(shape), Axis: i}
			}
			stride = 0
		}
		v.shape[i], v.strides[i] = want, stride
	}
	if _, err := count(op, v.shape); err != nil {
		return nil, err
	}
	return v.finish(), nil
}

// Unsqueeze returns a view with a new dimension of size 1 before the given
// axis; axis -1 puts it last. It fails with an [*AxisError].
func (t *Tensor[T]) Unsqueeze(axis int) (*Tensor[T], error) {
	t, err := t.normal("Unsqueeze", 0)
	if err != nil {
		return nil, err
	}
	axis, err = axisOf("Unsqueeze", axis, len(t.shape)+1)
	if err != nil {
		return nil, err
	}
	v := t.view(len(t.shape) + 1)
	copy(v.shape, t.shape[:axis])
	copy(v.strides, t.strides[:axis])
	copy(v.shape[axis+1:], t.shape[axis:])
	copy(v.strides[axis+1:], t.strides[axis:])
	v.shape[axis], v.strides[axis] = 1, 1
	if axis < len(t.shape) {
		v.strides[axis] = t.shape[axis] * t.strides[axis]
	}
	return v.finish(), nil
}

// Squeeze returns a view without the given dimensions, or without all
// dimensions of size 1 if none are given. It fails with an [*AxisError], or
// with an [*ArgumentError] if the size of a given one is not 1 (as NumPy does;
// PyTorch keeps the dimension).
func (t *Tensor[T]) Squeeze(axes ...int) (*Tensor[T], error) {
	t, err := t.normal("Squeeze", 0)
	if err != nil {
		return nil, err
	}
	var stack [8]int
	drop, err := axesOf(stack[:0], "Squeeze", axes, len(t.shape))
	if err != nil {
		return nil, err
	}
	for _, axis := range drop {
		if n := t.shape[axis]; n != 1 {
			return nil, &ArgumentError{Op: "Squeeze", Name: fmt.Sprintf("the size of axis %d", axis), Got: n, Want: "1"}
		}
	}
	if len(axes) == 0 {
		for axis, n := range t.shape {
			if n == 1 {
				drop = append(drop, axis)
			}
		}
	}
	v := t.view(len(t.shape) - len(drop))
	to := 0
	for axis, n := range t.shape {
		if !slices.Contains(drop, axis) {
			v.shape[to], v.strides[to] = n, t.strides[axis]
			to++
		}
	}
	return v.finish(), nil
}

// Transpose returns a view whose dimension i is dimension axes[i] of t. Without
// axes their order is reversed: a matrix is transposed. It fails with an
// [*AxisError], or with an [*ArgumentError] if only some of the axes are given.
func (t *Tensor[T]) Transpose(axes ...int) (*Tensor[T], error) {
	t, err := t.normal("Transpose", 0)
	if err != nil {
		return nil, err
	}
	rank := len(t.shape)
	var stack [8]int
	order := stack[:0]
	if len(axes) == 0 {
		for i := rank - 1; i >= 0; i-- {
			order = append(order, i)
		}
	} else if order, err = axesOf(order, "Transpose", axes, rank); err != nil {
		return nil, err
	}
	if len(order) != rank {
		return nil, &ArgumentError{Op: "Transpose", Name: "the number of axes", Got: len(axes),
			Want: fmt.Sprintf("%d or none for shape %s", rank, formatShape(t.shape))}
	}
	return t.permute(order), nil
}

func (t *Tensor[T]) permute(order []int) *Tensor[T] {
	v := t.view(len(order))
	for i, axis := range order {
		v.shape[i], v.strides[i] = t.shape[axis], t.strides[axis]
	}
	return v.finish()
}

// SwapAxes returns a view with two dimensions exchanged. It fails with an
// [*AxisError].
func (t *Tensor[T]) SwapAxes(axis1, axis2 int) (*Tensor[T], error) {
	t, axis1, err := t.onAxis("SwapAxes", axis1)
	if err != nil {
		return nil, err
	}
	axis2, err = axisOf("SwapAxes", axis2, len(t.shape))
	if err != nil {
		return nil, err
	}
	v := t.alike()
	v.shape[axis1], v.shape[axis2] = v.shape[axis2], v.shape[axis1]
	v.strides[axis1], v.strides[axis2] = v.strides[axis2], v.strides[axis1]
	return v.finish(), nil
}

// MoveAxis returns a view in which dimension from has become dimension to and
// the others keep their order. It fails with an [*AxisError].
func (t *Tensor[T]) MoveAxis(from, to int) (*Tensor[T], error) {
	t, from, err := t.onAxis("MoveAxis", from)
	if err != nil {
		return nil, err
	}
	to, err = axisOf("MoveAxis", to, len(t.shape))
	if err != nil {
		return nil, err
	}
	v := t.alike()
	move(v.shape, from, to)
	move(v.strides, from, to)
	return v.finish(), nil
}

func move(s []int, from, to int) {
	x := s[from]
	copy(s[from:], s[from+1:])
	copy(s[to+1:], s[to:len(s)-1])
	s[to] = x
}

// Slice returns a view of the indices start, start+step, … up to but without
// stop of one dimension, as x[start:stop:step] does in Python: a negative bound
// counts from the end, a bound outside the dimension is moved to its end, and a
// negative step walks backwards. [Begin] and [End] leave a bound out. It fails
// with an [*AxisError], or with an [*ArgumentError] if step is 0.
func (t *Tensor[T]) Slice(axis, start, stop, step int) (*Tensor[T], error) {
	t, axis, err := t.onAxis("Slice", axis)
	if err != nil {
		return nil, err
	}
	if step == 0 {
		return nil, &ArgumentError{Op: "Slice", Name: "step", Got: 0, Want: "another number"}
	}
	n := t.shape[axis]
	start, stop = clampBound(start, n, step), clampBound(stop, n, step)
	v := t.alike()
	v.shape[axis] = 0
	if step > 0 && start < stop {
		v.shape[axis] = (stop-start-1)/step + 1
	} else if step < 0 && start > stop {
		v.shape[axis] = int(uint(start-stop-1)/-uint(step)) + 1
	}
	if n > 0 {
		v.offset += start * t.strides[axis]
	}
	v.strides[axis] *= step
	return v.finish(), nil
}

// clampBound returns a bound of a slice of n elements counted from 0: 0 to n
// upwards, n-1 down to -1 downwards.
func clampBound(bound, n, step int) int {
	if bound < 0 {
		bound += n
	}
	if step < 0 {
		return min(max(bound, -1), n-1)
	}
	return min(max(bound, 0), n)
}

// Narrow returns a view of length indices of one dimension from start on,
// which may count from the end. It fails with an [*AxisError], or with an
// [*ArgumentError] if these are not all there.
func (t *Tensor[T]) Narrow(axis, start, length int) (*Tensor[T], error) {
	t, axis, err := t.onAxis("Narrow", axis)
	if err != nil {
		return nil, err
	}
	n := t.shape[axis]
	if start < -n || start > n {
		return nil, outside("Narrow", "start", start, -n, n)
	}
	if start < 0 {
		start += n
	}
	if length < 0 || length > n-start {
		return nil, outside("Narrow", "length", length, 0, n-start)
	}
	return t.narrow(axis, start, length), nil
}

func (t *Tensor[T]) narrow(axis, start, length int) *Tensor[T] {
	v := t.alike()
	v.shape[axis] = length
	v.offset += start * t.strides[axis]
	return v.finish()
}

// Select returns a view without one dimension, at an index of it, which may
// count from the end: the row of a matrix. It fails with an [*AxisError], or
// with an [*ArgumentError] if the index is out of range.
func (t *Tensor[T]) Select(axis, index int) (*Tensor[T], error) {
	t, axis, err := t.onAxis("Select", axis)
	if err != nil {
		return nil, err
	}
	n := t.shape[axis]
	if index < -n || index >= n {
		return nil, outside("Select", "index", index, -n, n-1)
	}
	if index < 0 {
		index += n
	}
	return t.pick(axis, index), nil
}

func (t *Tensor[T]) pick(axis, index int) *Tensor[T] {
	v := t.view(len(t.shape) - 1)
	copy(v.shape, t.shape[:axis])
	copy(v.shape[axis:], t.shape[axis+1:])
	copy(v.strides, t.strides[:axis])
	copy(v.strides[axis:], t.strides[axis+1:])
	v.offset += index * t.strides[axis]
	return v.finish()
}

// Flip returns a view in which the given dimensions run backwards, or all of
// them if none are given. It fails with an [*AxisError].
func (t *Tensor[T]) Flip(axes ...int) (*Tensor[T], error) {
	t, err := t.normal("Flip", 0)
	if err != nil {
		return nil, err
	}
	var stack [8]int
	turn, err := axesOf(stack[:0], "Flip", axes, len(t.shape))
	if err != nil {
		return nil, err
	}
	v := t.alike()
	for axis, n := range t.shape {
		if len(axes) == 0 || slices.Contains(turn, axis) {
			v.offset += max(n-1, 0) * t.strides[axis]
			v.strides[axis] = -t.strides[axis]
		}
	}
	return v.finish(), nil
}

// Diagonal returns a view of the elements whose indices in two dimensions
// differ by offset (index in axis2 minus index in axis1). These dimensions go,
// and the diagonal is the last one. It fails with an [*AxisError].
func (t *Tensor[T]) Diagonal(offset, axis1, axis2 int) (*Tensor[T], error) {
	t, err := t.normal("Diagonal", 0)
	if err != nil {
		return nil, err
	}
	var stack [2]int
	axes, err := axesOf(stack[:0], "Diagonal", []int{axis1, axis2}, len(t.shape))
	if err != nil {
		return nil, err
	}
	a, b := axes[0], axes[1]
	rows, cols := t.shape[a], t.shape[b]
	v := t.view(len(t.shape) - 1)
	to := 0
	for axis, n := range t.shape {
		if axis != a && axis != b {
			v.shape[to], v.strides[to] = n, t.strides[axis]
			to++
		}
	}
	v.strides[to] = t.strides[a] + t.strides[b]
	if offset >= 0 {
		v.shape[to] = max(min(rows, cols-offset), 0)
	} else {
		v.shape[to] = max(min(rows+offset, cols), 0)
	}
	if v.shape[to] > 0 {
		v.offset += max(offset, 0)*t.strides[b] - min(offset, 0)*t.strides[a]
	}
	return v.finish(), nil
}

// Unfold returns a view of all windows of size elements along one dimension,
// each step further than the one before: that dimension then counts windows,
// and a new last one the elements of a window. Windows may overlap. It fails
// with an [*AxisError], or with an [*ArgumentError] if the dimension is
// shorter than a window or step is less than 1.
func (t *Tensor[T]) Unfold(axis, size, step int) (*Tensor[T], error) {
	t, axis, err := t.onAxis("Unfold", axis)
	if err != nil {
		return nil, err
	}
	n := t.shape[axis]
	if size < 0 || size > n {
		return nil, outside("Unfold", "size", size, 0, n)
	}
	if step < 1 {
		return nil, &ArgumentError{Op: "Unfold", Name: "step", Got: step, Want: "1 or more"}
	}
	last := len(t.shape)
	v := t.view(last + 1)
	copy(v.shape, t.shape)
	copy(v.strides, t.strides)
	v.shape[axis] = (n-size)/step + 1
	v.strides[axis] *= step
	v.shape[last], v.strides[last] = size, t.strides[axis]
	if _, err := count("Unfold", v.shape); err != nil {
		return nil, err
	}
	return v.finish(), nil
}

// outside reports an argument that is not from least to most.
func outside(op, name string, got, least, most int) error {
	want := fmt.Sprintf("%d to %d", least, most)
	switch {
	case least == most:
		want = fmt.Sprint(most)
	case least > most:
		want = "none, as there are no elements"
	}
	return &ArgumentError{Op: op, Name: name, Got: got, Want: want}
}

// Flatten returns a tensor in which the dimensions from start to end, both
// included, are one. It is a view where strides allow, else a copy, and of rank
// 1 for a scalar. It fails with an [*AxisError], or with an [*ArgumentError]
// if end lies before start.
func (t *Tensor[T]) Flatten(start, end int) (*Tensor[T], error) {
	t, err := t.normal("Flatten", 0)
	if err != nil {
		return nil, err
	}
	rank := max(len(t.shape), 1) // a scalar flattens as its only element
	if start, err = axisOf("Flatten", start, rank); err != nil {
		return nil, err
	}
	if end, err = axisOf("Flatten", end, rank); err != nil {
		return nil, err
	}
	if end < start {
		return nil, outside("Flatten", "end", end, start, rank-1)
	}
	if start == end && len(t.shape) > 0 {
		return t, nil
	}
	end = min(end+1, len(t.shape))
	shape := make([]int, 0, 8)
	shape = append(shape, t.shape[:start]...)
	shape = append(shape, product(t.shape[start:end]))
	shape = append(shape, t.shape[end:]...)
	return t.reshape("Flatten", shape)
}

// Reshape returns a tensor of the same elements, in row-major order, in another
// shape. One size may be -1: it follows from the others. The result is a view
// exactly where strides can express one, else a copy. It fails with a
// [*LengthError] if the shape has not as many elements as t, and with a
// [*ShapeError] if a size is negative, more than one is -1, what is -1 is
// ambiguous since there are no elements, or there are more of them than an int
// can count.
func (t *Tensor[T]) Reshape(shape ...int) (*Tensor[T], error) {
	t, err := t.normal("Reshape", 0)
	if err != nil {
		return nil, err
	}
	return t.reshape("Reshape", shape)
}

// View is [Tensor.Reshape] without the copy: where that is needed it fails with
// a [*ViewError].
func (t *Tensor[T]) View(shape ...int) (*Tensor[T], error) {
	t, err := t.normal("View", 0)
	if err != nil {
		return nil, err
	}
	v, err := t.reshaped("View", shape)
	if v == nil && err == nil {
		err = &ViewError{Shape: clone(t.shape), Strides: clone(t.strides), To: clone(shape)}
	}
	return v, err
}

func (t *Tensor[T]) reshape(op string, shape []int) (*Tensor[T], error) {
	v, err := t.reshaped(op, shape)
	if v != nil || err != nil {
		return v, err
	}
	if t, err = t.clone(op); err != nil {
		return nil, err
	}
	return t.reshaped(op, shape)
}

// reshaped returns a view of another shape, or nil if there is none.
func (t *Tensor[T]) reshaped(op string, shape []int) (*Tensor[T], error) {
	v := t.view(len(shape))
	if err := infer(op, v.shape, shape, t.size); err != nil {
		return nil, err
	}
	switch {
	case t.size > 0:
		if !viewStrides(v.strides, v.shape, t.strides, t.shape) {
			return nil, nil
		}
	case slices.Equal(v.shape, t.shape):
		copy(v.strides, t.strides)
	default:
		rowMajor(v.strides, v.shape)
	}
	return v.finish(), nil
}

// infer copies a shape to dst, with the size that is given as -1 put in, and
// checks that it has size elements.
func infer(op string, dst, shape []int, size int) error {
	copy(dst, shape)
	free := slices.Index(shape, -1)
	if free >= 0 {
		if slices.Contains(shape[free+1:], -1) {
			return &ShapeError{Op: op, Shape: clone(shape), Reason: "only one dimension can be inferred"}
		}
		dst[free] = 1
	}
	n, err := count(op, dst)
	switch {
	case err != nil:
		if refused, ok := errors.AsType[*ShapeError](err); ok {
			refused.Shape = clone(shape) // as given
		}
		return err
	case free >= 0 && n == 0 && size == 0:
		return &ShapeError{Op: op, Shape: clone(shape), Reason: "the size -1 can be any value and is ambiguous, as there are no elements"}
	case free >= 0 && n > 0 && size%n == 0:
		dst[free] = size / n
	case n != size:
		return &LengthError{Op: op, Len: size, Shape: clone(shape)}
	}
	return nil
}

// viewStrides fills strides so that a view of the given shape walks the
// elements of an array (of equally many, at least one) in row-major order, and
// reports whether such strides exist. It goes from the innermost dimension
// outwards and takes together, as a piece, those dimensions of the array that
// are walked with one stride. The dimensions of the view must then divide each
// piece among them.
func viewStrides(strides, shape, ofStrides, ofShape []int) bool {
	d := len(shape) - 1 // dimensions of the view still to be placed
	piece, step := 1, 1 // elements, and the stride of the innermost dimension
	if len(ofShape) > 0 {
		step = ofStrides[len(ofStrides)-1]
	}
	for i := len(ofShape) - 1; i >= 0; i-- {
		piece *= ofShape[i]
		if i > 0 && (ofShape[i-1] == 1 || ofStrides[i-1] == piece*step) {
			continue
		}
		placed := 1
		for ; d >= 0 && (placed < piece || shape[d] == 1); d-- {
			strides[d] = placed * step
			placed *= shape[d]
		}
		if placed != piece {
			return false
		}
		if i > 0 {
			piece, step = 1, ofStrides[i-1]
		}
	}
	for ; d >= 0; d-- { // sizes of 1, all of the view of a scalar
		strides[d] = 1
	}
	return true
}

// Contiguous returns t itself if it is contiguous, else a row-major copy. It
// fails with a [*ShapeError] if the elements of an expanded view do not fit in
// memory.
func (t *Tensor[T]) Contiguous() (*Tensor[T], error) {
	t, err := t.normal("Contiguous", 0)
	if err != nil || t.contiguous {
		return t, err
	}
	return t.clone("Contiguous")
}

// Clone returns a row-major copy that shares nothing with t. It fails with a
// [*ShapeError] if the elements of an expanded view do not fit in memory.
func (t *Tensor[T]) Clone() (*Tensor[T], error) {
	t, err := t.normal("Clone", 0)
	if err != nil {
		return nil, err
	}
	return t.clone("Clone")
}

func (t *Tensor[T]) clone(op string) (*Tensor[T], error) {
	c, err := zeros[T](op, t.shape)
	if err != nil {
		return nil, err
	}
	copyTo(c, t)
	return c, nil
}
