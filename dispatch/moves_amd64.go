//go:build gc && !purego

package dispatch

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/lanecast/lanecast/asm"
)

// lastLevel is the size of the last-level cache in bytes, or not positive if
// the CPU does not tell.
var lastLevel = cpuid.CPU.Cache.L3

// movesAVX2 serve AVX-512 too, but for permutations: what they do is load, store
// and shuffle within 16 bytes, and wider vectors would do no less of it.
var movesAVX2 = moves{
	vector:    32,
	copy:      asm.CopyUint8AVX2,
	fill:      [4]asm.Kernel{asm.FillUint8AVX2, asm.FillUint16AVX2, asm.FillUint32AVX2, asm.FillUint64AVX2},
	transpose: [4]asm.Kernel{asm.TransposeUint8AVX2, asm.TransposeUint16AVX2, asm.TransposeUint32AVX2, asm.TransposeUint64AVX2},
	shuffle: [maxShuffles]shuffle{
		{32, 32, 4, [maxLoads]asm.Kernel{asm.Permute1Uint32AVX2, asm.Permute2Uint32AVX2, asm.Permute3Uint32AVX2, asm.Permute4Uint32AVX2}},
		halvesAVX2,
	},
	stream: asm.StreamAVX2,
	fence:  asm.FenceAVX2,
}

var halvesAVX2 = shuffle{32, 16, 1, [maxLoads]asm.Kernel{asm.Shuffle1AVX2, asm.Shuffle2AVX2, asm.Shuffle3AVX2, asm.Shuffle4AVX2}}

var moveSets = [numISA]moves{AVX2: movesAVX2, AVX512: movesAVX512()}

func movesAVX512() moves {
	m := movesAVX2
	m.shuffle = [maxShuffles]shuffle{
		{64, 64, 4, [maxLoads]asm.Kernel{asm.Permute1Uint32AVX512, asm.Permute2Uint32AVX512, asm.Permute3Uint32AVX512, asm.Permute4Uint32AVX512}},
		{64, 64, 2, [maxLoads]asm.Kernel{asm.Permute1Uint16AVX512, asm.Permute2Uint16AVX512, asm.Permute3Uint16AVX512, asm.Permute4Uint16AVX512}},
		halvesAVX2,
	}
	return m
}
