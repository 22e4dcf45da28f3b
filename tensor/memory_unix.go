//go:build unix

package tensor

import "syscall"

// arena is the unit in which Go's allocator takes memory from the operating
// system, at most.
const arena = 64 << 20

// available asks the operating system for memory as Go's allocator would, and
// gives it back untouched.
func available(bytes int) bool {
	bytes = (bytes + arena - 1) / arena * arena
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	return err == nil && syscall.Munmap(memory) == nil
}
