// Command explain shows how shapes broadcast:
//
//	go run ./broadcast/explain 5,3,4,1 3,1,1
//
// Strides may follow a shape after a slash, as in 5,3/1,5; then the pattern is
// named in which each operand is walked. () is a scalar.
//
// It exits with 1 if the shapes do not broadcast, and with 2 if an argument is
// not a shape.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/lanecast/lanecast/broadcast"
)

const usage = "usage: explain SHAPE[/STRIDES]...   as in: explain 5,3,4,1 3,1,1   or: explain 5,3/1,5 '()'"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, isTerminal(os.Stdout)))
}

// run is main with its surroundings as arguments; it returns the exit code.
func run(args []string, stdout, stderr io.Writer, colour bool) int {
	operands, strided, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "explain: %v\n%s\n", err, usage)
		return 2
	}
	var e broadcast.Explanation
	if strided {
		e = broadcast.ExplainStrided(operands...)
	} else {
		shapes := make([][]int, len(operands))
		for i, o := range operands {
			shapes[i] = o.Shape
		}
		e = broadcast.Explain(shapes...)
	}
	fmt.Fprint(stdout, e.Text(colour))
	if e.Err != nil {
		return 1
	}
	return 0
}

// parse reads the operands, and tells whether any has strides.
func parse(args []string) (operands []broadcast.Operand, strided bool, err error) {
	if len(args) == 0 {
		return nil, false, errors.New("no shapes")
	}
	for _, arg := range args {
		var o broadcast.Operand
		shape, strides, found := strings.Cut(arg, "/")
		if o.Shape, err = parseInts(shape); err != nil {
			return nil, false, fmt.Errorf("%q: %w", arg, err)
		}
		if _, err = broadcast.Len(o.Shape); err != nil {
			return nil, false, fmt.Errorf("%q: %w", arg, err)
		}
		if found {
			strided = true
			if o.Strides, err = parseInts(strides); err != nil {
				return nil, false, fmt.Errorf("%q: %w", arg, err)
			}
			if len(o.Strides) != len(o.Shape) {
				return nil, false, fmt.Errorf("%q: %w", arg, &broadcast.StrideError{Shape: o.Shape, Strides: o.Strides})
			}
		}
		operands = append(operands, o)
	}
	return operands, strided, nil
}

// parseInts reads numbers with commas between them, and () as none. Brackets
// around them and a comma after them, as NumPy prints them, do not matter.
func parseInts(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if n := len(s) - 1; n > 0 && (s[0] == '(' && s[n] == ')' || s[0] == '[' && s[n] == ']') {
		s = strings.TrimSuffix(strings.TrimSpace(s[1:n]), ",")
		if s == "" {
			return []int{}, nil
		}
	}
	var ints []int
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("number %q: %w", field, errors.Unwrap(err))
		}
		ints = append(ints, n)
	}
	return ints, nil
}

// isTerminal reports whether f shows colours to a person.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 &&
		os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
