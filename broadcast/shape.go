// Package broadcast holds the rules by which arrays of different shapes are
// combined, and nothing that depends on their elements: shapes, strides, the
// plan of a loop over them, and an explanation for people.
//
// A shape lists the sizes of an array's dimensions, outermost first. Shapes
// are aligned at their last dimension. In each dimension all sizes must be
// equal but for those that are 1, which are stretched to the others' size; a
// dimension that a shape lacks counts as 1. The empty shape is a scalar's and
// goes with every other. 0 is a size like any other: it goes with 0 and with 1.
package broadcast

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Shape returns the shape that the given shapes broadcast to; without any it
// is that of a scalar. The error is a *MismatchError if two of them do not go
// together, or a *ShapeError if a size is negative or the result would have
// too many elements (see Len).
func Shape(shapes ...[]int) ([]int, error) {
	shape, err := AppendShape(make([]int, 0, maxRank(shapes)), shapes...)
	if err != nil {
		return nil, err
	}
	return shape, nil
}

// AppendShape is Shape with the result appended to dst, which must not overlap
// the shapes. It allocates only if dst is too short for the result. On an
// error it returns dst as it was.
func AppendShape(dst []int, shapes ...[]int) ([]int, error) {
	rank := maxRank(shapes)
	out := slices.Grow(dst, rank)
	for left := rank; left > 0; left-- {
		size := 1
		for _, s := range shapes {
			n := sizeAt(s, left)
			if n < 0 || n != 1 && size != 1 && n != size {
				return dst, shapesError(shapes)
			}
			if n != 1 {
				size = n
			}
		}
		out = append(out, size)
	}
	if _, err := Len(out[len(dst):]); err != nil {
		return dst, err
	}
	return out, nil
}

// Into checks that the shapes broadcast to exactly dst, the shape of an
// existing destination: it is neither resized nor stretched, and a result that
// could be stretched into it is refused as well. The error is Shape's, or a
// *DestinationError. Into allocates nothing if all is well.
func Into(dst []int, shapes ...[]int) error {
	full := false // a source has dst's very shape: the result cannot be smaller
	for _, s := range shapes {
		pad := len(dst) - len(s)
		if pad < 0 {
			return intoError(dst, shapes)
		}
		same := pad == 0
		for d, want := range dst[pad:] {
			if s[d] == want && want >= 0 {
				continue
			}
			if s[d] != 1 {
				return intoError(dst, shapes)
			}
			same = false
		}
		full = full || same
	}
	if !full && !fills(dst, shapes) {
		return intoError(dst, shapes)
	}
	return nil
}

// fills reports whether shapes that can be stretched to dst give all of it.
func fills(dst []int, shapes [][]int) bool {
	for left := len(dst); left > 0; left-- {
		size := 1
		for _, s := range shapes {
			if n := sizeAt(s, left); n != 1 {
				size = n
			}
		}
		if size != sizeAt(dst, left) {
			return false
		}
	}
	return maxRank(shapes) == len(dst)
}

// Len returns the number of elements of a shape. The error is a *ShapeError if
// a size is negative, or if the product of all sizes other than 0 exceeds an
// int: such a shape has no row-major strides, even where it has no elements.
func Len(shape []int) (int, error) {
	n, empty := 1, false
	for d, size := range shape {
		if size < 0 {
			return 0, &ShapeError{Shape: clone(shape), Dim: d}
		}
		if size == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul(uint(n), uint(size))
		if hi != 0 || lo > math.MaxInt {
			return 0, &ShapeError{Shape: clone(shape), Dim: -1}
		}
		n = int(lo)
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// StretchesBoth reports whether broadcasting the shapes, which go together,
// stretches both of them; of more than two, all of them. The result then has
// another shape than any operand, as (3,) and (3,1) give (3,3), which is often
// a mistake.
func StretchesBoth(shapes ...[]int) bool {
	for _, s := range shapes {
		if !stretched(s, shapes) {
			return false
		}
	}
	return len(shapes) > 0
}

// stretched reports whether s gives way to one of the others.
func stretched(s []int, others [][]int) bool {
	for _, t := range others {
		for left := len(t); left > 0; left-- {
			if sizeAt(s, left) == 1 && sizeAt(t, left) != 1 {
				return true
			}
		}
	}
	return false
}

// sizeAt is the size of a dimension counted from the end, the last being 1.
func sizeAt(shape []int, left int) int {
	if left > len(shape) {
		return 1
	}
	return shape[len(shape)-left]
}

func maxRank(shapes [][]int) (rank int) {
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	return rank
}

// Format writes a shape, strides or axes as NumPy does: (5,3), (3,), ().
func Format(shape []int) string { return string(appendFormat(nil, shape)) }

func appendFormat(b []byte, shape []int) []byte {
	b = append(b, '(')
	for d, n := range shape {
		if d > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if len(shape) == 1 {
		b = append(b, ',')
	}
	return append(b, ')')
}

// formatAll joins shapes as in a sentence: (4,1), (4,) and ().
func formatAll(shapes [][]int) string {
	var b []byte
	for i, s := range shapes {
		switch {
		case i == 0:
		case i == len(shapes)-1:
			b = append(b, " and "...)
		default:
			b = append(b, ", "...)
		}
		b = appendFormat(b, s)
	}
	return string(b)
}

// MismatchError says which two shapes do not go together. As in PyTorch the
// operands are taken from the left, and dimensions from the last to the first.
type MismatchError struct {
	A, B         int     // the operands: B is the first that does not go with those before it
	SizeA, SizeB int     // their sizes, neither of them 1
	Dim          int     // the dimension, counted in the result
	Shapes       [][]int // of all operands
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("broadcast: The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d: operand %d has shape %s, operand %d has shape %s",
		e.SizeA, e.SizeB, e.Dim, e.A, Format(nth(e.Shapes, e.A)), e.B, Format(nth(e.Shapes, e.B)))
}

// ShapeError says why a list of sizes is not a shape.
type ShapeError struct {
	Shape []int
	Dim   int // the dimension with a negative size; -1 if there are too many elements
}

func (e *ShapeError) Error() string {
	if e.Dim < 0 {
		return fmt.Sprintf("broadcast: shape %s has more elements than an int can count (%d)", Format(e.Shape), math.MaxInt)
	}
	return fmt.Sprintf("broadcast: shape %s has the negative size %d in dimension %d", Format(e.Shape), nth(e.Shape, e.Dim), e.Dim)
}

// nth is s[i], or nothing where there is none: zero errors print too.
func nth[T any](s []T, i int) (v T) {
	if i >= 0 && i < len(s) {
		v = s[i]
	}
	return v
}

// DestinationError says that a result does not have the shape of the
// destination it is to be written to.
type DestinationError struct {
	Shape  []int // the destination's
	Result []int
	// Dim is the last dimension in which the two differ when aligned right,
	// counted in the one of higher rank. Size and ResultSize are the sizes
	// there, -1 for the one that has no such dimension.
	Dim, Size, ResultSize int
}

func (e *DestinationError) Error() string {
	return fmt.Sprintf("broadcast: output with shape %s doesn't match the broadcast shape %s: size %s against %s at dimension %d",
		Format(e.Shape), Format(e.Result), sizeOrNone(e.Size), sizeOrNone(e.ResultSize), e.Dim)
}

func sizeOrNone(n int) string {
	if n < 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// shapesError says why shapes do not broadcast; nil if they do.
func shapesError(shapes [][]int) error {
	for _, s := range shapes {
		for d, n := range s {
			if n < 0 {
				return &ShapeError{Shape: clone(s), Dim: d}
			}
		}
	}
	for b, s := range shapes {
		for left := 1; left <= len(s); left++ {
			n := sizeAt(s, left)
			for a, t := range shapes[:b] {
				if m := sizeAt(t, left); m != n && m != 1 && n != 1 {
					return &MismatchError{A: a, B: b, SizeA: m, SizeB: n, Dim: maxRank(shapes) - left, Shapes: cloneAll(shapes)}
				}
			}
		}
	}
	return nil
}

// intoError says why shapes do not broadcast to dst.
func intoError(dst []int, shapes [][]int) error {
	if err := shapesError([][]int{dst}); err != nil {
		return err
	}
	result, err := Shape(shapes...)
	if err != nil {
		return err
	}
	e := &DestinationError{Shape: clone(dst), Result: result}
	for i := 1; ; i++ {
		e.Dim, e.Size, e.ResultSize = max(len(dst), len(result))-i, -1, -1
		if i <= len(dst) {
			e.Size = dst[len(dst)-i]
		}
		if i <= len(result) {
			e.ResultSize = result[len(result)-i]
		}
		if e.Size != e.ResultSize {
			return e
		}
	}
}

// clone copies a shape into an error. Unlike slices.Clone it does not make the
// compiler move the caller's shape to the heap.
func clone(shape []int) []int {
	c := make([]int, len(shape))
	copy(c, shape)
	return c
}

func cloneAll(shapes [][]int) [][]int {
	c := make([][]int, len(shapes))
	for i, s := range shapes {
		c[i] = clone(s)
	}
	return c
}
