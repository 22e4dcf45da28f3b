package loop

import "github.com/lanecast/lanecast/internal/avogen/lane"

// Target is a file of kernels: one operation on one instruction set. Its
// package's New starts an empty one.
type Target interface {
	Suffix() string    // of kernel names: AVX2, AVX512, NEON, Generic
	Arch() string      // GOARCH, or "" for all
	Rules() lane.Rules // that the lane programs are built by
	VecBytes() int     // of a vector
	// Kernel adds a kernel. For a loop that holds a row it returns how many
	// vectors that row may have, else 0.
	Kernel(name string, l Loop, k Kernel) (held int)
	// Print returns the file. Its errors name the kernel at fault.
	Print() ([]byte, error)
}

// Kernel is what goes inside a loop.
type Kernel struct {
	Prog *lane.Prog
	Doc  string // one line: what the kernel computes
}

// Params are the parameters of every kernel, 8 bytes each on 64-bit machines,
// in the order of asm.Kernel.
var Params = []string{"dst", "a", "b", "c", "d", "rows", "cols", "dstStep", "aStep", "bStep", "cStep", "dStep"}

// Sources are the names of a kernel's sources among Params.
var Sources = Params[1:5]

// Loop is one way to walk a kernel's operands.
type Loop struct {
	Name   string // as part of a kernel's name
	Form   int    // the asm.Form
	Scalar uint   // bit k: source k is a scalar per row
	Held   int    // the source that is one row for all rows, or -1
}

// Loops lists the loops that operations with n sources may have.
func Loops(n int) []Loop {
	if n == 2 {
		return []Loop{
			{"Contiguous", 0, 0, -1},
			{"ScalarLeft", 1, 1, -1},
			{"ScalarRight", 2, 2, -1},
			{"RowLeft", 3, 0, 0},
			{"RowRight", 4, 0, 1},
		}
	}
	ls := []Loop{{"Contiguous", 0, 0, -1}}
	for mask := 1; mask < 1<<n; mask++ {
		name := "Scalar"
		for k := range n {
			if mask>>k&1 != 0 {
				name += "ABCD"[k : k+1]
			}
		}
		ls = append(ls, Loop{name, mask, uint(mask), -1})
	}
	return ls
}

// Emit prints the loop around k's program on m.
func (l Loop) Emit(m Machine, k Kernel) {
	m.Begin(k.Prog)
	if l.Held >= 0 {
		l.rowHeld(m, k.Prog)
	} else {
		l.rowwise(m, k.Prog)
	}
}
