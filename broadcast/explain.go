package broadcast

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Decision says what becomes of one dimension of the result.
type Decision uint8

const (
	Equal     Decision = iota // every operand has this size
	Stretched                 // an operand's 1 is stretched to the others' size
	Missing                   // an operand lacks the dimension, which counts as 1; no other is stretched
	Mismatch                  // two sizes differ and neither is 1
)

func (d Decision) String() string {
	names := [...]string{"equal", "stretched", "missing", "mismatch"}
	if int(d) >= len(names) {
		return fmt.Sprintf("Decision(%d)", uint8(d))
	}
	return names[d]
}

// Pad marks in a row of an Explanation a dimension that the operand lacks.
const Pad = -1

// Explanation shows the rules of broadcasting at work. If an operand is invalid
// only Err is set.
type Explanation struct {
	Rows      [][]int    // each operand's shape, aligned right and filled up with Pad
	Decisions []Decision // for each dimension
	Result    []int      // nil if there is none
	Err       error      // Shape's, or a *StrideError

	// Suggestions mend a mismatch by one view of one operand, the best first.
	Suggestions []Suggestion

	// StretchesBoth tells that every operand is stretched, often by mistake.
	// There are two ways out. If the elements were meant to pair up, one of Pair
	// makes them, where a single view can. If every combination was meant,
	// Combine says so: it leaves only the other operands to be stretched.
	StretchesBoth bool
	Pair          []Suggestion
	Combine       *Suggestion

	// ExplainStrided adds the operands, strides included, and how the planner
	// walks each of them. Patterns is nil if there is no result, if it has no
	// elements, or if there are more than MaxSources operands.
	Operands []Operand
	Patterns []Pattern
}

// Suggestion is a view of one operand that changes how the operands broadcast.
type Suggestion struct {
	Operand int
	View    string // the call on a tensor: Unsqueeze(1)
	Shape   []int  // of the view
	Result  []int  // the broadcast shape with it
	Outer   bool   // with it, every operand is stretched
}

func (s Suggestion) String() string {
	text := fmt.Sprintf("operand %d: %s makes it %s, and the result %s", s.Operand, s.View, Format(s.Shape), Format(s.Result))
	if s.Outer {
		text += ", every combination"
	}
	return text
}

// StrideError says that an operand has not as many strides as dimensions.
type StrideError struct{ Shape, Strides []int }

func (e *StrideError) Error() string {
	return fmt.Sprintf("broadcast: %d strides %s for shape %s of rank %d", len(e.Strides), Format(e.Strides), Format(e.Shape), len(e.Shape))
}

// Explain shows how shapes broadcast, or why they do not and what would help.
func Explain(shapes ...[]int) Explanation {
	var e Explanation
	e.Result, e.Err = Shape(shapes...)
	for _, s := range shapes {
		if slices.ContainsFunc(s, func(n int) bool { return n < 0 }) {
			return e
		}
	}
	rank := maxRank(shapes)
	for _, s := range shapes {
		row := slices.Repeat([]int{Pad}, rank-len(s))
		e.Rows = append(e.Rows, append(row, s...))
	}
	for d := range rank {
		e.Decisions = append(e.Decisions, decide(e.Rows, d))
	}
	switch {
	case slices.Contains(e.Decisions, Mismatch):
		e.Suggestions = suggest(shapes)
	case e.Err == nil && StretchesBoth(shapes...):
		e.StretchesBoth = true
		e.Pair = slices.DeleteFunc(suggest(shapes), func(s Suggestion) bool { return s.Outer })
		e.Combine = &Suggestion{View: "Expand" + arguments(e.Result), Shape: clone(e.Result), Result: clone(e.Result)}
	}
	return e
}

// ExplainStrided is Explain for operands with strides, counted in elements, and
// names the pattern in which the planner walks each of them into a new result.
// An operand without strides is row-major.
func ExplainStrided(ops ...Operand) Explanation {
	ops = slices.Clone(ops)
	shapes := make([][]int, len(ops))
	for i, o := range ops {
		if len(o.Strides) != len(o.Shape) && o.Strides != nil {
			return Explanation{Err: &StrideError{Shape: clone(o.Shape), Strides: clone(o.Strides)}}
		}
		shapes[i] = o.Shape
	}
	e := Explain(shapes...)
	if e.Rows == nil {
		return e
	}
	for i, o := range ops {
		ops[i].Shape = clone(o.Shape)
		if o.Strides != nil {
			ops[i].Strides = clone(o.Strides)
		} else {
			ops[i].Strides = make([]int, len(o.Shape))
			KeepOrder(ops[i].Strides, o.Shape)
		}
	}
	e.Operands = ops
	if e.Err != nil || slices.Contains(e.Result, 0) || len(ops) > MaxSources {
		return e
	}
	dst := Operand{Shape: e.Result, Strides: make([]int, len(e.Result))}
	KeepOrder(dst.Strides, dst.Shape, ops...)
	var p Plan
	p.Make(Target{Lanes: 8, Held: 8, Block: 1 << 11, Line: 16, Short: 8}, dst, ops...)
	for i := range ops {
		e.Patterns = append(e.Patterns, p.Pattern(i))
	}
	return e
}

// decide applies the rule to one dimension of aligned shapes.
func decide(rows [][]int, d int) Decision {
	size, ones, pads := 1, 0, 0
	for _, row := range rows {
		switch n := row[d]; {
		case n == Pad:
			pads++
		case n == 1:
			ones++
		case size != 1 && n != size:
			return Mismatch
		default:
			size = n
		}
	}
	switch {
	case size != 1 && ones > 0:
		return Stretched
	case pads > 0:
		return Missing
	}
	return Equal
}

// suggest finds for every operand, among its views of one kind, the one that
// makes the operands broadcast best. Views that stretch every operand count only
// if there are no others.
func suggest(shapes [][]int) []Suggestion {
	var found []Suggestion
	for _, views := range []func([]int) []view{unsqueezes, squeezes, transposes} {
		for k, shape := range shapes {
			var good []Suggestion
			for _, v := range views(shape) {
				tried := slices.Clone(shapes)
				tried[k] = v.shape
				if result, err := Shape(tried...); err == nil {
					good = append(good, Suggestion{k, v.call, v.shape, result, StretchesBoth(tried...)})
				}
			}
			if len(good) > 0 {
				found = append(found, slices.MinFunc(good, better))
			}
		}
	}
	slices.SortStableFunc(found, better)
	if len(found) > 0 && !found[0].Outer {
		found = slices.DeleteFunc(found, func(s Suggestion) bool { return s.Outer })
	}
	return found
}

// better is negative if s is to be preferred to t: it does not stretch every
// operand, has the smaller result, or one of fewer dimensions.
func better(s, t Suggestion) int {
	if s.Outer != t.Outer {
		if t.Outer {
			return -1
		}
		return 1
	}
	m, _ := Len(s.Result)
	n, _ := Len(t.Result)
	return cmp.Or(m-n, len(s.Result)-len(t.Result))
}

// view is a call on a tensor and the shape that it gives.
type view struct {
	call  string
	shape []int
}

func unsqueezes(shape []int) (views []view) {
	for axis := range len(shape) + 1 {
		views = append(views, view{fmt.Sprintf("Unsqueeze(%d)", axis), slices.Insert(clone(shape), axis, 1)})
	}
	return views
}

func squeezes(shape []int) (views []view) {
	for axis, n := range shape {
		if n == 1 {
			views = append(views, view{fmt.Sprintf("Squeeze(%d)", axis), slices.Delete(clone(shape), axis, axis+1)})
		}
	}
	return views
}

// transposes moves one axis to another place, or swaps two.
func transposes(shape []int) (views []view) {
	transpose := func(axes []int) {
		moved := make([]int, len(axes))
		for to, from := range axes {
			moved[to] = shape[from]
		}
		views = append(views, view{"Transpose" + arguments(axes), moved})
	}
	identity := make([]int, len(shape))
	for i := range identity {
		identity[i] = i
	}
	for from := range identity {
		for to := range identity {
			transpose(slices.Insert(slices.Delete(clone(identity), from, from+1), to, from))
		}
	}
	for i := range identity {
		for j := range i {
			axes := clone(identity)
			axes[i], axes[j] = j, i
			transpose(axes)
		}
	}
	return views
}

// arguments writes numbers as those of a call.
func arguments(ints []int) string {
	return strings.Replace(Format(ints), ",)", ")", 1)
}

// String is Text without colour.
func (e Explanation) String() string { return e.Text(false) }

// Text draws the explanation as lines of fixed-width text, with colour as ANSI
// terminals know it if asked for.
func (e Explanation) Text(colour bool) string {
	t := text{colour: colour}
	if e.Rows != nil {
		t.table(e)
	}
	for i, o := range e.Operands {
		walk := ""
		if e.Patterns != nil {
			walk = fmt.Sprintf(": %s, %s", e.Patterns[i], patternWords[e.Patterns[i]])
		}
		t.line("", "operand %d, strides %s%s", i, Format(o.Strides), walk)
	}
	if e.Err != nil {
		t.line(red, "error: %v", e.Err)
	} else {
		t.line("", "result %s", Format(e.Result))
	}
	for i, s := range e.Suggestions {
		t.line("", "%s %v", [...]string{"try", "or "}[min(i, 1)], s)
	}
	if e.StretchesBoth {
		t.line(yellow, "Every operand is stretched, which is often a mistake.")
		t.line("", "If the elements were meant to pair up:")
		for _, s := range e.Pair {
			t.line("", "  %v", s)
		}
		if len(e.Pair) == 0 {
			t.line("", "  no single Unsqueeze, Squeeze or Transpose does that")
		}
		t.line("", "If every combination was meant, say so:")
		t.line("", "  %v", *e.Combine)
	}
	return t.String()
}

var patternWords = [...]string{
	Contiguous: "rows of neighbouring elements",
	Scalar:     "one element, again and again",
	Column:     "one element for each row",
	Row:        "the same row for every row",
	Strided:    "rows of elements that are apart, or go backwards",
}

// The colours of text, as in ANSI's escape codes.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

var decisionColours = [...]string{Equal: green, Stretched: cyan, Missing: yellow, Mismatch: red}

type text struct {
	strings.Builder
	colour bool
}

func (t *text) paint(colour, s string) {
	if t.colour && colour != "" {
		s = "\x1b[" + colour + "m" + s + "\x1b[0m"
	}
	t.WriteString(s)
}

func (t *text) line(colour, format string, args ...any) {
	t.paint(colour, fmt.Sprintf(format, args...))
	t.WriteByte('\n')
}

// table draws the aligned shapes and the decision below each dimension.
func (t *text) table(e Explanation) {
	head := max(len("dimension"), len(fmt.Sprintf("operand %d", len(e.Rows)-1)))
	row := func(name string, cell func(d int) (colour, s string)) {
		if len(e.Decisions) == 0 {
			t.line("", "%s", name)
			return
		}
		t.paint("", fmt.Sprintf("%-*s", head, name))
		for d := range e.Decisions {
			colour, s := cell(d)
			width := len(e.Decisions[d].String())
			for _, r := range e.Rows {
				width = max(width, len(strconv.Itoa(r[d])))
			}
			t.paint("", strings.Repeat(" ", 2+max(0, width-len(s))))
			t.paint(colour, s)
		}
		t.paint("", "\n")
	}
	row("dimension", func(d int) (string, string) { return "", strconv.Itoa(d) })
	for i, r := range e.Rows {
		row(fmt.Sprintf("operand %d", i), func(d int) (string, string) {
			if r[d] == Pad {
				return yellow, "-"
			}
			return "", strconv.Itoa(r[d])
		})
	}
	row("decision", func(d int) (string, string) {
		return decisionColours[e.Decisions[d]], e.Decisions[d].String()
	})
}
