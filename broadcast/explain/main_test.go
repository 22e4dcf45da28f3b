package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"5,3,4,1", "3,1,1"}, 0, "result (5,3,4,1)", ""},
		{[]string{"(5, 3, 4, 1)", "[3,1,1]"}, 0, "result (5,3,4,1)", ""},
		{[]string{"2,3", "()"}, 0, "result (2,3)", ""},
		{[]string{"(3,)"}, 0, "result (3,)", ""},
		{[]string{"0", "1"}, 0, "result (0,)", ""},
		{[]string{"3", "3,1"}, 0, "Every operand is stretched", ""},
		{[]string{"5,3/1,5", "3"}, 0, "operand 0, strides (1,5): ", ""},
		{[]string{"5,3,4,1/12,4,1,1", "3,1,1"}, 0, "operand 1, strides (1,1,1): Column", ""},
		{[]string{"5/-1"}, 0, "strides (-1,)", ""},
		{[]string{"()/()"}, 0, "strides (): ", ""},
		{[]string{"5,2,4,1", "3,1,1"}, 1, "at non-singleton dimension 1", ""},
		{[]string{"2/1", "3"}, 1, "error: ", ""},
		{nil, 2, "", "no shapes"},
		{[]string{""}, 2, "", `""`},
		{[]string{"5,x"}, 2, "", `"5,x": number "x": invalid syntax`},
		{[]string{"5,,3"}, 2, "", `"5,,3"`},
		{[]string{"(5"}, 2, "", `"(5"`},
		{[]string{"-h"}, 2, "", `"-h"`},
		{[]string{"2", "-3"}, 2, "", "negative size -3"},
		{[]string{"99999999999999999999"}, 2, "", "out of range"},
		{[]string{"2147483647,2147483647,2147483647"}, 2, "", "more elements"},
		{[]string{"2,3/1"}, 2, "", "1 strides (1,) for shape (2,3)"},
		{[]string{"2,3/"}, 2, "", `"2,3/"`},
		{[]string{"2,3/1,2/3"}, 2, "", `"2,3/1,2/3"`},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, c.code, run(c.args, &stdout, &stderr, false), "%q", c.args)
		require.Contains(t, stdout.String(), c.stdout, "%q", c.args)
		require.Contains(t, stderr.String(), c.stderr, "%q", c.args)
		require.Equal(t, c.code == 2, stdout.Len() == 0, "%q", c.args)
		require.Equal(t, c.code == 2, stderr.Len() > 0, "%q", c.args)
		if c.code == 2 {
			require.Contains(t, stderr.String(), usage)
		}
		require.NotContains(t, stdout.String(), "\x1b")
	}
}

func TestColour(t *testing.T) {
	var stdout bytes.Buffer
	require.Zero(t, run([]string{"3", "1"}, &stdout, nil, true))
	require.Contains(t, stdout.String(), "\x1b[")

	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer f.Close()
	require.False(t, isTerminal(f))
}
