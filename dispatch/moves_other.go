//go:build !gc || purego || !(amd64 || arm64)

package dispatch

var moveSets [numISA]moves
