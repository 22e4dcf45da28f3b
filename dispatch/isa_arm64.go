//go:build gc && !purego

package dispatch

// supported needs no look at the CPU: Go's own arm64 port requires Advanced
// SIMD.
func supported() []ISA { return []ISA{Generic, NEON} }
