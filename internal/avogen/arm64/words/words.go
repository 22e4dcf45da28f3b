// Package words checks arm64 instructions that are written as numbers, for
// tests.
package words

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const objdump = "aarch64-linux-gnu-objdump"

var word = regexp.MustCompile(`^\s*WORD \$(0x[0-9a-f]{8}) // (.+)$`)

// Check disassembles every WORD of some files of Go assembly, given by name,
// and compares it with its comment. Without GNU objdump it skips the test, or
// fails it where the environment asks for the tool: CI is set, or
// LANECAST_TEST_REQUIRE_OBJDUMP.
func Check(t *testing.T, files map[string]string) {
	t.Helper()
	tool, err := exec.LookPath(objdump)
	if err != nil {
		if os.Getenv("CI") != "" || os.Getenv("LANECAST_TEST_REQUIRE_OBJDUMP") != "" {
			t.Fatalf("%s is required here (Debian: binutils-aarch64-linux-gnu): %v", objdump, err)
		}
		t.Skipf("the words are not checked without %s (Debian: binutils-aarch64-linux-gnu)", objdump)
	}

	// Equal words have one meaning, so each is disassembled only once.
	comments := map[string]string{}
	var code []byte
	var words, where []string
	for name, text := range files {
		for i, line := range strings.Split(text, "\n") {
			if !strings.Contains(line, "WORD") {
				continue
			}
			at := fmt.Sprintf("%s:%d", name, i+1)
			m := word.FindStringSubmatch(line)
			require.NotNil(t, m, "%s: a WORD without its mnemonic", at)
			if old, known := comments[m[1]]; known {
				assert.Equal(t, old, m[2], "%s: another comment for the same word", at)
				continue
			}
			comments[m[1]] = m[2]
			w, err := strconv.ParseUint(m[1], 0, 32)
			require.NoError(t, err)
			code = binary.LittleEndian.AppendUint32(code, uint32(w))
			words, where = append(words, m[1]), append(where, at)
		}
	}
	require.NotEmpty(t, words)

	raw := filepath.Join(t.TempDir(), "words")
	require.NoError(t, os.WriteFile(raw, code, 0o644))
	out, err := exec.Command(tool, "-D", "-z", "-b", "binary", "-m", "aarch64", raw).Output()
	require.NoError(t, err)
	var decoded []string
	for _, line := range strings.Split(string(out), "\n") {
		if f := strings.SplitN(line, "\t", 3); len(f) == 3 { // address, word, instruction
			decoded = append(decoded, strings.Join(strings.Fields(f[2]), " "))
		}
	}
	require.Len(t, decoded, len(words))
	for i, w := range words {
		assert.Equal(t, comments[w], decoded[i], "%s: %s", where[i], w)
	}
	t.Logf("%d different words", len(words))
}
