package tensor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What PyTorch 1.13 prints for the same numbers.
func TestString(t *testing.T) {
	thousands := Must(Must(Arange[int64](0, 40_000, 1000)).Reshape(40))
	for _, c := range []struct {
		x    fmt.Stringer
		want string
	}{
		{Scalar[float32](1), "tensor(1.)"},
		{Scalar[float32](.1), "tensor(0.1000)"},
		{Scalar(-1e-5), "tensor(-1.0000e-05)"},
		{Scalar(uint8(200)), "tensor(200)"},
		{Must(FromSlice([]float32{0, 0}, 2)), "tensor([0., 0.])"},
		{Must(FromSlice([]float32{1, 2.5, -3, 1000}, 2, 2)), `
tensor([[   1.0000,    2.5000],
        [  -3.0000, 1000.0000]])`},
		{Must(FromSlice([]float64{1, -20, 300, 0}, 2, 2)), `
tensor([[  1., -20.],
        [300.,   0.]])`},
		{Must(FromSlice([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1}, 5)), "tensor([nan, inf, -inf,  0., -1.])"},
		{Must(FromSlice([]float64{1e-5, 1, 2.5}, 3)), "tensor([1.0000e-05, 1.0000e+00, 2.5000e+00])"},
		{Must(FromSlice([]float64{1, 2e9}, 2)), "tensor([1.0000e+00, 2.0000e+09])"},
		{Must(FromSlice([]float64{1000, 1}, 2)), "tensor([1000.,    1.])"},
		{Must(FromSlice([]float64{1001, 1}, 2)), "tensor([1.0010e+03, 1.0000e+00])"},
		{Must(FromSlice([]bool{true, false}, 2)), "tensor([ true, false])"},
		{Must(FromSlice([]int8{-128, 5}, 2)), "tensor([-128,    5])"},
		{Must(Must(Arange[int32](0, 6, 1)).Reshape(2, 3, 1)), `
tensor([[[0],
         [1],
         [2]],

        [[3],
         [4],
         [5]]])`},
		{thousands, `
tensor([    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,  9000,
        10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000,
        20000, 21000, 22000, 23000, 24000, 25000, 26000, 27000, 28000, 29000,
        30000, 31000, 32000, 33000, 34000, 35000, 36000, 37000, 38000, 39000])`},
		{Must(Zeros[int32](0)), "tensor([], shape=(0,), type=int32)"},
		{Must(Zeros[bool](2, 0)), "tensor([], shape=(2,0), type=bool)"},
		{Must(Arange[int64](0, 1001, 1)), "tensor([   0,    1,    2,  ...,  998,  999, 1000], shape=(1001,), type=int64)"},
		{Must(Must(Arange[float64](0, 250, .125)).Reshape(50, 40)), `
tensor([[0.0000e+00, 1.2500e-01, 2.5000e-01,  ..., 4.6250e+00, 4.7500e+00,
         4.8750e+00],
        [5.0000e+00, 5.1250e+00, 5.2500e+00,  ..., 9.6250e+00, 9.7500e+00,
         9.8750e+00],
        [1.0000e+01, 1.0125e+01, 1.0250e+01,  ..., 1.4625e+01, 1.4750e+01,
         1.4875e+01],
        ...,
        [2.3500e+02, 2.3512e+02, 2.3525e+02,  ..., 2.3962e+02, 2.3975e+02,
         2.3988e+02],
        [2.4000e+02, 2.4012e+02, 2.4025e+02,  ..., 2.4462e+02, 2.4475e+02,
         2.4488e+02],
        [2.4500e+02, 2.4512e+02, 2.4525e+02,  ..., 2.4962e+02, 2.4975e+02,
         2.4988e+02]], shape=(50,40), type=float64)`},
		{Must(Must(Arange[int32](0, 4, 1)).Expand(100_000_000, 4)), `
tensor([[0, 1, 2, 3],
        [0, 1, 2, 3],
        [0, 1, 2, 3],
        ...,
        [0, 1, 2, 3],
        [0, 1, 2, 3],
        [0, 1, 2, 3]], shape=(100000000,4), type=int32)`},
		{Must(Zeros[float32](1, 7, 1001)), `
tensor([[[0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.],
         ...,
         [0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.],
         [0., 0., 0.,  ..., 0., 0., 0.]]], shape=(1,7,1001), type=float32)`},
	} {
		assert.Equal(t, strings.TrimPrefix(c.want, "\n"), c.x.String())
	}
}

// Shape and type go to a line of their own where they would make one too long.
func TestStringWraps(t *testing.T) {
	x := Must(Full(123456.25, 1, 1, 1, 1, 1, 1001))
	lines := strings.Split(x.String(), "\n")
	assert.Equal(t, "       shape=(1,1,1,1,1,1001), type=float64)", lines[len(lines)-1])
	for _, line := range lines {
		assert.LessOrEqual(t, len(line), 80)
	}
}

func TestStringOfView(t *testing.T) {
	x := Must(Must(sequence(t, 2, 3).Transpose()).Flip(0))
	assert.Equal(t, "tensor([[2, 5],\n        [1, 4],\n        [0, 3]])", x.String())
	assert.Equal(t, x.String(), fmt.Sprint(x))
}
