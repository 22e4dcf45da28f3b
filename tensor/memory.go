package tensor

import "unsafe"

// maxBytes is the largest size of a new tensor's elements, 4 TiB, or 1 GiB
// where pointers have 32 bits.
const maxBytes = 1 << (30 + 12*(^uint(0)>>63))

// probeBytes is the size from which on the operating system is asked whether
// it has that much. Below, filling the memory takes far longer than a refusal
// is likely.
const probeBytes = 1 << 28

// fits reports whether n elements can be allocated, since make does not
// return if they cannot.
func fits[T Element](n int) bool { return roomFor(n, int(unsafe.Sizeof(*new(T)))) }

// roomFor is fits for elements of so many bytes.
func roomFor(n, size int) bool {
	return n <= maxBytes/size && (n*size < probeBytes || available(n*size))
}
