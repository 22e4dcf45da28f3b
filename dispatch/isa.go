package dispatch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// ISA is an instruction set that kernels are written for. Sets are ordered: of
// two that one machine has, the larger is the better.
type ISA uint8

const (
	Generic ISA = iota // pure Go, on every machine
	NEON               // Advanced SIMD of Armv8.0
	AVX2               // with FMA and F16C
	AVX512             // F, DQ, BW and VL, with BMI2
	numISA
)

var isaNames = [numISA]string{"Generic", "NEON", "AVX2", "AVX512"}

// String gives the name of the constant.
func (i ISA) String() string {
	if i < numISA {
		return isaNames[i]
	}
	return fmt.Sprintf("ISA(%d)", uint8(i))
}

// ParseISA reads the name of an instruction set, in any case: generic, neon,
// avx2 or avx512. It knows the sets of all machines; whether this one has it,
// Use and Available tell. The error is an *ISAError.
func ParseISA(name string) (ISA, error) {
	for i, n := range isaNames {
		if strings.EqualFold(n, name) {
			return ISA(i), nil
		}
	}
	return Generic, newISAError(name)
}

// ISAError reports an instruction set that does not exist, or that this CPU,
// its operating system or this build lacks.
type ISAError struct {
	Env       string // the environment variable that asked for it, or ""
	Name      string // what was asked for
	Available []ISA  // what there is, the best last
	Running   ISA    // what runs instead
}

func newISAError(name string) *ISAError {
	return &ISAError{Name: name, Available: Available(), Running: Active()}
}

func (e *ISAError) Error() string {
	asked := fmt.Sprintf("instruction set %q", e.Name)
	if e.Env != "" {
		asked = fmt.Sprintf("%s=%s", e.Env, e.Name)
	}
	names := make([]string, len(e.Available))
	for i, a := range e.Available {
		names[i] = strings.ToLower(a.String())
	}
	return fmt.Sprintf("lanecast: %s is not available here: have %s, running %s",
		asked, strings.Join(names, ", "), strings.ToLower(e.Running.String()))
}

// isaEnv names the environment variable that chooses an instruction set.
const isaEnv = "LANECAST_ISA"

var (
	available = supported() // in ascending order, Generic first; never written again
	active    atomic.Uint32 // the ISA in use
	envError  error
)

func init() {
	isa, err := choose(os.Getenv(isaEnv), available)
	active.Store(uint32(isa))
	if err != nil {
		envError = err
	}
}

// choose gives the best of the available sets that is not above the one asked
// for. An empty name asks for the best, an unknown one gets it with an error.
func choose(name string, available []ISA) (ISA, *ISAError) {
	best := available[len(available)-1]
	if name == "" {
		return best, nil
	}
	if asked, err := ParseISA(name); err == nil {
		for _, a := range available {
			if a <= asked {
				best = a
			}
		}
		if best == asked {
			return best, nil
		}
	}
	return best, &ISAError{Env: isaEnv, Name: name, Available: slices.Clone(available), Running: best}
}

// Active is the instruction set in use: the best available one, unless the
// environment variable LANECAST_ISA (generic, neon, avx2 or avx512) or Use
// asked for another.
func Active() ISA { return ISA(active.Load()) }

// Available lists the instruction sets that this program can use on this
// machine, the best last. The first is always Generic.
func Available() []ISA { return slices.Clone(available) }

// Use makes isa the instruction set in use, and restore brings back the one
// before. If isa is not available the error is an *ISAError, nothing changes,
// and restore does nothing.
//
// The choice is the whole program's. Changing it while operations run is safe:
// each operation uses one set from its start to its end, and all sets give the
// same bits.
func Use(isa ISA) (restore func(), err error) {
	if !slices.Contains(available, isa) {
		return func() {}, newISAError(isa.String())
	}
	before := active.Swap(uint32(isa))
	return func() { active.Store(before) }, nil
}

// EnvError tells whether the environment variable LANECAST_ISA named an
// instruction set that is unknown or not available: an *ISAError, else nil. The
// best set below it is in use then.
func EnvError() error { return envError }
