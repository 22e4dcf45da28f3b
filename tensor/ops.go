package tensor

import "github.com/lanecast/lanecast/dispatch"

// Add returns a + b, broadcast, for every type of number. Integers wrap.
// Floating-point sums are rounded to nearest even. The sum of infinities of
// different signs is NaN, as is one with a NaN; a number and its negative give
// +0, and -0 and -0 give -0.
//
// The error is a [*NilError] for a nil operand, an [*OuterError] or a
// [*RankError] where an option refuses the shapes, or a [*ShapeError] if the
// result is larger than memory; it wraps a [*broadcast.MismatchError] if the
// shapes do not go together, and a [*broadcast.ShapeError] if they give more
// elements than an int can count.
func Add[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Add, a, b, opts)
}

// AddTo computes a + b into dst: see [Add]. These rules hold for every function
// that writes into a destination:
//
// dst has exactly the shape that the sources broadcast to: it is never resized
// and never stretched; otherwise the error wraps a
// [*broadcast.DestinationError]. It may be any view whose elements do not share
// memory, else the error is an [*OverlapError]: bytes between its elements are
// never written. It may be one of the sources, or share memory with them in any
// other way: the result is as if the sources had been copied first. On any
// error dst keeps every byte that it had.
//
// Nothing is allocated up to rank 8, unless a source and dst partly share memory,
// dst's dimensions do not lie one inside the other, [Legacy] pairs the operands,
// warnings are on, or the work is split over several goroutines.
func AddTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Add, dst, a, b, opts)
}

// Sub returns a - b, broadcast, for every type of number. Integers wrap.
// Floating-point differences are rounded to nearest even; that of infinities of
// one sign is NaN, as is one with a NaN; equal numbers give +0, but -0 less +0 is
// -0. Errors are those of [Add].
func Sub[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Sub, a, b, opts)
}

// SubTo computes a - b into dst: see [Sub] and [AddTo].
func SubTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Sub, dst, a, b, opts)
}

// Mul returns a · b, element by element, broadcast, for every type of number.
// Integers wrap. Floating-point products are rounded to nearest even, and negative
// where the signs differ, also zeros and infinities; that of a zero and an
// infinity is NaN, as is one with a NaN. Errors are those of [Add].
func Mul[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Mul, a, b, opts)
}

// MulTo computes a · b into dst: see [Mul] and [AddTo].
func MulTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Mul, dst, a, b, opts)
}

// Maximum returns the larger of a and b, broadcast, for every type of number.
// As IEEE 754-2019's maximum, a NaN in either operand gives NaN, and -0 is less
// than +0. Errors are those of [Add].
func Maximum[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Maximum, a, b, opts)
}

// MaximumTo computes the larger of a and b into dst: see [Maximum] and [AddTo].
func MaximumTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Maximum, dst, a, b, opts)
}

// Minimum returns the smaller of a and b, broadcast, for every type of number.
// As IEEE 754-2019's minimum, a NaN in either operand gives NaN, and -0 is less
// than +0. Errors are those of [Add].
func Minimum[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Minimum, a, b, opts)
}

// MinimumTo computes the smaller of a and b into dst: see [Minimum] and [AddTo].
func MinimumTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Minimum, dst, a, b, opts)
}

// Neg returns -a for every type of number. Floating-point numbers change their
// sign, also zeros and NaNs. Integers wrap: the smallest is its own negative,
// and so for unsigned ones -a is 0 - a. The error is a [*NilError] if a is nil.
func Neg[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Neg, a, opts)
}

// NegTo computes -a into dst: see [Neg] and [AddTo].
func NegTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Neg, dst, a, opts)
}

// Abs returns the absolute value of a for every type of number. Floating-point
// numbers lose their sign, also zeros and NaNs. Integers wrap: the smallest
// signed one stays as it is. The error is a [*NilError] if a is nil.
func Abs[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Abs, a, opts)
}

// AbsTo computes the absolute value of a into dst: see [Abs] and [AddTo].
func AbsTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Abs, dst, a, opts)
}

// Sqrt returns the square root of a for floating-point types, correctly
// rounded. That of -0 is -0, of +Inf +Inf, of what is below 0 and of NaN it is
// NaN. The error is a [*NilError] if a is nil.
func Sqrt[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Sqrt, a, opts)
}

// SqrtTo computes the square root of a into dst: see [Sqrt] and [AddTo].
func SqrtTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Sqrt, dst, a, opts)
}
