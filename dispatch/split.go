//go:build !splitall

package dispatch

// splitCost is the work, in picoseconds by the table, from which it is split
// over several goroutines: a fork and join costs some tens of microseconds.
const splitCost = 100e6
