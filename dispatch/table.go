package dispatch

import "github.com/lanecast/lanecast/asm"

// Type is an element type as the kernel table counts them.
type Type uint8

const (
	Float32 Type = iota
	Float64
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Bool
	Float16
	BFloat16
	numTypes
)

// Operation is the kernel table of one operation: a row for each element type
// that it means something for. Each operation is a variable of its own, so that
// the linker drops those that a program does not use.
type Operation struct {
	Name    string
	Sources int
	Rows    [numTypes]*Row
}

// Row is one operation on one element type.
type Row struct {
	Size [1 + asm.MaxSources]uint8 // bytes of an element of the destination and of each source
	Cost uint32                    // picoseconds per element, from above, on the slowest instruction set
	Sets [numISA]Kernels
}

// Kernels are a row's kernels for one instruction set.
type Kernels struct {
	Form  []asm.Kernel // by asm.Form; nil where there is none
	Lanes int          // elements a vector holds
	Held  int          // vectors that a row held in registers may have
}
