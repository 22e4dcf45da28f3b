package tensor

import (
	"fmt"
	"unsafe"

	"github.com/lanecast/lanecast/dispatch"
)

// Integer lists the integer element types.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Bits lists the element types that have operations on their bits. The bits of
// a bool are one.
type Bits interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool
}

// And returns a & b, broadcast, for integers and bool. Errors are those of
// [Add].
func And[T Bits](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.And, a, b, opts)
}

// AndTo computes a & b into dst: see [And] and [AddTo].
func AndTo[T Bits](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.And, dst, a, b, opts)
}

// Or returns a | b, broadcast, for integers and bool. Errors are those of
// [Add].
func Or[T Bits](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Or, a, b, opts)
}

// OrTo computes a | b into dst: see [Or] and [AddTo].
func OrTo[T Bits](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Or, dst, a, b, opts)
}

// Xor returns a ^ b, broadcast, for integers and bool: where bools differ.
// Errors are those of [Add].
func Xor[T Bits](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Xor, a, b, opts)
}

// XorTo computes a ^ b into dst: see [Xor] and [AddTo].
func XorTo[T Bits](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Xor, dst, a, b, opts)
}

// AndNot returns a &^ b, broadcast, for integers and bool: the bits of a that b
// does not have. Errors are those of [Add].
func AndNot[T Bits](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.AndNot, a, b, opts)
}

// AndNotTo computes a &^ b into dst: see [AndNot] and [AddTo].
func AndNotTo[T Bits](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.AndNot, dst, a, b, opts)
}

// Not returns ^a for integers, all bits inverted, and !a for bool. The error is
// a [*NilError] if a is nil.
func Not[T Bits](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Not, a, opts)
}

// NotTo computes ^a into dst: see [Not] and [AddTo].
func NotTo[T Bits](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Not, dst, a, opts)
}

// ShiftLeft returns a << n, broadcast, for integers: each element by its own
// count. A count of the type's width or more gives 0, as in Go.
//
// The error is a [*ShiftError] if a count is negative; others are those of
// [Add].
func ShiftLeft[T Integer](a, n *Tensor[T], opts ...Option) (*Tensor[T], error) {
	if err := counts("ShiftLeft", a, n, opts); err != nil {
		return nil, err
	}
	return binary(&dispatch.ShiftLeft, a, n, opts)
}

// ShiftLeftTo computes a << n into dst: see [ShiftLeft] and [AddTo].
func ShiftLeftTo[T Integer](dst, a, n *Tensor[T], opts ...Option) error {
	if err := counts("ShiftLeft", a, n, opts); err != nil {
		return err
	}
	return binaryTo(&dispatch.ShiftLeft, dst, a, n, opts)
}

// ShiftRight returns a >> n, broadcast, for integers: each element by its own
// count. Copies of the sign move into signed numbers, zeros into unsigned ones;
// a count of the type's width or more leaves nothing else, as in Go.
//
// The error is a [*ShiftError] if a count is negative; others are those of
// [Add].
func ShiftRight[T Integer](a, n *Tensor[T], opts ...Option) (*Tensor[T], error) {
	if err := counts("ShiftRight", a, n, opts); err != nil {
		return nil, err
	}
	return binary(&dispatch.ShiftRight, a, n, opts)
}

// ShiftRightTo computes a >> n into dst: see [ShiftRight] and [AddTo].
func ShiftRightTo[T Integer](dst, a, n *Tensor[T], opts ...Option) error {
	if err := counts("ShiftRight", a, n, opts); err != nil {
		return err
	}
	return binaryTo(&dispatch.ShiftRight, dst, a, n, opts)
}

// ShiftError reports a negative count of a shift.
type ShiftError struct {
	Op    string
	Count int64 // the first negative one, in row-major order
	Index []int // where it is in the tensor of counts
}

func (e *ShiftError) Error() string {
	return fmt.Sprintf("tensor: %s: count %d at index %s is negative", e.Op, e.Count, formatShape(e.Index))
}

// counts checks those of a shift, if there is anything to shift.
func counts[T Integer](op string, a, n *Tensor[T], options []Option) error {
	index, v := negative(a, n, options)
	if index == nil {
		return nil
	}
	return &ShiftError{Op: op, Count: int64(v), Index: index}
}

// negative finds the first negative element of b, if an operation on a and b
// would use it.
func negative[T Integer](a, b *Tensor[T], options []Option) (index []int, value T) {
	if zero := T(0); zero-1 > zero || !meets(a, b, options) {
		return nil, 0
	}
	return find(b, firstNegative[T])
}

// firstNegative is for find.
func firstNegative[T Integer](data []T, at, n, step int) int {
	if step == 1 && n >= foldLen && !anyNegative(data[at:at+n]) {
		return -1
	}
	for k := range n {
		if data[at+k*step] < 0 {
			return k
		}
	}
	return -1
}

// anyNegative folds the values with or: the signs gather.
func anyNegative[T Integer](values []T) bool {
	var any T
	row := dispatch.Or.Rows[typeOf[T]()]
	row.Fold(unsafe.Pointer(unsafe.SliceData(values)), len(values), func(rest unsafe.Pointer, n int) {
		for _, v := range unsafe.Slice((*T)(rest), n) {
			any |= v
		}
	})
	return any < 0
}
