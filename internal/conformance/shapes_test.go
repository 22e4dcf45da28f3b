package conformance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanecast/lanecast/broadcast"
)

// A shapesRecord broadcasts two or more shapes.
type shapesRecord struct {
	Name       string  `json:"name"`
	Shapes     [][]int `json:"shapes"`
	Result     []int   `json:"result"`
	TorchError string  `json:"torch_error"`
	NumpyError string  `json:"numpy_error"`
	A          int     `json:"a"`
	B          int     `json:"b"`
	Dim        int     `json:"dim"`
}

func (r *shapesRecord) name() string { return r.Name }

func (r *shapesRecord) check() ([]string, error) {
	got, err := broadcast.Shape(r.Shapes...)
	if r.Result == nil {
		if err := r.sameMismatch(err); err != nil {
			return nil, fmt.Errorf("Shape(%v): %w", r.Shapes, err)
		}
		_, err := r.tensors()
		if err := r.sameMismatch(err); err != nil {
			return nil, fmt.Errorf("BroadcastTensors of shapes %v: %w", r.Shapes, err)
		}
		return nil, nil
	}
	if err != nil || !slices.Equal(got, r.Result) {
		return nil, fmt.Errorf("Shape(%v) = %v, %v, want %v", r.Shapes, got, err, r.Result)
	}
	views, err := r.tensors()
	if err != nil {
		return nil, fmt.Errorf("BroadcastTensors of shapes %v: %w", r.Shapes, err)
	}
	for _, v := range views {
		if !slices.Equal(v.Shape(), r.Result) {
			return nil, fmt.Errorf("BroadcastTensors of shapes %v gives shape %v", r.Shapes, v.Shape())
		}
	}
	return nil, nil
}

// tensors broadcasts tensors of the shapes, each of one byte.
func (r *shapesRecord) tensors() ([]view, error) {
	var xs []view
	for _, shape := range r.Shapes {
		e := elements["uint8"]
		x, err := e.strided(e.storage([]uint64{0}), shape, make([]int, len(shape)), 0)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return several(call("BroadcastTensors", []any{xs}))
}

// sameMismatch compares an error with PyTorch's numbers.
func (r *shapesRecord) sameMismatch(err error) error {
	var e *broadcast.MismatchError
	if !errors.As(err, &e) {
		return fmt.Errorf("error is %v, want a mismatch: %s", err, r.TorchError)
	}
	// PyTorch folds the operands from the left and counts the dimension in the
	// rank reached so far; here it is counted in the result.
	rank, reached := 0, 0
	for i, s := range r.Shapes {
		rank = max(rank, len(s))
		if i <= e.B {
			reached = rank
		}
	}
	dim := r.Dim + rank - reached
	if e.SizeA != r.A || e.SizeB != r.B || e.Dim != dim {
		return fmt.Errorf("sizes %d and %d at dimension %d, want %d and %d at %d: %w", e.SizeA, e.SizeB, e.Dim, r.A, r.B, dim, err)
	}
	if e.A >= e.B || sizeAt(r.Shapes[e.A], rank, dim) != e.SizeA || sizeAt(r.Shapes[e.B], rank, dim) != e.SizeB {
		return fmt.Errorf("operands %d and %d do not have these sizes: %w", e.A, e.B, err)
	}
	return nil
}

// sizeAt returns the size of a dimension counted in a higher rank.
func sizeAt(shape []int, rank, dim int) int {
	if dim -= rank - len(shape); dim >= 0 {
		return shape[dim]
	}
	return 1
}
