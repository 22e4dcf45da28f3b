//go:build splitall

package dispatch

// splitCost of next to nothing splits all that can be split, for tests.
const splitCost = 1
