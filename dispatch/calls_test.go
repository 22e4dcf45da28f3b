package dispatch

import (
	"fmt"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/asm"
	"github.com/lanecast/lanecast/broadcast"
)

// longestCall is what a collection may have to wait for, in picoseconds:
// kernels in assembly cannot be preempted.
const longestCall = 50_000_000

// tally is what the kernels of a row are asked for.
type tally struct{ elements, most atomic.Int64 } // in all calls, in the largest

// tallied is a copy of a row whose kernels count their elements and touch no
// memory, so that operands of any size can be made up.
func tallied(r *Row, isa ISA, t *tally) *Row {
	c := *r
	form := slices.Clone(r.Sets[isa].Form)
	for i, f := range form {
		if f == nil {
			continue
		}
		form[i] = func(_, _, _, _, _ unsafe.Pointer, rows, cols, _, _, _, _, _ int) {
			n := int64(rows * cols)
			t.elements.Add(n)
			for most := t.most.Load(); n > most && !t.most.CompareAndSwap(most, n); {
				most = t.most.Load()
			}
		}
	}
	c.Sets[isa].Form = form
	return &c
}

// longest is the time of the largest call by the table, in picoseconds, with
// every byte from main memory.
func (t *tally) longest(r *Row, isa ISA) int64 {
	return t.most.Load() * int64(r.cost(isa))
}

// TestCallsEnd runs the walk of large operations and asks how long their
// largest kernel call takes by the table.
func TestCallsEnd(t *testing.T) {
	// The addresses below are nobody's: no collection may look at them.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		defer restore()
		t.Logf("%v: Add of 1 GiB of float32: at most %d ns a call", isa, checkCalls(t, &Add, Float32, isa, 1<<30)/1000)
		t.Logf("%v: Div of 256 MiB of int32: at most %d ns a call", isa, checkCalls(t, &Div, Int32, isa, 1<<28)/1000)
		for _, op := range registry {
			for typ, row := range op.Rows {
				if row != nil {
					checkCalls(t, op, Type(typ), isa, 1<<24)
				}
			}
		}
	}
}

// checkCalls makes up operands for a destination of so many bytes. It returns
// the time of the largest call by the table, in picoseconds.
func checkCalls(t *testing.T, op *Operation, typ Type, isa ISA, bytes int) (longest int64) {
	r := op.Rows[typ]
	name := fmt.Sprintf("%v: %s of %s", isa, op.Name, elementTypes[typ].name)
	n := bytes / int(r.Size[0])
	nowhere := unsafe.Add(unsafe.Pointer(nil), 1<<(bits.UintSize/2+4)) // neither code, data nor heap
	for form, layouts := range largeLayouts(r, isa, op.Sources, n) {
		var got tally
		// All at one address, in place: what is written elsewhere may go around
		// the caches, by a kernel that would touch it.
		operands := make([]Operand, len(layouts))
		for i, l := range layouts {
			operands[i] = Operand{Ptr: nowhere, Operand: l}
		}
		tallied(r, isa, &got).Run(false, operands[0], operands[1:]...)
		longest = max(longest, got.longest(r, isa))
		assert.Equal(t, int64(n), got.elements.Load(), "%s, %s: elements", name, form)
		assert.LessOrEqual(t, got.longest(r, isa), int64(longestCall), "%s, %s: picoseconds", name, form)
	}
	for _, n := range []int{small, small + 1, r.perCall(isa), r.perCall(isa) + 1, n} {
		var got tally
		tallied(r, isa, &got).Flat(n, asm.Contiguous, nowhere, nowhere, nowhere, nowhere, nowhere)
		longest = max(longest, got.longest(r, isa))
		assert.LessOrEqual(t, got.longest(r, isa), int64(longestCall), "%s, %d elements without a plan: picoseconds", name, n)
	}
	return longest
}

// largeLayouts are layouts of a destination of n elements and of its sources
// that kernels walk as they are, with nothing brought into scratch.
func largeLayouts(r *Row, isa ISA, sources, n int) map[string][]broadcast.Operand {
	cols := max(2*r.Sets[isa].Lanes, shortBytes) // not short, whatever the type
	flat := broadcast.Operand{Shape: []int{n}, Strides: []int{1}}
	grid := broadcast.Operand{Shape: []int{n / cols, cols}, Strides: []int{cols, 1}}
	all := map[string][]broadcast.Operand{"contiguous": slices.Repeat([]broadcast.Operand{flat}, 1+sources)}
	if sources == 2 {
		all["row"] = []broadcast.Operand{grid, grid, {Shape: []int{cols}, Strides: []int{1}}}
		if r.Has(sources, asm.ScalarRight) {
			all["column"] = []broadcast.Operand{grid, grid, {Shape: []int{n / cols, 1}, Strides: []int{1, 1}}}
		}
	}
	return all
}
