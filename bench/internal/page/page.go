// Package page keeps the page of measurements, bench/RESULTS.md: each of its
// sections is written by a program of its own.
package page

import (
	"bytes"
	"errors"
	"os"
	"strings"
)

// Write puts text into a section of the page in a file, which it creates if
// there is none.
func Write(file, section string, text []byte) error {
	page, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, replace(page, section, text), 0o644)
}

// replace puts text between the markers of a section, at the end of the page if
// it has none yet. The rest of the page stays as it is.
func replace(page []byte, section string, text []byte) []byte {
	begin, end := "<!-- begin "+section+" -->\n", "<!-- end "+section+" -->\n"
	marked := begin + string(text) + end
	if before, rest, ok := strings.Cut(string(page), begin); ok {
		if _, after, ok := strings.Cut(rest, end); ok {
			return []byte(before + marked + after)
		}
	}
	if len(page) == 0 {
		page = []byte("# Results\n\nMeasured, as it came out, losses included.\n")
	}
	return append(bytes.TrimRight(page, "\n"), "\n\n"+marked...)
}
