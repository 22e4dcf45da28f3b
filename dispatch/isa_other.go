//go:build !gc || purego || !(amd64 || arm64)

package dispatch

func supported() []ISA { return []ISA{Generic} }
