package tensor

import (
	"fmt"
	"math/bits"
	"sync"
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
	case *Float16:
		return dispatch.Float16
	case *BFloat16:
		return dispatch.BFloat16
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
	name     string // of the function, in errors
	row      *dispatch.Row
	options  Option
	n        int // sources
	src      [asm.MaxSources]*array
	scalars  uint8 // bit k: source k is a number, not a tensor
	numbers  *numbers
	assigns  bool // the destination may be larger than the sources
	reversed bool // the kernel's sources are the function's operands from last to first
}

// tensors appends the sources that are tensors, in the function's order, to an
// empty list.
func (c *call) tensors(list []*array) []*array {
	for i := range c.n {
		if c.reversed {
			i = c.n - 1 - i
		}
		if c.scalars>>i&1 == 0 {
			list = append(list, c.src[i])
		}
	}
	return list
}

// shapes appends those of the tensors to a list.
func (c *call) shapes(list [][]int) [][]int {
	if c.scalars == 0 && !c.reversed {
		for i := range c.n {
			list = append(list, c.src[i].shape)
		}
		return list
	}
	var stack [asm.MaxSources]*array
	for _, a := range c.tensors(stack[:0]) {
		list = append(list, a.shape)
	}
	return list
}

// into runs the call with an existing destination. On an error dst is
// untouched.
func (c *call) into(dst *array) error {
	var stack [asm.MaxSources][]int
	if c.options.has(shapeOptions) || broadcast.WarnEnabled() != 0 {
		if err := c.check(c.shapes(stack[:0])); err != nil {
			return err
		}
	} else if form, ok := c.flat(dst); ok && c.apart(dst) && c.runFlat(dst, form) {
		return nil
	}
	shapes := stack[:0]
	if c.assigns {
		shapes = append(shapes, dst.shape)
	}
	if err := broadcast.Into(dst.shape, c.shapes(shapes)...); err != nil {
		return fmt.Errorf("tensor: %s: %w", c.name, err)
	}
	if dst.size == 0 {
		return nil
	}
	if !dst.contiguous && overlapsItself(dst) {
		return &OverlapError{Op: c.name, Shape: clone(dst.shape), Strides: clone(dst.strides)}
	}
	for i := range c.n {
		if overlaps(dst, c.src[i]) {
			c.src[i] = c.src[i].clone()
		}
	}
	c.walk(dst)
	return nil
}

// shapeOptions are the options that look at the operands' shapes.
const shapeOptions = NoOuter | SameRank | Legacy

// check applies the options and warnings to the operands' shapes. Where Legacy
// pairs them, it gives them all the first one's shape.
func (c *call) check(shapes [][]int) error {
	if len(shapes) < 2 || !c.options.has(shapeOptions) && broadcast.WarnEnabled() == 0 {
		return nil
	}
	var buf [8]int
	result, err := broadcast.AppendShape(buf[:0], shapes...)
	if err != nil {
		if !c.options.has(Legacy) || !c.pairs() {
			return fmt.Errorf("tensor: %s: %w", c.name, err)
		}
		broadcast.Warn(broadcast.Legacy, shapes...)
		return c.pair()
	}
	if c.options.has(SameRank) {
		for _, s := range shapes[1:] {
			if len(s) != len(shapes[0]) {
				return &RankError{Op: c.name, Shapes: cloneShapes(shapes), Result: clone(result)}
			}
		}
	}
	if c.options.has(NoOuter) && broadcast.StretchesBoth(shapes...) {
		return &OuterError{Op: c.name, Shapes: cloneShapes(shapes), Result: clone(result)}
	}
	if broadcast.WarnEnabled() != 0 {
		broadcast.WarnBroadcast(shapes...)
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

// pairs tells whether all tensors have equally many elements.
func (c *call) pairs() bool {
	var stack [asm.MaxSources]*array
	list := c.tensors(stack[:0])
	for _, a := range list {
		if a.size != list[0].size {
			return false
		}
	}
	return true
}

// pair makes all tensors look like the first one, elements in row-major order.
func (c *call) pair() error {
	var stack [asm.MaxSources]*array
	first := c.tensors(stack[:0])[0]
	strides := make([]int, len(first.shape))
	rowMajor(strides, first.shape)
	for i, a := range c.src[:c.n] {
		if a == first || c.scalars>>i&1 != 0 {
			continue
		}
		s := *a
		if !s.contiguous {
			if !roomFor(s.size, s.width) {
				return &ShapeError{Op: c.name, Shape: clone(s.shape), Reason: "larger than memory"}
			}
			s = *s.copyOf(s.shape)
		}
		s.shape, s.strides = first.shape, strides
		c.src[i] = &s
	}
	return nil
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
	return form, c.row.Has(c.n, form)
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
	if form, ok := c.flat(dst); !ok || !c.runFlat(dst, form) {
		c.walk(dst)
	}
}

func (c *call) walk(dst *array) {
	var src [asm.MaxSources]dispatch.Operand
	for i := range c.n {
		src[i] = c.src[i].operand()
	}
	c.row.Run(c.options.has(Serial), dst.operand(), src[:c.n]...)
}

// result returns a new tensor of the shape that the call's sources broadcast
// to, in the memory order of the sources, and runs the call.
func result[D Element](c *call) (*Tensor[D], error) {
	var stack [asm.MaxSources][]int
	if err := c.check(c.shapes(stack[:0])); err != nil {
		return nil, err
	}
	shapes := c.shapes(stack[:0])
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	flat := true
	for i := range c.n {
		flat = flat && c.src[i].contiguous
	}
	t := newHeader[D](rank)
	if _, err := broadcast.AppendShape(t.shape[:0], shapes...); err != nil {
		return nil, fmt.Errorf("tensor: %s: %w", c.name, err)
	}
	t.size = product(t.shape)
	if t.contiguous = flat; flat {
		rowMajor(t.strides, t.shape)
	} else {
		var layouts [asm.MaxSources]broadcast.Operand
		var list [asm.MaxSources]*array
		all := c.tensors(list[:0])
		for i, a := range all {
			layouts[i] = a.layout()
		}
		broadcast.KeepOrder(t.strides, t.shape, layouts[:len(all)]...)
		t.contiguous = isContiguous(t.shape, t.strides)
	}
	if !fits[D](t.size) {
		return nil, &ShapeError{Op: c.name, Shape: t.Shape(), Reason: "larger than memory"}
	}
	t.data = make([]D, t.size)
	if t.size > 0 {
		t.point()
		c.run(&t.array)
	}
	return t, nil
}

// begin starts a call of op with its kernels for elements of type T.
func begin[T Element](op *dispatch.Operation, options []Option) call {
	return call{name: op.Name, row: op.Rows[typeOf[T]()], options: parse(options)}
}

// source adds an operand to the call. It fails if t is nil.
func source[T Element](c *call, t *Tensor[T]) error {
	if t == nil {
		return &NilError{Op: c.name, Operand: c.n}
	}
	c.src[c.n] = t.any()
	c.n++
	return nil
}

// scalar adds a number as an operand. The options do not look at its shape. It
// is to be given back with free.
func scalar[T Element](c *call, v T) {
	if c.numbers == nil {
		c.numbers = numberPool.Get().(*numbers)
	}
	k := bits.OnesCount8(c.scalars)
	p := unsafe.Pointer(&c.numbers.bits[k])
	*(*T)(p) = v
	c.numbers.array[k] = array{ptr: p, shape: []int{}, strides: []int{}, size: 1, width: int(unsafe.Sizeof(v)), contiguous: true}
	c.src[c.n] = &c.numbers.array[k]
	c.scalars |= 1 << c.n
	c.n++
}

// numbers are the scalars of one call. They come from a pool: a kernel is
// called through a pointer, so what is passed to it cannot live on a stack.
type numbers struct {
	bits  [asm.MaxSources]uint64
	array [asm.MaxSources]array
}

var numberPool = sync.Pool{New: func() any { return new(numbers) }}

func (c *call) free() {
	if c.numbers != nil {
		numberPool.Put(c.numbers)
	}
}

func unary[T Element](op *dispatch.Operation, a *Tensor[T], options []Option) (*Tensor[T], error) {
	return unaryInto[T](op, a, options)
}

// unaryInto is unary with a result of type D. It uses the kernels of T, as all
// functions here do.
func unaryInto[D, T Element](op *dispatch.Operation, a *Tensor[T], options []Option) (*Tensor[D], error) {
	c := begin[T](op, options)
	if err := source(&c, a); err != nil {
		return nil, err
	}
	return result[D](&c)
}

func unaryTo[D, T Element](op *dispatch.Operation, dst *Tensor[D], a *Tensor[T], options []Option) error {
	c := begin[T](op, options)
	if err := source(&c, a); err != nil {
		return err
	}
	return into(&c, dst)
}

func binary[T Element](op *dispatch.Operation, a, b *Tensor[T], options []Option) (*Tensor[T], error) {
	return binaryInto[T](op, a, b, options)
}

func binaryInto[D, T Element](op *dispatch.Operation, a, b *Tensor[T], options []Option) (*Tensor[D], error) {
	c := begin[T](op, options)
	if err := sources(&c, a, b); err != nil {
		return nil, err
	}
	return result[D](&c)
}

func binaryTo[D, T Element](op *dispatch.Operation, dst *Tensor[D], a, b *Tensor[T], options []Option) error {
	c := begin[T](op, options)
	if err := sources(&c, a, b); err != nil {
		return err
	}
	return into(&c, dst)
}

// sources adds two operands.
func sources[A, B Element](c *call, a *Tensor[A], b *Tensor[B]) error {
	if err := source(c, a); err != nil {
		return err
	}
	return source(c, b)
}

// ternary has a first operand whose type may differ from the others'.
func ternary[A, T Element](op *dispatch.Operation, a *Tensor[A], b, c *Tensor[T], options []Option) (*Tensor[T], error) {
	call := begin[T](op, options)
	if err := sources(&call, a, b); err != nil {
		return nil, err
	}
	if err := source(&call, c); err != nil {
		return nil, err
	}
	return result[T](&call)
}

func ternaryTo[A, T Element](op *dispatch.Operation, dst *Tensor[T], a *Tensor[A], b, c *Tensor[T], options []Option) error {
	call := begin[T](op, options)
	if err := sources(&call, a, b); err != nil {
		return err
	}
	if err := source(&call, c); err != nil {
		return err
	}
	return into(&call, dst)
}

func into[D Element](c *call, dst *Tensor[D]) error {
	if dst == nil {
		op := c.name
		if !c.assigns {
			op += "To"
		}
		return &NilError{Op: op, Operand: -1}
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
