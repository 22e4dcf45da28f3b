package tensor

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
)

// same compares numbers with the sign of zero, NaNs being alike.
func same(t *testing.T, want, got []float64, name string) {
	t.Helper()
	require.Len(t, got, len(want), name)
	for i, w := range want {
		g := got[i]
		assert.True(t, w == g && math.Signbit(w) == math.Signbit(g) || w != w && g != g, "%s: element %d is %v, want %v", name, i, g, w)
	}
}

// vector holds a copy of v.
func vector[T Element](v ...T) *Tensor[T] { return Must(FromSlice(slices.Clone(v), len(v))) }

func TestFloatArithmetic(t *testing.T) {
	type two = func(a, b *Tensor[float64], opts ...Option) (*Tensor[float64], error)
	type twoTo = func(dst, a, b *Tensor[float64], opts ...Option) error
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct {
			name       string
			f          two
			to         twoTo
			a, b, want []float64
		}{
			{"Add", Add[float64], AddTo[float64],
				[]float64{1, inf, inf, nan, 1, negZero, negZero, 0}, []float64{2, inf, -inf, 1, -1, negZero, 0, 0}, []float64{3, inf, nan, nan, 0, negZero, 0, 0}},
			{"Sub", Sub[float64], SubTo[float64],
				[]float64{1, inf, inf, nan, 1, negZero, negZero, 0}, []float64{2, inf, -inf, 1, 1, negZero, 0, negZero}, []float64{-1, nan, inf, nan, 0, 0, negZero, 0}},
			{"Mul", Mul[float64], MulTo[float64],
				[]float64{3, -inf, negZero, inf, 0}, []float64{2, 2, 5, 0, nan}, []float64{6, -inf, negZero, nan, nan}},
			{"Div", Div[float64], DivTo[float64],
				[]float64{7, -1, 0, inf, -3, negZero, -inf}, []float64{2, 0, 0, -inf, inf, 2, negZero}, []float64{3.5, -inf, nan, nan, negZero, negZero, inf}},
			{"FloorDiv", FloorDiv[float64], FloorDivTo[float64],
				[]float64{7, -7, 7, 1, negZero, 1, inf, 1, -1, 0, inf, 0}, []float64{2, 2, -2, 0.1, 3, 0, 2, inf, inf, -inf, 0, 0},
				[]float64{3, -4, -4, 9, negZero, inf, nan, 0, -1, negZero, inf, nan}},
			{"Remainder", Remainder[float64], RemainderTo[float64],
				[]float64{7, -7, 7, -6, 6, 1, inf, 1, -1, 0, -1e-300}, []float64{3, 3, -3, 3, -3, 0, 2, inf, inf, -inf, 1},
				[]float64{1, 2, -2, 0, negZero, nan, nan, 1, inf, negZero, 1}},
			{"FMod", FMod[float64], FModTo[float64],
				[]float64{7, -7, 7, -6, 6, 1, inf, 1, -1, 1e300}, []float64{3, 3, -3, 3, -3, 0, 2, inf, inf, 7}, []float64{1, -1, 1, negZero, 0, nan, nan, 1, -1, math.Mod(1e300, 7)}},
			{"FMax", FMax[float64], FMaxTo[float64], []float64{1, nan, 2, nan, 0}, []float64{2, 1, nan, nan, negZero}, []float64{2, 1, 2, nan, 0}},
			{"FMin", FMin[float64], FMinTo[float64], []float64{1, nan, 2, nan, 0}, []float64{2, 1, nan, nan, negZero}, []float64{1, 1, 2, nan, negZero}},
			{"AbsDiff", AbsDiff[float64], AbsDiffTo[float64], []float64{1, 5, inf, 2, nan, negZero}, []float64{3, 2, inf, 2, 1, 0}, []float64{2, 3, nan, 0, nan, 0}},
			{"SquaredDifference", SquaredDifference[float64], SquaredDifferenceTo[float64], []float64{1, 5, 1e200, inf, inf}, []float64{3, 2, 0, inf, -inf}, []float64{4, 9, inf, nan, inf}},
			{"Hypot", Hypot[float64], HypotTo[float64],
				[]float64{3, -5, 3e300, nan, 0, 3e-320}, []float64{4, 12, 4e300, -inf, negZero, 4e-320}, []float64{5, 13, 5e300, inf, 0, 5e-320}},
			{"CopySign", CopySign[float64], CopySignTo[float64], []float64{1, -2, 0, inf}, []float64{negZero, 3, -1, -1}, []float64{-1, 2, negZero, -inf}},
		} {
			a, b := vector(c.a...), vector(c.b...)
			y, err := c.f(a, b)
			require.NoError(t, err, c.name)
			same(t, c.want, y.Data(), c.name)
			require.NoError(t, c.to(a, a, b), c.name)
			same(t, c.want, a.Data(), c.name+"To in place")
		}
	})
}

func TestUnaryArithmetic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := []float64{2.5, -2.5, 3.5, -0.25, 0, negZero, inf, -inf, nan, 4}
		for _, c := range []struct {
			name string
			f    func(a *Tensor[float64], opts ...Option) (*Tensor[float64], error)
			to   func(dst, a *Tensor[float64], opts ...Option) error
			want []float64
		}{
			{"Sign", Sign[float64], SignTo[float64], []float64{1, -1, 1, -1, 0, 0, 1, -1, nan, 1}},
			{"Rsqrt", Rsqrt[float64], RsqrtTo[float64], []float64{0x1.43d136248490fp-1, nan, 0x1.11acee560242ap-1, nan, inf, -inf, 0, nan, nan, 0.5}},
			{"Reciprocal", Reciprocal[float64], ReciprocalTo[float64], []float64{0.4, -0.4, 1 / 3.5, -4, inf, -inf, 0, negZero, nan, 0.25}},
			{"Square", Square[float64], SquareTo[float64], []float64{6.25, 6.25, 12.25, 0.0625, 0, 0, inf, inf, nan, 16}},
			{"Floor", Floor[float64], FloorTo[float64], []float64{2, -3, 3, -1, 0, negZero, inf, -inf, nan, 4}},
			{"Ceil", Ceil[float64], CeilTo[float64], []float64{3, -2, 4, negZero, 0, negZero, inf, -inf, nan, 4}},
			{"Trunc", Trunc[float64], TruncTo[float64], []float64{2, -2, 3, negZero, 0, negZero, inf, -inf, nan, 4}},
			{"Round", Round[float64], RoundTo[float64], []float64{2, -2, 4, negZero, 0, negZero, inf, -inf, nan, 4}},
			{"Relu", Relu[float64], ReluTo[float64], []float64{2.5, 0, 3.5, 0, 0, 0, inf, 0, nan, 4}},
		} {
			y, err := c.f(vector(x...))
			require.NoError(t, err, c.name)
			same(t, c.want, y.Data(), c.name)
			a := vector(x...)
			require.NoError(t, c.to(a, a), c.name)
			same(t, c.want, a.Data(), c.name+"To in place")
			_, err = c.f(nil)
			require.ErrorAs(t, err, new(*NilError), c.name)
		}
	})
}

func TestTernaryArithmetic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		a, b := vector(1.0, 2, 3), vector(10.0, 20, 30)
		y := Must(FMA(a, b, Scalar(0.5)))
		same(t, []float64{10.5, 40.5, 90.5}, y.Data(), "FMA")
		// a is a column, b a row.
		column := Must(FromSlice([]float64{0, 1}, 2, 1))
		same(t, []float64{1, 2, 3, 10, 20, 30}, Must(Lerp(a, b, column)).Data(), "Lerp")
		same(t, []float64{5.5, 11, 16.5}, Must(Lerp(a, b, Scalar(0.5))).Data(), "Lerp")
		same(t, []float64{0, 0}, Must(Lerp(vector(negZero, 1), vector(1, negZero), vector(0.0, 1))).Data(), "Lerp of -0")
		same(t, []float64{0, negZero, 0}, Must(FMA(vector(1, negZero, negZero), vector(1.0, 1, 1), vector(-1, negZero, 0))).Data(), "FMA to 0")
		same(t, []float64{inf, nan, nan}, Must(AddDiv(Scalar(1.0), vector(1.0, 0, -1), vector(0.0, 0, nan), 1)).Data(), "AddDiv by 0")
		same(t, []float64{inf, nan}, Must(AddMul(vector(1, -inf), Scalar(1e300), Scalar(1e-300), 1e300)).Data(), "AddMul")
		x := vector(-1, 0.5, 7, nan, negZero)
		same(t, []float64{0, 0.5, 1, nan, 0}, Must(Clamp(x, Scalar(0.0), Scalar(1.0))).Data(), "Clamp")
		same(t, []float64{1, 1, 1, nan, 1}, Must(Clamp(x, Scalar(2.0), Scalar(1.0))).Data(), "Clamp between crossed bounds")
		same(t, []float64{nan, nan, nan, nan, nan}, Must(Clamp(x, Scalar(nan), Scalar(1.0))).Data(), "Clamp by NaN")
		same(t, []float64{nan, nan, nan, nan, nan}, Must(Clamp(x, Scalar(0.0), Scalar(nan))).Data(), "Clamp by NaN")
		same(t, []float64{21, 82, 183}, Must(AddMul(a, a, b, 2)).Data(), "AddMul")
		same(t, []float64{21, 42, 63}, Must(AddDiv(a, b, Scalar(0.5), 1)).Data(), "AddDiv")

		require.NoError(t, AddMulTo(a, a, a, b, 2))
		same(t, []float64{21, 82, 183}, a.Data(), "AddMulTo")
		require.NoError(t, AddDivTo(a, a, b, b, -1))
		same(t, []float64{20, 81, 182}, a.Data(), "AddDivTo")
		require.NoError(t, ClampTo(a, a, b, Scalar(100.0)))
		same(t, []float64{20, 81, 100}, a.Data(), "ClampTo")
		require.NoError(t, LerpTo(a, a, b, Scalar(1.0)))
		same(t, b.Data(), a.Data(), "LerpTo")
		require.NoError(t, FMATo(a, a, Scalar(2.0), b))
		same(t, []float64{30, 60, 90}, a.Data(), "FMATo")
		require.ErrorAs(t, AddMulTo(a, a, nil, b, 2), new(*NilError))
		require.ErrorAs(t, ClampTo(a, a, b, nil), new(*NilError))
	})
}

func TestIntegerArithmetic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		integerArithmetic[int8](t)
		integerArithmetic[int16](t)
		integerArithmetic[int32](t)
		integerArithmetic[int64](t)

		a, b := vector[uint8](250, 7, 0), vector[uint8](7, 250, 3)
		assert.Equal(t, []uint8{35, 0, 0}, Must(Div(a, b)).Data())
		assert.Equal(t, []uint8{5, 7, 0}, Must(Remainder(a, b)).Data())
		assert.Equal(t, []uint8{243, 243, 3}, Must(AbsDiff(a, b)).Data())
		assert.Equal(t, []uint8{1, 1, 0}, Must(Sign(a)).Data())
		assert.Equal(t, []uint8{250, 7, 0}, Must(Relu(a)).Data())
	})
}

func integerArithmetic[T int8 | int16 | int32 | int64](t *testing.T) {
	least := T(-1)
	for least*2 < 0 {
		least *= 2
	}
	a, b := vector(7, -7, 7, -7, least), vector[T](2, 2, -2, -2, -1)
	assert.Equal(t, []T{3, -3, -3, 3, least}, Must(Div(a, b)).Data())
	assert.Equal(t, []T{3, -4, -4, 3, least}, Must(FloorDiv(a, b)).Data())
	assert.Equal(t, []T{1, 1, -1, -1, 0}, Must(Remainder(a, b)).Data())
	assert.Equal(t, []T{1, -1, 1, -1, 0}, Must(FMod(a, b)).Data())
	assert.Equal(t, []T{1, 1, 49, -27, 81}, Must(Pow(vector[T](0, 5, 7, -3, 3), vector[T](0, 0, 2, 3, 4))).Data())
	assert.Equal(t, []T{0}, Must(Pow(vector[T](2), vector[T](100))).Data(), "all bits are shifted out")
	assert.Equal(t, []T{1, -1, 1, -1, -1}, Must(Sign(a)).Data())
	assert.Equal(t, []T{0, 0, 5}, Must(Clamp(vector[T](-9, 0, 9), Scalar[T](0), Scalar[T](5))).Data())
	assert.Equal(t, []T{8, -6, 8, -6, least + 1}, Must(AddMul(a, vector[T](1), vector[T](1), 1)).Data())
	assert.Equal(t, []T{5, 9, 9, 5, least - 1}, Must(AbsDiff(a, b)).Data()[:5:5], "the last wraps")
}

// What is refused leaves the destination as it was, however late the zero comes.
func TestDivisionByZero(t *testing.T) {
	divisionByZero[int8](t)
	divisionByZero[uint16](t)
	divisionByZero[int32](t)
	divisionByZero[uint64](t)
}

func divisionByZero[T Integer](t *testing.T) {
	for _, f := range []func(dst, a, b *Tensor[T], opts ...Option) error{DivTo[T], FloorDivTo[T], RemainderTo[T], FModTo[T]} {
		for n := range 40 {
			for zero := range n {
				b := Must(Full(T(3), n))
				b.Set(0, zero)
				dst := Must(Full(T(5), n))
				var e *DivisionError
				require.ErrorAs(t, f(dst, dst, b), &e)
				require.Equal(t, []int{zero}, e.Index)
				require.Equal(t, T(5), dst.At(n-1))
			}
			b := Must(Full(^T(0), n))
			require.NoError(t, f(b, b, b))
		}
		// A view of which some elements are not divisors.
		b := Must(FromSlice([]T{1, 0, 2, 0, 3, 0}, 3, 2))
		dst := Must(Full(T(6), 3, 1))
		require.NoError(t, f(dst, dst, Must(b.Slice(1, 0, 1, 1))))
		require.Error(t, f(dst, dst, Must(b.Slice(1, 1, 2, 1))))
		require.Error(t, f(dst, dst, Must(Scalar[T](0).Expand(3, 1))))
		none := Must(Zeros[T](0))
		require.NoError(t, f(none, none, Scalar[T](0)), "nothing is divided")
		require.ErrorAs(t, f(dst, dst, nil), new(*NilError))
	}
}

// What is found is the first zero in row-major order, however the divisors lie.
func TestFirstZeroDivisor(t *testing.T) {
	data := make([]int32, 60)
	x := Must(FromSlice(data, 3, 4, 5))
	for name, b := range map[string]*Tensor[int32]{
		"contiguous": x, "reversed": Must(x.Flip()), "transposed": Must(x.Transpose()), "turned": Must(x.Transpose(1, 0, 2)),
		"part": Must(Must(x.Narrow(1, 1, 2)).Narrow(2, 1, 3)), "stepped": Must(x.Slice(2, 0, 5, 2)), "one row": Must(x.Select(0, 1)),
		"column": Must(Must(x.Select(0, 1)).Select(1, 2)), "expanded": Must(Must(x.Narrow(1, 2, 1)).Expand(2, 3, 4, 5)),
		"one, expanded": Must(Must(x.Slice(2, 3, 4, 1)).Expand(3, 4, 9)), "diagonal": Must(x.Diagonal(0, 0, 2)), "windows": Must(x.Unfold(2, 3, 1)),
	} {
		for i := range data {
			for k := range data {
				data[k] = 1
			}
			data[i], data[(i*7+13)%60] = 0, 0
			var want error
			for index, v := range b.All() {
				if v == 0 {
					want = &DivisionError{Op: "Div", Index: clone(index)}
					break
				}
			}
			_, err := Div(Scalar[int32](1), b)
			require.Equal(t, want, err, "%s: zero at %d", name, i)
		}
	}
}

func TestIntegerAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	onEverySet(t, func(t *testing.T) {
		x := Must(Full[int16](3, 20, 20, 20))
		dst := Must(Zeros[int16](20, 20, 20))
		for layout, b := range map[string]*Tensor[int16]{
			"contiguous": x, "scalar": Scalar[int16](3), "transposed": Must(x.Transpose()), "part": Must(x.Narrow(2, 1, 1)),
			"reversed": Must(x.Flip()), "expanded": Must(Must(x.Narrow(0, 0, 1)).Expand(20, 20, 20)),
		} {
			for name, run := range map[string]func() error{
				"DivTo":        func() error { return DivTo(dst, x, b, Serial) },
				"FloorDivTo":   func() error { return FloorDivTo(dst, x, b, Serial) },
				"RemainderTo":  func() error { return RemainderTo(dst, x, b, Serial) },
				"FModTo":       func() error { return FModTo(dst, x, b, Serial) },
				"PowTo":        func() error { return PowTo(dst, x, b, Serial) },
				"ShiftLeftTo":  func() error { return ShiftLeftTo(dst, x, b, Serial) },
				"ShiftRightTo": func() error { return ShiftRightTo(dst, x, b, Serial) },
			} {
				require.NoError(t, run(), name)
				assert.Zero(t, testing.AllocsPerRun(5, func() { _ = run() }), "%s, %s", name, layout)
			}
		}
	})
}

func TestNegativeExponent(t *testing.T) {
	dst := Must(Full[int16](5, 3))
	var e *ExponentError
	require.ErrorAs(t, PowTo(dst, dst, vector[int16](1, -2, -3)), &e)
	assert.Equal(t, &ExponentError{Op: "Pow", Exponent: -2, Index: []int{1}}, e)
	assert.Equal(t, []int16{5, 5, 5}, dst.Data())
	assert.Equal(t, []uint8{1}, Must(Pow(vector[uint8](1), vector[uint8](255))).Data())
	_, err := Pow[int16](nil, dst)
	require.ErrorAs(t, err, new(*NilError))
}
