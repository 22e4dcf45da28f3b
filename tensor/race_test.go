//go:build race

package tensor

// raceEnabled tells that sync.Pool forgets at random: what comes from a pool is
// then allocated now and then.
const raceEnabled = true
