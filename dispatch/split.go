//go:build !splitall

package dispatch

// splitCost is the work, in picoseconds, that makes one more goroutine worth
// while: to start it takes a few microseconds, and it has to fetch what the other
// core's caches hold.
const splitCost = 25e6
