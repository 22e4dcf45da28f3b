package tensor

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFloat16(t *testing.T) {
	for _, c := range []struct {
		in   float32
		bits Float16
		out  float32
		text string
	}{
		{0, 0, 0, "0"},
		{1, 0x3c00, 1, "1"},
		{-2.5, 0xc100, -2.5, "-2.5"},
		{0.1, 0x2e66, 0.099975586, "0.099975586"},
		{65504, 0x7bff, 65504, "65504"},
		{65519, 0x7bff, 65504, "65504"},
		{65520, 0x7c00, float32(math.Inf(1)), "+Inf"},
		{2049, 0x6800, 2048, "2048"}, // ties
		{2051, 0x6802, 2052, "2052"},
		{0x1p-24, 1, 0x1p-24, "5.9604645e-08"},
		{0x1p-25, 0, 0, "0"},
		{0x1.004p-25, 1, 0x1p-24, "5.9604645e-08"},
		{0x3p-25, 2, 0x1p-23, "1.1920929e-07"},
	} {
		h := ToFloat16(c.in)
		assert.Equal(t, c.bits, h, "%v", c.in)
		assert.Equal(t, c.out, h.Float32())
		assert.Equal(t, c.text, h.String())
	}
	nan := ToFloat16(float32(math.NaN()))
	assert.Equal(t, Float16(0x7e00), nan)
	assert.Equal(t, "NaN", nan.String())
}

func TestBFloat16(t *testing.T) {
	for _, c := range []struct {
		in   float32
		bits BFloat16
		text string
	}{
		{1, 0x3f80, "1"},
		{-3.140625, 0xc049, "-3.140625"},
		{257, 0x4380, "256"}, // ties
		{259, 0x4382, "260"},
		{math.MaxFloat32, 0x7f80, "+Inf"},
		{0x1p-133, 1, "9.1835e-41"},
		{0x1p-134, 0, "0"},
	} {
		h := ToBFloat16(c.in)
		assert.Equal(t, c.bits, h, "%v", c.in)
		assert.Equal(t, c.text, h.String())
	}
	assert.Equal(t, BFloat16(0x7fc0), ToBFloat16(float32(math.NaN())))
}

// All that are not NaN convert to float32 and back.
func TestHalvesConvertBack(t *testing.T) {
	for v := range 1 << 16 {
		h, b := Float16(v), BFloat16(v)
		if f := h.Float32(); f == f {
			require.Equal(t, h, ToFloat16(f))
			require.Equal(t, h, fromFloat64[Float16](float64(f)))
		} else {
			require.Equal(t, h|0x0200, ToFloat16(f))
		}
		if f := b.Float32(); f == f {
			require.Equal(t, b, ToBFloat16(f))
		} else {
			require.Equal(t, b|0x0040, ToBFloat16(f))
		}
	}
}

func TestAtFloat32(t *testing.T) {
	h := Must(Zeros[Float16](2, 2))
	h.SetFloat32(0.1, 0, 1)
	assert.Equal(t, ToFloat16(0.1), h.At(0, 1))
	assert.Equal(t, float32(0.099975586), h.AtFloat32(0, 1))
	assert.PanicsWithError(t, (&IndexError{Index: []int{2, 0}, Shape: []int{2, 2}}).Error(), func() { h.AtFloat32(2, 0) })
	assert.PanicsWithError(t, (&IndexError{Index: []int{2, 0}, Shape: []int{2, 2}}).Error(), func() { h.SetFloat32(1, 2, 0) })

	assert.Equal(t, float32(0x1p60+0x1p37), Scalar[int64](1<<60+1<<36+1).AtFloat32(), "one rounding")
	assert.Equal(t, float32(0x1p63+0x1p40), Scalar[uint64](1<<63+1<<39+1).AtFloat32())
	assert.Equal(t, float32(1), Scalar(true).AtFloat32())
	assert.Equal(t, float32(0), Scalar(false).AtFloat32())
	signalling := Scalar(math.Float32frombits(0x7fa00000))
	assert.Equal(t, uint32(0x7fe00000), math.Float32bits(signalling.AtFloat32()))
	signalling.SetFloat32(signalling.At())
	assert.Equal(t, uint32(0x7fe00000), math.Float32bits(signalling.At()))
	u := Scalar[uint8](1)
	u.SetFloat32(300)
	assert.Equal(t, uint8(255), u.At())
	b := Scalar(false)
	b.SetFloat32(float32(math.NaN()))
	assert.True(t, b.At())
}

// Sums are those of the numbers, not of their bits.
func TestHalfArithmetic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkHalf(t, ToFloat16)
		checkHalf(t, ToBFloat16)
	})
}

func checkHalf[T interface {
	Float16 | BFloat16
	Float32() float32
}](t *testing.T, to func(float32) T) {
	t.Helper()
	a, b := Must(Cast[T](Must(Arange[float32](-9, 9, 0.5)))), Must(Cast[T](Must(Arange[float32](-4, 5, 0.25))))
	nan := a.Len() - 1
	a.Set(to(float32(math.NaN())), nan)
	for name, c := range map[string]struct {
		got  *Tensor[T]
		want func(x, y float32) float32
	}{
		"Add":     {Must(Add(a, b)), func(x, y float32) float32 { return x + y }},
		"Sub":     {Must(Sub(a, b)), func(x, y float32) float32 { return x - y }},
		"Mul":     {Must(Mul(a, b)), func(x, y float32) float32 { return x * y }},
		"Maximum": {Must(Maximum(a, b)), func(x, y float32) float32 { return max(x, y) }},
		"Minimum": {Must(Minimum(a, b)), func(x, y float32) float32 { return min(x, y) }},
		"Neg":     {Must(Neg(a)), func(x, _ float32) float32 { return -x }},
		"Abs":     {Must(Abs(a)), func(x, _ float32) float32 { return float32(math.Abs(float64(x))) }},
		"FMA":     {Must(FMA(a, b, b)), func(x, y float32) float32 { return float32(x*y) + y }},
		"Where":   {Must(Where(Must(Less(a, b)), a, b)), func(x, y float32) float32 { return map[bool]float32{true: x, false: y}[x < y] }},
		"Relu":    {Must(Relu(a)), func(x, _ float32) float32 { return max(x, 0) }},
	} {
		for i := range a.Len() {
			want := to(c.want(a.AtFloat32(i), b.AtFloat32(i))) // exact: these are small numbers
			got := c.got.At(i)
			if i == nan && want.Float32() != want.Float32() {
				require.True(t, got.Float32() != got.Float32(), "%s(NaN)", name)
				continue
			}
			require.Equal(t, want, got, "%s(%v, %v)", name, a.At(i), b.At(i))
		}
	}
	large := Scalar(to(math.MaxFloat32))
	assert.Equal(t, to(float32(math.Inf(1))), Must(Add(large, large)).At())
	assert.False(t, Must(Equal(a, a)).At(nan))
	assert.True(t, Must(Equal(Scalar(to(0)), Must(Neg(Scalar(to(0)))))).At(), "the zeros are equal")
}

func TestMakeHalves(t *testing.T) {
	x := Must(Arange(ToFloat16(-1), ToFloat16(1), ToFloat16(0.5)))
	assert.Equal(t, []float32{-1, -0.5, 0, 0.5}, Must(Cast[float32](x)).Data())
	y := Must(Linspace(ToBFloat16(0), ToBFloat16(1), 5))
	assert.Equal(t, []float32{0, 0.25, 0.5, 0.75, 1}, Must(Cast[float32](y)).Data())
	_, err := Arange(Float16(0), ToFloat16(1), Float16(0x8000))
	assert.Error(t, err, "a step of -0")
	_, err = Linspace(ToFloat16(float32(math.Inf(1))), 0, 2)
	assert.Error(t, err)
	assert.Equal(t, ToFloat16(1.5), Must(Full(ToFloat16(1.5), 3)).At(2))
}

func ExampleFloat16() {
	x := Must(Cast[Float16](Must(FromSlice([]float32{1, 0.1, 70000}, 3))))
	fmt.Println(x)
	fmt.Println(x.At(1), x.At(1).Float32() == x.AtFloat32(1))
	fmt.Println(Must(Add(x, x)).Data())
	// Output:
	// tensor([1.0000, 0.1000,    inf])
	// 0.099975586 true
	// [2 0.19995117 +Inf]
}
