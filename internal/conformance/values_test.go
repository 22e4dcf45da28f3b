package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A valuesRecord holds one operation on special values.
type valuesRecord struct {
	Name        string              `json:"name"`
	Kind        string              `json:"kind"`
	Op          string              `json:"op"`
	Dtype       string              `json:"dtype"`
	A           json.RawMessage     `json:"a"` // one value, or many if the operation is unary
	B           []string            `json:"b"`
	Torch       []string            `json:"torch"`
	TorchDtype  string              `json:"torch_dtype"`
	TorchPaths  map[string][]string `json:"torch_path_dependent"`
	Numpy       []string            `json:"numpy"`
	NumpyDtype  string              `json:"numpy_dtype"`
	Approximate bool                `json:"approximate"`
	Exact       []string            `json:"exact_rounded"`
}

func (r *valuesRecord) name() string { return r.Name }

func (r *valuesRecord) check() ([]string, error) {
	var columns [][]uint64
	if r.Kind == "unary" {
		var list []string
		if err := json.Unmarshal(r.A, &list); err != nil {
			return nil, err
		}
		a, err := hexBits(r.Dtype, list)
		if err != nil {
			return nil, err
		}
		columns = [][]uint64{a}
	} else {
		var text string
		if err := json.Unmarshal(r.A, &text); err != nil {
			return nil, err
		}
		a, err := hexBits(r.Dtype, []string{text})
		if err != nil {
			return nil, err
		}
		b, err := hexBits(r.Dtype, r.B)
		if err != nil {
			return nil, err
		}
		columns = [][]uint64{slices.Repeat(a, len(b)), b}
	}
	// Once with equally long operands, once with the first one a scalar.
	rules, err := r.run(columns, false)
	if err == nil && len(columns) == 2 {
		_, err = r.run(columns, true)
	}
	return rules, err
}

// run leaves out the elements that the library refuses after it has seen that
// it does so.
func (r *valuesRecord) run(columns [][]uint64, scalar bool) ([]string, error) {
	q, out, err := r.ask(columns, nil, scalar)
	if err != nil && !isOurs(err) {
		return nil, err
	}
	var rules []string
	all := make([]*elementRule, len(columns[0]))
	if len(q.made) == 1 {
		for i, c := range q.made[0].cases([]int{len(all)}, "") {
			all[i] = ruleFor(c)
		}
	}
	var kept []int
	for i, rule := range all {
		if rule == nil || !rule.refuses {
			kept = append(kept, i)
			continue
		}
		if !isTyped(err) {
			return nil, fmt.Errorf("rule %s: got %v, want an error", rule.name, err)
		}
		if !r.refused(i) {
			rules = append(rules, rule.name)
		}
	}
	if len(kept) == 0 {
		return rules, nil
	}
	if len(kept) < len(all) {
		q, out, err = r.ask(columns, kept, scalar)
	}
	if err != nil {
		return nil, err
	}
	var cases []elementCase
	if len(q.made) == 1 {
		cases = q.made[0].cases([]int{len(kept)}, dtypeOf(out))
	}
	got := elements[dtypeOf(out)].elements(out)
	if len(got) != len(kept) {
		return nil, fmt.Errorf("%d elements, want %d", len(got), len(kept))
	}
	for k, i := range kept {
		bits, dtype := got[k], dtypeOf(out)
		agree := r.agrees(i, dtype, bits)
		if rule := all[i]; rule != nil && (rule.ours != nil || !agree) {
			if rule.ours != nil && !(tolerance{}).same(dtype, rule.ours(cases[k]), bits) {
				return nil, fmt.Errorf("element %d: %s is %s, want %s by rule %s", i, r.text(columns, i), format(dtype, bits), format(dtype, rule.ours(cases[k])), rule.name)
			}
			if !agree {
				rules = append(rules, rule.name)
			}
			continue
		}
		if !agree {
			return nil, fmt.Errorf("element %d: %s is %s, want %s", i, r.text(columns, i), format(dtype, bits), r.wanted(i))
		}
	}
	return rules, nil
}

// ask runs the operation on the given elements, or all.
func (r *valuesRecord) ask(columns [][]uint64, kept []int, scalar bool) (*query, view, error) {
	q := &query{out: []string{r.NumpyDtype}}
	for k, column := range columns {
		if kept != nil {
			var some []uint64
			for _, i := range kept {
				some = append(some, column[i])
			}
			column = some
		}
		size := []int{len(column)}
		if k == 0 && scalar {
			column, size = column[:1], nil
		}
		x, err := newTensor(r.Dtype, size, column)
		if err != nil {
			return q, nil, err
		}
		q.in = append(q.in, x)
	}
	if low, high, ok := clampText(r.Op); ok {
		x, err := q.clamp(low, high)
		return q, x, err
	}
	out, err := q.answer(torchPrograms, r.Op)
	if err != nil {
		return q, nil, err
	}
	return q, out[0], nil
}

// agrees reports whether a result is every reference's.
func (r *valuesRecord) agrees(i int, dtype string, bits uint64) bool {
	if r.Approximate && i < len(r.Exact) {
		return r.is(r.Exact[i], dtype, dtype, bits, tolerance{ulps: 4})
	}
	var t tolerance
	switch {
	case r.Approximate:
		t = tolerance{relative: 1e-5, unsignedZero: true}
	case r.Op == "lerp_half": // the order of its roundings differs
		t = tolerance{ulps: 2}
	}
	if i < len(r.Numpy) && !r.is(r.Numpy[i], r.NumpyDtype, dtype, bits, t) {
		return false
	}
	if i >= len(r.Torch) {
		return true
	}
	texts := r.TorchPaths[strconv.Itoa(i)]
	if texts == nil {
		texts = []string{r.Torch[i]}
	}
	return slices.ContainsFunc(texts, func(text string) bool { return r.is(text, r.TorchDtype, dtype, bits, t) })
}

func (r *valuesRecord) is(text, dtype, ours string, bits uint64, t tolerance) bool {
	want, err := hexBits(dtype, []string{text})
	return err == nil && dtype == ours && t.same(dtype, want[0], bits)
}

// refused reports whether every reference refuses an element too.
func (r *valuesRecord) refused(i int) bool {
	for _, list := range [][]string{r.Numpy, r.Torch} {
		if i < len(list) && !strings.HasPrefix(list[i], "error:") {
			return false
		}
	}
	return true
}

func (r *valuesRecord) text(columns [][]uint64, i int) string {
	var args []string
	for _, column := range columns {
		args = append(args, format(r.Dtype, column[i]))
	}
	return r.Op + "(" + strings.Join(args, ", ") + ")"
}

func (r *valuesRecord) wanted(i int) string {
	s := fmt.Sprintf("PyTorch %s %s %v", r.TorchDtype, r.Torch[i], r.TorchPaths[strconv.Itoa(i)])
	if i < len(r.Numpy) {
		s = fmt.Sprintf("NumPy %s %s, %s", r.NumpyDtype, r.Numpy[i], s)
	}
	return s
}

// hexBits reads values as the corpora write them: bits in hex, or "nan".
func hexBits(dtype string, list []string) ([]uint64, error) {
	if widths[dtype] == 0 {
		return nil, &inexpressibleError{dtype}
	}
	bits := make([]uint64, len(list))
	for i, text := range list {
		if text == "nan" {
			bits[i] = floatBits(dtype, math.NaN())
			continue
		}
		var err error
		if bits[i], err = strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64); err != nil {
			return nil, err
		}
	}
	return bits, nil
}

// A castsRecord casts a few values.
type castsRecord struct {
	Name      string   `json:"name"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	In        []string `json:"in"`
	Torch     []string `json:"torch"`
	Numpy     []string `json:"numpy"`
	Undefined []int    `json:"undefined"`
}

func (r *castsRecord) name() string { return r.Name }

func (r *castsRecord) check() ([]string, error) {
	in, err := hexBits(r.From, r.In)
	if err != nil {
		return nil, err
	}
	x, err := newTensor(r.From, []int{len(in)}, in)
	if err != nil {
		return nil, err
	}
	q := &query{in: []view{x}, out: []string{r.To}}
	out, err := cast(q)
	if err != nil {
		return nil, err
	}
	want, err := hexBits(r.To, r.Numpy)
	if err != nil {
		return nil, err
	}
	var rules []string
	for i, c := range q.made[0].cases([]int{len(in)}, r.To) {
		if rule := ruleFor(c); rule != nil {
			// Both references are what C++ leaves undefined, nobody's result, or
			// PyTorch's is rounded twice.
			want[i] = rule.ours(c)
			rules = append(rules, rule.name)
			continue
		}
		if slices.Contains(r.Undefined, i) {
			return nil, fmt.Errorf("element %d is undefined in C++: no rule for %s", i, format(r.From, in[i]))
		}
		torch, err := hexBits(r.To, r.Torch[i:i+1])
		if err != nil {
			return nil, err
		}
		if !(tolerance{}).same(r.To, want[i], torch[0]) {
			return nil, fmt.Errorf("element %d: NumPy gives %s, PyTorch %s: no rule", i, format(r.To, want[i]), format(r.To, torch[0]))
		}
	}
	return rules, (tolerance{}).compare(r.To, want, elements[r.To].elements(out[0]))
}
