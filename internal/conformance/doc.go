// Package conformance runs Lanecast against reference data from NumPy, PyTorch,
// ONNX, WebNN, TensorFlow.js and StableHLO.
//
// It is a module of its own, so that users of the library do not download the
// data. Everything else here is a test:
//
//	cd internal/conformance && go test -v ./...
//
// LANECAST_CORPORA=DIR runs other records of the same names and format.
// Operations reach the runner by name, through the table that `go generate`
// writes from the exported functions of package tensor.
package conformance

//go:generate go run ./bind -o bindings_test.go ../../tensor
