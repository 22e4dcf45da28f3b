//go:build !splitall

package dispatch

// splitCost is the work, in picoseconds, that makes one more goroutine worth
// while: to wake a core and wait for it costs some tens of microseconds, and it
// has to fetch what the first one's caches may hold.
const splitCost = 125e6
