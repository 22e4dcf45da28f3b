// Package asm holds the kernels: generated assembly with its stubs, and the
// same loops in pure Go. All files named *_generic.go, stubs_*.go or *.s are
// written by internal/avogen.
package asm

import "unsafe"

//go:generate go run ../internal/avogen

// MaxSources is the largest number of sources of a kernel.
const MaxSources = 4

// Kernel computes rows × cols elements of one operation:
//
//	dst[r][i] = op(a[r][i], b[r][i], …)
//
// dst is contiguous along i. How each source is read along i is the kernel's
// Form. A step is the distance in bytes from one row to the next and may be
// zero or negative. Sources that the operation lacks are nil with step 0.
//
// A kernel neither reads nor writes outside its operands, allows dst to be a
// source (the same element, with the same step), and does nothing if rows or
// cols is less than 1.
type Kernel func(dst, a, b, c, d unsafe.Pointer, rows, cols, dstStep, aStep, bStep, cStep, dStep int)

// Form says how a kernel reads each of its sources along a row: bit k is set
// if source k is a scalar (one element a row); all others are contiguous.
// HeldA and HeldB are the two further forms of binary kernels.
type Form uint8

const (
	Contiguous  Form = 0
	ScalarLeft  Form = 1 // a is a scalar per row
	ScalarRight Form = 2 // b is a scalar per row
	RowLeft     Form = 3 // binary kernels: a is one row for all rows, held in registers; at most MaxHeld vectors
	RowRight    Form = 4 // binary kernels: b is
)
