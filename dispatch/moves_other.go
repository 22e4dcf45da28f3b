//go:build !gc || purego || !(amd64 || arm64)

package dispatch

var moveSets [numISA]moves

// lastLevel is not known here.
var lastLevel = 0
