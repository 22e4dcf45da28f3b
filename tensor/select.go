package tensor

import "github.com/lanecast/lanecast/dispatch"

// Where returns a where cond is true and b elsewhere, for every element type.
// All three are broadcast. Elements are moved as they are, NaNs with every bit.
// A [Scalar] of a or b costs nothing.
//
// Errors are those of [Add]; the operands are counted from cond.
func Where[T Element](cond *Tensor[bool], a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return ternary(&dispatch.Where, cond, a, b, opts)
}

// WhereTo writes a into dst where cond is true and b elsewhere: see [Where] and
// [AddTo].
func WhereTo[T Element](dst *Tensor[T], cond *Tensor[bool], a, b *Tensor[T], opts ...Option) error {
	return ternaryTo(&dispatch.Where, dst, cond, a, b, opts)
}

// MaskedFill returns x with v in place of the elements where mask is true, for
// every element type. x and mask are broadcast. Errors are those of [Add].
func MaskedFill[T Element](x *Tensor[T], mask *Tensor[bool], v T, opts ...Option) (*Tensor[T], error) {
	c := begin[T](&dispatch.Where, opts)
	defer c.free()
	if err := masked(&c, x, mask, v); err != nil {
		return nil, err
	}
	return result[T](&c)
}

// MaskedFillTo writes x into dst with v in place of the elements where mask is
// true: see [MaskedFill] and [AddTo]. With x as dst it fills in place.
func MaskedFillTo[T Element](dst, x *Tensor[T], mask *Tensor[bool], v T, opts ...Option) error {
	c := begin[T](&dispatch.Where, opts)
	defer c.free()
	if err := masked(&c, x, mask, v); err != nil {
		return err
	}
	return into(&c, dst)
}

// masked adds the operands of MaskedFill as the sources of Where: mask, v, x.
func masked[T Element](c *call, x *Tensor[T], mask *Tensor[bool], v T) error {
	c.name, c.reversed = "MaskedFill", true
	if x == nil {
		return &NilError{Op: c.name, Operand: 0}
	}
	if mask == nil {
		return &NilError{Op: c.name, Operand: 1}
	}
	c.src[0], c.n = mask.any(), 1
	scalar(c, v)
	return source(c, x)
}

// CopyTo assigns src to dst, for every element type. src is broadcast to dst's
// shape, which it must not exceed: else the error wraps a
// [*broadcast.MismatchError] or a [*broadcast.DestinationError]. Of the options
// only [Serial] applies. For the rest see [AddTo].
func CopyTo[T Element](dst, src *Tensor[T], opts ...Option) error {
	c := begin[T](&dispatch.Copy, opts)
	c.name, c.assigns = "CopyTo", true
	if err := source(&c, src); err != nil {
		return err
	}
	return into(&c, dst)
}

// FillTo assigns v to every element of dst, for every element type: see
// [AddTo].
func FillTo[T Element](dst *Tensor[T], v T, opts ...Option) error {
	c := begin[T](&dispatch.Copy, opts)
	defer c.free()
	c.name, c.assigns = "FillTo", true
	scalar(&c, v)
	return into(&c, dst)
}

// copyTo copies all elements of src to dst, which has the same shape and does
// not overlap it.
func copyTo[T Element](dst, src *Tensor[T]) {
	if src.size == 0 {
		return
	}
	c := begin[T](&dispatch.Copy, nil)
	c.src[0], c.n = &src.array, 1
	c.run(&dst.array)
}
