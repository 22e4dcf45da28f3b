package asm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/internal/avogen/arm64/words"
)

// TestWords disassembles the arm64 instructions that are written as numbers,
// because Go's assembler lacks them, and compares each with its comment.
func TestWords(t *testing.T) {
	names, err := filepath.Glob("*_arm64.s")
	require.NoError(t, err)
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		files[name] = string(text)
	}
	words.Check(t, files)
}
