package tensor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhere(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		shapes := [][]int{{}, {1}, {3, 5}, {5}, {3, 1}, {40, 1}, {33}, {40, 33}, {1, 33}, {2, 40, 33}}
		ran := 0
		for range 400 {
			pick := func() []int { return shapes[r.IntN(len(shapes))] }
			sc, sa, sb := pick(), pick(), pick()
			shape, err := broadcast.Shape(sc, sa, sb)
			cond := Must(Less(Must(Mul(arange[uint16](sc...), Scalar[uint16](0x9e37))), Scalar[uint16](0x8000)))
			a, b := arange[uint16](sa...), Must(Neg(arange[uint16](sb...)))
			got, e := Where(cond, a, b)
			if err != nil {
				var m *broadcast.MismatchError
				require.ErrorAs(t, e, &m)
				continue
			}
			ran++
			require.NoError(t, e)
			require.Equal(t, shape, got.Shape())
			dst := Must(Zeros[uint16](shape...))
			require.NoError(t, WhereTo(dst, cond, a, b))
			ec, ea, eb := Must(cond.Expand(shape...)), Must(a.Expand(shape...)), Must(b.Expand(shape...))
			for i, v := range got.All() {
				want := eb.At(i...)
				if ec.At(i...) {
					want = ea.At(i...)
				}
				require.Equal(t, want, v, "%v %v %v at %v", sc, sa, sb, i)
				require.Equal(t, want, dst.At(i...))
			}
		}
		assert.Greater(t, ran, 100)
	})
}

// Every bit of a NaN is moved as it is, for every element type's width.
func TestWhereMovesBits(t *testing.T) {
	signalling, payload := math.Float32frombits(0x7fa00001), math.Float32frombits(0xffc12345)
	wide := math.Float64frombits(0x7ff0000000000001)
	bits32 := func(x *Tensor[float32]) (bits []uint32) {
		for v := range x.Values() {
			bits = append(bits, math.Float32bits(v))
		}
		return bits
	}
	onEverySet(t, func(t *testing.T) {
		for n := 1; n < 40; n++ {
			cond := Must(Zeros[bool](n))
			for i := range n {
				cond.Set(i%3 == 0, i)
			}
			x, y := Must(Full(signalling, n)), Must(Full(payload, n))
			var want []uint32
			for i := range n {
				want = append(want, math.Float32bits(map[bool]float32{true: signalling, false: payload}[cond.At(i)]))
			}
			require.Equal(t, want, bits32(Must(Where(cond, x, y))))
			require.Equal(t, want, bits32(Must(Where(cond, Scalar(signalling), y))))
			require.Equal(t, want, bits32(Must(Where(cond, x, Scalar(payload)))))
			require.Equal(t, want, bits32(Must(MaskedFill(y, cond, signalling))))
			require.Equal(t, want, bits32(Must(Must(Where(cond, x, y)).Clone())))
			for v := range Must(Where(cond, Must(Full(wide, n)), Scalar(wide))).Values() {
				require.Equal(t, uint64(0x7ff0000000000001), math.Float64bits(v))
			}
			flags := Must(Where(cond, Scalar(false), Scalar(true))).Data()
			require.Equal(t, Must(Not(cond)).Data(), flags)
		}
	})
}

func TestMaskedFill(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := arange[int32](2, 3)
		mask := Must(FromSlice([]bool{true, false, true}, 3))
		assert.Equal(t, []int32{9, 2, 9, 9, 5, 9}, Must(MaskedFill(x, mask, 9)).Data())
		assert.Equal(t, []int32{9, 9, 9, 4, 5, 6}, Must(MaskedFill(x, Must(FromSlice([]bool{true, false}, 2, 1)), 9)).Data())
		assert.Equal(t, []int32{1, 9, 1, 9}, Must(MaskedFill(Scalar[int32](1), Must(FromSlice([]bool{false, true, false, true}, 4)), 9)).Data())
		require.NoError(t, MaskedFillTo(x, x, mask, -1))
		assert.Equal(t, []int32{-1, 2, -1, -1, 5, -1}, x.Data())
		_, err := MaskedFill(x, Must(Zeros[bool](2, 3)), 0, SameRank, NoOuter)
		assert.NoError(t, err, "the number has no shape")
	})
	_, err := MaskedFill[int8](nil, Scalar(true), 1)
	assert.Equal(t, &NilError{Op: "MaskedFill", Operand: 0}, err)
	_, err = MaskedFill(Scalar(1.0), nil, 1)
	assert.Equal(t, &NilError{Op: "MaskedFill", Operand: 1}, err)
	assert.Equal(t, &NilError{Op: "MaskedFillTo", Operand: -1}, MaskedFillTo(nil, Scalar(1.0), Scalar(true), 1))
	_, err = MaskedFill(arange[int8](2), Must(Zeros[bool](3)), 1)
	var m *broadcast.MismatchError
	require.ErrorAs(t, err, &m)
	assert.Equal(t, [2]int{2, 3}, [2]int{m.SizeA, m.SizeB})
}

func TestCopyTo(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		for _, shape := range [][]int{{3, 4}, {33, 5}, {2, 3, 70}} {
			dst := Must(Zeros[int16](shape...))
			row := arange[int16](shape[len(shape)-1])
			require.NoError(t, CopyTo(dst, row))
			for i, v := range dst.All() {
				require.Equal(t, int16(i[len(i)-1]+1), v)
			}
			reversed := Must(arange[int16](shape...).Flip())
			require.NoError(t, CopyTo(Must(dst.Transpose()), Must(reversed.Transpose())))
			require.Equal(t, reversed.Data(), dst.Data())
			require.NoError(t, CopyTo(dst, Must(dst.Flip()))) // as if copied first
			require.Equal(t, arange[int16](shape...).Data(), dst.Data())
		}
	})
	x := arange[int8](4)
	var d *broadcast.DestinationError
	require.ErrorAs(t, CopyTo(x, arange[int8](2, 4)), &d, "never stretched")
	var m *broadcast.MismatchError
	require.ErrorAs(t, CopyTo(x, arange[int8](3)), &m)
	require.ErrorContains(t, CopyTo(x, arange[int8](3)), "tensor: CopyTo: ")
	require.NoError(t, CopyTo(x, x, SameRank, NoOuter))
	require.NoError(t, FillTo(arange[int8](2), 7, SameRank, NoOuter, Legacy))
	var o *OverlapError
	require.ErrorAs(t, CopyTo(Must(x.Expand(2, 4)), x), &o)
	assert.Equal(t, &NilError{Op: "CopyTo", Operand: -1}, CopyTo(nil, x))
	assert.Equal(t, &NilError{Op: "CopyTo", Operand: 0}, CopyTo(x, nil))
	assert.Equal(t, []int8{1, 2, 3, 4}, x.Data())
}

func TestFillTo(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkFill[float32](t, float32(math.NaN()))
		checkFill[int8](t, -3)
		checkFill[uint16](t, 0x1234)
		checkFill(t, 1e300)
		checkFill(t, true)
	})
	x := arange[int8](4)
	var o *OverlapError
	require.ErrorAs(t, FillTo(Must(x.Expand(2, 4)), 5), &o)
	assert.Equal(t, "FillTo", o.Op)
	assert.Equal(t, &NilError{Op: "FillTo", Operand: -1}, FillTo[int8](nil, 5))
	assert.NoError(t, FillTo(&Tensor[int8]{}, 5))
	assert.Equal(t, []int8{1, 2, 3, 4}, x.Data())
}

// checkFill fills a part of an array and looks at what is around it.
func checkFill[T Element](t *testing.T, v T) {
	t.Helper()
	for _, n := range []int{1, 2, 7, 8, 31, 32, 33, 100} {
		all := Must(Zeros[T](5, n+3))
		part := Must(Must(all.Slice(0, 1, 5, 2)).Slice(1, 2, 2+n, 1))
		require.NoError(t, FillTo(part, v))
		for i, got := range all.All() {
			want := *new(T)
			if i[0]%2 == 1 && i[1] >= 2 && i[1] < 2+n {
				want = v
			}
			require.True(t, got == want || got != got && want != want, "%v at %v", got, i)
		}
		require.Equal(t, 4*n, Must(Full(v, 4, n)).Len())
		for got := range Must(Full(v, 4, n)).Values() {
			require.True(t, got == v || got != got && v != v)
		}
	}
}
