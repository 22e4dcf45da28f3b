package conformance

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// A tally counts what became of the records of one file.
type tally struct {
	file                 string
	records, ran, passed int
	failed               int
	diverged             int            // records in which the library differs from a reference by a rule
	rules                map[string]int // those records by rule; one record may fall under several
	waiting              map[string]int // by operation
	unable               map[string]int // by reason
}

func newTally(file string) *tally {
	return &tally{file: file, rules: map[string]int{}, waiting: map[string]int{}, unable: map[string]int{}}
}

const failuresShown = 20

// record runs one record. The check returns the rules under which the library
// gave another result than a reference.
func (y *tally) record(t *testing.T, name string, check func() ([]string, error)) {
	t.Helper()
	y.records++
	rules, err := guarded(check)
	var waiting *waitingError
	var unable *inexpressibleError
	switch {
	case errors.As(err, &waiting):
		y.waiting[waiting.what]++
		return
	case errors.As(err, &unable):
		y.unable[unable.why]++
		return
	}
	y.ran++
	switch {
	case err != nil:
		if y.failed++; y.failed <= failuresShown {
			t.Errorf("%s: %v", name, err)
		}
	case len(rules) > 0:
		y.diverged++
		slices.Sort(rules)
		for _, rule := range slices.Compact(rules) {
			y.rules[rule]++
		}
	default:
		y.passed++
	}
}

// guarded turns a panic into a failure of one record.
func guarded(check func() ([]string, error)) (rules []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return check()
}

// finish fails a file of which nothing came out.
func (y *tally) finish(t *testing.T) {
	t.Helper()
	if y.failed > failuresShown {
		t.Errorf("%s: %d more records failed", y.file, y.failed-failuresShown)
	}
	if y.records == 0 {
		t.Errorf("%s has no records", y.file)
	}
}

// A report gathers the tallies of all files.
type report struct {
	mu      sync.Mutex
	tallies []*tally
}

func (r *report) add(y *tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tallies = append(r.tallies, y)
}

// rules counts the records that fall under each rule.
func (r *report) rules() map[string]int {
	all := map[string]int{}
	for _, y := range r.tallies {
		for rule, n := range y.rules {
			all[rule] += n
		}
	}
	return all
}

func (r *report) String() string {
	slices.SortFunc(r.tallies, func(a, b *tally) int { return strings.Compare(a.file, b.file) })
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "file\trecords\tran\tpassed\tdiverged\tfailed\twaiting\tnot expressible\t\n")
	total := newTally("all")
	for _, y := range r.tallies {
		y.row(w)
		total.records += y.records
		total.ran += y.ran
		total.passed += y.passed
		total.diverged += y.diverged
		total.failed += y.failed
		for k, n := range y.waiting {
			total.waiting[k] += n
		}
		for k, n := range y.unable {
			total.unable[k] += n
		}
	}
	total.row(w)
	w.Flush()
	for _, y := range r.tallies {
		list(&b, y.file+", diverged by rule:", y.rules)
		list(&b, y.file+", not expressible:", y.unable)
	}
	list(&b, "waiting for:", total.waiting)
	return b.String()
}

func (y *tally) row(w io.Writer) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
		y.file, y.records, y.ran, y.passed, y.diverged, y.failed, sum(y.waiting), sum(y.unable))
}

// list writes counts in the order of their names.
func list(b *strings.Builder, title string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	b.WriteString(title)
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, " %s %d;", k, counts[k])
	}
	b.WriteString("\n")
}

func sum(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
