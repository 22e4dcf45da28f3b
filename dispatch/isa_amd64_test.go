//go:build gc && !purego

package dispatch

import (
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
)

// compiled lists the sets that this build has kernels for, whatever the CPU.
var compiled = []ISA{Generic, AVX2, AVX512}

// TestSupportedBy stubs CPUs. Where the operating system does not save a
// register file, cpuid leaves out what needs it and nothing else.
func TestSupportedBy(t *testing.T) {
	nehalem := []cpuid.FeatureID{cpuid.SSE42, cpuid.POPCNT}
	sandyBridge := append(nehalem[:2:2], cpuid.OSXSAVE, cpuid.AVX)
	piledriver := append(sandyBridge[:4:4], cpuid.FMA3, cpuid.F16C, cpuid.BMI1)
	noYMM := append(nehalem[:2:2], cpuid.FMA3, cpuid.F16C, cpuid.BMI1, cpuid.BMI2)
	haswell := append(piledriver[:7:7], cpuid.AVX2, cpuid.BMI2)
	xeonPhi := append(haswell[:9:9], cpuid.AVX512F, cpuid.AVX512CD, cpuid.AVX512ER, cpuid.AVX512PF)
	skylakeX := append(haswell[:9:9], cpuid.AVX512F, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL)
	without := func(all []cpuid.FeatureID, f cpuid.FeatureID) (kept []cpuid.FeatureID) {
		for _, a := range all {
			if a != f {
				kept = append(kept, a)
			}
		}
		return kept
	}
	type cpu struct {
		name     string
		goos     string
		features []cpuid.FeatureID
		want     []ISA
	}
	cases := []cpu{
		{"nothing", "linux", nil, []ISA{Generic}},
		{"no AVX", "linux", nehalem, []ISA{Generic}},
		{"AVX", "linux", sandyBridge, []ISA{Generic}},
		{"FMA without AVX2", "linux", piledriver, []ISA{Generic}},
		{"YMM not saved", "linux", noYMM, []ISA{Generic}},
		{"AVX2", "windows", haswell, []ISA{Generic, AVX2}},
		{"ZMM not saved", "linux", haswell, []ISA{Generic, AVX2}},
		{"AVX-512 F alone", "linux", xeonPhi, []ISA{Generic, AVX2}},
		{"AVX-512", "linux", skylakeX, []ISA{Generic, AVX2, AVX512}},
		{"AVX-512", "darwin", skylakeX, []ISA{Generic, AVX2}},
	}
	for _, f := range []cpuid.FeatureID{cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.F16C} {
		cases = append(cases, cpu{"no " + f.String(), "linux", without(skylakeX, f), []ISA{Generic}})
	}
	for _, f := range []cpuid.FeatureID{cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.BMI2} {
		cases = append(cases, cpu{"no " + f.String(), "linux", without(skylakeX, f), []ISA{Generic, AVX2}})
	}
	for _, c := range cases {
		var stub cpuid.CPUInfo
		stub.Enable(c.features...)
		assert.Equal(t, c.want, supportedBy(stub.Supports, c.goos), "%s on %s", c.name, c.goos)
	}
}
