//go:build !splitall

package dispatch

// splitCost is the work, in picoseconds, that makes one more goroutine worth
// while. To wake a core took 90 µs on a virtual machine, during which the others
// go on; what must pay is to ask for it, and to fetch what their caches may hold.
const splitCost = 40e6
