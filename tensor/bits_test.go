package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBits(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkBits[int8](t, 8)
		checkBits[int16](t, 16)
		checkBits[int32](t, 32)
		checkBits[int64](t, 64)
		checkBits[uint8](t, 8)
		checkBits[uint16](t, 16)
		checkBits[uint32](t, 32)
		checkBits[uint64](t, 64)
	})
}

func checkBits[T Integer](t *testing.T, width int) {
	t.Helper()
	var values []T
	for shift := range width {
		values = append(values, T(1)<<shift, ^(T(1) << shift), T(0x5aa5&math.MaxInt8)<<shift+3)
	}
	row := Must(FromSlice(values, len(values)))
	column := Must(row.Unsqueeze(1))
	type operation = func(a, b *Tensor[T], opts ...Option) (*Tensor[T], error)
	for name, op := range map[string]struct {
		f    operation
		to   func(dst, a, b *Tensor[T], opts ...Option) error
		want func(a, b T) T
	}{
		"And":    {And[T], AndTo[T], func(a, b T) T { return a & b }},
		"Or":     {Or[T], OrTo[T], func(a, b T) T { return a | b }},
		"Xor":    {Xor[T], XorTo[T], func(a, b T) T { return a ^ b }},
		"AndNot": {AndNot[T], AndNotTo[T], func(a, b T) T { return a &^ b }},
	} {
		got := Must(op.f(column, row))
		dst := got.alike()
		dst.data = make([]T, got.Len())
		require.NoError(t, op.to(dst.finish(), column, row))
		for i, v := range got.All() {
			require.Equal(t, op.want(values[i[0]], values[i[1]]), v, "%s(%v, %v)", name, values[i[0]], values[i[1]])
		}
		require.Equal(t, got.Data(), dst.Data())
	}
	for i, v := range Must(Not(row)).All() {
		require.Equal(t, ^values[i[0]], v)
	}

	var counts []T // in ascending order
	for n := range 2*width + 3 {
		if T(n) >= 0 && int(T(n)) == n {
			counts = append(counts, T(n))
		}
	}
	most := ^T(0) // the largest count
	if most < 0 {
		most = T(1)<<(width-2) - 1 + T(1)<<(width-2)
	}
	counts = append(counts, most, most-1, most/2+1)
	n := Must(FromSlice(counts, len(counts), 1))
	left, right := Must(ShiftLeft(row, n)), Must(ShiftRight(row, n))
	require.NoError(t, ShiftLeftTo(Must(Zeros[T](left.Shape()...)), row, n))
	require.NoError(t, ShiftRightTo(Must(Zeros[T](left.Shape()...)), row, n))
	for i, v := range left.All() {
		x, by := values[i[1]], counts[i[0]]
		require.Equal(t, x<<by, v, "%v << %v", x, by)
		require.Equal(t, x>>by, right.At(i...), "%v >> %v", x, by)
	}
}

func TestLogic(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := Must(FromSlice([]bool{false, true}, 2))
		y := Must(x.Unsqueeze(1))
		assert.Equal(t, []bool{false, false, false, true}, Must(And(y, x)).Data())
		assert.Equal(t, []bool{false, true, true, true}, Must(Or(y, x)).Data())
		assert.Equal(t, []bool{false, true, true, false}, Must(Xor(y, x)).Data())
		assert.Equal(t, []bool{false, false, true, false}, Must(AndNot(y, x)).Data())
		assert.Equal(t, []bool{true, false}, Must(Not(x)).Data())
	})
}

// A negative count is found before anything is written, wherever it is.
func TestNegativeShift(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		for length := range 20 {
			for at := range length {
				counts := Must(Full[int16](1, length))
				counts.Set(-3, at)
				want := &ShiftError{Op: "ShiftLeft", Count: -3, Index: []int{at}}
				dst := arange[int16](2, length)
				assert.Equal(t, want, ShiftLeftTo(dst, arange[int16](2, length), counts))
				assert.Equal(t, arange[int16](2, length).Data(), dst.Data())
				_, err := ShiftLeft(dst, counts)
				assert.Equal(t, want, err)
				want = &ShiftError{Op: "ShiftRight", Count: -3, Index: []int{0, length - 1 - at}}
				_, err = ShiftRight(dst, Must(Must(counts.Flip()).Expand(2, length)))
				assert.Equal(t, want, err)
				assert.EqualError(t, err, "tensor: ShiftRight: count -3 at index "+formatShape(want.Index)+" is negative")
			}
		}
	})
	_, err := ShiftLeft(Scalar[uint8](1), Scalar[uint8](255))
	assert.NoError(t, err, "unsigned counts are not negative")
	_, err = ShiftLeft(Scalar[int8](1), nil)
	assert.Equal(t, &NilError{Op: "ShiftLeft", Operand: 1}, err)
	assert.Equal(t, &NilError{Op: "ShiftRight", Operand: 0}, ShiftRightTo(Scalar[int8](1), nil, Scalar[int8](1)))
	empty := &Tensor[int8]{}
	assert.NoError(t, ShiftLeftTo(empty, empty, empty))
}
