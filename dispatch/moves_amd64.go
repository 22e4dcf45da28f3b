//go:build gc && !purego

package dispatch

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/lanecast/lanecast/asm"
)

// lastLevel is the size of the last-level cache in bytes, or not positive if
// the CPU does not tell.
var lastLevel = cpuid.CPU.Cache.L3

// movesAVX2 serve AVX-512 too: what they do is load, store and shuffle within
// 16 bytes, and wider vectors would do no less of it.
var movesAVX2 = moves{
	vector:    32,
	copy:      asm.CopyUint8AVX2,
	fill:      [4]asm.Kernel{asm.FillUint8AVX2, asm.FillUint16AVX2, asm.FillUint32AVX2, asm.FillUint64AVX2},
	transpose: [4]asm.Kernel{asm.TransposeUint8AVX2, asm.TransposeUint16AVX2, asm.TransposeUint32AVX2, asm.TransposeUint64AVX2},
	shuffle:   [maxLoads]asm.Kernel{asm.Shuffle1AVX2, asm.Shuffle2AVX2, asm.Shuffle3AVX2, asm.Shuffle4AVX2},
	stream:    asm.StreamAVX2,
	fence:     asm.FenceAVX2,
}

var moveSets = [numISA]moves{AVX2: movesAVX2, AVX512: movesAVX2}
