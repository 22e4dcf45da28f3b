package tensor

import "github.com/lanecast/lanecast/dispatch"

// Cast returns x converted to another element type: Cast[float32](x). All types
// convert to all:
//
//   - A float becomes an integer without its fraction. One that is too large or
//     too small becomes the nearest integer of the type, and NaN becomes 0.
//   - An integer becomes another one modulo 2 to the power of its width: it keeps
//     its low bits, and its sign is extended where the other is wider, so int8 -1
//     becomes uint32 2³²-1.
//   - What becomes a float is rounded once, to nearest even: also an int64 that
//     becomes a float32, and a float64 that becomes a [Float16]. Too large a
//     number becomes an infinity; a zero keeps its sign. A NaN keeps its sign, and
//     the upper bits of its payload, and becomes a quiet one, but from [BFloat16]
//     to float32, where the bits are only moved.
//   - A number becomes true unless it is zero of either sign; NaN is true. A
//     bool becomes 0 or 1.
//
// To the same type it copies. The error is a [*NilError] if x is nil.
func Cast[To, From Element](x *Tensor[From], opts ...Option) (*Tensor[To], error) {
	c := casting[To, From](opts)
	if err := source(&c, x); err != nil {
		return nil, err
	}
	return result[To](&c)
}

// CastTo converts x into dst: see [Cast] and [AddTo].
func CastTo[To, From Element](dst *Tensor[To], x *Tensor[From], opts ...Option) error {
	c := casting[To, From](opts)
	if err := source(&c, x); err != nil {
		return err
	}
	return into(&c, dst)
}

// casting starts a call of the cast from one type to another.
func casting[To, From Element](options []Option) call {
	c := begin[From](castTo[To](), options)
	c.name = "Cast"
	return c
}

// castTo is the operation whose results are of type T.
func castTo[T Element]() *dispatch.Operation {
	switch any((*T)(nil)).(type) {
	case *float32:
		return &dispatch.CastFloat32
	case *float64:
		return &dispatch.CastFloat64
	case *int8:
		return &dispatch.CastInt8
	case *int16:
		return &dispatch.CastInt16
	case *int32:
		return &dispatch.CastInt32
	case *int64:
		return &dispatch.CastInt64
	case *uint8:
		return &dispatch.CastUint8
	case *uint16:
		return &dispatch.CastUint16
	case *uint32:
		return &dispatch.CastUint32
	case *uint64:
		return &dispatch.CastUint64
	case *Float16:
		return &dispatch.CastFloat16
	case *BFloat16:
		return &dispatch.CastBFloat16
	}
	return &dispatch.CastBool
}
