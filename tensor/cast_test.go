package tensor

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkCasts casts the number 0 to 100, which every type but bool holds, to To
// and back.
func checkCasts[From, To Element](t *testing.T) {
	t.Helper()
	x, err := Cast[From](Must(Arange[int32](0, 101, 1)))
	require.NoError(t, err)
	y, err := Cast[To](x)
	require.NoError(t, err)
	back, err := Cast[int32](y)
	require.NoError(t, err)
	truth := typeOf[From]() == typeOf[bool]() || typeOf[To]() == typeOf[bool]()
	for i, v := range back.Data() {
		want := int32(i)
		if truth {
			want = min(want, 1)
		}
		require.Equal(t, want, v, "%T(%T(%d))", y.At(i), x.At(i), i)
		require.Equal(t, float32(want), y.AtFloat32(i))
	}

	// A strided destination, of which the gaps stay.
	dst := Must(Full(y.At(1), 101, 2))
	require.NoError(t, CastTo(Must(Must(dst.Slice(1, 0, 1, 1)).Squeeze(1)), Must(x.Flip(0))))
	for i := range 101 {
		require.Equal(t, y.At(100-i), dst.At(i, 0))
		require.Equal(t, y.At(1), dst.At(i, 1))
	}
}

func checkCastsFrom[From Element](t *testing.T) {
	t.Helper()
	checkCasts[From, float32](t)
	checkCasts[From, float64](t)
	checkCasts[From, int8](t)
	checkCasts[From, int16](t)
	checkCasts[From, int32](t)
	checkCasts[From, int64](t)
	checkCasts[From, uint8](t)
	checkCasts[From, uint16](t)
	checkCasts[From, uint32](t)
	checkCasts[From, uint64](t)
	checkCasts[From, bool](t)
	checkCasts[From, Float16](t)
	checkCasts[From, BFloat16](t)
}

func TestCastAllTypes(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkCastsFrom[float32](t)
		checkCastsFrom[float64](t)
		checkCastsFrom[int8](t)
		checkCastsFrom[int16](t)
		checkCastsFrom[int32](t)
		checkCastsFrom[int64](t)
		checkCastsFrom[uint8](t)
		checkCastsFrom[uint16](t)
		checkCastsFrom[uint32](t)
		checkCastsFrom[uint64](t)
		checkCastsFrom[bool](t)
		checkCastsFrom[Float16](t)
		checkCastsFrom[BFloat16](t)
	})
}

func TestCastOfWhatDoesNotFit(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	onEverySet(t, func(t *testing.T) {
		x := Must(FromSlice([]float64{nan, inf, -inf, 1e300, -1e300, 127.9, 128, -128.9, -129, 255.9, 0.9, -0.9, math.Copysign(0, -1)}, 13))
		assert.Equal(t, []int8{0, 127, -128, 127, -128, 127, 127, -128, -128, 127, 0, 0, 0}, Must(Cast[int8](x)).Data())
		assert.Equal(t, []uint8{0, 255, 0, 255, 0, 127, 128, 0, 0, 255, 0, 0, 0}, Must(Cast[uint8](x)).Data())
		assert.Equal(t, []int64{0, math.MaxInt64, math.MinInt64, math.MaxInt64, math.MinInt64, 127, 128, -128, -129, 255, 0, 0, 0}, Must(Cast[int64](x)).Data())
		assert.Equal(t, []bool{true, true, true, true, true, true, true, true, true, true, true, true, false}, Must(Cast[bool](x)).Data())
		assert.Equal(t, []uint8{255, 0, 1}, Must(Cast[uint8](Must(FromSlice([]int32{-1, 256, 257}, 3)))).Data())
		assert.Equal(t, []uint32{math.MaxUint32}, Must(Cast[uint32](vector[int8](-1))).Data(), "the sign is extended")
		assert.Equal(t, []int16{-1}, Must(Cast[int16](Must(FromSlice([]uint64{math.MaxUint64}, 1)))).Data())
	})
}

func TestCastErrors(t *testing.T) {
	_, err := Cast[int8, float32](nil)
	require.EqualError(t, err, (&NilError{Op: "Cast", Operand: 0}).Error())
	x := Must(Zeros[float32](2, 3))
	dst := Must(Full[int8](7, 3, 2))
	require.ErrorContains(t, CastTo(dst, x), "Cast")
	assert.Equal(t, []int8{7, 7, 7, 7, 7, 7}, dst.Data())
	require.ErrorContains(t, CastTo[int8](nil, x), "CastTo")
}

func TestCastAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	x, dst := Must(Zeros[uint8](64, 64)), Must(Zeros[float32](64, 64))
	y := Must(x.Transpose())
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = CastTo(dst, x)
		_ = CastTo(dst, y)
	}))
}

func ExampleCast() {
	pixels := Must(FromSlice([]uint8{0, 128, 255}, 3))
	x := Must(Mul(Must(Cast[float32](pixels)), Scalar[float32](1.25)))
	fmt.Println(x.Data(), Must(Cast[uint8](x)).Data()) // 318.75 does not fit
	// Output: [0 160 318.75] [0 160 255]
}
