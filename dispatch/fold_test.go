package dispatch

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Every element takes part, wherever it is.
func TestFold(t *testing.T) {
	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		for _, n := range []int{0, 1, 511, 512, 513, 1023, 1024, 1025, 3000} {
			values := make([]uint16, n)
			for at := range n {
				if at > 0 {
					values[at-1] = 0
				}
				values[at] = 0x8001
				fold, seen := uint16(0), 0
				Or.Rows[Uint16].Fold(unsafe.Pointer(unsafe.SliceData(values)), n, func(rest unsafe.Pointer, n int) {
					require.LessOrEqual(t, n, 512)
					seen++
					for _, v := range unsafe.Slice((*uint16)(rest), n) {
						fold |= v
					}
				})
				require.Equal(t, uint16(0x8001), fold, "%d of %d", at, n)
				require.LessOrEqual(t, seen, 2)
			}
		}
		restore()
	}
}

func TestFoldOfLongRows(t *testing.T) {
	values := make([]int64, 1<<20) // several calls
	sum := int64(0)
	for i := range values {
		values[i] = int64(uint64(i) * 0x9e3779b97f4a7c15)
		sum += values[i]
	}
	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		got := int64(0)
		Add.Rows[Int64].Fold(unsafe.Pointer(&values[0]), len(values), func(rest unsafe.Pointer, n int) {
			for _, v := range unsafe.Slice((*int64)(rest), n) {
				got += v
			}
		})
		require.Equal(t, sum, got)
		restore()
	}
}
