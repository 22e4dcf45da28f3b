package tensor

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMake(t *testing.T) {
	z := Must(Zeros[uint16](2, 0, 3))
	assert.Equal(t, []int{2, 0, 3}, z.Shape())
	assert.Equal(t, []int{3, 3, 1}, z.Strides())
	assert.Equal(t, 0, z.Len())

	b := Must(Full(true, 2, 2))
	assert.Equal(t, []bool{true, true, true, true}, b.Data())

	data := []int64{1, 2, 3, 4, 5, 6}
	x := Must(FromSlice(data, 2, 3))
	x.Set(9, 1, 0)
	assert.EqualValues(t, 9, data[3], "the slice is shared")

	// Two lines of three pixels, each line padded to four.
	padded := Must(FromStrided([]uint8{0, 1, 2, 255, 4, 5, 6}, []int{2, 3}, []int{4, 1}, 0))
	assert.Equal(t, []uint8{0, 1, 2, 4, 5, 6}, padded.Data())
	assert.False(t, padded.IsContiguous())
	assert.Panics(t, func() { Must(Zeros[int8](-1)) })
}

func TestFromStridedReach(t *testing.T) {
	const half = 1 << (bits.UintSize / 2) // half*half is 0 in an int
	for _, c := range []struct {
		length         int
		shape, strides []int
		offset         int
		ok             bool
	}{
		{6, []int{2, 3}, []int{3, 1}, 0, true},
		{6, []int{2, 3}, []int{3, 1}, 1, false},
		{6, []int{2, 3}, []int{-3, -1}, 5, true},
		{6, []int{2, 3}, []int{-3, -1}, 4, false},
		{6, []int{2, 3}, []int{-3, 1}, 3, true},
		{1, []int{1000, 1000}, []int{0, 0}, 0, true},
		{1, []int{1}, []int{math.MaxInt}, 0, true},
		{2, []int{2}, []int{math.MaxInt}, 1, false},
		{2, []int{2}, []int{math.MinInt}, 1, false},
		{4, []int{3, 3}, []int{math.MaxInt, math.MaxInt}, 0, false},
		{4, []int{math.MaxInt}, []int{math.MaxInt}, 0, false},
		{4, []int{3, 3}, []int{math.MinInt, math.MaxInt}, 0, false},
		{4, []int{half + 1}, []int{half}, 0, false},
		{4, []int{half + 1}, []int{-half}, 3, false},
		{0, []int{0}, []int{1}, 0, true},
		{0, []int{}, []int{}, 0, false},
		{3, []int{}, []int{}, 2, true},
		{3, []int{}, []int{}, 3, false},
		{3, []int{0, 5}, []int{9, 9}, 3, true},
		{3, []int{0, 5}, []int{9, 9}, 4, false},
		{3, []int{1}, []int{1}, -1, false},
	} {
		x, err := FromStrided(make([]int8, c.length), c.shape, c.strides, c.offset)
		if !c.ok {
			want := &BoundsError{Op: "FromStrided", Shape: c.shape, Strides: c.strides, Offset: c.offset, Len: c.length}
			assert.Equal(t, want, err)
			continue
		}
		if assert.NoError(t, err, "%+v", c) && x.Len() <= 1e6 {
			assert.Len(t, x.Data(), x.Len())
		}
	}
}

// The reach of small random layouts, found by visiting every element.
func TestFromStridedReachExhaustively(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 20000 {
		shape, strides := make([]int, r.IntN(4)), []int{}
		for i := range shape {
			shape[i] = r.IntN(4)
			strides = append(strides, r.IntN(9)-4)
		}
		length, offset := r.IntN(20), r.IntN(24)-2
		want := offset >= 0 && offset <= length
		for _, at := range addresses(shape, strides, offset) {
			want = want && at >= 0 && at < length
		}
		_, err := FromStrided(make([]int8, length), shape, strides, offset)
		require.Equal(t, want, err == nil, "%v %v %d in %d: %v", shape, strides, offset, length, err)
		if want {
			accepted++
		}
	}
	assert.Greater(t, accepted, 2000)
}

// addresses lists where the elements of a layout lie, in row-major order.
func addresses(shape, strides []int, offset int) []int {
	at := []int{offset}
	for i, n := range shape {
		next := make([]int, 0, len(at)*n)
		for _, a := range at {
			for j := range n {
				next = append(next, a+j*strides[i])
			}
		}
		at = next
	}
	return at
}

func TestArange(t *testing.T) {
	assert.Equal(t, []int32{0, 1, 2, 3}, Must(Arange[int32](0, 4, 1)).Data())
	assert.Equal(t, []int32{5, 3, 1}, Must(Arange[int32](5, 0, -2)).Data())
	assert.Equal(t, []int32{}, Must(Arange[int32](5, 0, 2)).Data())
	assert.Equal(t, []int32{}, Must(Arange[int32](3, 3, -2)).Data())
	assert.Equal(t, []uint8{250, 253}, Must(Arange[uint8](250, 255, 3)).Data())
	assert.Equal(t, []int8{-128, -1, 126}, Must(Arange[int8](-128, 127, 127)).Data())
	assert.Equal(t, []int8{127, -1}, Must(Arange[int8](127, -128, -128)).Data())
	assert.Equal(t, []int64{math.MinInt64, -1, math.MaxInt64 - 1}, Must(Arange[int64](math.MinInt64, math.MaxInt64, math.MaxInt64)).Data())
	assert.Equal(t, []float64{0, .25, .5, .75}, Must(Arange(0, 1, .25)).Data())
	assert.Equal(t, []float64{1, .5}, Must(Arange(1, 0, -.5)).Data())
	// 3 × 0.1 is rounded in float64, and once more to float32.
	assert.Equal(t, []float32{0, .1, .2, .3}, Must(Arange[float32](0, .35, .1)).Data())
}

func TestLinspace(t *testing.T) {
	assert.Equal(t, []float64{0, .25, .5, .75, 1}, Must(Linspace(0., 1, 5)).Data())
	assert.Equal(t, []float32{1, 0, -1}, Must(Linspace[float32](1, -1, 3)).Data())
	assert.Equal(t, []float64{7}, Must(Linspace(7., 9, 1)).Data())
	assert.Equal(t, []float64{}, Must(Linspace(7., 9, 0)).Data())
	third := Must(Linspace(0, .3, 4)).Data()
	assert.Equal(t, .3, third[3], "the last is exact")
	wide := Must(Linspace(-math.MaxFloat64, math.MaxFloat64, 3)).Data()
	assert.Equal(t, []float64{-math.MaxFloat64, 0, math.MaxFloat64}, wide)
}

// Shapes that no machine has memory for are errors, at once.
func TestTooLarge(t *testing.T) {
	row := Must(Zeros[float64](1, 4))
	wide := Must(row.Expand(math.MaxInt/4, 4))
	long := Must(Scalar(1.).Expand(math.MaxInt))
	for name, make := range map[string]func() (*Tensor[float64], error){
		"Zeros":       func() (*Tensor[float64], error) { return Zeros[float64](math.MaxInt / 8) },
		"product":     func() (*Tensor[float64], error) { return Zeros[float64](math.MaxInt, 2) },
		"with a 0":    func() (*Tensor[float64], error) { return Zeros[float64](math.MaxInt, 0, math.MaxInt) },
		"Full":        func() (*Tensor[float64], error) { return Full(1., math.MaxInt/8) },
		"Arange":      func() (*Tensor[float64], error) { return Arange(0, math.MaxFloat64, 1) },
		"Linspace":    func() (*Tensor[float64], error) { return Linspace(0., 1, math.MaxInt) },
		"Expand":      func() (*Tensor[float64], error) { return row.Expand(math.MaxInt, 4) },
		"Clone":       wide.Clone,
		"Contiguous":  wide.Contiguous,
		"Reshape":     func() (*Tensor[float64], error) { return wide.Reshape(4, math.MaxInt/4) },
		"Concat":      func() (*Tensor[float64], error) { return Concat(0, wide, wide, wide, wide, wide) },
		"Concat to 1": func() (*Tensor[float64], error) { return Concat(0, long, long, Must(long.Narrow(0, 0, 3))) },
		"Unfold":      func() (*Tensor[float64], error) { return long.Unfold(0, math.MaxInt/2, 1) },
		"Stack":       func() (*Tensor[float64], error) { return Stack(0, wide, wide) },
	} {
		x, err := make()
		assert.True(t, x == nil, name)
		_, ok := errors.AsType[*ShapeError](err)
		assert.True(t, ok, "%s: %v", name, err)
	}
	assert.Equal(t, math.MaxInt/4*4, wide.Len())
	assert.Nil(t, wide.Data())
}
