//go:build gc && !purego

package dispatch

import "github.com/lanecast/lanecast/asm"

var moveSets = [numISA]moves{NEON: {
	vector:    16,
	copy:      asm.CopyUint8NEON,
	fill:      [4]asm.Kernel{asm.FillUint8NEON, asm.FillUint16NEON, asm.FillUint32NEON, asm.FillUint64NEON},
	transpose: [4]asm.Kernel{asm.TransposeUint8NEON, asm.TransposeUint16NEON, asm.TransposeUint32NEON, asm.TransposeUint64NEON},
	shuffle:   [maxShuffles]shuffle{{16, 16, 1, [maxLoads]asm.Kernel{asm.Shuffle1NEON, asm.Shuffle2NEON, asm.Shuffle3NEON, asm.Shuffle4NEON}}},
}}

// lastLevel is not known here.
var lastLevel = 0
