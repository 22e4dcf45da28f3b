package tensor

import (
	"math"
	"testing"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkOrder[int8](t, math.MinInt8, -1, 0, 1, math.MaxInt8)
		checkOrder[int16](t, math.MinInt16, -1, 0, 1, math.MaxInt16)
		checkOrder[int32](t, math.MinInt32, -1, 0, 1, math.MaxInt32)
		checkOrder[int64](t, math.MinInt64, -1, 0, 1, math.MaxInt64)
		checkOrder[uint8](t, 0, 1, math.MaxInt8, math.MaxInt8+1, math.MaxUint8)
		checkOrder[uint16](t, 0, 1, math.MaxInt16, math.MaxInt16+1, math.MaxUint16)
		checkOrder[uint32](t, 0, 1, math.MaxInt32, math.MaxInt32+1, math.MaxUint32)
		checkOrder[uint64](t, 0, 1, math.MaxInt64, math.MaxInt64+1, math.MaxUint64)
		inf, nan := math.Inf(1), math.NaN()
		checkOrder[float32](t, float32(-inf), -1, 0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, float32(inf), float32(nan))
		checkOrder[float64](t, -inf, -1, 0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, inf, nan)
	})
}

// checkOrder compares each value with each, a column with a row.
func checkOrder[T Number](t *testing.T, values ...T) {
	t.Helper()
	row := Must(FromSlice(values, len(values)))
	column := Must(row.Unsqueeze(1))
	for name, op := range map[string]struct {
		f    func(a, b *Tensor[T], opts ...Option) (*Tensor[bool], error)
		to   func(dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error
		want func(a, b T) bool
	}{
		"Equal":        {Equal[T], EqualTo[T], func(a, b T) bool { return a == b }},
		"NotEqual":     {NotEqual[T], NotEqualTo[T], func(a, b T) bool { return a != b }},
		"Less":         {Less[T], LessTo[T], func(a, b T) bool { return a < b }},
		"LessEqual":    {LessEqual[T], LessEqualTo[T], func(a, b T) bool { return a <= b }},
		"Greater":      {Greater[T], GreaterTo[T], func(a, b T) bool { return a > b }},
		"GreaterEqual": {GreaterEqual[T], GreaterEqualTo[T], func(a, b T) bool { return a >= b }},
	} {
		got := Must(op.f(column, row))
		dst := Must(Full(true, got.Shape()...))
		require.NoError(t, op.to(dst, column, row))
		for index, v := range got.All() {
			a, b := values[index[0]], values[index[1]]
			require.Equal(t, op.want(a, b), v, "%s(%v, %v)", name, a, b)
			require.Equal(t, v, dst.At(index...), "%sTo", name)
		}
	}
}

func TestCompareBool(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := Must(FromSlice([]bool{false, true}, 2))
		y := Must(x.Unsqueeze(1))
		assert.Equal(t, []bool{true, false, false, true}, Must(Equal(x, y)).Data())
		assert.Equal(t, []bool{false, true, true, false}, Must(NotEqual(x, y)).Data())
		assert.Equal(t, []bool{false, false, true, false}, Must(Less(x, y)).Data())
		assert.Equal(t, []bool{true, false, true, true}, Must(LessEqual(x, y)).Data())
		assert.Equal(t, []bool{false, true, false, false}, Must(Greater(x, y)).Data())
		assert.Equal(t, []bool{true, true, false, true}, Must(GreaterEqual(x, y)).Data())
	})
}

// Comparisons of 16-bit floats are those of their values.
func TestCompareHalf(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	values := []float32{-inf, -2, -1, -0x1p-14, float32(math.Copysign(0, -1)), 0, 0x1p-24, 1, 1.0078125, 2, inf, nan}
	onEverySet(t, func(t *testing.T) {
		checkHalves[Float16](t, values)
		checkHalves[BFloat16](t, values)
	})
}

func checkHalves[T Float](t *testing.T, values []float32) {
	t.Helper()
	x := Must(FromSlice(values, len(values)))
	h := Must(Cast[T](x))
	xs, hs := Must(x.Unsqueeze(1)), Must(h.Unsqueeze(1))
	for i, f := range []func(a, b *Tensor[float32], opts ...Option) (*Tensor[bool], error){
		Equal[float32], NotEqual[float32], Less[float32], LessEqual[float32], Greater[float32], GreaterEqual[float32],
	} {
		half := []func(a, b *Tensor[T], opts ...Option) (*Tensor[bool], error){
			Equal[T], NotEqual[T], Less[T], LessEqual[T], Greater[T], GreaterEqual[T],
		}[i]
		assert.Equal(t, Must(f(xs, x)).Data(), Must(half(hs, h)).Data(), "comparison %d", i)
	}
	assert.Equal(t, Must(IsNaN(x)).Data(), Must(IsNaN(h)).Data())
	assert.Equal(t, Must(IsInf(x)).Data(), Must(IsInf(h)).Data())
	assert.Equal(t, Must(IsFinite(x)).Data(), Must(IsFinite(h)).Data())
	assert.Equal(t, Must(SignBit(x)).Data(), Must(SignBit(h)).Data())
	tolerance := Must(Cast[T](Scalar[float32](0.0078125))).At()
	assert.Equal(t, Must(IsClose(xs, x, 0.0078125, 0)).Data(), Must(IsClose(hs, h, tolerance, 0)).Data())
	_, err := IsClose(h, h, Must(Cast[T](Scalar[float32](-1))).At(), 0)
	assert.ErrorContains(t, err, "rtol is -1: expected 0 or more")
}

// Where a function shares kernels with its mirror image, errors and the order
// of the result still speak of its own operands.
func TestSwappedOperands(t *testing.T) {
	a, b := arange[float32](2, 3), arange[float32](4)
	for name, f := range map[string]func(a, b *Tensor[float32], opts ...Option) (*Tensor[bool], error){
		"Greater": Greater[float32], "GreaterEqual": GreaterEqual[float32],
	} {
		_, err := f(a, b)
		var m *broadcast.MismatchError
		require.ErrorAs(t, err, &m)
		assert.Equal(t, [2]int{3, 4}, [2]int{m.SizeA, m.SizeB})
		assert.ErrorContains(t, err, "tensor: "+name+": ")

		for operand := range 2 {
			ab := []*Tensor[float32]{a, a}
			ab[operand] = nil
			_, err := f(ab[0], ab[1])
			assert.Equal(t, &NilError{Op: name, Operand: operand}, err)
		}
	}
	_, err := Greater(a, arange[float32](3, 1, 1), SameRank)
	assert.Equal(t, &RankError{Op: "Greater", Shapes: [][]int{{2, 3}, {3, 1, 1}}, Result: []int{3, 2, 3}}, err)
	assert.Equal(t, []int{2, 3}, Must(Greater(a, arange[float32](3, 2), Legacy)).Shape())
	assert.Equal(t, make([]bool, 6), Must(Greater(a, arange[float32](3, 2), Legacy)).Data())
}

func TestClassify(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkClasses[float32](t, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32)
		checkClasses(t, math.Inf(1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64)
	})
}

func checkClasses[T Float](t *testing.T, inf, nan, most, least T) {
	t.Helper()
	zero := T(0)
	x := Must(FromSlice([]T{inf, -inf, nan, -nan, most, -most, least, -least, zero, -zero, T(math.Copysign(0, -1))}, 11))
	for i, v := range x.Data() {
		f := float64(v)
		assert.Equal(t, math.IsNaN(f), Must(IsNaN(x)).At(i), "IsNaN(%v)", v)
		assert.Equal(t, math.IsInf(f, 0), Must(IsInf(x)).At(i), "IsInf(%v)", v)
		assert.Equal(t, !math.IsNaN(f) && !math.IsInf(f, 0), Must(IsFinite(x)).At(i), "IsFinite(%v)", v)
		assert.Equal(t, math.Signbit(f), Must(SignBit(x)).At(i), "SignBit(%v)", v)
	}
	dst := Must(Zeros[bool](11))
	for _, to := range []func(*Tensor[bool], *Tensor[T], ...Option) error{IsNaNTo[T], IsInfTo[T], IsFiniteTo[T], SignBitTo[T]} {
		require.NoError(t, to(dst, x))
	}
	assert.Equal(t, Must(SignBit(x)).Data(), dst.Data())
}

func TestIsClose(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct {
			a, b, rtol, atol float64
			want             bool
		}{
			{1, 1, 0, 0, true},
			{1, 1.1, 0, 0.11, true},
			{1, 1.1, 0, 0.05, false},
			{10, 11, 0.0909090, 0, false}, // b is the reference
			{10, 11, 0.0909092, 0, true},
			{11, 10, 0.0909092, 0, false},
			{0, math.Copysign(0, -1), 0, 0, true},
			{inf, inf, 0, 0, true},
			{-inf, -inf, 1, 1, true},
			{inf, -inf, 1, 1, false},
			{inf, math.MaxFloat64, 1, 1, false},
			{math.MaxFloat64, inf, 1, 1, false},
			{math.MaxFloat64, -math.MaxFloat64, 2, 0, false}, // the difference overflows
			{0, 0, inf, 0, true},
			{0, 1, 0, inf, true},
			{1, 2, inf, 0, true},
			{1, 0, inf, 0, false}, // ∞·0 is NaN
			{inf, 1, inf, inf, false},
			{nan, nan, 1, inf, false},
			{nan, 1, 1, 1, false},
			{1, nan, 1, 1, false},
		} {
			got, err := IsClose(Scalar(c.a), Scalar(c.b), c.rtol, c.atol)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.At(), "IsClose(%v, %v, %v, %v)", c.a, c.b, c.rtol, c.atol)
			row := Must(Full(c.a, 2, 9))
			for _, b := range []*Tensor[float64]{Scalar(c.b), Must(Full(c.b, 2, 9)), Must(Full(c.b, 9)), Must(Full(c.b, 2, 1))} {
				assert.Equal(t, Must(Full(c.want, 2, 9)).Data(), Must(IsClose(row, b, c.rtol, c.atol)).Data(), "%+v", c)
			}
		}
		// The product is rounded before the sum: fused, the bound would be 1 + 3ε.
		const eps = 1.0 / (1 << 23)
		x := float32(1 + eps)
		assert.False(t, Must(IsClose(Scalar[float32](2+4*eps), Scalar(x), x, eps/2)).At())
		assert.True(t, Must(IsClose(Scalar[float32](2+4*eps), Scalar(x), x, eps)).At())
	})
	for _, bad := range []float64{-1, nan} {
		_, err := IsClose(Scalar(0.0), Scalar(0.0), bad, 0)
		var e *ArgumentError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "rtol", e.Name)
		require.ErrorAs(t, IsCloseTo(Scalar(true), Scalar(0.0), Scalar(0.0), 0, bad), &e)
		assert.Equal(t, "atol", e.Name)
	}
	_, err := IsClose(arange[float32](2), arange[float32](3), 0, 0)
	var m *broadcast.MismatchError
	require.ErrorAs(t, err, &m)
	_, err = IsClose(arange[float32](2, 2), arange[float32](2, 2), 0, 0, SameRank, NoOuter)
	assert.NoError(t, err, "the tolerances have no shape")
	_, err = IsClose[float32](nil, arange[float32](2), 0, 0)
	assert.Equal(t, &NilError{Op: "IsClose", Operand: 0}, err)
}

func TestComparisonOfViews(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		for _, shape := range [][]int{{7}, {3, 5}, {4, 33}, {2, 3, 17}} {
			x := arange[int16](shape...)
			for name, view := range map[string]*Tensor[int16]{"transposed": Must(x.Transpose()), "flipped": Must(x.Flip())} {
				got := Must(Less(view, Scalar[int16](9)))
				dst := Must(Zeros[bool](append(view.Shape(), 2)...))
				part := Must(dst.Select(-1, 1)) // its elements are not neighbours
				require.NoError(t, LessTo(part, view, Scalar[int16](9)))
				for i, v := range view.All() {
					require.Equal(t, v < 9, got.At(i...), "%s %v at %v", name, shape, i)
					require.Equal(t, v < 9, part.At(i...), "%s %v at %v", name, shape, i)
					require.False(t, dst.At(append(i, 0)...))
				}
			}
		}
	})
}

func TestComparisonAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	x, row := arange[float32](50, 9), arange[float32](9)
	dst, mask := Must(Zeros[bool](50, 9)), Must(Less(x, row))
	for name, run := range map[string]func() error{
		"LessTo":        func() error { return LessTo(dst, x, row, Serial) },
		"GreaterTo":     func() error { return GreaterTo(dst, x, row, Serial) },
		"IsCloseTo":     func() error { return IsCloseTo(dst, x, row, 1e-3, 1e-3, Serial) },
		"WhereTo":       func() error { return WhereTo(x, mask, x, row, Serial) },
		"MaskedFillTo":  func() error { return MaskedFillTo(x, x, mask, 3, Serial) },
		"FillTo":        func() error { return FillTo(x, 4, Serial) },
		"CopyTo":        func() error { return CopyTo(x, row, Serial) },
		"NotTo":         func() error { return NotTo(mask, mask, Serial) },
		"IsFiniteTo":    func() error { return IsFiniteTo(dst, x, Serial) },
		"NotEqualTo":    func() error { return NotEqualTo(dst, x, x, Serial) },
		"GreaterEqualS": func() error { return GreaterEqualTo(dst, x, row, Serial) },
	} {
		require.NoError(t, run(), name)
		assert.Zero(t, testing.AllocsPerRun(20, func() { _ = run() }), name)
	}
}
