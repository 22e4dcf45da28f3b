package broadcast

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// WarnKind is a kind of warning, or a set of them.
type WarnKind uint8

const (
	Outer   WarnKind = 1 << iota // a broadcast stretched both operands: StretchesBoth
	Legacy                       // operands that do not broadcast were paired in row-major order
	Changed                      // operands of equally many elements were broadcast, which PyTorch before 0.2 paired

	everyKind = Outer | Legacy | Changed
)

// warnWords are the words of LANECAST_WARN.
var warnWords = [...]struct {
	kind WarnKind
	word string
}{{Outer, "outer"}, {Legacy, "legacy"}, {Changed, "changed"}}

// String gives the words that LANECAST_WARN has for the kinds.
func (k WarnKind) String() string {
	var words []string
	for _, w := range warnWords {
		if k&w.kind != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ",")
}

// Warning is one doubtful use of broadcasting. It is reported once for every
// kind and place in the calling program.
type Warning struct {
	Kind   WarnKind
	Shapes [][]int // of the operands
	File   string  // where the caller of this module is
	Line   int
}

func (w Warning) String() string {
	shapes := formatAll(w.Shapes)
	switch w.Kind {
	case Outer:
		return "broadcast stretches every operand: shapes " + shapes + " give " + w.result()
	case Legacy:
		return "shapes " + shapes + " do not broadcast and were paired in row-major order"
	default:
		return "shapes " + shapes + " have equally many elements and give " + w.result() + ", where PyTorch before 0.2 paired them and gave " + Format(nth(w.Shapes, 0))
	}
}

func (w Warning) result() string {
	shape, err := Shape(w.Shapes...)
	if err != nil {
		return err.Error()
	}
	return Format(shape)
}

// warner is where warnings go. It does not change once it is in use, but for
// the places seen.
type warner struct {
	kinds  WarnKind
	handle func(Warning)
	err    error
	seen   sync.Map // of place
}

type place struct {
	kind WarnKind
	file string
	line int
}

// warnings is nil until the environment was read.
var warnings atomic.Pointer[warner]

// SetWarnHandler sends warnings of every kind to handle, whatever LANECAST_WARN
// says, and each place that was reported before is reported again. The handler
// may be called by several goroutines at once, and before the operation that it
// is warned of; nil turns warnings off. Calling restore brings back the handler
// that was there before.
//
// Without a handler, the kinds that LANECAST_WARN lists, as in
// LANECAST_WARN=outer,legacy,changed, are logged by log/slog's default logger
// at level Warn; if it is unset, none.
func SetWarnHandler(handle func(Warning)) (restore func()) {
	before := loadWarner()
	now := &warner{handle: handle, err: before.err}
	if handle != nil {
		now.kinds = everyKind
	}
	warnings.Store(now)
	return func() { warnings.Store(before) }
}

// WarnEnabled returns the kinds of warning that somebody listens to: 0 as long
// as warnings are off. It costs one atomic load.
func WarnEnabled() WarnKind {
	if w := warnings.Load(); w != nil {
		return w.kinds
	}
	return readKinds()
}

// readKinds is kept out of line so that WarnEnabled is small enough to be
// inlined.
//
//go:noinline
func readKinds() WarnKind { return loadWarner().kinds }

// WarnEnvError returns a *WarnError if LANECAST_WARN has an unknown word. The
// words that are known count all the same.
func WarnEnvError() error { return loadWarner().err }

// WarnError says which word of LANECAST_WARN is unknown.
type WarnError struct {
	Value string // of LANECAST_WARN
	Word  string // the first that is unknown
}

func (e *WarnError) Error() string {
	return fmt.Sprintf("broadcast: LANECAST_WARN=%s: unknown word %q, known are %s", e.Value, e.Word, everyKind)
}

// Warn reports a warning of one kind about operands of these shapes, if that
// kind is enabled and the place in the calling program is new.
func Warn(kind WarnKind, shapes ...[]int) {
	w := loadWarner()
	if w.kinds&kind == 0 {
		return
	}
	file, line := caller()
	if _, seen := w.seen.LoadOrStore(place{kind, file, line}, nil); !seen {
		w.handle(Warning{Kind: kind, Shapes: cloneAll(shapes), File: file, Line: line})
	}
}

// WarnBroadcast reports what is doubtful about broadcasting these shapes, which
// go together: Outer and Changed.
func WarnBroadcast(shapes ...[]int) {
	if StretchesBoth(shapes...) {
		Warn(Outer, shapes...)
	}
	if changed(shapes) {
		Warn(Changed, shapes...)
	}
}

// changed reports whether all shapes have equally many elements and not all are
// the same.
func changed(shapes [][]int) bool {
	unequal := false
	for _, s := range shapes {
		n, _ := Len(s)
		first, _ := Len(shapes[0])
		if n != first {
			return false
		}
		unequal = unequal || !slices.Equal(s, shapes[0])
	}
	return unequal
}

func loadWarner() *warner {
	if w := warnings.Load(); w != nil {
		return w
	}
	warnings.CompareAndSwap(nil, parseWarn(os.Getenv("LANECAST_WARN")))
	return warnings.Load()
}

// parseWarn reads a value of LANECAST_WARN.
func parseWarn(value string) *warner {
	w := &warner{handle: logWarning}
words:
	for word := range strings.SplitSeq(value, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		for _, known := range warnWords {
			if word == known.word {
				w.kinds |= known.kind
				continue words
			}
		}
		if w.err == nil {
			w.err = &WarnError{Value: value, Word: word}
		}
	}
	return w
}

func logWarning(w Warning) {
	slog.Warn("lanecast: "+w.String(), "kind", w.Kind.String(), "file", w.File, "line", w.Line)
}

// module begins the names of this module's functions.
const module = "github.com/lanecast/lanecast/"

// caller finds the innermost place outside this module's packages; test files
// count as outside.
func caller() (file string, line int) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if !internal(frame) {
			return frame.File, frame.Line
		}
		if !more {
			return "", 0
		}
	}
}

func internal(f runtime.Frame) bool {
	name, ok := strings.CutPrefix(f.Function, module)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	pkg, _, _ := strings.Cut(name, ".")
	return pkg == "tensor" || pkg == "dispatch" || pkg == "broadcast"
}
