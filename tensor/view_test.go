package tensor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Views of a row-major tensor, with the strides and offsets that PyTorch gives
// (NumPy, for negative steps).
func TestViews(t *testing.T) {
	type view = *Tensor[int32]
	for _, c := range []struct {
		name           string
		base           []int
		view           func(x view) (view, error)
		shape, strides []int
		offset         int
	}{
		{"expand", []int{3, 1}, func(x view) (view, error) { return x.Expand(2, -1, 4) }, []int{2, 3, 4}, []int{0, 1, 0}, 0},
		{"expand to itself", []int{3, 1}, func(x view) (view, error) { return x.Expand(-1, -1) }, []int{3, 1}, []int{1, 1}, 0},
		{"expand a scalar", []int{}, func(x view) (view, error) { return x.Expand(2, 3) }, []int{2, 3}, []int{0, 0}, 0},
		{"expand to nothing", []int{1}, func(x view) (view, error) { return x.Expand(0) }, []int{0}, []int{0}, 0},
		{"expand nothing", []int{0}, func(x view) (view, error) { return x.Expand(5, 0) }, []int{5, 0}, []int{0, 1}, 0},
		{"expand to a million", []int{1, 4}, func(x view) (view, error) { return x.Expand(1_000_000, 4) }, []int{1_000_000, 4}, []int{0, 1}, 0},
		{"expand as", []int{3}, func(x view) (view, error) { return x.ExpandAs(Must(Zeros[int32](2, 3))) }, []int{2, 3}, []int{0, 1}, 0},
		{"broadcast to", []int{3}, func(x view) (view, error) { return x.BroadcastTo(2, 3) }, []int{2, 3}, []int{0, 1}, 0},
		{"unsqueeze first", []int{2, 3}, func(x view) (view, error) { return x.Unsqueeze(0) }, []int{1, 2, 3}, []int{6, 3, 1}, 0},
		{"unsqueeze last", []int{2, 3}, func(x view) (view, error) { return x.Unsqueeze(-1) }, []int{2, 3, 1}, []int{3, 1, 1}, 0},
		{"unsqueeze a scalar", []int{}, func(x view) (view, error) { return x.Unsqueeze(-1) }, []int{1}, []int{1}, 0},
		{"squeeze all", []int{1, 3, 1, 2}, func(x view) (view, error) { return x.Squeeze() }, []int{3, 2}, []int{2, 1}, 0},
		{"squeeze some", []int{1, 3, 1, 1}, func(x view) (view, error) { return x.Squeeze(-1, 0) }, []int{3, 1}, []int{1, 1}, 0},
		{"squeeze nothing", []int{2, 3}, func(x view) (view, error) { return x.Squeeze() }, []int{2, 3}, []int{3, 1}, 0},
		{"transpose", []int{2, 3, 4}, func(x view) (view, error) { return x.Transpose() }, []int{4, 3, 2}, []int{1, 4, 12}, 0},
		{"permute", []int{2, 3, 4}, func(x view) (view, error) { return x.Transpose(1, -1, 0) }, []int{3, 4, 2}, []int{4, 1, 12}, 0},
		{"transpose a scalar", []int{}, func(x view) (view, error) { return x.Transpose() }, []int{}, []int{}, 0},
		{"swap axes", []int{2, 3, 4}, func(x view) (view, error) { return x.SwapAxes(0, -1) }, []int{4, 3, 2}, []int{1, 4, 12}, 0},
		{"move outwards", []int{2, 3, 4}, func(x view) (view, error) { return x.MoveAxis(-1, 0) }, []int{4, 2, 3}, []int{1, 12, 4}, 0},
		{"move inwards", []int{2, 3, 4}, func(x view) (view, error) { return x.MoveAxis(0, 2) }, []int{3, 4, 2}, []int{4, 1, 12}, 0},
		{"slice", []int{5, 2}, func(x view) (view, error) { return x.Slice(0, 1, 4, 2) }, []int{2, 2}, []int{4, 1}, 2},
		{"slice from the end", []int{5}, func(x view) (view, error) { return x.Slice(-1, -2, End, 1) }, []int{2}, []int{1}, 3},
		{"slice too far", []int{5}, func(x view) (view, error) { return x.Slice(0, -9, 9, 1) }, []int{5}, []int{1}, 0},
		{"slice nothing", []int{5}, func(x view) (view, error) { return x.Slice(0, 3, 2, 1) }, []int{0}, []int{1}, 3},
		{"slice backwards", []int{5}, func(x view) (view, error) { return x.Slice(0, End, Begin, -2) }, []int{3}, []int{-2}, 4},
		{"slice backwards to 1", []int{5}, func(x view) (view, error) { return x.Slice(0, 3, 0, -1) }, []int{3}, []int{-1}, 3},
		{"slice backwards, leap", []int{5}, func(x view) (view, error) { return x.Slice(0, 3, Begin, Begin) }, []int{1}, []int{Begin}, 3},
		{"slice forwards, leap", []int{5}, func(x view) (view, error) { return x.Slice(0, 3, End, End) }, []int{1}, []int{End}, 3},
		{"slice an empty one backwards", []int{0}, func(x view) (view, error) { return x.Slice(0, End, Begin, -1) }, []int{0}, []int{-1}, 0},
		{"narrow", []int{5, 2}, func(x view) (view, error) { return x.Narrow(0, -3, 2) }, []int{2, 2}, []int{2, 1}, 4},
		{"narrow to nothing", []int{5, 2}, func(x view) (view, error) { return x.Narrow(0, 5, 0) }, []int{0, 2}, []int{2, 1}, 10},
		{"select", []int{5, 2, 3}, func(x view) (view, error) { return x.Select(1, -1) }, []int{5, 3}, []int{6, 1}, 3},
		{"select a scalar", []int{5}, func(x view) (view, error) { return x.Select(0, 2) }, []int{}, []int{}, 2},
		{"flip", []int{2, 3}, func(x view) (view, error) { return x.Flip(-1) }, []int{2, 3}, []int{3, -1}, 2},
		{"flip all", []int{2, 3}, func(x view) (view, error) { return x.Flip() }, []int{2, 3}, []int{-3, -1}, 5},
		{"flip nothing", []int{0, 3}, func(x view) (view, error) { return x.Flip(0) }, []int{0, 3}, []int{-3, 1}, 0},
		{"diagonal", []int{3, 4}, func(x view) (view, error) { return x.Diagonal(0, 0, 1) }, []int{3}, []int{5}, 0},
		{"diagonal above", []int{2, 3, 4}, func(x view) (view, error) { return x.Diagonal(2, 1, -1) }, []int{2, 2}, []int{12, 5}, 2},
		{"diagonal below", []int{3, 4}, func(x view) (view, error) { return x.Diagonal(-1, 0, 1) }, []int{2}, []int{5}, 4},
		{"diagonal outside", []int{3, 4}, func(x view) (view, error) { return x.Diagonal(4, 0, 1) }, []int{0}, []int{5}, 0},
		{"diagonal far outside", []int{3, 4}, func(x view) (view, error) { return x.Diagonal(Begin, 0, 1) }, []int{0}, []int{5}, 0},
		{"unfold", []int{5, 2}, func(x view) (view, error) { return x.Unfold(0, 3, 1) }, []int{3, 2, 3}, []int{2, 1, 2}, 0},
		{"unfold in steps", []int{8}, func(x view) (view, error) { return x.Unfold(-1, 3, 2) }, []int{3, 3}, []int{2, 1}, 0},
		{"unfold to nothing", []int{4}, func(x view) (view, error) { return x.Unfold(0, 0, 3) }, []int{2, 0}, []int{3, 1}, 0},
		{"flatten", []int{2, 3, 4}, func(x view) (view, error) { return x.Flatten(0, 1) }, []int{6, 4}, []int{4, 1}, 0},
		{"flatten one", []int{2, 3}, func(x view) (view, error) { return x.Flatten(1, 1) }, []int{2, 3}, []int{3, 1}, 0},
		{"flatten a scalar", []int{}, func(x view) (view, error) { return x.Flatten(0, -1) }, []int{1}, []int{1}, 0},
		{"reshape", []int{4, 6}, func(x view) (view, error) { return x.Reshape(2, -1, 3) }, []int{2, 4, 3}, []int{12, 3, 1}, 0},
		{"reshape to a scalar", []int{1, 1}, func(x view) (view, error) { return x.Reshape() }, []int{}, []int{}, 0},
		{"reshape a scalar", []int{}, func(x view) (view, error) { return x.Reshape(1, -1) }, []int{1, 1}, []int{1, 1}, 0},
		{"reshape nothing", []int{0, 3}, func(x view) (view, error) { return x.Reshape(5, -1, 2) }, []int{5, 0, 2}, []int{2, 2, 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := sequence(t, c.base...)
			v, err := c.view(x)
			require.NoError(t, err)
			assert.Equal(t, c.shape, v.Shape())
			assert.Equal(t, c.strides, v.Strides())
			assert.Equal(t, c.offset, v.offset)
			assert.Equal(t, product(c.shape), v.Len())
			if x.size > 0 {
				assert.Same(t, &x.data[0], &v.data[0])
			}
		})
	}
}

func TestReshapeOfViews(t *testing.T) {
	x := sequence(t, 4, 3, 2)
	swapped := Must(x.Transpose(1, 2, 0)) // (3,2,4), strides (2,1,6)
	v := Must(swapped.Reshape(6, 2, 2))
	assert.Same(t, &x.data[0], &v.data[0])
	assert.Equal(t, []int{1, 12, 6}, v.Strides())

	c := Must(swapped.Reshape(3, 8))
	assert.NotSame(t, &x.data[0], &c.data[0])
	assert.Equal(t, swapped.Data(), c.Data())
	assert.True(t, c.IsContiguous())

	_, err := swapped.View(3, 8)
	assert.Equal(t, &ViewError{Shape: []int{3, 2, 4}, Strides: []int{2, 1, 6}, To: []int{3, 8}}, err)

	// Reversed and expanded dimensions join others of their kind.
	assert.Equal(t, []int{-1}, Must(Must(x.Flip()).View(24)).Strides())
	assert.Equal(t, []int{0, 1}, Must(Must(sequence(t, 2).Expand(3, 4, 2)).View(12, 2)).Strides())
}

// model is what a view means: its shape, and which element of the base stands
// at each index, in row-major order.
type model struct {
	shape []int
	elems []int32
}

// gather returns the model of the given shape whose element at an index is m's
// at from(index).
func (m model) gather(shape []int, from func(index []int) []int) model {
	g := model{shape: shape}
	index := make([]int, len(shape))
	for range product(shape) {
		at := 0
		for i, j := range from(index) {
			at = at*m.shape[i] + j
		}
		g.elems = append(g.elems, m.elems[at])
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return g
}

// with returns a copy of an index with the one of an axis replaced.
func with(index []int, axis, value int) []int {
	index = slices.Clone(index)
	index[axis] = value
	return index
}

// pythonRange lists the indices that start:stop:step names, by trying them
// all.
func pythonRange(n, start, stop, step int) (indices []int) {
	if start < 0 {
		start += n
	}
	if stop < 0 {
		stop += n
	}
	if step < 0 {
		start = min(start, n-1)
	} else {
		start = max(start, 0)
	}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if i >= 0 && i < n {
			indices = append(indices, i)
		}
	}
	return indices
}

// chain applies the view operations that program spells to a tensor and to its
// model, and compares the two after each. It counts the operations in reached.
func chain(t *testing.T, program []byte, reached map[string]int) {
	next := func(n int) int { // a number from 0 to n-1
		if len(program) == 0 {
			return 0
		}
		b := program[0]
		program = program[1:]
		return int(b) % n
	}
	base := make([]int, next(5))
	for i := range base {
		base[i] = next(5)
	}
	x := sequence(t, base...)
	m := model{base, slices.Clone(x.data)}
	for step := 0; len(program) > 0 && step < 8; step++ {
		rank := len(m.shape)
		axis := 0
		if rank > 0 {
			axis = next(rank)
		}
		given := axis - rank*next(2) // the same axis, perhaps counted from the end
		var v *Tensor[int32]
		var err error
		op := [...]string{"expand", "unsqueeze", "squeeze", "transpose", "swap", "move", "slice", "narrow", "select",
			"flip", "diagonal", "unfold", "flatten", "reshape", "clone", "split", "concat", "stack"}[next(18)]
		if rank == 0 && op != "expand" && op != "unsqueeze" && op != "reshape" && op != "stack" {
			continue
		}
		n := 0
		if rank > 0 {
			n = m.shape[axis]
		}
		before := x
		switch op {
		case "expand":
			shape := slices.Clone(m.shape)
			for i, n := range shape {
				if n == 1 {
					shape[i] = next(4)
				}
			}
			for range next(3) {
				shape = slices.Insert(shape, 0, next(3))
			}
			if product(shape) > 2000 {
				continue
			}
			v, err = x.Expand(shape...)
			old := m
			m = m.gather(shape, func(index []int) []int {
				index = slices.Clone(index[len(index)-rank:])
				for i := range index {
					if old.shape[i] == 1 {
						index[i] = 0
					}
				}
				return index
			})
		case "unsqueeze":
			axis = next(rank + 1)
			v, err = x.Unsqueeze(axis)
			m.shape = slices.Insert(slices.Clone(m.shape), axis, 1)
		case "squeeze":
			v, err = x.Squeeze()
			m.shape = slices.DeleteFunc(slices.Clone(m.shape), func(n int) bool { return n == 1 })
		case "transpose":
			order := rand.New(rand.NewPCG(uint64(next(256)), 0)).Perm(rank)
			shape := make([]int, rank)
			for i, a := range order {
				shape[i] = m.shape[a]
			}
			v, err = x.Transpose(order...)
			m = m.gather(shape, func(index []int) []int {
				from := make([]int, rank)
				for i, a := range order {
					from[a] = index[i]
				}
				return from
			})
		case "swap":
			other := next(rank)
			shape := with(m.shape, axis, m.shape[other])
			shape[other] = m.shape[axis]
			v, err = x.SwapAxes(given, other)
			m = m.gather(shape, func(index []int) []int {
				from := with(index, axis, index[other])
				from[other] = index[axis]
				return from
			})
		case "move":
			to := next(rank)
			shape := slices.Insert(slices.Delete(slices.Clone(m.shape), axis, axis+1), to, n)
			v, err = x.MoveAxis(given, to)
			m = m.gather(shape, func(index []int) []int {
				return slices.Insert(slices.Delete(slices.Clone(index), to, to+1), axis, index[to])
			})
		case "slice":
			start, stop, step := next(16)-8, next(16)-8, next(4)+1
			if next(2) == 1 {
				step = -step
			}
			taken := pythonRange(n, start, stop, step)
			v, err = x.Slice(given, start, stop, step)
			m = m.gather(with(m.shape, axis, len(taken)), func(index []int) []int { return with(index, axis, taken[index[axis]]) })
		case "narrow":
			start := next(n + 1)
			length := next(n - start + 1)
			v, err = x.Narrow(given, start, length)
			m = m.gather(with(m.shape, axis, length), func(index []int) []int { return with(index, axis, start+index[axis]) })
		case "select":
			if n == 0 {
				continue
			}
			at := next(n)
			v, err = x.Select(given, at-n*next(2))
			m = m.gather(slices.Delete(slices.Clone(m.shape), axis, axis+1), func(index []int) []int {
				return slices.Insert(slices.Clone(index), axis, at)
			})
		case "flip":
			v, err = x.Flip(given)
			m = m.gather(m.shape, func(index []int) []int { return with(index, axis, n-1-index[axis]) })
		case "diagonal":
			other := next(rank)
			if other == axis {
				continue
			}
			offset, size := next(9)-4, 0
			for i := range n {
				if j := i + offset; j >= 0 && j < m.shape[other] {
					size++
				}
			}
			shape := slices.Clone(m.shape)
			for _, a := range []int{max(axis, other), min(axis, other)} {
				shape = slices.Delete(shape, a, a+1)
			}
			v, err = x.Diagonal(offset, given, other)
			m = m.gather(append(shape, size), func(index []int) []int {
				k := index[rank-2]
				from := slices.Clone(index[:rank-2])
				i, j := k+max(-offset, 0), k+max(offset, 0)
				if axis < other {
					return slices.Insert(slices.Insert(from, axis, i), other, j)
				}
				return slices.Insert(slices.Insert(from, other, j), axis, i)
			})
		case "unfold":
			size, step := next(n+1), next(3)+1
			windows := 0
			for at := 0; at+size <= n; at += step {
				windows++
			}
			if len(m.elems)*size > 2000 {
				continue
			}
			v, err = x.Unfold(given, size, step)
			m = m.gather(append(with(m.shape, axis, windows), size), func(index []int) []int {
				return with(index[:rank], axis, index[axis]*step+index[rank])
			})
		case "flatten":
			end := axis + next(rank-axis)
			v, err = x.Flatten(given, end)
			m.shape = slices.Concat(m.shape[:axis], []int{product(m.shape[axis : end+1])}, m.shape[end+1:])
		case "reshape":
			shape := divide(len(m.elems), next)
			v, err = x.Reshape(shape...)
			m.shape = shape
			if err == nil && x.size > 0 {
				at := addresses(x.shape, x.strides, x.offset)
				view := &v.data[0] == &x.data[0]
				require.Equal(t, viewExists(shape, at), view, "%v of %v %v", shape, x.shape, x.strides)
				if _, err := x.View(shape...); view != (err == nil) {
					t.Fatalf("View: %v", err)
				}
			}
		case "clone":
			v, err = x.Clone()
		case "split":
			at := next(n + 1)
			var pieces []*Tensor[int32]
			pieces, err = x.Split(given, at, n-at)
			require.NoError(t, err)
			v = pieces[next(2)]
			if v == pieces[0] {
				m = m.gather(with(m.shape, axis, at), slices.Clone)
			} else {
				m = m.gather(with(m.shape, axis, n-at), func(index []int) []int { return with(index, axis, at+index[axis]) })
			}
		case "concat":
			if len(m.elems) > 1000 {
				continue
			}
			v, err = Concat(given, x, x)
			m = m.gather(with(m.shape, axis, 2*n), func(index []int) []int { return with(index, axis, index[axis]%n) })
		case "stack":
			if len(m.elems) > 1000 {
				continue
			}
			axis = next(rank + 1)
			v, err = Stack(axis, x, x)
			m = m.gather(slices.Insert(slices.Clone(m.shape), axis, 2), func(index []int) []int {
				return slices.Delete(slices.Clone(index), axis, axis+1)
			})
		}
		require.NoError(t, err, op)
		reached[op]++
		compare(t, op, before, v, m)
		x = v
	}
}

// divide returns a random shape of n elements.
func divide(n int, next func(int) int) (shape []int) {
	if n == 0 {
		return slices.Insert([]int{next(4), next(4)}, next(3), 0)
	}
	for n > 1 && len(shape) < 6 {
		d := next(n) + 1
		for n%d != 0 {
			d--
		}
		shape = append(shape, d)
		n /= d
	}
	return append(shape, n)
}

// viewExists reports whether elements that lie at the given addresses can be
// walked in row-major order with one stride for each dimension of a shape.
func viewExists(shape, at []int) bool {
	strides, below := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] > 1 {
			strides[i] = at[below] - at[0]
		}
		below *= shape[i]
	}
	return slices.Equal(addresses(shape, strides, at[0]), at)
}

func compare(t *testing.T, op string, x, v *Tensor[int32], m model) {
	t.Helper()
	fail := func(what string, want, got any) {
		t.Helper()
		t.Fatalf("%s of %v %v: %s is %v, want %v", op, x.shape, x.strides, what, got, want)
	}
	if got := v.Shape(); !slices.Equal(got, m.shape) {
		fail("shape", m.shape, got)
	}
	if v.Len() != len(m.elems) {
		fail("length", len(m.elems), v.Len())
	}
	if got := v.Data(); !slices.Equal(got, m.elems) {
		fail("data", m.elems, got)
	}
	if got := slices.Collect(v.Values()); !slices.Equal(got, m.elems) {
		fail("values", m.elems, got)
	}
	i := 0
	for index, value := range v.All() {
		if value != m.elems[i] || value != v.At(index...) {
			fail("element", m.elems[i], value)
		}
		i++
	}
	if i != len(m.elems) {
		fail("number of elements iterated", len(m.elems), i)
	}
	contiguous := true
	for i, at := range addresses(v.shape, v.strides, v.offset) {
		contiguous = contiguous && at == v.offset+i
	}
	if v.IsContiguous() != contiguous {
		fail("contiguity", contiguous, v.IsContiguous())
	}
	if raw, ok := v.Raw(); ok && !slices.Equal(raw, m.elems) {
		fail("raw", m.elems, raw)
	}
}

func TestViewChains(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	reached := map[string]int{}
	for range 3000 {
		program := make([]byte, 8+r.IntN(56))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		chain(t, program, reached)
	}
	assert.Len(t, reached, 18)
	for op, n := range reached {
		assert.Greater(t, n, 100, op)
	}
}

func FuzzViews(f *testing.F) {
	f.Add([]byte{3, 2, 3, 4, 0, 1, 6, 9, 3, 1, 1, 1, 0, 13, 5, 1})
	f.Add([]byte{2, 0, 3, 1, 0, 11, 2, 1, 0, 0, 13, 1, 2, 0})
	f.Add([]byte{0, 0, 0, 0, 2, 3, 2, 0, 1, 9})
	f.Fuzz(func(t *testing.T, program []byte) {
		chain(t, program, map[string]int{})
	})
}

// An error tells the shape as it was given, what is to be inferred included.
func TestReshapeError(t *testing.T) {
	var refused *ShapeError
	_, err := Must(Zeros[float32](1)).Reshape(math.MaxInt/2, 4, -1)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []int{math.MaxInt / 2, 4, -1}, refused.Shape)
	_, err = Must(Zeros[float32](6)).Reshape(-2, -1)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []int{-2, -1}, refused.Shape)
}
