//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dispatch

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// guarded returns at least size bytes between two pages that cannot be
// touched.
func guarded(t testing.TB, size int) []byte {
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, page+size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(all)) })
	require.NoError(t, syscall.Mprotect(all[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(all[page+size:], syscall.PROT_NONE))
	return all[page : page+size : page+size]
}
