package tensor

import (
	"slices"
	"unsafe"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
)

// reach is the memory between an array's first and last byte, relative to its
// element [0, …, 0].
func (a *array) reach() (lo, hi uintptr) {
	if a.contiguous {
		return uintptr(a.ptr), uintptr(a.ptr) + uintptr(a.size*a.width)
	}
	lo, hi = uintptr(a.ptr), uintptr(a.ptr)+uintptr(a.width)
	for i, n := range a.shape {
		if d := (n - 1) * a.strides[i] * a.width; d < 0 {
			lo -= uintptr(-d)
		} else {
			hi += uintptr(d)
		}
	}
	return lo, hi
}

// overlaps tells whether a write to dst could change an element of src before
// it is read: whether they share memory, unless they are the same view. It is
// exact, but for layouts so tangled that finding out costs more than the copy
// that "yes" leads to. Neither has a size of 0.
func overlaps(dst, src *array) bool {
	lo, hi := dst.reach()
	from, to := src.reach()
	if to <= lo || hi <= from {
		return false
	}
	if dst.ptr == src.ptr && dst.width == src.width && sameView(dst, src) {
		return false
	}
	// A shared byte: lowest address of dst + Σ strideᵢ·iᵢ + byte = the same of
	// src. With the terms of src counted from its end, all have a plus sign.
	var buf [2 * (8 + 1)]term
	t := terms(buf[:0]).add(dst).add(src)
	return t.solvable(int(to-1)-int(lo), 1000)
}

func sameView(a, b *array) bool {
	if len(a.shape) != len(b.shape) {
		return false
	}
	for i, n := range a.shape {
		if n != b.shape[i] || n != 1 && a.strides[i] != b.strides[i] {
			return false
		}
	}
	return true
}

// terms are the unknowns of an equation Σ stride·x = sum with 0 <= x <= most.
type terms []term

type term struct {
	stride, most int
}

func (t terms) add(a *array) terms {
	t = t.put(1, a.width-1)
	for i, n := range a.shape {
		s := a.strides[i] * a.width
		t = t.put(max(s, -s), n-1)
	}
	return t
}

func (t terms) put(stride, most int) terms {
	if stride == 0 || most == 0 {
		return t
	}
	for i := range t {
		if t[i].stride == stride {
			t[i].most += most
			return t
		}
	}
	return append(t, term{stride, most})
}

// solvable tells whether the equation has a solution; if it takes more steps
// than that to find out, it says yes. The largest strides are tried first: what
// the smaller ones can reach leaves few choices for them.
func (t terms) solvable(sum, steps int) bool {
	slices.SortFunc(t, func(a, b term) int { return b.stride - a.stride })
	return t.search(sum, &steps)
}

func (t terms) search(sum int, steps *int) bool {
	if *steps--; *steps < 0 {
		return true
	}
	if sum < 0 {
		return false
	}
	if len(t) == 0 {
		return sum == 0
	}
	rest, divisor := 0, t[0].stride
	for i, x := range t {
		if i > 0 {
			rest += x.stride * x.most
		}
		divisor = gcd(divisor, x.stride)
	}
	if sum%divisor != 0 || sum > rest+t[0].stride*t[0].most {
		return false
	}
	lo := max(0, (sum-rest+t[0].stride-1)/t[0].stride)
	hi := min(t[0].most, sum/t[0].stride)
	for x := hi; x >= lo; x-- {
		if t[1:].search(sum-x*t[0].stride, steps) {
			return true
		}
	}
	return false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// overlapsItself tells whether two elements of an array share memory. Where no
// order of its dimensions shows that they do not, it marks each element's place.
func overlapsItself(a *array) bool {
	var buf [8]term
	dims := buf[:0]
	span := 1
	for i, n := range a.shape {
		s := max(a.strides[i], -a.strides[i])
		switch {
		case n == 1:
			continue
		case s == 0:
			return true
		}
		dims = append(dims, term{s, n - 1})
		span += s * (n - 1)
	}
	for i := 1; i < len(dims); i++ {
		for j := i; j > 0 && dims[j].stride < dims[j-1].stride; j-- {
			dims[j], dims[j-1] = dims[j-1], dims[j]
		}
	}
	nested, inner := true, 1
	for _, d := range dims {
		nested = nested && d.stride >= inner
		inner += d.stride * d.most
	}
	if nested {
		return false
	}
	seen := make([]uint64, (span+63)/64)
	return mark(seen, 0, dims)
}

// mark sets the bit of each element, and tells whether one was set already.
func mark(seen []uint64, at int, dims []term) bool {
	if len(dims) == 0 {
		bit := uint64(1) << (at & 63)
		was := seen[at>>6]&bit != 0
		seen[at>>6] |= bit
		return was
	}
	d := dims[len(dims)-1]
	for i := 0; i <= d.most; i++ {
		if mark(seen, at+i*d.stride, dims[:len(dims)-1]) {
			return true
		}
	}
	return false
}

// clone copies an array at its own size: a dimension of stride 0 stays one.
func (a *array) clone() *array {
	shape := clone(a.shape)
	for i := range shape {
		if a.strides[i] == 0 && shape[i] > 0 {
			shape[i] = 1
		}
	}
	c := a.copyOf(shape)
	for i := range shape {
		if a.strides[i] == 0 {
			c.strides[i] = 0
		}
	}
	c.contiguous = isContiguous(c.shape, c.strides)
	return c
}

// copyOf copies the first elements of an array, as many of each dimension as
// shape says, to memory of their own, in row-major order.
func (a *array) copyOf(shape []int) *array {
	c := *a
	c.strides = make([]int, len(shape))
	rowMajor(c.strides, shape)
	// Words of 8 bytes are aligned for every element type.
	c.ptr = unsafe.Pointer(unsafe.SliceData(make([]uint64, (product(shape)*a.width+7)/8)))
	part := dispatch.Operand{Ptr: a.ptr, Operand: broadcast.Operand{Shape: shape, Strides: a.strides}}
	dispatch.Gather(c.ptr, part, a.width)
	c.contiguous = true
	return &c
}
