package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
)

// Every way to go wrong, with the error that tells what was given and what was
// expected.
func TestErrors(t *testing.T) {
	x := sequence(t, 2, 3)
	bytes := make([]uint8, 6)
	nan := math.NaN()
	only := func(_ any, err error) error { return err }
	for _, c := range []struct {
		got  error
		want error
		text string
	}{
		{only(Zeros[int8](2, -3)), &ShapeError{"Zeros", []int{2, -3}, "size -3 of dimension 1 is negative"},
			"tensor: Zeros: shape (2,-3): size -3 of dimension 1 is negative"},
		{only(Full(1., math.MaxInt, math.MaxInt, -1)), &ShapeError{"Full", []int{math.MaxInt, math.MaxInt, -1}, "more elements than an int counts"}, ""},
		{only(Zeros[int64](maxBytes)), &ShapeError{"Zeros", []int{maxBytes}, "larger than memory"}, ""},
		{only(FromSlice(bytes, 2, 4)), &LengthError{"FromSlice", 6, []int{2, 4}},
			"tensor: FromSlice: 6 elements given: expected 8 for shape (2,4)"},
		{only(FromSlice(bytes, 5)), &LengthError{"FromSlice", 6, []int{5}}, ""},
		{only(FromSlice(bytes)), &LengthError{"FromSlice", 6, []int{}}, ""},
		{only(FromSlice(bytes, -6)), &ShapeError{"FromSlice", []int{-6}, "size -6 of dimension 0 is negative"}, ""},
		{only(FromStrided(bytes, []int{2, 3}, []int{4, 1}, 0)), &BoundsError{"FromStrided", []int{2, 3}, []int{4, 1}, 0, 6},
			"tensor: FromStrided: shape (2,3) with strides (4,1) from offset 0 reaches outside a slice of length 6"},
		{only(FromStrided(bytes, []int{2, 3}, []int{3}, 0)), &ArgumentError{"FromStrided", "the number of strides", 1, "2, one for each dimension of shape (2,3)"},
			"tensor: FromStrided: the number of strides is 1: expected 2, one for each dimension of shape (2,3)"},
		{only(FromStrided(bytes, []int{-2}, []int{3}, 0)), &ShapeError{"FromStrided", []int{-2}, "size -2 of dimension 0 is negative"}, ""},
		{only(Arange[float64](0, 1, 0)), &ArgumentError{"Arange", "step", 0., "another number"}, ""},
		{only(Arange[int32](0, 1, 0)), &ArgumentError{"Arange", "step", int32(0), "another number"},
			"tensor: Arange: step is 0: expected another number"},
		{only(Arange(0, math.Inf(1), 1)), &ArgumentError{"Arange", "stop", math.Inf(1), "a finite number"}, ""},
		{only(Linspace(0, 1., -1)), &ShapeError{"Linspace", []int{-1}, "size -1 of dimension 0 is negative"}, ""},
		{only(Linspace(math.Inf(-1), 1, 3)), &ArgumentError{"Linspace", "start", math.Inf(-1), "a finite number"}, ""},

		{only(x.Expand(4, 3)), &ExpandError{"Expand", []int{2, 3}, []int{4, 3}, 0},
			"tensor: Expand: the expanded size (4) must match the existing size (2) at non-singleton dimension 0: target sizes (4,3), tensor sizes (2,3)"},
		{only(x.Expand(5, 4, 4)), &ExpandError{"Expand", []int{2, 3}, []int{5, 4, 4}, 2}, ""},
		{only(x.Expand(3)), &ExpandError{"Expand", []int{2, 3}, []int{3}, -1},
			"tensor: Expand: the number of sizes (1) must be greater or equal to the number of dimensions (2): target sizes (3,), tensor sizes (2,3)"},
		{only(x.Expand(-1, 2, 3)), &ExpandError{"Expand", []int{2, 3}, []int{-1, 2, 3}, 0},
			"tensor: Expand: the expanded size (-1) isn't allowed in the leading, non-existing dimension 0: target sizes (-1,2,3), tensor sizes (2,3)"},
		{only(x.Expand(-2, 2, 3)), &ShapeError{"Expand", []int{-2, 2, 3}, "size -2 of dimension 0 is negative"}, ""},
		{only(x.BroadcastTo(0, 3)), &ExpandError{"BroadcastTo", []int{2, 3}, []int{0, 3}, 0}, ""},
		{only(x.ExpandAs(sequence(t, 3, 2))), &ExpandError{"ExpandAs", []int{2, 3}, []int{3, 2}, 1}, ""},

		{only(x.Unsqueeze(3)), &AxisError{"Unsqueeze", 3, 3, false}, "tensor: Unsqueeze: axis 3 is out of range: expected -3 to 2"},
		{only(x.Unsqueeze(-4)), &AxisError{"Unsqueeze", -4, 3, false}, ""},
		{only(x.Squeeze(2)), &AxisError{"Squeeze", 2, 2, false}, ""},
		{only(x.Squeeze(0)), &ArgumentError{"Squeeze", "the size of axis 0", 2, "1"}, ""},
		{only(sequence(t, 1, 1).Squeeze(1, -1)), &AxisError{"Squeeze", -1, 2, true}, "tensor: Squeeze: axis -1 is repeated"},
		{only(x.Transpose(0, 0)), &AxisError{"Transpose", 0, 2, true}, ""},
		{only(x.Transpose(0, 2)), &AxisError{"Transpose", 2, 2, false}, ""},
		{only(x.Transpose(1)), &ArgumentError{"Transpose", "the number of axes", 1, "2 or none for shape (2,3)"}, ""},
		{only(x.SwapAxes(2, 0)), &AxisError{"SwapAxes", 2, 2, false}, ""},
		{only(x.SwapAxes(0, -3)), &AxisError{"SwapAxes", -3, 2, false}, ""},
		{only(x.MoveAxis(-3, 0)), &AxisError{"MoveAxis", -3, 2, false}, ""},
		{only(x.MoveAxis(0, 2)), &AxisError{"MoveAxis", 2, 2, false}, ""},
		{only(x.Slice(2, 0, 1, 1)), &AxisError{"Slice", 2, 2, false}, ""},
		{only(Scalar(1.).Slice(0, 0, 1, 1)), &AxisError{"Slice", 0, 0, false}, "tensor: Slice: axis 0 is out of range: a scalar has no axes"},
		{only(x.Slice(0, 0, 1, 0)), &ArgumentError{"Slice", "step", 0, "another number"}, ""},
		{only(x.Narrow(1, 4, 0)), &ArgumentError{"Narrow", "start", 4, "-3 to 3"}, ""},
		{only(x.Narrow(1, 2, 2)), &ArgumentError{"Narrow", "length", 2, "0 to 1"}, ""},
		{only(x.Narrow(1, -1, -1)), &ArgumentError{"Narrow", "length", -1, "0 to 1"}, ""},
		{only(x.Narrow(2, 0, 0)), &AxisError{"Narrow", 2, 2, false}, ""},
		{only(x.Select(0, 2)), &ArgumentError{"Select", "index", 2, "-2 to 1"}, "tensor: Select: index is 2: expected -2 to 1"},
		{only(x.Select(2, 0)), &AxisError{"Select", 2, 2, false}, ""},
		{only(sequence(t, 0).Select(0, 0)), &ArgumentError{"Select", "index", 0, "none, as there are no elements"}, ""},
		{only(x.Flip(0, -2)), &AxisError{"Flip", -2, 2, true}, ""},
		{only(x.Flip(5)), &AxisError{"Flip", 5, 2, false}, ""},
		{only(x.Diagonal(0, 1, 1)), &AxisError{"Diagonal", 1, 2, true}, ""},
		{only(x.Diagonal(0, 0, 2)), &AxisError{"Diagonal", 2, 2, false}, ""},
		{only(x.Unfold(0, 3, 1)), &ArgumentError{"Unfold", "size", 3, "0 to 2"}, ""},
		{only(x.Unfold(0, -1, 1)), &ArgumentError{"Unfold", "size", -1, "0 to 2"}, ""},
		{only(x.Unfold(0, 1, 0)), &ArgumentError{"Unfold", "step", 0, "1 or more"}, ""},
		{only(x.Unfold(2, 1, 1)), &AxisError{"Unfold", 2, 2, false}, ""},
		{only(x.Flatten(1, 0)), &ArgumentError{"Flatten", "end", 0, "1"}, ""},
		{only(x.Flatten(2, 2)), &AxisError{"Flatten", 2, 2, false}, ""},
		{only(x.Flatten(0, 2)), &AxisError{"Flatten", 2, 2, false}, ""},

		{only(x.Reshape(4, 2)), &LengthError{"Reshape", 6, []int{4, 2}}, "tensor: Reshape: 6 elements given: expected 8 for shape (4,2)"},
		{only(x.Reshape(-1, 4)), &LengthError{"Reshape", 6, []int{-1, 4}}, "tensor: Reshape: 6 elements given: expected a multiple of 4 for shape (-1,4)"},
		{only(x.Reshape(-1, 0)), &LengthError{"Reshape", 6, []int{-1, 0}}, ""},
		{only(x.Reshape()), &LengthError{"Reshape", 6, []int{}}, ""},
		{only(x.Reshape(-2, -3)), &ShapeError{"Reshape", []int{-2, -3}, "size -2 of dimension 0 is negative"}, ""},
		{only(x.Reshape(-1, -1)), &ShapeError{"Reshape", []int{-1, -1}, "only one dimension can be inferred"}, ""},
		{only(sequence(t, 0).Reshape(0, -1)), &ShapeError{"Reshape", []int{0, -1}, "the size -1 can be any value and is ambiguous, as there are no elements"}, ""},
		{only(x.View(7)), &LengthError{"View", 6, []int{7}}, ""},
		{only(Must(x.Transpose()).View(6)), &ViewError{[]int{3, 2}, []int{1, 3}, []int{6}},
			"tensor: View: shape (3,2) with strides (1,3) cannot be seen as shape (6,) without a copy: expected dimensions that lie one after the other, or use Reshape"},

		{only(x.Split(2, 1)), &AxisError{"Split", 2, 2, false}, ""},
		{only(x.Split(0)), &ArgumentError{"Split", "the number of sizes", 0, "1 or more"}, ""},
		{only(x.Split(1, 0)), &ArgumentError{"Split", "size", 0, "1 or more"}, ""},
		{only(sequence(t, 0).Split(0, -1)), &ArgumentError{"Split", "size", -1, "1 or more"}, ""},
		{only(x.Split(1, 1, 1)), &ArgumentError{"Split", "size 1 of (1,1)", 1, "sizes of 0 or more that add up to 3"}, ""},
		{only(x.Split(1, 4, -1)), &ArgumentError{"Split", "size 0 of (4,-1)", 4, "sizes of 0 or more that add up to 3"}, ""},
		{only(x.Split(1, math.MaxInt, math.MaxInt)), &ArgumentError{"Split", "size 0 of " + formatShape([]int{math.MaxInt, math.MaxInt}), math.MaxInt, "sizes of 0 or more that add up to 3"}, ""},
		{only(Concat[int8](0)), &ArgumentError{"Concat", "the number of tensors", 0, "1 or more"}, ""},
		{only(Concat(2, x)), &AxisError{"Concat", 2, 2, false}, ""},
		{only(Concat(0, x, sequence(t, 3, 2))), &JoinError{"Concat", 1, []int{3, 2}, []int{2, 3}, 0},
			"tensor: Concat: operand 1 has shape (3,2): expected (2,3) as operand 0 but in dimension 0"},
		{only(Concat(0, x, new(Tensor[int32]))), &JoinError{"Concat", 1, []int{0}, []int{2, 3}, 0}, ""},
		{only(Stack[int8](0)), &ArgumentError{"Stack", "the number of tensors", 0, "1 or more"}, ""},
		{only(Stack(3, x)), &AxisError{"Stack", 3, 3, false}, ""},
		{only(Stack(0, x, x, sequence(t, 3, 3))), &JoinError{"Stack", 2, []int{3, 3}, []int{2, 3}, -1},
			"tensor: Stack: operand 2 has shape (3,3): expected (2,3) as operand 0"},
	} {
		if assert.Equal(t, c.want, c.got) && c.text != "" {
			assert.EqualError(t, c.got, c.text)
		}
	}

	_, err := BroadcastTensors(x, sequence(t, 2))
	assert.ErrorAs(t, err, new(*broadcast.MismatchError))
	_, err = Arange(nan, 1, 1)
	assert.EqualError(t, err, "tensor: Arange: start is NaN: expected a finite number")
}

// A nil tensor is refused by every method and function that can return an
// error.
func TestNilErrors(t *testing.T) {
	x, null := sequence(t, 1), (*Tensor[int32])(nil)
	only := func(_ any, err error) error { return err }
	for _, c := range []struct {
		got     error
		op      string
		operand int
	}{
		{only(null.Expand(1)), "Expand", 0},
		{only(null.ExpandAs(x)), "ExpandAs", 0},
		{only(x.ExpandAs(null)), "ExpandAs", 1},
		{only(null.BroadcastTo(1)), "BroadcastTo", 0},
		{only(null.Unsqueeze(0)), "Unsqueeze", 0},
		{only(null.Squeeze()), "Squeeze", 0},
		{only(null.Transpose()), "Transpose", 0},
		{only(null.SwapAxes(0, 0)), "SwapAxes", 0},
		{only(null.MoveAxis(0, 0)), "MoveAxis", 0},
		{only(null.Slice(0, 0, 1, 1)), "Slice", 0},
		{only(null.Narrow(0, 0, 0)), "Narrow", 0},
		{only(null.Select(0, 0)), "Select", 0},
		{only(null.Flip()), "Flip", 0},
		{only(null.Diagonal(0, 0, 1)), "Diagonal", 0},
		{only(null.Unfold(0, 0, 1)), "Unfold", 0},
		{only(null.Flatten(0, 0)), "Flatten", 0},
		{only(null.Reshape(0)), "Reshape", 0},
		{only(null.View(0)), "View", 0},
		{only(null.Contiguous()), "Contiguous", 0},
		{only(null.Clone()), "Clone", 0},
		{only(null.Split(0, 1)), "Split", 0},
		{only(Concat(0, x, null)), "Concat", 1},
		{only(Stack(0, null, x)), "Stack", 0},
		{only(BroadcastTensors(x, x, null)), "BroadcastTensors", 2},
	} {
		assert.Equal(t, &NilError{c.op, c.operand}, c.got)
	}
	assert.EqualError(t, &NilError{"Add", 1}, "tensor: Add: operand 1 is nil: expected a tensor")
	assert.EqualError(t, &NilError{"AddTo", -1}, "tensor: AddTo: the destination is nil: expected a tensor")
}

func TestIndexError(t *testing.T) {
	assert.EqualError(t, &IndexError{[]int{1, 7}, []int{2, 3}}, "tensor: index (1,7) is out of range of shape (2,3)")
	assert.EqualError(t, &IndexError{[]int{1}, []int{2, 3}}, "tensor: 1 indices given: expected 2, one for each dimension of shape (2,3)")
}

// The zero value of an error prints, whoever made it.
func TestZeroErrorsPrint(t *testing.T) {
	for _, err := range []error{
		&broadcast.MismatchError{}, &broadcast.ShapeError{}, &broadcast.DestinationError{}, &dispatch.ISAError{},
		&ShapeError{}, &LengthError{}, &BoundsError{}, &AxisError{}, &ArgumentError{}, &ExpandError{}, &ViewError{}, &JoinError{},
		&OverlapError{}, &OuterError{}, &RankError{}, &NilError{}, &DivisionError{}, &ExponentError{}, &IndexError{},
	} {
		assert.NotPanics(t, func() { assert.NotEmpty(t, err.Error()) }, "%T", err)
	}
	assert.NotPanics(t, func() { assert.NotEmpty(t, broadcast.Warning{}.String()) })
}
