package tensor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBroadcastTensors(t *testing.T) {
	row, column := sequence(t, 3), sequence(t, 2, 1)
	ts, err := BroadcastTensors(row, column, Scalar[int32](7))
	assert.NoError(t, err)
	assert.Len(t, ts, 3)
	for i, want := range [][]int32{{0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}, {7, 7, 7, 7, 7, 7}} {
		assert.Equal(t, []int{2, 3}, ts[i].Shape())
		assert.Equal(t, want, ts[i].Data())
	}
	assert.Same(t, &row.data[0], &ts[0].data[0])

	none, err := BroadcastTensors[int8]()
	assert.NoError(t, err)
	assert.Empty(t, none)
}

func TestSplit(t *testing.T) {
	x := sequence(t, 2, 5)
	for _, c := range []struct{ sizes, want []int }{
		{[]int{2}, []int{2, 2, 1}},
		{[]int{5}, []int{5}},
		{[]int{9}, []int{5}},
		{[]int{1, 0, 4}, []int{1, 0, 4}},
	} {
		pieces := Must(x.Split(-1, c.sizes...))
		got, at := []int{}, 0
		for _, p := range pieces {
			got = append(got, p.shape[1])
			assert.Equal(t, Must(x.Narrow(1, at, p.shape[1])).Data(), p.Data())
			assert.Same(t, &x.data[0], &p.data[0])
			at += p.shape[1]
		}
		assert.Equal(t, c.want, got)
		assert.Equal(t, x.Data(), Must(Concat(1, pieces...)).Data())
	}
	assert.Len(t, Must(sequence(t, 0, 2).Split(0, 0)), 1)
	assert.Len(t, Must(sequence(t, 0, 2).Split(0, 3)), 1)
}

func TestConcatAndStack(t *testing.T) {
	a := sequence(t, 2, 2)
	b := Must(a.Transpose())
	assert.Equal(t, []int32{0, 1, 2, 3, 0, 2, 1, 3}, Must(Concat(0, a, b)).Data())
	assert.Equal(t, []int32{0, 1, 0, 2, 2, 3, 1, 3}, Must(Concat(-1, a, b)).Data())
	assert.Equal(t, []int{2, 7}, Must(Concat(1, a, Must(Zeros[int32](2, 3)), b)).Shape())

	s := Must(Stack(-1, a, b))
	assert.Equal(t, []int{2, 2, 2}, s.Shape())
	assert.Equal(t, []int32{0, 0, 1, 2, 2, 1, 3, 3}, s.Data())
	assert.Equal(t, []int32{5, 6}, Must(Stack(0, Scalar[int32](5), Scalar[int32](6))).Data())

	c := Must(Concat(0, a))
	c.Set(9, 0, 0)
	assert.EqualValues(t, 0, a.At(0, 0), "the result shares nothing")
}
