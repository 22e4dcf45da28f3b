package tensor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sequence returns a row-major tensor of 0, 1, 2, …
func sequence(t testing.TB, shape ...int) *Tensor[int32] {
	x, err := Zeros[int32](shape...)
	require.NoError(t, err)
	for i := range x.data {
		x.data[i] = int32(i)
	}
	return x
}

func TestScalarZeroAndNil(t *testing.T) {
	s := Scalar(2.5)
	assert.Equal(t, []int{}, s.Shape())
	assert.Equal(t, []int{}, s.Strides())
	assert.Equal(t, 0, s.Rank())
	assert.Equal(t, 1, s.Len())
	assert.Equal(t, 2.5, s.At())
	s.Set(3)
	assert.Equal(t, []float64{3}, s.Data())

	for name, x := range map[string]*Tensor[float64]{"zero": new(Tensor[float64]), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, []int{0}, x.Shape())
			assert.Equal(t, []int{1}, x.Strides())
			assert.Equal(t, 1, x.Rank())
			assert.Equal(t, 0, x.Len())
			assert.True(t, x.IsContiguous())
			assert.Equal(t, []float64{}, x.Data())
			raw, ok := x.Raw()
			assert.True(t, ok)
			assert.Empty(t, raw)
			assert.Equal(t, "tensor([], shape=(0,), type=float64)", x.String())
			for range x.All() {
				assert.Fail(t, "an element")
			}
			for range x.Values() {
				assert.Fail(t, "an element")
			}
			assert.Panics(t, func() { x.At(0) })
			assert.Panics(t, func() { x.Set(1, 0) })
		})
	}
}

func TestZeroTensorHasViews(t *testing.T) {
	x := new(Tensor[int8])
	column := Must(x.Unsqueeze(-1))
	assert.Equal(t, []int{0, 1}, column.Shape())
	assert.Equal(t, []int{0, 5}, Must(column.Expand(-1, 5)).Shape())
	assert.Equal(t, []int{0, 3}, Must(x.Reshape(0, 3)).Shape())
	assert.Equal(t, []int{0}, Must(x.Slice(0, End, Begin, -1)).Shape())
	assert.Equal(t, []int{0}, Must(x.Flip()).Shape())
	assert.Equal(t, []int{0}, Must(x.Clone()).Shape())
	assert.Equal(t, []int{0}, Must(Concat(0, x, x)).Shape())
	assert.Equal(t, []int{2, 0}, Must(Stack(0, x, x)).Shape())
}

func TestAtAndSet(t *testing.T) {
	x := Must(sequence(t, 2, 3).Transpose())
	assert.EqualValues(t, 5, x.At(2, 1))
	x.Set(9, 0, 1)
	assert.Equal(t, []int32{0, 9, 1, 4, 2, 5}, x.Data())
	for _, index := range [][]int{{}, {0}, {3, 0}, {0, 2}, {-1, 0}, {0, -1}, {0, 0, 0}} {
		want := &IndexError{Index: index, Shape: []int{3, 2}}
		assert.PanicsWithError(t, want.Error(), func() { x.At(index...) })
		assert.PanicsWithError(t, want.Error(), func() { x.Set(1, index...) })
	}
	assert.Equal(t, []int32{0, 9, 1, 4, 2, 5}, x.Data())
}

func TestCopiesAreCopies(t *testing.T) {
	x := sequence(t, 2, 3)
	x.Shape()[0], x.Strides()[0], x.Data()[0] = 7, 7, 7
	Must(x.Clone()).Set(7, 0, 0)
	assert.Equal(t, []int{2, 3}, x.Shape())
	assert.Equal(t, []int{3, 1}, x.Strides())
	assert.EqualValues(t, 0, x.At(0, 0))
	assert.Same(t, x, Must(x.Contiguous()))
	assert.Equal(t, []int32{0, 3, 1, 4, 2, 5}, Must(Must(x.Transpose()).Contiguous()).data)
}

func TestRaw(t *testing.T) {
	x := sequence(t, 4, 3)
	raw, ok := Must(x.Slice(0, 1, 3, 1)).Raw()
	require.True(t, ok)
	assert.Equal(t, []int32{3, 4, 5, 6, 7, 8}, raw)
	assert.Equal(t, len(raw), cap(raw), "appending must not reach the elements behind")
	raw[0] = 9
	assert.EqualValues(t, 9, x.At(1, 0))
	for _, v := range []*Tensor[int32]{Must(x.Transpose()), Must(x.Flip(0)), Must(x.Slice(1, 0, 2, 1)), Must(Must(x.Unsqueeze(0)).Expand(2, 4, 3))} {
		raw, ok = v.Raw()
		assert.False(t, ok)
		assert.Nil(t, raw)
	}
}

// A tensor costs its header and its elements, a view its header.
func TestAllocations(t *testing.T) {
	sink := func(x *Tensor[float32], err error) {
		if err != nil || x == nil {
			t.Error(err)
		}
	}
	x8 := Must(Zeros[float32](1, 2, 1, 2, 1, 2, 1, 2))
	x := Must(Zeros[float32](4, 6))
	row := Must(Zeros[float32](1, 4))
	data := make([]float32, 24)
	for name, c := range map[string]struct {
		want float64
		run  func()
	}{
		"Zeros":       {2, func() { sink(Zeros[float32](4, 6)) }},
		"Full":        {2, func() { sink(Full[float32](1, 4, 6)) }},
		"FromSlice":   {1, func() { sink(FromSlice(data, 4, 6)) }},
		"FromStrided": {1, func() { sink(FromStrided(data, []int{4, 3}, []int{6, 2}, 1)) }},
		"Expand":      {1, func() { sink(row.Expand(1_000_000, 4)) }},
		"Unsqueeze":   {1, func() { sink(x.Unsqueeze(0)) }},
		"Squeeze":     {1, func() { sink(x8.Squeeze()) }},
		"Transpose":   {1, func() { sink(x8.Transpose(7, 6, 5, 4, 3, 2, 1, 0)) }},
		"Slice":       {1, func() { sink(x.Slice(0, End, Begin, -1)) }},
		"Flip":        {1, func() { sink(x.Flip(0, 1)) }},
		"Diagonal":    {1, func() { sink(x.Diagonal(1, 0, 1)) }},
		"Unfold":      {1, func() { sink(x.Unfold(1, 3, 1)) }},
		"Reshape":     {1, func() { sink(x.Reshape(2, -1, 3)) }},
		"Clone":       {2, func() { sink(x.Clone()) }},
		"At and Set":  {0, func() { x.Set(x.At(1, 2), 3, 4) }},
	} {
		assert.Equal(t, c.want, testing.AllocsPerRun(20, c.run), name)
	}
	high := Must(Zeros[float32](1, 1, 1, 1, 1, 1, 1, 1, 1))
	assert.Equal(t, 9, high.Rank())
	assert.LessOrEqual(t, testing.AllocsPerRun(20, func() { sink(high.Unsqueeze(0)) }), 2.0)
}
