//go:build gc && !purego

package dispatch

// compiled lists the sets that this build has kernels for, whatever the CPU.
var compiled = []ISA{Generic, NEON}
