package tensor

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// What PyTorch prints by default.
const (
	printPrecision = 4    // digits after the point
	printThreshold = 1000 // elements beyond which only the edges are printed
	printEdge      = 3    // elements at either edge of a dimension
	printWidth     = 80   // columns of a line
	printPrefix    = "tensor("
)

// String formats the elements as PyTorch's print does, in brackets and columns.
// Floats are all written alike: as whole numbers if they are, else with four
// digits after the point, and with an exponent if they are very large, very
// small or differ by more than a factor of 1000. Of more than 1000 elements
// only the first and last three of each dimension are shown. In that case, and
// if there are no elements, shape and element type are added. Bools are true
// and false.
func (t *Tensor[T]) String() string {
	b := []byte(printPrefix)
	p := printer[T]{t: t, summary: t.Len() > printThreshold}
	if t.Len() == 0 {
		b = append(b, "[]"...)
	} else {
		p.measure()
		b = p.append(b, 0, t.offset, len(printPrefix))
	}
	if t.Len() == 0 || p.summary {
		shape, _ := t.dims()
		suffix := fmt.Sprintf("shape=%s, type=%T", formatShape(shape), *new(T))
		b = append(b, ',')
		if line := len(b) - bytes.LastIndexByte(b, '\n'); line+len(suffix) < printWidth {
			b = append(b, ' ')
		} else {
			b = newLine(b, 1, len(printPrefix))
		}
		b = append(b, suffix...)
	}
	return string(append(b, ')'))
}

// printer writes the elements of a tensor that has some.
type printer[T Element] struct {
	t        *Tensor[T]
	summary  bool
	exponent bool // write floats with an exponent
	fraction bool // else write them with digits after the point
	width    int  // of a column
}

// measure settles how elements are written, from all those that will be.
// Floats that are zero, infinite or NaN have no say.
func (p *printer[T]) measure() {
	least, most := math.Inf(1), 0.0
	p.each(0, p.t.offset, func(v T) {
		if f, ok := float(v); ok && ordinary(f) {
			least, most = min(least, math.Abs(f)), max(most, math.Abs(f))
			p.fraction = p.fraction || f != math.Trunc(f)
		}
	})
	p.exponent = most/least > 1000 || most > 1e8 || p.fraction && least < 1e-4
	p.width = 1
	var b []byte
	p.each(0, p.t.offset, func(v T) {
		if f, ok := float(v); !ok || ordinary(f) {
			b = p.element(b[:0], v)
			p.width = max(p.width, len(b))
		}
	})
}

// each calls f for those elements of the dimensions from axis on that are
// written; at is the place of the first.
func (p *printer[T]) each(axis, at int, f func(T)) {
	if axis == len(p.t.shape) {
		f(p.t.data[at])
		return
	}
	n := p.t.shape[axis]
	for i := 0; i < n; i++ {
		if p.cut(i, n) {
			i = n - printEdge
		}
		p.each(axis+1, at+i*p.t.strides[axis], f)
	}
}

// cut reports whether the middle of a dimension of size n, from index i on, is
// left out.
func (p *printer[T]) cut(i, n int) bool {
	return p.summary && i == printEdge && n > 2*printEdge
}

// append writes the dimensions from axis on, the first element of which is at
// a place in the storage. The opening bracket is in column indent.
func (p *printer[T]) append(b []byte, axis, at, indent int) []byte {
	if axis == len(p.t.shape) {
		return p.column(b, p.t.data[at])
	}
	n, inner := p.t.shape[axis], len(p.t.shape)-axis-1
	perLine := max(1, (printWidth-indent)/(p.width+len(", ")))
	b = append(b, '[')
	for i, written := 0, 0; i < n; i, written = i+1, written+1 {
		switch {
		case written == 0:
		case inner > 0:
			b = newLine(append(b, ','), inner, indent+1)
		case written%perLine == 0:
			b = newLine(append(b, ','), 1, indent+1)
		default:
			b = append(b, ", "...)
		}
		if !p.cut(i, n) {
			b = p.append(b, axis+1, at+i*p.t.strides[axis], indent+1)
			continue
		}
		if inner == 0 {
			b = append(b, ' ')
		}
		b = append(b, "..."...)
		i = n - printEdge - 1
	}
	return append(b, ']')
}

// column writes an element aligned right.
func (p *printer[T]) column(b []byte, v T) []byte {
	var buf [64]byte
	e := p.element(buf[:0], v)
	for range p.width - len(e) {
		b = append(b, ' ')
	}
	return append(b, e...)
}

func (p *printer[T]) element(b []byte, v T) []byte {
	f, ok := float(v)
	switch {
	case !ok:
		return fmt.Append(b, v)
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	case p.exponent:
		return strconv.AppendFloat(b, f, 'e', printPrecision, 64)
	case p.fraction:
		return strconv.AppendFloat(b, f, 'f', printPrecision, 64)
	}
	return append(strconv.AppendFloat(b, f, 'f', 0, 64), '.')
}

func newLine(b []byte, lines, indent int) []byte {
	for range lines {
		b = append(b, '\n')
	}
	for range indent {
		b = append(b, ' ')
	}
	return b
}

// float returns an element as a float64, if it is a float.
func float[T Element](v T) (f float64, ok bool) {
	switch v := any(v).(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	case Float16:
		return float64(v.Float32()), true
	case BFloat16:
		return float64(v.Float32()), true
	}
	return 0, false
}

// ordinary reports whether f is finite and not zero.
func ordinary(f float64) bool {
	return f != 0 && !math.IsInf(f, 0) && f == f
}
