package tensor

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAll(t *testing.T) {
	x := Must(sequence(t, 2, 3).Transpose())
	var indices [][]int
	var values []int32
	for index, v := range x.All() {
		indices = append(indices, slices.Clone(index))
		values = append(values, v)
	}
	assert.Equal(t, [][]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}, indices)
	assert.Equal(t, []int32{0, 3, 1, 4, 2, 5}, values)
	assert.Equal(t, values, slices.Collect(x.Values()))

	for index, v := range Scalar(2.5).All() {
		assert.Empty(t, index)
		assert.Equal(t, 2.5, v)
	}
}

func TestIterationStops(t *testing.T) {
	x := Must(sequence(t, 2, 3).Transpose())
	n := 0
	for range x.All() {
		if n++; n == 3 {
			break
		}
	}
	for range x.Values() {
		if n++; n == 6 {
			break
		}
	}
	assert.Equal(t, 6, n)
}

// An iteration allocates its index, whatever its length.
func TestIterationAllocations(t *testing.T) {
	x := Must(Must(Zeros[float32](8, 8)).Transpose())
	sum := float32(0)
	for name, run := range map[string]func(){
		"All": func() {
			for index, v := range x.All() {
				sum += v + float32(index[0])
			}
		},
		"Values": func() {
			for v := range x.Values() {
				sum += v
			}
		},
	} {
		assert.LessOrEqual(t, testing.AllocsPerRun(20, run), 3.0, name)
	}
}
