//go:build gc && !purego

package dispatch

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

func supported() []ISA { return supportedBy(cpuid.CPU.Supports, runtime.GOOS) }

// supportedBy lists the sets for a CPU with the features that has reports. It
// has AVX2 and the AVX-512 features only where the operating system saves the
// registers; FMA, F16C and BMI2 say nothing about that.
func supportedBy(has func(...cpuid.FeatureID) bool, goos string) []ISA {
	sets := []ISA{Generic}
	if !has(cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.F16C) {
		return sets
	}
	sets = append(sets, AVX2)
	// A signal on darwin may corrupt mask registers: golang/go#49233.
	if goos != "darwin" && has(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.BMI2) {
		sets = append(sets, AVX512)
	}
	return sets
}
