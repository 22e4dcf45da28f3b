package conformance

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// A record is one case of a corpus.
type record interface {
	name() string
	// check runs the case. It returns the rules under which the library differs
	// from a reference, and an error if it is wrong.
	check() ([]string, error)
}

// recordOf is *R, which is a record.
type recordOf[R any] interface {
	*R
	record
}

// run runs all records of a file.
func run[R any, P recordOf[R]](file string) func(t *testing.T, r *report) {
	return func(t *testing.T, r *report) {
		all, err := records[R](file)
		if err != nil {
			t.Fatal(err)
		}
		runAll[R, P](t, r, file, all)
	}
}

// optional is run for a file that need not be there with other corpora.
func optional[R any, P recordOf[R]](file string) func(t *testing.T, r *report) {
	return func(t *testing.T, r *report) {
		all, err := records[R](file)
		if errors.Is(err, fs.ErrNotExist) && !committed() {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		runAll[R, P](t, r, file, all)
	}
}

func runAll[R any, P recordOf[R]](t *testing.T, r *report, file string, all []R) {
	y := newTally(file)
	defer r.add(y)
	for i := range all {
		p := P(&all[i])
		y.record(t, p.name(), p.check)
	}
	y.finish(t)
}

// corpora holds what runs each file.
var corpora = map[string]func(*testing.T, *report){
	"semantics/shapes.jsonl.gz":  run[shapesRecord]("semantics/shapes.jsonl.gz"),
	"semantics/expand.jsonl.gz":  run[expandRecord]("semantics/expand.jsonl.gz"),
	"semantics/views.jsonl.gz":   run[viewsRecord]("semantics/views.jsonl.gz"),
	"semantics/inplace.jsonl.gz": run[inplaceRecord]("semantics/inplace.jsonl.gz"),
	"semantics/values.jsonl.gz":  run[valuesRecord]("semantics/values.jsonl.gz"),
	"semantics/casts.jsonl.gz":   run[castsRecord]("semantics/casts.jsonl.gz"),
	"semantics/compute.jsonl.gz": run[computeRecord]("semantics/compute.jsonl.gz"),
	"onnx.jsonl.gz":              run[suiteRecord]("onnx.jsonl.gz"),
	"webnn.jsonl.gz":             run[suiteRecord]("webnn.jsonl.gz"),
	"tfjs.jsonl.gz":              run[suiteRecord]("tfjs.jsonl.gz"),
	"stablehlo.jsonl.gz":         run[suiteRecord]("stablehlo.jsonl.gz"),
	"libm.jsonl.gz":              optional[functionRecord]("libm.jsonl.gz"),
	"numpy-umath":                runUmath("numpy-umath"),
}

func TestCorpora(t *testing.T) {
	var r report
	ok := t.Run("files", func(t *testing.T) {
		for file, runFile := range corpora {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				runFile(t, &r)
			})
		}
	})
	t.Logf("what ran:\n%s", r.String())
	ran := 0
	for _, y := range r.tallies {
		ran += y.ran
	}
	if ran == 0 {
		t.Fatal("nothing ran")
	}
	if ok && committed() && len(r.tallies) == len(corpora) {
		t.Run("divergences", func(t *testing.T) {
			require.NoError(t, compareDivergences(r.rules()))
		})
	}
}
