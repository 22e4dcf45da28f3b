package tensor

import (
	"fmt"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
)

// typeOf is T as the kernel tables count it.
func typeOf[T Element]() dispatch.Type {
	switch any((*T)(nil)).(type) {
	case *float32:
		return dispatch.Float32
	case *float64:
		return dispatch.Float64
	case *int8:
		return dispatch.Int8
	case *int16:
		return dispatch.Int16
	case *int32:
		return dispatch.Int32
	case *int64:
		return dispatch.Int64
	case *uint8:
		return dispatch.Uint8
	case *uint16:
		return dispatch.Uint16
	case *uint32:
		return dispatch.Uint32
	case *uint64:
		return dispatch.Uint64
	}
	return dispatch.Bool
}

// OverlapError reports a destination two of whose elements share memory, as an
// expanded view's do: what it would hold is not defined.
type OverlapError struct {
	Op             string
	Shape, Strides []int // of the destination
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("tensor: %s: elements of the destination share memory: shape %s, strides %s; use Clone first",
		e.Op, formatShape(e.Shape), formatShape(e.Strides))
}

// OuterError reports a broadcast that [NoOuter] refuses.
type OuterError struct {
	Op     string
	Shapes [][]int // of the operands
	Result []int   // what they would have given
}

func (e *OuterError) Error() string {
	return fmt.Sprintf("tensor: %s: NoOuter: shapes %s stretch each other: they would give %s",
		e.Op, formatShapes(e.Shapes), formatShape(e.Result))
}

// RankError reports operands of different ranks, which [SameRank] refuses.
type RankError struct {
	Op     string
	Shapes [][]int // of the operands
	Result []int   // what they would have given
}

func (e *RankError) Error() string {
	return fmt.Sprintf("tensor: %s: SameRank: shapes %s differ in rank: they would give %s",
		e.Op, formatShapes(e.Shapes), formatShape(e.Result))
}

func formatShapes(shapes [][]int) string {
	s := ""
	for i, shape := range shapes {
		if i > 0 {
			s += " and "
		}
		s += formatShape(shape)
	}
	return s
}

// call is one operation about to run: its kernels and its operands without
// their element types.
type call struct {
	op      *dispatch.Operation
	row     *dispatch.Row
	options Option
	n       int // sources
	src     [asm.MaxSources]*array
}

// into runs the call with an existing destination. On an error dst is
// untouched.
func (c *call) into(dst *array) error {
	if !c.options.has(shapeOptions) && broadcast.WarnEnabled() == 0 {
		if form, ok := c.flat(dst); ok && c.apart(dst) && c.runFlat(dst, form) {
			return nil
		}
	}
	var shapes [asm.MaxSources][]int
	for i := range c.n {
		shapes[i] = c.src[i].shape
	}
	if err := c.check(shapes[:c.n]); err != nil {
		return err
	}
	for i := range c.n {
		shapes[i] = c.src[i].shape
	}
	if err := broadcast.Into(dst.shape, shapes[:c.n]...); err != nil {
		return fmt.Errorf("tensor: %s: %w", c.op.Name, err)
	}
	if dst.size == 0 {
		return nil
	}
	if !dst.contiguous && overlapsItself(dst) {
		return &OverlapError{Op: c.op.Name, Shape: clone(dst.shape), Strides: clone(dst.strides)}
	}
	for i := range c.n {
		if overlaps(dst, c.src[i]) {
			c.src[i] = c.src[i].clone()
		}
	}
	c.run(dst)
	return nil
}

// shapeOptions are the options that look at the operands' shapes.
const shapeOptions = NoOuter | SameRank | Legacy

// check applies the options and warnings to the operands' shapes. Where Legacy
// pairs them, it gives them all the first one's shape.
func (c *call) check(shapes [][]int) error {
	if !c.options.has(shapeOptions) && broadcast.WarnEnabled() == 0 {
		return nil
	}
	result, err := broadcast.Shape(shapes...)
	if err != nil {
		if !c.options.has(Legacy) || !c.pair() {
			return fmt.Errorf("tensor: %s: %w", c.op.Name, err)
		}
		broadcast.Warn(broadcast.Legacy, shapes...)
		return nil
	}
	if c.options.has(SameRank) {
		for _, s := range shapes[1:] {
			if len(s) != len(shapes[0]) {
				return &RankError{Op: c.op.Name, Shapes: cloneShapes(shapes), Result: result}
			}
		}
	}
	if c.n > 1 {
		if c.options.has(NoOuter) && broadcast.StretchesBoth(shapes...) {
			return &OuterError{Op: c.op.Name, Shapes: cloneShapes(shapes), Result: result}
		}
		if broadcast.WarnEnabled() != 0 {
			broadcast.WarnBroadcast(shapes...)
		}
	}
	return nil
}

func cloneShapes(shapes [][]int) [][]int {
	c := make([][]int, len(shapes))
	for i, s := range shapes {
		c[i] = clone(s)
	}
	return c
}

// pair makes all sources look like the first one, elements in row-major order,
// if they have equally many.
func (c *call) pair() bool {
	for i := 1; i < c.n; i++ {
		if c.src[i].size != c.src[0].size {
			return false
		}
	}
	strides := make([]int, len(c.src[0].shape))
	rowMajor(strides, c.src[0].shape)
	for i := 1; i < c.n; i++ {
		s := *c.src[i]
		if !s.contiguous {
			s = *s.clone()
		}
		s.shape, s.strides = c.src[0].shape, strides
		c.src[i] = &s
	}
	return true
}

// flat tells whether the operands need no plan: all contiguous and of dst's
// shape, some scalars aside; and which form of kernel that asks for.
func (c *call) flat(dst *array) (form asm.Form, ok bool) {
	if !dst.contiguous || dst.size == 0 {
		return 0, false
	}
	for i := range c.n {
		s := c.src[i]
		switch {
		case s.contiguous && sameShape(s.shape, dst.shape):
		case s.size == 1 && len(s.shape) <= len(dst.shape):
			form |= 1 << i
		default:
			return 0, false
		}
	}
	return form, form != 1<<c.n-1 && c.row.Has(form)
}

func sameShape(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, n := range a {
		if n != b[i] {
			return false
		}
	}
	return true
}

// apart tells whether each source is outside the destination's memory, or
// exactly it. It knows contiguous operands only.
func (c *call) apart(dst *array) bool {
	lo := uintptr(dst.ptr)
	hi := lo + uintptr(dst.size*dst.width)
	for i := range c.n {
		s := c.src[i]
		at := uintptr(s.ptr)
		if at < hi && lo < at+uintptr(s.size*s.width) && (at != lo || s.size != dst.size || s.width != dst.width) {
			return false
		}
	}
	return true
}

func (c *call) runFlat(dst *array, form asm.Form) bool {
	var ptr [asm.MaxSources]unsafe.Pointer
	for i := range c.n {
		ptr[i] = c.src[i].ptr
	}
	return c.row.Flat(dst.size, form, dst.ptr, ptr[0], ptr[1], ptr[2], ptr[3])
}

func (c *call) run(dst *array) {
	if form, ok := c.flat(dst); ok && c.runFlat(dst, form) {
		return
	}
	var src [asm.MaxSources]dispatch.Operand
	for i := range c.n {
		src[i] = c.src[i].operand()
	}
	c.row.Run(c.options.has(Serial), dst.operand(), src[:c.n]...)
}

// result returns a new tensor of the shape that the call's sources broadcast
// to, in the memory order of the sources, and runs the call.
func result[D Element](c *call) (*Tensor[D], error) {
	var shapes [asm.MaxSources][]int
	rank := 0
	for i := range c.n {
		shapes[i] = c.src[i].shape
		rank = max(rank, len(shapes[i]))
	}
	if err := c.check(shapes[:c.n]); err != nil {
		return nil, err
	}
	flat := true
	for i := range c.n {
		flat = flat && c.src[i].contiguous
		shapes[i] = c.src[i].shape
	}
	t := newHeader[D](rank)
	if _, err := broadcast.AppendShape(t.shape[:0], shapes[:c.n]...); err != nil {
		return nil, fmt.Errorf("tensor: %s: %w", c.op.Name, err)
	}
	t.size = product(t.shape)
	if t.contiguous = flat; flat {
		rowMajor(t.strides, t.shape)
	} else {
		var layouts [asm.MaxSources]broadcast.Operand
		for i := range c.n {
			layouts[i] = c.src[i].layout()
		}
		broadcast.KeepOrder(t.strides, t.shape, layouts[:c.n]...)
		t.contiguous = isContiguous(t.shape, t.strides)
	}
	if !fits[D](t.size) {
		return nil, &ShapeError{Op: c.op.Name, Shape: t.Shape(), Reason: "larger than memory"}
	}
	t.data = make([]D, t.size)
	if t.size > 0 {
		t.point()
		c.run(&t.array)
	}
	return t, nil
}

// source adds an operand to the call. It fails if t is nil.
func source[T Element](c *call, t *Tensor[T]) error {
	if t == nil {
		return &NilError{Op: c.op.Name, Operand: c.n}
	}
	c.src[c.n] = t.any()
	c.n++
	return nil
}

func unary[T Element](op *dispatch.Operation, a *Tensor[T], options []Option) (*Tensor[T], error) {
	c := call{op: op, row: op.Rows[typeOf[T]()], options: parse(options)}
	if err := source(&c, a); err != nil {
		return nil, err
	}
	return result[T](&c)
}

func unaryTo[T Element](op *dispatch.Operation, dst, a *Tensor[T], options []Option) error {
	c := call{op: op, row: op.Rows[typeOf[T]()], options: parse(options)}
	if err := source(&c, a); err != nil {
		return err
	}
	return into(&c, dst)
}

func binary[T Element](op *dispatch.Operation, a, b *Tensor[T], options []Option) (*Tensor[T], error) {
	c := call{op: op, row: op.Rows[typeOf[T]()], options: parse(options)}
	if err := source(&c, a); err != nil {
		return nil, err
	}
	if err := source(&c, b); err != nil {
		return nil, err
	}
	return result[T](&c)
}

func binaryTo[T Element](op *dispatch.Operation, dst, a, b *Tensor[T], options []Option) error {
	c := call{op: op, row: op.Rows[typeOf[T]()], options: parse(options)}
	if err := source(&c, a); err != nil {
		return err
	}
	if err := source(&c, b); err != nil {
		return err
	}
	return into(&c, dst)
}

func into[D Element](c *call, dst *Tensor[D]) error {
	if dst == nil {
		return &NilError{Op: c.op.Name + "To", Operand: -1}
	}
	return c.into(dst.any())
}

var empty = array{shape: []int{0}, strides: []int{1}, contiguous: true} // what the zero Tensor stands for; never written

// any returns t without its element type.
func (t *Tensor[T]) any() *array {
	if t.shape == nil {
		return &empty
	}
	return &t.array
}

func (a *array) layout() broadcast.Operand {
	return broadcast.Operand{Shape: a.shape, Strides: a.strides}
}

func (a *array) operand() dispatch.Operand { return dispatch.Operand{Ptr: a.ptr, Operand: a.layout()} }
