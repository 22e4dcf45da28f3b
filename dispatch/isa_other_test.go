//go:build !gc || purego || !(amd64 || arm64)

package dispatch

// compiled lists the sets that this build has kernels for, whatever the CPU.
var compiled = []ISA{Generic}
