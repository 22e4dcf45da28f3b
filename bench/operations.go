package main

import (
	"fmt"
	"unsafe"

	"github.com/lanecast/lanecast/tensor"
)

// A call is an operation with its operands and destination in place, ready to
// be timed.
type call struct {
	run   func() error // the …To form
	bytes int          // read and written by one run: elements only, a stretched operand once
}

// A builder makes the operands and the destination of a call. The destination
// comes from the allocating form, so it has the memory order that the library
// itself would choose.
type builder func(operands []operand) (*call, error)

// operations lists what can be timed, by element type (that of the last
// operand) and name.
var operations = map[string]map[string]builder{
	"float32": merge(arithmetic[float32](), floating[float32]()),
	"float64": merge(arithmetic[float64](), floating[float64]()),
	"int8":    arithmetic[int8](),
	"int16":   arithmetic[int16](),
	"int32":   arithmetic[int32](),
	"int64":   arithmetic[int64](),
	"uint8":   arithmetic[uint8](),
	"uint16":  arithmetic[uint16](),
	"uint32":  arithmetic[uint32](),
	"uint64":  arithmetic[uint64](),
}

func arithmetic[T tensor.Number]() map[string]builder {
	return map[string]builder{
		"add":     binary(tensor.Add[T], tensor.AddTo[T]),
		"sub":     binary(tensor.Sub[T], tensor.SubTo[T]),
		"mul":     binary(tensor.Mul[T], tensor.MulTo[T]),
		"maximum": binary(tensor.Maximum[T], tensor.MaximumTo[T]),
		"minimum": binary(tensor.Minimum[T], tensor.MinimumTo[T]),
		"neg":     unary(tensor.Neg[T], tensor.NegTo[T]),
		"abs":     unary(tensor.Abs[T], tensor.AbsTo[T]),
	}
}

func floating[T tensor.Float]() map[string]builder {
	return map[string]builder{
		"div":  binary(tensor.Div[T], tensor.DivTo[T]),
		"sqrt": unary(tensor.Sqrt[T], tensor.SqrtTo[T]),
	}
}

func merge(tables ...map[string]builder) map[string]builder {
	all := map[string]builder{}
	for _, t := range tables {
		for name, b := range t {
			all[name] = b
		}
	}
	return all
}

func unary[T, R tensor.Element](
	fresh func(a *tensor.Tensor[T], opts ...tensor.Option) (*tensor.Tensor[R], error),
	to func(dst *tensor.Tensor[R], a *tensor.Tensor[T], opts ...tensor.Option) error,
) builder {
	return func(operands []operand) (*call, error) {
		if len(operands) != 1 {
			return nil, fmt.Errorf("takes 1 operand, not %d", len(operands))
		}
		a, err := source[T](operands, 0)
		if err != nil {
			return nil, err
		}
		dst, err := fresh(a)
		if err != nil {
			return nil, err
		}
		return &call{
			run:   func() error { return to(dst, a) },
			bytes: bytesOf[T](operands[0]) + dst.Len()*sizeOf[R](),
		}, nil
	}
}

func binary[T, R tensor.Element](
	fresh func(a, b *tensor.Tensor[T], opts ...tensor.Option) (*tensor.Tensor[R], error),
	to func(dst *tensor.Tensor[R], a, b *tensor.Tensor[T], opts ...tensor.Option) error,
) builder {
	return func(operands []operand) (*call, error) {
		if len(operands) != 2 {
			return nil, fmt.Errorf("takes 2 operands, not %d", len(operands))
		}
		a, err := source[T](operands, 0)
		if err != nil {
			return nil, err
		}
		b, err := source[T](operands, 1)
		if err != nil {
			return nil, err
		}
		dst, err := fresh(a, b)
		if err != nil {
			return nil, err
		}
		return &call{
			run:   func() error { return to(dst, a, b) },
			bytes: bytesOf[T](operands[0]) + bytesOf[T](operands[1]) + dst.Len()*sizeOf[R](),
		}, nil
	}
}

// source makes operand i, always with the same values.
func source[T tensor.Element](operands []operand, i int) (*tensor.Tensor[T], error) {
	var zero T
	if want := fmt.Sprintf("%T", zero); operands[i].DType != want {
		return nil, fmt.Errorf("operand %d is %s where this operation takes %s", i, operands[i].DType, want)
	}
	t, _, err := makeOperand[T](operands[i], newRandom(i))
	return t, err
}

func bytesOf[T tensor.Element](o operand) int { return o.size() * sizeOf[T]() }

func sizeOf[T tensor.Element]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// newCall builds a call, or says why there is none.
func newCall(op string, operands []operand) (*call, error) {
	if len(operands) == 0 {
		return nil, fmt.Errorf("%s: no operands", op)
	}
	dtype := operands[len(operands)-1].DType
	build, ok := operations[dtype][op]
	if !ok {
		return nil, fmt.Errorf("%s of %s: no such operation", op, dtype)
	}
	c, err := build(operands)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", op, dtype, err)
	}
	return c, nil
}
