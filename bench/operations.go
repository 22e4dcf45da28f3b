package main

import (
	"fmt"
	"strings"
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
	"float32": merge(arithmetic[float32](), floating[float32](), comparison[float32](), selection[float32](), casts[float32]()),
	"float64": merge(arithmetic[float64](), floating[float64](), comparison[float64](), selection[float64](), casts[float64]()),
	"int8":    merge(arithmetic[int8](), comparison[int8](), selection[int8](), bitwise[int8](), shifts[int8](), casts[int8]()),
	"int16":   merge(arithmetic[int16](), comparison[int16](), selection[int16](), bitwise[int16](), shifts[int16](), casts[int16]()),
	"int32":   merge(arithmetic[int32](), comparison[int32](), selection[int32](), bitwise[int32](), shifts[int32](), casts[int32]()),
	"int64":   merge(arithmetic[int64](), comparison[int64](), selection[int64](), bitwise[int64](), shifts[int64](), casts[int64]()),
	"uint8":   merge(arithmetic[uint8](), comparison[uint8](), selection[uint8](), bitwise[uint8](), shifts[uint8](), casts[uint8]()),
	"uint16":  merge(arithmetic[uint16](), comparison[uint16](), selection[uint16](), bitwise[uint16](), shifts[uint16](), casts[uint16]()),
	"uint32":  merge(arithmetic[uint32](), comparison[uint32](), selection[uint32](), bitwise[uint32](), shifts[uint32](), casts[uint32]()),
	"uint64":  merge(arithmetic[uint64](), comparison[uint64](), selection[uint64](), bitwise[uint64](), shifts[uint64](), casts[uint64]()),
	"bool":    merge(comparison[bool](), selection[bool](), bitwise[bool](), casts[bool]()),

	"float16":  half[tensor.Float16](),
	"bfloat16": half[tensor.BFloat16](),
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

		"div":       binary(tensor.Div[T], tensor.DivTo[T]),
		"floor_div": binary(tensor.FloorDiv[T], tensor.FloorDivTo[T]),
		"remainder": binary(tensor.Remainder[T], tensor.RemainderTo[T]),
		"fmod":      binary(tensor.FMod[T], tensor.FModTo[T]),
		"fmax":      binary(tensor.FMax[T], tensor.FMaxTo[T]),
		"fmin":      binary(tensor.FMin[T], tensor.FMinTo[T]),
		"abs_diff":  binary(tensor.AbsDiff[T], tensor.AbsDiffTo[T]),
		"sqdiff":    binary(tensor.SquaredDifference[T], tensor.SquaredDifferenceTo[T]),
		"clamp":     ternary(tensor.Clamp[T], tensor.ClampTo[T]),
		"add_mul":   scaled(tensor.AddMul[T], tensor.AddMulTo[T]),
		"sign":      unary(tensor.Sign[T], tensor.SignTo[T]),
		"square":    unary(tensor.Square[T], tensor.SquareTo[T]),
		"relu":      unary(tensor.Relu[T], tensor.ReluTo[T]),
	}
}

func floating[T tensor.Float]() map[string]builder {
	return map[string]builder{
		"sqrt":       unary(tensor.Sqrt[T], tensor.SqrtTo[T]),
		"rsqrt":      unary(tensor.Rsqrt[T], tensor.RsqrtTo[T]),
		"reciprocal": unary(tensor.Reciprocal[T], tensor.ReciprocalTo[T]),
		"floor":      unary(tensor.Floor[T], tensor.FloorTo[T]),
		"ceil":       unary(tensor.Ceil[T], tensor.CeilTo[T]),
		"trunc":      unary(tensor.Trunc[T], tensor.TruncTo[T]),
		"round":      unary(tensor.Round[T], tensor.RoundTo[T]),
		"hypot":      binary(tensor.Hypot[T], tensor.HypotTo[T]),
		"copy_sign":  binary(tensor.CopySign[T], tensor.CopySignTo[T]),
		"fma":        ternary(tensor.FMA[T], tensor.FMATo[T]),
		"lerp":       ternary(tensor.Lerp[T], tensor.LerpTo[T]),
		"add_div":    scaled(tensor.AddDiv[T], tensor.AddDivTo[T]),

		"is_nan":    unary(tensor.IsNaN[T], tensor.IsNaNTo[T]),
		"is_inf":    unary(tensor.IsInf[T], tensor.IsInfTo[T]),
		"is_finite": unary(tensor.IsFinite[T], tensor.IsFiniteTo[T]),
		"sign_bit":  unary(tensor.SignBit[T], tensor.SignBitTo[T]),
	}
}

// scaled is ternary for what takes a number besides tensors: here 2.
func scaled[T tensor.Number](
	fresh func(a, b, c *tensor.Tensor[T], s T, opts ...tensor.Option) (*tensor.Tensor[T], error),
	to func(dst, a, b, c *tensor.Tensor[T], s T, opts ...tensor.Option) error,
) builder {
	two := tensor.Must(tensor.Cast[T](tensor.Scalar[uint8](2))).At()
	return ternary(
		func(a, b, c *tensor.Tensor[T], opts ...tensor.Option) (*tensor.Tensor[T], error) {
			return fresh(a, b, c, two, opts...)
		},
		func(dst, a, b, c *tensor.Tensor[T], opts ...tensor.Option) error {
			return to(dst, a, b, c, two, opts...)
		})
}

func comparison[T tensor.Element]() map[string]builder {
	return map[string]builder{
		"equal":         binary(tensor.Equal[T], tensor.EqualTo[T]),
		"not_equal":     binary(tensor.NotEqual[T], tensor.NotEqualTo[T]),
		"less":          binary(tensor.Less[T], tensor.LessTo[T]),
		"less_equal":    binary(tensor.LessEqual[T], tensor.LessEqualTo[T]),
		"greater":       binary(tensor.Greater[T], tensor.GreaterTo[T]),
		"greater_equal": binary(tensor.GreaterEqual[T], tensor.GreaterEqualTo[T]),
	}
}

func selection[T tensor.Element]() map[string]builder {
	return map[string]builder{
		"where": ternary(tensor.Where[T], tensor.WhereTo[T]),
		"copy": unary(func(a *tensor.Tensor[T], _ ...tensor.Option) (*tensor.Tensor[T], error) { return a.Clone() },
			tensor.CopyTo[T]),
	}
}

func bitwise[T tensor.Bits]() map[string]builder {
	return map[string]builder{
		"and":     binary(tensor.And[T], tensor.AndTo[T]),
		"or":      binary(tensor.Or[T], tensor.OrTo[T]),
		"xor":     binary(tensor.Xor[T], tensor.XorTo[T]),
		"and_not": binary(tensor.AndNot[T], tensor.AndNotTo[T]),
		"not":     unary(tensor.Not[T], tensor.NotTo[T]),
	}
}

func shifts[T tensor.Integer]() map[string]builder {
	return map[string]builder{
		"pow":         binary(tensor.Pow[T], tensor.PowTo[T]),
		"shift_left":  binary(tensor.ShiftLeft[T], tensor.ShiftLeftTo[T]),
		"shift_right": binary(tensor.ShiftRight[T], tensor.ShiftRightTo[T]),
	}
}

func half[T tensor.Float]() map[string]builder {
	return merge(arithmetic[T](), floating[T](), comparison[T](), selection[T](), casts[T]())
}

// casts are named after the type of the result.
func casts[T tensor.Element]() map[string]builder {
	return map[string]builder{
		"cast_f32":  unary(tensor.Cast[float32, T], tensor.CastTo[float32, T]),
		"cast_f64":  unary(tensor.Cast[float64, T], tensor.CastTo[float64, T]),
		"cast_f16":  unary(tensor.Cast[tensor.Float16, T], tensor.CastTo[tensor.Float16, T]),
		"cast_bf16": unary(tensor.Cast[tensor.BFloat16, T], tensor.CastTo[tensor.BFloat16, T]),
		"cast_i8":   unary(tensor.Cast[int8, T], tensor.CastTo[int8, T]),
		"cast_u8":   unary(tensor.Cast[uint8, T], tensor.CastTo[uint8, T]),
		"cast_i32":  unary(tensor.Cast[int32, T], tensor.CastTo[int32, T]),
		"cast_i64":  unary(tensor.Cast[int64, T], tensor.CastTo[int64, T]),
		"cast_bool": unary(tensor.Cast[bool, T], tensor.CastTo[bool, T]),
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

// ternary is an operation whose first operand may have a type of its own.
func ternary[A, T tensor.Element](
	fresh func(a *tensor.Tensor[A], b, c *tensor.Tensor[T], opts ...tensor.Option) (*tensor.Tensor[T], error),
	to func(dst *tensor.Tensor[T], a *tensor.Tensor[A], b, c *tensor.Tensor[T], opts ...tensor.Option) error,
) builder {
	return func(operands []operand) (*call, error) {
		if len(operands) != 3 {
			return nil, fmt.Errorf("takes 3 operands, not %d", len(operands))
		}
		a, err := source[A](operands, 0)
		if err != nil {
			return nil, err
		}
		b, err := source[T](operands, 1)
		if err != nil {
			return nil, err
		}
		c, err := source[T](operands, 2)
		if err != nil {
			return nil, err
		}
		dst, err := fresh(a, b, c)
		if err != nil {
			return nil, err
		}
		return &call{
			run: func() error { return to(dst, a, b, c) },
			bytes: bytesOf[A](operands[0]) + bytesOf[T](operands[1]) + bytesOf[T](operands[2]) +
				dst.Len()*sizeOf[T](),
		}, nil
	}
}

// source makes operand i, always with the same values.
func source[T tensor.Element](operands []operand, i int) (*tensor.Tensor[T], error) {
	var zero T
	if want := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", zero), "tensor.")); operands[i].DType != want {
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
