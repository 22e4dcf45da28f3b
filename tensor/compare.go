package tensor

import "github.com/lanecast/lanecast/dispatch"

// Equal reports where a == b, broadcast, for every element type. A NaN is
// unequal to everything, itself included, and -0 equals +0.
//
// Errors are those of [Add].
func Equal[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return binaryInto[bool](&dispatch.Equal, a, b, opts)
}

// EqualTo writes a == b into dst: see [Equal] and [AddTo].
func EqualTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Equal, dst, a, b, opts)
}

// NotEqual reports where a != b, broadcast, for every element type: the
// opposite of [Equal], so true where either is a NaN. Errors are those of
// [Add].
func NotEqual[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return binaryInto[bool](&dispatch.NotEqual, a, b, opts)
}

// NotEqualTo writes a != b into dst: see [NotEqual] and [AddTo].
func NotEqualTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.NotEqual, dst, a, b, opts)
}

// Less reports where a < b, broadcast, for every element type. It is false
// where either is a NaN, -0 is not less than +0, and false is less than true.
// Errors are those of [Add].
func Less[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return binaryInto[bool](&dispatch.Less, a, b, opts)
}

// LessTo writes a < b into dst: see [Less] and [AddTo].
func LessTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Less, dst, a, b, opts)
}

// LessEqual reports where a <= b, broadcast, for every element type. It is
// false where either is a NaN; -0 and +0 are equal, and false is less than true.
// Errors are those of [Add].
func LessEqual[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return binaryInto[bool](&dispatch.LessEqual, a, b, opts)
}

// LessEqualTo writes a <= b into dst: see [LessEqual] and [AddTo].
func LessEqualTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.LessEqual, dst, a, b, opts)
}

// Greater reports where a > b, broadcast, for every element type. It is false
// where either is a NaN, +0 is not greater than -0, and true is greater than
// false. Errors are those of [Add].
func Greater[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	c := begin[T](&dispatch.Less, opts)
	if err := swap(&c, "Greater", a, b); err != nil {
		return nil, err
	}
	return result[bool](&c)
}

// GreaterTo writes a > b into dst: see [Greater] and [AddTo].
func GreaterTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	c := begin[T](&dispatch.Less, opts)
	if err := swap(&c, "Greater", a, b); err != nil {
		return err
	}
	return into(&c, dst)
}

// GreaterEqual reports where a >= b, broadcast, for every element type. It is
// false where either is a NaN; -0 and +0 are equal, and true is greater than
// false. Errors are those of [Add].
func GreaterEqual[T Element](a, b *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	c := begin[T](&dispatch.LessEqual, opts)
	if err := swap(&c, "GreaterEqual", a, b); err != nil {
		return nil, err
	}
	return result[bool](&c)
}

// GreaterEqualTo writes a >= b into dst: see [GreaterEqual] and [AddTo].
func GreaterEqualTo[T Element](dst *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	c := begin[T](&dispatch.LessEqual, opts)
	if err := swap(&c, "GreaterEqual", a, b); err != nil {
		return err
	}
	return into(&c, dst)
}

// swap gives the call the two sources of a function that its operation takes in
// the other order.
func swap[T Element](c *call, name string, a, b *Tensor[T]) error {
	c.name = name
	if err := sources(c, a, b); err != nil {
		return err
	}
	c.src[0], c.src[1] = c.src[1], c.src[0]
	c.reversed = true
	return nil
}

// IsNaN reports which elements are NaN, for floating-point types. The error is a
// [*NilError] if a is nil.
func IsNaN[T Float](a *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return unaryInto[bool](&dispatch.IsNaN, a, opts)
}

// IsNaNTo writes into dst which elements are NaN: see [IsNaN] and [AddTo].
func IsNaNTo[T Float](dst *Tensor[bool], a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.IsNaN, dst, a, opts)
}

// IsInf reports which elements are infinite, of either sign, for floating-point
// types. The error is a [*NilError] if a is nil.
func IsInf[T Float](a *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return unaryInto[bool](&dispatch.IsInf, a, opts)
}

// IsInfTo writes into dst which elements are infinite: see [IsInf] and [AddTo].
func IsInfTo[T Float](dst *Tensor[bool], a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.IsInf, dst, a, opts)
}

// IsFinite reports which elements are neither infinite nor NaN, for
// floating-point types. The error is a [*NilError] if a is nil.
func IsFinite[T Float](a *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return unaryInto[bool](&dispatch.IsFinite, a, opts)
}

// IsFiniteTo writes into dst which elements are finite: see [IsFinite] and
// [AddTo].
func IsFiniteTo[T Float](dst *Tensor[bool], a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.IsFinite, dst, a, opts)
}

// SignBit reports which elements have their sign bit set, for floating-point
// types: negative numbers, -0, and NaNs of that sign. The error is a [*NilError]
// if a is nil.
func SignBit[T Float](a *Tensor[T], opts ...Option) (*Tensor[bool], error) {
	return unaryInto[bool](&dispatch.SignBit, a, opts)
}

// SignBitTo writes into dst which elements have their sign bit set: see
// [SignBit] and [AddTo].
func SignBitTo[T Float](dst *Tensor[bool], a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.SignBit, dst, a, opts)
}

// IsClose reports where a is close to b, broadcast, for floating-point types:
//
//	|a - b| <= atol + rtol·|b|
//
// with each operation rounded (those of 16-bit floats to float32), or where they
// are equal, as infinities of one sign are. Otherwise an a or b that is infinite
// or NaN, or a difference that overflows, is not close. A tolerance may be +Inf:
// then all the others are close, but where rtol·|b| is ∞·0, which is NaN. b is
// the reference: exchanging a and b may change the result.
//
// The error is an [*ArgumentError] if a tolerance is negative or NaN; others are
// those of [Add].
func IsClose[T Float](a, b *Tensor[T], rtol, atol T, opts ...Option) (*Tensor[bool], error) {
	c := begin[T](&dispatch.IsClose, opts)
	defer c.free()
	if err := tolerances(&c, a, b, rtol, atol); err != nil {
		return nil, err
	}
	return result[bool](&c)
}

// IsCloseTo writes into dst where a is close to b: see [IsClose] and [AddTo].
func IsCloseTo[T Float](dst *Tensor[bool], a, b *Tensor[T], rtol, atol T, opts ...Option) error {
	c := begin[T](&dispatch.IsClose, opts)
	defer c.free()
	if err := tolerances(&c, a, b, rtol, atol); err != nil {
		return err
	}
	return into(&c, dst)
}

// tolerances adds the sources of IsClose.
func tolerances[T Float](c *call, a, b *Tensor[T], rtol, atol T) error {
	if err := sources(c, a, b); err != nil {
		return err
	}
	if !(toFloat64(rtol) >= 0) {
		return &ArgumentError{Op: c.name, Name: "rtol", Got: rtol, Want: "0 or more"}
	}
	if !(toFloat64(atol) >= 0) {
		return &ArgumentError{Op: c.name, Name: "atol", Got: atol, Want: "0 or more"}
	}
	scalar(c, rtol)
	scalar(c, atol)
	return nil
}
