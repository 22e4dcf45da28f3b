//go:build !unix

package tensor

import "runtime"

// available goes by the address space, as there is no portable way to ask for
// the memory.
func available(bytes int) bool {
	return runtime.GOARCH != "wasm" || bytes <= 1<<30
}
