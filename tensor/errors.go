package tensor

import (
	"fmt"

	"github.com/lanecast/lanecast/broadcast"
)

// NilError reports a nil pointer where a tensor is needed.
type NilError struct {
	Op      string // the function or method
	Operand int    // which of its operands, a method's receiver being 0; -1 for the destination
}

func (e *NilError) Error() string {
	if e.Operand < 0 {
		return fmt.Sprintf("tensor: %s: the destination is nil: expected a tensor", e.Op)
	}
	return fmt.Sprintf("tensor: %s: operand %d is nil: expected a tensor", e.Op, e.Operand)
}

// AxisError reports an axis that does not exist or was named twice.
type AxisError struct {
	Op       string
	Axis     int // as given
	Rank     int // axes from -Rank to Rank-1 exist
	Repeated bool
}

func (e *AxisError) Error() string {
	switch {
	case e.Repeated:
		return fmt.Sprintf("tensor: %s: axis %d is repeated", e.Op, e.Axis)
	case e.Rank == 0:
		return fmt.Sprintf("tensor: %s: axis %d is out of range: a scalar has no axes", e.Op, e.Axis)
	}
	return fmt.Sprintf("tensor: %s: axis %d is out of range: expected %d to %d", e.Op, e.Axis, -e.Rank, e.Rank-1)
}

// ArgumentError reports a number that is neither a shape nor an axis and is
// outside of what the function takes, such as a step of zero.
type ArgumentError struct {
	Op   string
	Name string // of the argument
	Got  any
	Want string // what is taken: "0 to 3"
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("tensor: %s: %s is %v: expected %s", e.Op, e.Name, e.Got, e.Want)
}

// ShapeError reports a shape that no tensor can have, or none that is made in
// this way.
type ShapeError struct {
	Op     string
	Shape  []int // as given
	Reason string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("tensor: %s: shape %s: %s", e.Op, formatShape(e.Shape), e.Reason)
}

// LengthError reports a number of elements that does not fill a shape.
type LengthError struct {
	Op    string
	Len   int   // elements given
	Shape []int // what they are to fill; -1 is a size to be inferred
}

func (e *LengthError) Error() string {
	n, kind := 1, ""
	for _, size := range e.Shape {
		if size == -1 {
			kind = "a multiple of "
		} else {
			n *= size
		}
	}
	return fmt.Sprintf("tensor: %s: %d elements given: expected %s%d for shape %s", e.Op, e.Len, kind, n, formatShape(e.Shape))
}

// BoundsError reports a layout that reaches outside its slice.
type BoundsError struct {
	Op             string
	Shape, Strides []int
	Offset         int
	Len            int // of the slice
}

func (e *BoundsError) Error() string {
	return fmt.Sprintf("tensor: %s: shape %s with strides %s from offset %d reaches outside a slice of length %d",
		e.Op, formatShape(e.Shape), formatShape(e.Strides), e.Offset, e.Len)
}

// ExpandError reports a shape that a tensor cannot be expanded to.
type ExpandError struct {
	Op       string
	From, To []int // the tensor's shape, and the one asked for
	Axis     int   // the first of To that does not fit, from the right; -1 if To has too few
}

func (e *ExpandError) Error() string {
	from, to := formatShape(e.From), formatShape(e.To)
	axis := e.Axis - len(e.To) + len(e.From)
	switch {
	case e.Axis < 0 || e.Axis >= len(e.To):
		return fmt.Sprintf("tensor: %s: the number of sizes (%d) must be greater or equal to the number of dimensions (%d): target sizes %s, tensor sizes %s",
			e.Op, len(e.To), len(e.From), to, from)
	case axis < 0:
		return fmt.Sprintf("tensor: %s: the expanded size (%d) isn't allowed in the leading, non-existing dimension %d: target sizes %s, tensor sizes %s",
			e.Op, e.To[e.Axis], e.Axis, to, from)
	}
	return fmt.Sprintf("tensor: %s: the expanded size (%d) must match the existing size (%d) at non-singleton dimension %d: target sizes %s, tensor sizes %s",
		e.Op, e.To[e.Axis], e.From[axis], e.Axis, to, from)
}

// ViewError reports a shape that only a copy can have, not a view.
type ViewError struct {
	Shape, Strides []int // of the tensor
	To             []int
}

func (e *ViewError) Error() string {
	return fmt.Sprintf("tensor: View: shape %s with strides %s cannot be seen as shape %s without a copy: expected dimensions that lie one after the other, or use Reshape",
		formatShape(e.Shape), formatShape(e.Strides), formatShape(e.To))
}

// JoinError reports a tensor that cannot be joined with the first one, since
// their shapes differ in more than the joined axis.
type JoinError struct {
	Op      string
	Operand int // which tensor, counted from 0
	Shape   []int
	First   []int // shape of the first tensor
	Axis    int   // the only axis that may differ; -1 if none may
}

func (e *JoinError) Error() string {
	except := ""
	if e.Axis >= 0 {
		except = fmt.Sprintf(" but in dimension %d", e.Axis)
	}
	return fmt.Sprintf("tensor: %s: operand %d has shape %s: expected %s as operand 0%s",
		e.Op, e.Operand, formatShape(e.Shape), formatShape(e.First), except)
}

// IndexError is what [Tensor.At] and [Tensor.Set] panic with.
type IndexError struct {
	Index, Shape []int
}

func (e *IndexError) Error() string {
	if len(e.Index) != len(e.Shape) {
		return fmt.Sprintf("tensor: %d indices given: expected %d, one for each dimension of shape %s",
			len(e.Index), len(e.Shape), formatShape(e.Shape))
	}
	return fmt.Sprintf("tensor: index %s is out of range of shape %s", formatShape(e.Index), formatShape(e.Shape))
}

// formatShape writes (2,3), and (2,) for a single dimension.
func formatShape(shape []int) string { return broadcast.Format(shape) }

// clone copies a shape into an error or a header. Unlike slices.Clone it does
// not make the compiler move the caller's shape to the heap.
func clone(shape []int) []int {
	c := make([]int, len(shape))
	copy(c, shape)
	return c
}
