package broadcast

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShape(t *testing.T) {
	for _, c := range []struct {
		shapes [][]int
		want   []int
	}{
		{nil, []int{}},
		{[][]int{{}}, []int{}},
		{[][]int{{}, {}}, []int{}},
		{[][]int{nil, {2}}, []int{2}},
		{[][]int{{}, {4, 0, 1}}, []int{4, 0, 1}},
		{[][]int{{5, 7, 3}, {5, 7, 3}}, []int{5, 7, 3}},
		{[][]int{{5, 3, 4, 1}, {3, 1, 1}}, []int{5, 3, 4, 1}},
		{[][]int{{5, 1, 4, 1}, {3, 1, 1}}, []int{5, 3, 4, 1}},
		{[][]int{{1}, {3, 1, 7}}, []int{3, 1, 7}},
		{[][]int{{3}, {3, 1}}, []int{3, 3}},
		{[][]int{{0}, {1}}, []int{0}},
		{[][]int{{0}, {0}}, []int{0}},
		{[][]int{{0}, {2, 1}}, []int{2, 0}},
		{[][]int{{1, 1}, {1}}, []int{1, 1}},
		{[][]int{{2, 1, 1, 1}, {3, 1, 1}, {4, 1}, {5}, {}}, []int{2, 3, 4, 5}},
		{[][]int{{1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, {3, 1}}, []int{1, 1, 1, 1, 1, 1, 1, 1, 3, 2}},
		{[][]int{{math.MaxInt}, {1, 1}}, []int{1, math.MaxInt}},
	} {
		got, err := Shape(c.shapes...)
		require.NoError(t, err, "%v", c.shapes)
		require.Equal(t, c.want, got, "%v", c.shapes)
	}
}

func TestShapeMismatch(t *testing.T) {
	for _, c := range []struct {
		shapes [][]int
		want   MismatchError
		text   string
	}{
		{[][]int{{0}, {2, 2}}, MismatchError{A: 0, B: 1, SizeA: 0, SizeB: 2, Dim: 1},
			"The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 1: operand 0 has shape (0,), operand 1 has shape (2,2)"},
		{[][]int{{5, 2, 4, 1}, {3, 1, 1}}, MismatchError{A: 0, B: 1, SizeA: 2, SizeB: 3, Dim: 1},
			"The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1: operand 0 has shape (5,2,4,1), operand 1 has shape (3,1,1)"},
		{[][]int{{2, 3}, {4, 5}}, MismatchError{A: 0, B: 1, SizeA: 3, SizeB: 5, Dim: 1},
			"(3) must match the size of tensor b (5) at non-singleton dimension 1"},
		{[][]int{{7, 3}, {}, {1}, {7, 2}}, MismatchError{A: 0, B: 3, SizeA: 3, SizeB: 2, Dim: 1},
			"operand 0 has shape (7,3), operand 3 has shape (7,2)"},
		{[][]int{{2, 1, 1, 1}, {3, 1, 1}, {4, 1}, {5}, {2, 3, 4, 6}}, MismatchError{A: 3, B: 4, SizeA: 5, SizeB: 6, Dim: 3},
			"operand 3 has shape (5,), operand 4 has shape (2,3,4,6)"},
		// The operands come before the dimensions, and the dimension is counted
		// in the result, which is of a later operand's rank here.
		{[][]int{{2, 1}, {3, 1}, {1, 1, 1, 4}, {5}}, MismatchError{A: 0, B: 1, SizeA: 2, SizeB: 3, Dim: 2},
			"at non-singleton dimension 2"},
	} {
		got, err := Shape(c.shapes...)
		require.Nil(t, got)
		var e *MismatchError
		require.ErrorAs(t, err, &e, "%v", c.shapes)
		c.want.Shapes = c.shapes
		require.Equal(t, c.want, *e)
		require.ErrorContains(t, err, c.text)
	}
}

func TestMismatchKeepsItsShapes(t *testing.T) {
	a, b := []int{2}, []int{3}
	_, err := Shape(a, b)
	a[0] = 7
	var e *MismatchError
	require.ErrorAs(t, err, &e)
	require.Equal(t, [][]int{{2}, {3}}, e.Shapes)
}

func TestShapeInvalid(t *testing.T) {
	half := math.MaxInt/2 + 1
	for _, c := range []struct {
		shapes [][]int
		want   ShapeError
		text   string
	}{
		{[][]int{{3, -2}}, ShapeError{Shape: []int{3, -2}, Dim: 1}, "shape (3,-2) has the negative size -2 in dimension 1"},
		{[][]int{{3}, {-1}}, ShapeError{Shape: []int{-1}, Dim: 0}, "shape (-1,)"},
		{[][]int{{1, 1}, {-1}}, ShapeError{Shape: []int{-1}, Dim: 0}, "shape (-1,)"},
		{[][]int{{3}, {4}, {-1, 1}}, ShapeError{Shape: []int{-1, 1}, Dim: 0}, "shape (-1,1)"},
		{[][]int{{math.MinInt}}, ShapeError{Shape: []int{math.MinInt}, Dim: 0}, "negative size"},
		{[][]int{{half, 1}, {2}}, ShapeError{Shape: []int{half, 2}, Dim: -1}, fmt.Sprintf("shape (%d,2) has more elements than an int can count", half)},
		{[][]int{{half, 4}, {0, 1, 1}}, ShapeError{Shape: []int{0, half, 4}, Dim: -1}, "more elements"},
	} {
		got, err := Shape(c.shapes...)
		require.Nil(t, got)
		var e *ShapeError
		require.ErrorAs(t, err, &e, "%v", c.shapes)
		require.Equal(t, c.want, *e)
		require.ErrorContains(t, err, c.text)
	}
}

func TestLen(t *testing.T) {
	half := math.MaxInt/2 + 1
	for _, c := range []struct {
		shape []int
		want  int
	}{
		{nil, 1},
		{[]int{1, 1}, 1},
		{[]int{2, 3, 4}, 24},
		{[]int{5, 0}, 0},
		{[]int{0, math.MaxInt}, 0},
		{[]int{math.MaxInt, 1}, math.MaxInt},
		{[]int{half / 2, 3}, half / 2 * 3},
	} {
		n, err := Len(c.shape)
		require.NoError(t, err, "%v", c.shape)
		require.Equal(t, c.want, n, "%v", c.shape)
	}
	for _, shape := range [][]int{{-1}, {0, -1}, {half, 2}, {2, half}, {math.MaxInt, math.MaxInt}, {half, 2, 0}, {0, half, 2}, {half, half, half, half}} {
		_, err := Len(shape)
		var e *ShapeError
		require.ErrorAs(t, err, &e, "%v", shape)
		require.Equal(t, shape, e.Shape)
	}
}

func TestAppendShape(t *testing.T) {
	buf := make([]int, 1, 8)
	buf[0] = 9
	got, err := AppendShape(buf, []int{2, 1}, []int{3})
	require.NoError(t, err)
	require.Equal(t, []int{9, 2, 3}, got)
	require.Same(t, &buf[0], &got[0])

	got, err = AppendShape(buf, []int{2}, []int{3})
	require.Error(t, err)
	require.Equal(t, []int{9}, got)
	got, err = AppendShape(nil, []int{2}, []int{-3})
	require.Error(t, err)
	require.Nil(t, got)
}

func TestInto(t *testing.T) {
	for _, c := range []struct {
		dst    []int
		shapes [][]int
	}{
		{[]int{}, nil},
		{[]int{}, [][]int{{}, {}}},
		{[]int{5, 3, 4, 1}, [][]int{{5, 3, 4, 1}, {3, 1, 1}}},
		{[]int{2, 3}, [][]int{{3}, {2, 1}}},
		{[]int{2, 0}, [][]int{{0}, {2, 1}, {}}},
		{[]int{1, 1}, [][]int{{1}, {1, 1}}},
	} {
		require.NoError(t, Into(c.dst, c.shapes...), "%v into %v", c.shapes, c.dst)
	}
	for _, c := range []struct {
		dst    []int
		shapes [][]int
		want   DestinationError
		text   string
	}{
		{[]int{1, 3, 1}, [][]int{{1, 3, 1}, {3, 1, 7}}, DestinationError{Result: []int{3, 3, 7}, Dim: 2, Size: 1, ResultSize: 7},
			"output with shape (1,3,1) doesn't match the broadcast shape (3,3,7): size 1 against 7 at dimension 2"},
		{[]int{4, 3}, [][]int{{1, 3}, {1, 3}}, DestinationError{Result: []int{1, 3}, Dim: 0, Size: 4, ResultSize: 1}, "size 4 against 1 at dimension 0"},
		{[]int{3}, [][]int{{2, 3}, {3}}, DestinationError{Result: []int{2, 3}, Dim: 0, Size: -1, ResultSize: 2}, "size none against 2 at dimension 0"},
		{[]int{1, 3}, [][]int{{3}}, DestinationError{Result: []int{3}, Dim: 0, Size: 1, ResultSize: -1}, "size 1 against none at dimension 0"},
		{[]int{2, 3}, [][]int{{4}}, DestinationError{Result: []int{4}, Dim: 1, Size: 3, ResultSize: 4}, "size 3 against 4 at dimension 1"},
		{[]int{0}, [][]int{{1}, {}}, DestinationError{Result: []int{1}, Dim: 0, Size: 0, ResultSize: 1}, "size 0 against 1"},
		{[]int{1}, [][]int{{0}, {1}}, DestinationError{Result: []int{0}, Dim: 0, Size: 1, ResultSize: 0}, "size 1 against 0"},
		{[]int{1}, nil, DestinationError{Result: []int{}, Dim: 0, Size: 1, ResultSize: -1}, "broadcast shape ()"},
	} {
		err := Into(c.dst, c.shapes...)
		var e *DestinationError
		require.ErrorAs(t, err, &e, "%v into %v", c.shapes, c.dst)
		c.want.Shape = c.dst
		require.Equal(t, c.want, *e)
		require.ErrorContains(t, err, c.text)
	}

	var mismatch *MismatchError
	require.ErrorAs(t, Into([]int{2}, []int{2}, []int{3}), &mismatch)
	require.Equal(t, 1, mismatch.B)
	var invalid *ShapeError
	require.ErrorAs(t, Into([]int{-1}, []int{-1}), &invalid)
	require.ErrorAs(t, Into([]int{-1}, []int{1}), &invalid)
}

func TestStretchesBoth(t *testing.T) {
	for _, c := range []struct {
		want   bool
		shapes [][]int
	}{
		{true, [][]int{{3}, {3, 1}}},
		{true, [][]int{{5, 1, 4, 1}, {3, 1, 1}}},
		{true, [][]int{{1, 0}, {2, 1}}},
		{true, [][]int{{3, 1}, {}, {3}}},
		{false, [][]int{{5, 3, 4, 1}, {3, 1, 1}}},
		{false, [][]int{{3}, {1, 3}}},
		{false, [][]int{{1, 1}, {1}}},
		{false, [][]int{{0}, {1}}},
		{false, [][]int{{3, 1}, {3}, {3, 3}}},
		{false, [][]int{{}}},
		{false, nil},
	} {
		require.Equal(t, c.want, StretchesBoth(c.shapes...), "%v", c.shapes)
	}
}

func TestFormat(t *testing.T) {
	for want, shape := range map[string][]int{"()": nil, "(3,)": {3}, "(5,-1,0)": {5, -1, 0}} {
		require.Equal(t, want, Format(shape))
	}
}

// TestShapeLaws checks what holds for all shapes: the order and grouping of the
// operands do not matter, and the result broadcasts with each of them to itself.
func TestShapeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fit := 0
	for range 20000 {
		shapes := make([][]int, 1+rng.IntN(4))
		for i := range shapes {
			shapes[i] = make([]int, rng.IntN(5))
			for d := range shapes[i] {
				shapes[i][d] = []int{1, 1, 2, 2, 0, 3}[rng.IntN(6-4*rng.IntN(2))]
			}
		}
		all, err := Shape(shapes...)
		other := slices.Clone(shapes)
		rng.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		again, err2 := Shape(other...)
		require.Equal(t, err == nil, err2 == nil, "%v", shapes)
		require.Equal(t, all, again, "%v", shapes)
		if err != nil {
			continue
		}
		fit++
		cut := rng.IntN(len(shapes) + 1)
		left, err := Shape(shapes[:cut]...)
		require.NoError(t, err)
		right, err := Shape(shapes[cut:]...)
		require.NoError(t, err)
		joined, err := Shape(left, right)
		require.NoError(t, err)
		require.Equal(t, all, joined, "%v", shapes)
		full := false
		for _, s := range shapes {
			require.NoError(t, Into(all, all, s))
			trimmed := slices.Clone(s)
			for len(trimmed) < len(all) {
				trimmed = slices.Insert(trimmed, 0, 1)
			}
			full = full || slices.Equal(trimmed, all)
		}
		require.Equal(t, !full, StretchesBoth(shapes...), "%v", shapes)
	}
	require.Greater(t, fit, 5000)
}

func TestShapeAllocates(t *testing.T) {
	a, b, dst := []int{5, 3, 4, 1}, []int{3, 1, 1}, []int{5, 3, 4, 1}
	assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() { _, _ = Shape(a, b) }), "Shape")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		var buf [8]int
		_, _ = AppendShape(buf[:0], a, b)
	}), "AppendShape")
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = Into(dst, a, b) }), "Into")
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = Len(a) }), "Len")
	assert.Zero(t, testing.AllocsPerRun(100, func() { StretchesBoth(a, b) }), "StretchesBoth")
}

// foldShapes is the rule as PyTorch applies it: two shapes at a time, from the
// left, each pair from its last dimension. back counts the dimension from the
// end.
func foldShapes(shapes [][]int) (result []int, b, back int, sizes [2]int) {
	result = []int{}
	for b, s := range shapes {
		x, y := slices.Clone(result), slices.Clone(s)
		for len(x) < len(y) {
			x = append([]int{1}, x...)
		}
		for len(y) < len(x) {
			y = append([]int{1}, y...)
		}
		for d := len(x) - 1; d >= 0; d-- {
			switch {
			case x[d] == 1:
				x[d] = y[d]
			case y[d] != 1 && x[d] != y[d]:
				return nil, b, len(x) - d, [2]int{x[d], y[d]}
			}
		}
		result = x
	}
	return result, 0, 0, sizes
}

// shapesFrom reads shapes from fuzz data: a rank, then the sizes.
func shapesFrom(data []byte) (shapes [][]int) {
	for len(data) > 0 && len(shapes) < 6 {
		rank := min(int(data[0])%11, len(data)-1)
		s := make([]int, rank)
		for d := range s {
			s[d] = int(data[1+d])%7 - 1 // -1 is invalid
		}
		shapes, data = append(shapes, s), data[1+rank:]
	}
	return shapes
}

func FuzzShape(f *testing.F) {
	f.Add([]byte{4, 6, 4, 5, 2, 3, 4, 2, 2}, []byte{4, 6, 4, 5, 2})
	f.Add([]byte{1, 4, 2, 4, 2}, []byte{2, 4, 4})
	f.Add([]byte{1, 1, 2, 3, 3}, []byte{1, 1})
	f.Add([]byte{2, 3, 2, 1, 4, 0, 10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, []byte{})
	f.Add([]byte{1, 3, 1, 0}, []byte{0})
	f.Fuzz(func(t *testing.T, data, into []byte) {
		shapes := shapesFrom(data)
		got, err := Shape(shapes...)
		negative := func(s []int) bool { return slices.Min(append([]int{0}, s...)) < 0 }
		if slices.ContainsFunc(shapes, negative) {
			var e *ShapeError
			require.ErrorAs(t, err, &e)
			require.Negative(t, e.Shape[e.Dim])
			return
		}
		want, b, back, sizes := foldShapes(shapes)
		if want == nil {
			var e *MismatchError
			require.ErrorAs(t, err, &e)
			require.Equal(t, shapes, e.Shapes)
			require.Equal(t, b, e.B)
			require.Equal(t, sizes, [2]int{e.SizeA, e.SizeB})
			require.Less(t, e.A, e.B)
			require.Equal(t, maxRank(shapes)-back, e.Dim)
			for _, o := range [][2]int{{e.A, e.SizeA}, {e.B, e.SizeB}} {
				s := shapes[o[0]]
				require.Equal(t, o[1], s[len(s)-back])
			}
		} else {
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		dst := []int{}
		if d := shapesFrom(into); len(d) > 0 {
			dst = d[0]
		}
		err = Into(dst, shapes...)
		require.Equal(t, want != nil && slices.Equal(dst, want), err == nil)
		if want == nil || err == nil || negative(dst) {
			return
		}
		var e *DestinationError
		require.True(t, errors.As(err, &e))
		require.Equal(t, want, e.Result)
		require.NotEqual(t, e.Size, e.ResultSize)
	})
}

func BenchmarkInto(b *testing.B) {
	x, y := []int{5, 3, 4, 1}, []int{3, 1, 1}
	for b.Loop() {
		_ = Into(x, x, y)
	}
}
