package tensor

import "iter"

// rows walks a tensor that has elements row by row, in row-major order. A row
// is its dimensions from some axis on.
type rows struct {
	index, shape, strides []int // of the dimensions outside of a row
	at                    int   // in the storage, of the row's first element
}

func (t *Tensor[T]) rows(axis int) rows {
	return rows{make([]int, axis), t.shape[:axis], t.strides[:axis], t.offset}
}

// next goes to the next row, and reports whether there is one.
func (r *rows) next() bool {
	for i := len(r.index) - 1; i >= 0; i-- {
		r.index[i]++
		r.at += r.strides[i]
		if r.index[i] < r.shape[i] {
			return true
		}
		r.at -= r.strides[i] * r.shape[i]
		r.index[i] = 0
	}
	return false
}

// longRow returns the axis from which on the dimensions of two arrays of one
// shape are rows as long as can be walked with one stride in each: n elements
// with the strides stepA and stepB.
func longRow(shape, a, b []int) (axis, n, stepA, stepB int) {
	n = 1
	for axis = len(shape); axis > 0; axis-- {
		size, sa, sb := shape[axis-1], a[axis-1], b[axis-1]
		if size == 1 {
			continue
		}
		if n == 1 {
			stepA, stepB = sa, sb
		} else if sa != n*stepA || sb != n*stepB {
			break
		}
		n *= size
	}
	return axis, n, stepA, stepB
}

// All returns an iterator over the indices and the values of all elements in
// row-major order. The index slice is used again for the next element: it must
// be copied to be kept.
func (t *Tensor[T]) All() iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		if t.Len() == 0 {
			return
		}
		index := make([]int, len(t.shape))
		if len(index) == 0 {
			yield(index, t.data[t.offset])
			return
		}
		last := len(index) - 1
		r := rows{index[:last], t.shape[:last], t.strides[:last], t.offset}
		for more := true; more; more = r.next() {
			for i := range t.shape[last] {
				index[last] = i
				if !yield(index, t.data[r.at+i*t.strides[last]]) {
					return
				}
			}
		}
	}
}

// Values returns an iterator over all elements in row-major order.
func (t *Tensor[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		if t.Len() == 0 {
			return
		}
		axis, n, step, _ := longRow(t.shape, t.strides, t.strides)
		r := t.rows(axis)
		for more := true; more; more = r.next() {
			for i := range n {
				if !yield(t.data[r.at+i*step]) {
					return
				}
			}
		}
	}
}
