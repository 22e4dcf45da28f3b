package conformance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
)

const divergences = "../../tensor/DIVERGENCES.md"

var update = flag.Bool("update", false, "write the counts into DIVERGENCES.md")

// ruleRow is a row of the document's table: the rule's name first, its count
// last.
var ruleRow = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|.*\\| *([0-9]+) \\|$")

// ruleNames lists all rules of the runner.
func ruleNames() []string {
	names := []string{
		ruleKeptSize, ruleNegativeStep, ruleFlip, ruleSqueeze, ruleNegativeSize, ruleContiguousScalar,
		ruleResize, ruleSelfOverlap, ruleOverlap,
	}
	for _, r := range elementRules {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return names
}

// compareDivergences compares the document's counts with what ran.
func compareDivergences(ran map[string]int) error {
	text, err := os.ReadFile(divergences)
	if err != nil {
		return err
	}
	if *update {
		text = ruleRow.ReplaceAllFunc(text, func(row []byte) []byte {
			name := string(ruleRow.FindSubmatch(row)[1])
			cut := bytes.LastIndexByte(row[:len(row)-1], '|')
			return fmt.Appendf(slices.Clone(row[:cut]), "| %d |", ran[name])
		})
		if err := os.WriteFile(divergences, text, 0o644); err != nil {
			return err
		}
	}
	documented := map[string]int{}
	for _, m := range ruleRow.FindAllSubmatch(text, -1) {
		if _, twice := documented[string(m[1])]; twice {
			return fmt.Errorf("rule %s is listed twice", m[1])
		}
		documented[string(m[1])], _ = strconv.Atoi(string(m[2]))
	}
	if got := slices.Sorted(maps.Keys(documented)); !slices.Equal(got, ruleNames()) {
		return fmt.Errorf("documented rules %v, the runner has %v", got, ruleNames())
	}
	var all []error
	for name, n := range documented {
		if ran[name] != n {
			all = append(all, fmt.Errorf("rule %s: %d records in DIVERGENCES.md, %d ran; go test -update writes the counts", name, n, ran[name]))
		}
	}
	return errors.Join(all...)
}
