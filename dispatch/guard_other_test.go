//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package dispatch

import "testing"

// guarded returns size bytes. Where pages cannot be protected, only writes
// outside an operand are noticed, by what the bytes around it held.
func guarded(t testing.TB, size int) []byte {
	const margin = 4096
	return make([]byte, margin+size+margin)[margin : margin+size : margin+size]
}
