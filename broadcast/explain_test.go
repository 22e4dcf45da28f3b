package broadcast

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplain(t *testing.T) {
	e := Explain([]int{5, 3, 4, 1}, []int{3, 1, 1})
	require.Equal(t, Explanation{
		Rows:      [][]int{{5, 3, 4, 1}, {Pad, 3, 1, 1}},
		Decisions: []Decision{Missing, Equal, Stretched, Equal},
		Result:    []int{5, 3, 4, 1},
	}, e)
	require.Equal(t, strings.TrimLeft(`
dimension        0      1          2      3
operand 0        5      3          4      1
operand 1        -      3          1      1
decision   missing  equal  stretched  equal
result (5,3,4,1)
`, "\n"), e.String())

	e = Explain()
	require.Equal(t, Explanation{Result: []int{}}, e)
	require.Equal(t, "result ()\n", e.String())

	e = Explain([]int{}, []int{})
	require.Equal(t, "dimension\noperand 0\noperand 1\ndecision\nresult ()\n", e.String())
}

func TestExplainDecisions(t *testing.T) {
	for _, c := range []struct {
		shapes [][]int
		want   []Decision
	}{
		{[][]int{{1}, {1}}, []Decision{Equal}},
		{[][]int{{0}, {1}}, []Decision{Stretched}},
		{[][]int{{0}, {0}}, []Decision{Equal}},
		{[][]int{{0}, {2}}, []Decision{Mismatch}},
		{[][]int{{2, 3}, {}, {3}}, []Decision{Missing, Missing}},
		{[][]int{{2, 3}, {}, {1}}, []Decision{Missing, Stretched}},
		{[][]int{{1, 3}, {3}}, []Decision{Missing, Equal}},
		{[][]int{{2, 3}, {4, 5}}, []Decision{Mismatch, Mismatch}},
		{[][]int{{2}, {1}, {3}}, []Decision{Mismatch}},
	} {
		require.Equal(t, c.want, Explain(c.shapes...).Decisions, "%v", c.shapes)
	}
}

func TestExplainMismatch(t *testing.T) {
	e := Explain([]int{2, 3}, []int{2})
	require.Nil(t, e.Result)
	_, err := Shape([]int{2, 3}, []int{2})
	require.Equal(t, err, e.Err)
	require.Equal(t, []Suggestion{
		{Operand: 1, View: "Unsqueeze(1)", Shape: []int{2, 1}, Result: []int{2, 3}},
		{Operand: 0, View: "Transpose(1,0)", Shape: []int{3, 2}, Result: []int{3, 2}},
	}, e.Suggestions)
	require.Equal(t, strings.TrimLeft(`
dimension        0         1
operand 0        2         3
operand 1        -         2
decision   missing  mismatch
error: broadcast: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1: operand 0 has shape (2,3), operand 1 has shape (2,)
try operand 1: Unsqueeze(1) makes it (2,1), and the result (2,3)
or  operand 0: Transpose(1,0) makes it (3,2), and the result (3,2)
`, "\n"), e.String())

	for _, c := range []struct {
		shapes [][]int
		first  string // the best suggestion
	}{
		{[][]int{{3}, {4}}, "operand 0: Unsqueeze(1) makes it (3,1), and the result (3,4), every combination"},
		{[][]int{{8, 224, 224, 3}, {8, 3, 224, 224}}, "operand 0: Transpose(0,3,1,2) makes it (8,3,224,224), and the result (8,3,224,224)"},
		{[][]int{{16, 8, 32}, {}, {16, 32}}, "operand 2: Unsqueeze(1) makes it (16,1,32), and the result (16,8,32)"},
		{[][]int{{3, 1}, {4, 3}}, "operand 0: Squeeze(1) makes it (3,), and the result (4,3)"},
		{[][]int{{2}, {3}, {5, 7}}, ""}, // no single view mends it
	} {
		e := Explain(c.shapes...)
		require.Error(t, e.Err)
		if c.first == "" {
			require.Empty(t, e.Suggestions, "%v", c.shapes)
			continue
		}
		require.NotEmpty(t, e.Suggestions, "%v", c.shapes)
		require.Equal(t, c.first, e.Suggestions[0].String(), "%v", c.shapes)
	}
}

func TestExplainStretchesBoth(t *testing.T) {
	e := Explain([]int{3}, []int{3, 1})
	require.NoError(t, e.Err)
	require.True(t, e.StretchesBoth)
	require.Equal(t, strings.TrimLeft(`
dimension        0          1
operand 0        -          3
operand 1        3          1
decision   missing  stretched
result (3,3)
Every operand is stretched, which is often a mistake.
If the elements were meant to pair up:
  operand 1: Squeeze(1) makes it (3,), and the result (3,)
  operand 0: Unsqueeze(1) makes it (3,1), and the result (3,1)
  operand 1: Transpose(1,0) makes it (1,3), and the result (1,3)
If every combination was meant, say so:
  operand 0: Expand(3,3) makes it (3,3), and the result (3,3)
`, "\n"), e.String())

	e = Explain([]int{5, 1, 4, 1}, []int{3, 1, 1})
	require.True(t, e.StretchesBoth)
	require.Empty(t, e.Pair)
	require.Contains(t, e.String(), "no single Unsqueeze, Squeeze or Transpose does that")

	for _, shapes := range [][][]int{{{5, 3, 4, 1}, {3, 1, 1}}, {{2}, {2}}, {{3}, {4}}} {
		e := Explain(shapes...)
		require.False(t, e.StretchesBoth, "%v", shapes)
		require.Nil(t, e.Combine)
	}
}

// TestExplainTheWaysOut follows each suggestion, and sees that it does what it
// says.
func TestExplainTheWaysOut(t *testing.T) {
	sizes := []int{1, 2, 3}
	var shapes [][]int
	for _, n := range sizes {
		shapes = append(shapes, []int{n})
		for _, m := range sizes {
			shapes = append(shapes, []int{n, m})
			for _, k := range sizes {
				shapes = append(shapes, []int{n, m, k})
			}
		}
	}
	mended, paired := 0, 0
	for _, a := range shapes {
		for _, b := range shapes {
			e := Explain(a, b)
			ways := append(append([]Suggestion(nil), e.Suggestions...), e.Pair...)
			if e.StretchesBoth {
				ways = append(ways, *e.Combine)
			}
			mended += len(e.Suggestions)
			paired += len(e.Pair)
			for _, s := range ways {
				pair := [][]int{a, b}
				pair[s.Operand] = s.Shape
				result, err := Shape(pair...)
				require.NoError(t, err, "%v %v %v", a, b, s)
				require.Equal(t, s.Result, result, "%v %v %v", a, b, s)
				require.Equal(t, s.Outer, StretchesBoth(pair...), "%v %v %v", a, b, s)
				require.False(t, s.Outer && e.StretchesBoth)
			}
		}
	}
	require.Positive(t, mended)
	require.Positive(t, paired)
}

func TestExplainInvalid(t *testing.T) {
	e := Explain([]int{3}, []int{-2})
	var shape *ShapeError
	require.ErrorAs(t, e.Err, &shape)
	require.Equal(t, Explanation{Err: e.Err}, e)
	require.Equal(t, "error: "+e.Err.Error()+"\n", e.String())

	e = Explain([]int{math.MaxInt/2 + 1, 1}, []int{4})
	require.ErrorAs(t, e.Err, &shape)
	require.Equal(t, []Decision{Missing, Stretched}, e.Decisions)
	require.Nil(t, e.Result)
	require.Empty(t, e.Suggestions)
}

func TestExplainStrided(t *testing.T) {
	for _, c := range []struct {
		operands []Operand
		want     []Pattern
	}{
		{[]Operand{{Shape: []int{4, 6}}, {Shape: []int{4, 6}}}, []Pattern{Contiguous, Contiguous}},
		{[]Operand{{Shape: []int{4, 6}}, {Shape: []int{}}}, []Pattern{Contiguous, Scalar}},
		{[]Operand{{Shape: []int{4, 6}}, {Shape: []int{6}}}, []Pattern{Contiguous, Row}},
		{[]Operand{{Shape: []int{4, 6}}, {Shape: []int{4, 1}}}, []Pattern{Contiguous, Column}},
		{[]Operand{{Shape: []int{4, 6}}, {Shape: []int{4, 6}, Strides: []int{1, 4}}}, []Pattern{Contiguous, Strided}},
		{[]Operand{{Shape: []int{4, 6}, Strides: []int{1, 4}}, {Shape: []int{4, 6}, Strides: []int{1, 4}}}, []Pattern{Contiguous, Contiguous}},
		{[]Operand{{Shape: []int{5}, Strides: []int{2}}}, []Pattern{Strided}},
		{[]Operand{{Shape: []int{0, 6}}, {Shape: []int{6}}}, nil}, // nothing to walk
		{[]Operand{{}, {}, {}, {}, {}}, nil},                      // more than a plan takes
		{[]Operand{{Shape: []int{2}}, {Shape: []int{3}}}, nil},
	} {
		e := ExplainStrided(c.operands...)
		require.Equal(t, c.want, e.Patterns, "%v", c.operands)
		require.Len(t, e.Operands, len(c.operands))
	}

	e := ExplainStrided(Operand{Shape: []int{4, 6}}, Operand{Shape: []int{4, 6}, Strides: []int{1, 4}})
	require.Equal(t, []int{6, 1}, e.Operands[0].Strides)
	require.Contains(t, e.String(), "operand 0, strides (6,1): Contiguous, ")
	require.Contains(t, e.String(), "operand 1, strides (1,4): Strided, ")

	e = ExplainStrided(Operand{Shape: []int{4, 6}, Strides: []int{1}})
	var strides *StrideError
	require.ErrorAs(t, e.Err, &strides)
	require.Equal(t, StrideError{Shape: []int{4, 6}, Strides: []int{1}}, *strides)
	require.ErrorContains(t, e.Err, "1 strides (1,) for shape (4,6) of rank 2")

	e = ExplainStrided(Operand{Shape: []int{-4}, Strides: []int{1}})
	require.Error(t, e.Err)
	require.Nil(t, e.Operands)
}

func TestExplainColour(t *testing.T) {
	for _, e := range []Explanation{
		Explain([]int{5, 3, 4, 1}, []int{3, 1, 1}),
		Explain([]int{2, 3}, []int{2}),
		Explain([]int{3}, []int{3, 1}),
	} {
		plain, coloured := e.Text(false), e.Text(true)
		require.NotContains(t, plain, "\x1b")
		require.Contains(t, coloured, "\x1b[3")
		for _, c := range []string{red, green, yellow, cyan, "0"} {
			coloured = strings.ReplaceAll(coloured, "\x1b["+c+"m", "")
		}
		require.Equal(t, plain, coloured)
	}
}

func FuzzExplain(f *testing.F) {
	f.Add([]byte{4, 6, 4, 5, 2, 3, 4, 2, 2}, []byte{3, 4})
	f.Add([]byte{1, 4, 2, 4, 2}, []byte{})
	f.Fuzz(func(t *testing.T, data, strides []byte) {
		shapes := shapesFrom(data)
		result, err := Shape(shapes...)
		ops := make([]Operand, len(shapes))
		for i, s := range shapes {
			ops[i] = Operand{Shape: s, Strides: make([]int, len(s))}
			for d := range s {
				if len(strides) > 0 {
					ops[i].Strides[d] = int(int8(strides[0]))
					strides = strides[1:]
				}
			}
		}
		e := ExplainStrided(ops...)
		require.Equal(t, result, e.Result)
		require.Equal(t, err, e.Err)
		require.NotEmpty(t, e.String())
	})
}
