package dispatch

import (
	"sync"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
)

// foldBytes is what Fold leaves: several vectors, so that none waits for the
// one before.
const foldBytes = 1 << 10

var folds = sync.Pool{New: func() any { return new([foldBytes / 8]uint64) }}

// foldRows is one kernel call. It is a function of its own because a collection
// can stop a goroutine where a function of Go begins, and not in assembly: a loop
// of nothing but kernels would run to its end.
//
//go:noinline
func foldRows(kernel asm.Kernel, acc, src unsafe.Pointer, rows, cols int) {
	kernel(acc, src, acc, nil, nil, rows, cols, 0, foldBytes, 0, 0, 0)
}

// Fold combines n contiguous elements at src with an operation of two sources
// of one type whose order does not matter. It hands what is left to use: at
// most 1 KiB of elements, if there are any.
func (r *Row) Fold(src unsafe.Pointer, n int, use func(rest unsafe.Pointer, n int)) {
	size := int(r.Size[0])
	cols := foldBytes / size
	if n < 2*cols {
		for at := 0; at < n; at += cols {
			use(unsafe.Add(src, at*size), min(n-at, cols))
		}
		return
	}
	rest := folds.Get().(*[foldBytes / 8]uint64)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(rest)), foldBytes), unsafe.Slice((*byte)(src), foldBytes))
	acc := unsafe.Pointer(rest)
	isa := Active()
	kernel := r.Sets[isa].Form[asm.Contiguous]
	most := max(1, r.perCall(isa)/cols)
	for at, rows := 1, n/cols; at < rows; at += most {
		foldRows(kernel, acc, unsafe.Add(src, at*foldBytes), min(most, rows-at), cols)
	}
	use(acc, cols)
	if tail := n % cols; tail > 0 {
		use(unsafe.Add(src, (n-tail)*size), tail)
	}
	folds.Put(rest)
}
