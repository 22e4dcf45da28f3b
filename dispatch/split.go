//go:build !splitall

package dispatch

// splitCost is the work, in picoseconds, that makes one more goroutine worth
// while: a fork and join costs some tens of microseconds.
const splitCost = 50e6
