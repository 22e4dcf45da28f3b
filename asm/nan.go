package asm

import (
	"math"
	"runtime"
)

// inOrder is z, the result of an operation on x and y in which their order
// matters only if both are NaNs: an instruction keeps the one in a certain
// place, but the compiler may swap the operands of + and *. Then the result is
// the NaN that the kernels in assembly give on the same machine.
func inOrder[T float32 | float64](z, x, y T) T {
	if z != z {
		return nan(z, x, y)
	}
	return z
}

// nan is z if neither x nor y is a NaN, else the first of them that is, quiet.
// Arm prefers a signalling one.
func nan[T float32 | float64](z, x, y T) T {
	switch {
	case x == x && y == y:
		return z
	case x == x, y != y && runtime.GOARCH == "arm64" && !signalling(x) && signalling(y):
		return y + y
	}
	return x + x
}

// signalling tells the two kinds of NaN apart.
func signalling[T float32 | float64](x T) bool {
	switch x := any(x).(type) {
	case float32:
		return math.Float32bits(x)&(1<<22) == 0
	case float64:
		return math.Float64bits(x)&(1<<51) == 0
	}
	return false
}
