package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lanecast/lanecast/broadcast"
)

// An inplaceRecord writes into a view of one of several storages.
type inplaceRecord struct {
	Name     string `json:"name"`
	Op       string `json:"op"`
	Dtype    string `json:"dtype"`
	Storages []struct {
		Dtype string `json:"dtype"`
		Data  []any  `json:"data"`
	} `json:"storages"`
	Self           layout   `json:"self"`
	Args           []layout `json:"args"`
	Overlap        string   `json:"overlap"`
	Result         string   `json:"result"`
	TorchError     string   `json:"torch_error"`
	After          [][]any  `json:"after"`
	ResizedTo      []int    `json:"resized_to"`
	OrderDependent bool     `json:"order_dependent"`
	NumpyError     string   `json:"numpy_error"`
	NumpyAfter     [][]any  `json:"numpy_after"`
}

func (r *inplaceRecord) name() string { return r.Name }

// inPlace says how each operation is called. A trailing underscore names the
// form that writes its first operand.
var inPlace = map[string]func(c *caller, self view, args []view) error{
	"add_":     func(c *caller, self view, a []view) error { return c.do("AddTo", self, self, a[0]) },
	"sub_":     func(c *caller, self view, a []view) error { return c.do("SubTo", self, self, a[0]) },
	"mul_":     func(c *caller, self view, a []view) error { return c.do("MulTo", self, self, a[0]) },
	"div_":     func(c *caller, self view, a []view) error { return c.do("DivTo", self, self, a[0]) },
	"maximum_": func(c *caller, self view, a []view) error { return c.do("MaximumTo", self, self, a[0]) },
	"minimum_": func(c *caller, self view, a []view) error { return c.do("MinimumTo", self, self, a[0]) },
	"neg_":     func(c *caller, self view, _ []view) error { return c.do("NegTo", self, self) },
	"abs_":     func(c *caller, self view, _ []view) error { return c.do("AbsTo", self, self) },
	"copy_":    func(c *caller, self view, a []view) error { return c.do("CopyTo", self, a[0]) },
	"fill_":    func(c *caller, self view, _ []view) error { return c.do("FillTo", self, number("7")) },
	"zero_":    func(c *caller, self view, _ []view) error { return c.do("FillTo", self, number("0")) },
	"add_scalar_": func(c *caller, self view, _ []view) error {
		return c.do("AddTo", self, self, number("3"))
	},
	"clamp_": func(c *caller, self view, _ []view) error {
		return c.do("ClampTo", self, self, number("2"), number("9"))
	},
	"masked_fill_": func(c *caller, self view, a []view) error {
		return c.do("MaskedFillTo", self, self, a[0], number("50"))
	},
	"addcmul_": func(c *caller, self view, a []view) error {
		return c.do("AddMulTo", self, self, a[0], a[1], number("1"))
	},
	"eq_": func(*caller, view, []view) error {
		return &inexpressibleError{"a comparison into numbers: it gives bool"}
	},
	"add_out":     func(c *caller, self view, a []view) error { return c.do("AddTo", self, a[0], a[1]) },
	"sub_out":     func(c *caller, self view, a []view) error { return c.do("SubTo", self, a[0], a[1]) },
	"mul_out":     func(c *caller, self view, a []view) error { return c.do("MulTo", self, a[0], a[1]) },
	"maximum_out": func(c *caller, self view, a []view) error { return c.do("MaximumTo", self, a[0], a[1]) },
	"minimum_out": func(c *caller, self view, a []view) error { return c.do("MinimumTo", self, a[0], a[1]) },
	"neg_out":     func(c *caller, self view, a []view) error { return c.do("NegTo", self, a[0]) },
	"abs_out":     func(c *caller, self view, a []view) error { return c.do("AbsTo", self, a[0]) },
}

func (r *inplaceRecord) check() ([]string, error) {
	run := inPlace[r.Op]
	if run == nil {
		return nil, &waitingError{r.Op}
	}
	storages := make([]any, len(r.Storages))
	var dtypes []string
	var before [][]uint64
	for i, s := range r.Storages {
		e := elements[s.Dtype]
		if e == nil {
			return nil, &inexpressibleError{s.Dtype}
		}
		bits, err := valuesOf(s.Dtype, s.Data)
		if err != nil {
			return nil, err
		}
		storages[i] = e.storage(bits)
		dtypes, before = append(dtypes, s.Dtype), append(before, bits)
	}
	views := make([]view, len(r.Args)+1)
	for i, l := range append([]layout{r.Self}, r.Args...) {
		var err error
		if views[i], err = newView(dtypes[l.Storage], storages[l.Storage], l); err != nil {
			return nil, err
		}
	}

	var c caller
	err := run(&c, views[0], views[1:])
	if err != nil && !isOurs(err) {
		return nil, err
	}
	rules, refuse, want := r.expect()
	if refuse {
		if !isTyped(err) {
			return nil, fmt.Errorf("got %v, want an error%s: %s", err, under(rules), r.TorchError)
		}
		if len(rules) == 0 {
			if err := r.sameError(err); err != nil {
				return nil, err
			}
		}
	} else if err != nil {
		return nil, fmt.Errorf("got an error%s: %w", under(rules), err)
	}
	for i, dtype := range dtypes {
		expected := before[i]
		if !refuse {
			if expected, err = valuesOf(dtype, want[i]); err != nil {
				return nil, err
			}
		}
		if err := (tolerance{}).compare(dtype, expected, elements[dtype].bits(storages[i])); err != nil {
			return nil, fmt.Errorf("storage %d%s: %w", i, under(rules), err)
		}
	}
	return rules, nil
}

// expect says what the library does: it refuses, or leaves the storages so.
func (r *inplaceRecord) expect() (rules []string, refuse bool, want [][]any) {
	refused := r.Result == "error"
	switch {
	case r.ResizedTo != nil || strings.HasSuffix(r.Op, "_out") && r.NumpyAfter != nil && !r.fits():
		return []string{ruleResize}, true, nil
	case r.Overlap == "internal":
		if refused && r.NumpyAfter == nil {
			return nil, true, nil
		}
		return []string{ruleSelfOverlap}, true, nil
	case r.NumpyAfter != nil && (refused || r.OrderDependent):
		return []string{ruleOverlap}, false, r.NumpyAfter
	}
	return nil, refused, r.After
}

// fits reports whether the result has the destination's shape.
func (r *inplaceRecord) fits() bool {
	rank := 0
	for _, l := range r.Args {
		rank = max(rank, len(l.Size))
	}
	if rank != len(r.Self.Size) {
		return false
	}
	for d, n := range r.Self.Size {
		size := 1
		for _, l := range r.Args {
			if s := sizeAt(l.Size, rank, d); s != 1 {
				size = s
			}
		}
		if size != n {
			return false
		}
	}
	return true
}

var (
	sizesText  = regexp.MustCompile(`The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)`)
	outputText = regexp.MustCompile(`output with shape \[(.*)\] doesn't match the broadcast shape \[(.*)\]`)
)

// sameError compares an error with what PyTorch says.
func (r *inplaceRecord) sameError(err error) error {
	var mismatch *broadcast.MismatchError
	var destination *broadcast.DestinationError
	if m := sizesText.FindStringSubmatch(r.TorchError); m != nil {
		a, b, dim := atoi(m[1]), atoi(m[2]), atoi(m[3])
		switch {
		case errors.As(err, &mismatch):
			if mismatch.SizeA == a && mismatch.SizeB == b && mismatch.Dim == dim {
				return nil
			}
		case errors.As(err, &destination): // of a function of one source
			if destination.Size == a && destination.ResultSize == b && destination.Dim == dim {
				return nil
			}
		}
		return fmt.Errorf("got %w, want: %s", err, r.TorchError)
	}
	if m := outputText.FindStringSubmatch(r.TorchError); m != nil {
		if errors.As(err, &destination) && shapeText(destination.Shape) == m[1] && shapeText(destination.Result) == m[2] {
			return nil
		}
		return fmt.Errorf("got %w, want: %s", err, r.TorchError)
	}
	return nil
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// shapeText writes a shape as PyTorch does inside brackets.
func shapeText(shape []int) string {
	s := ""
	for i, n := range shape {
		if i > 0 {
			s += ", "
		}
		s += strconv.Itoa(n)
	}
	return s
}

func under(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	return fmt.Sprintf(" under rule %v", slices.Compact(rules))
}

// valuesOf reads decimal numbers, true and false.
func valuesOf(dtype string, data []any) ([]uint64, error) {
	bits := make([]uint64, len(data))
	for i, v := range data {
		switch v := v.(type) {
		case bool:
			if v {
				bits[i] = 1
			}
		case json.Number:
			bits[i] = number(v).bits(dtype)
		default:
			n, err := numberOf(v)
			if err != nil {
				return nil, err
			}
			bits[i] = n.bits(dtype)
		}
	}
	return bits, nil
}
