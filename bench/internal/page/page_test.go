package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	for _, s := range [][2]string{{"a", "one\n"}, {"b", "two\n"}, {"a", "three\n"}} {
		require.NoError(t, Write(file, s[0], []byte(s[1])))
	}
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "# Results\n\nMeasured, as it came out, losses included.\n\n"+
		"<!-- begin a -->\nthree\n<!-- end a -->\n\n<!-- begin b -->\ntwo\n<!-- end b -->\n", string(page))
}
