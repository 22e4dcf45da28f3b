package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A new operation must reach the runner: the table has to name it.
func TestBindingsAreCurrent(t *testing.T) {
	want, err := generate("../../../tensor")
	require.NoError(t, err)
	got, err := os.ReadFile("../bindings_test.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "package tensor has changed: run go generate in internal/conformance")
}

func TestInstances(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "t.go"), []byte(text), 0o644))
	}
	write(`package tensor
type Half uint16
type Float interface{ float32 | Half }
type Element interface{ Float | bool }
func Add[T Float](a, b T) T { return a }
func Cast[To Element, From float32 | bool](x From) (y To) { return }
func Not(x bool) bool { return !x }
func hidden() {}
func (h Half) Method() {}
`)
	source, err := generate(dir)
	require.NoError(t, err)
	for _, want := range []string{
		`"half":    elementOf[tensor.Half]{}`, `"bool":    elementOf[bool]{}`,
		"tensor.Add[float32],\n\t\ttensor.Add[tensor.Half],\n\t},",
		"tensor.Cast[tensor.Half, bool]", "\t\ttensor.Not,\n",
	} {
		require.Contains(t, string(source), want)
	}
	require.NotContains(t, string(source), "hidden")
	require.NotContains(t, string(source), "Method")

	write("package tensor\ntype Element interface{ M() }")
	_, err = generate(dir)
	require.ErrorContains(t, err, "cannot list")
	_, err = generate(filepath.Join(dir, "missing"))
	require.Error(t, err)
}
