package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lanecast/lanecast/tensor"
)

// A viewsRecord chains view operations on a contiguous base of 0, 1, 2, …
type viewsRecord struct {
	Name  string  `json:"name"`
	Base  []int   `json:"base"`
	Ops   [][]any `json:"ops"`
	Steps []struct {
		layout
		Contiguous bool   `json:"contiguous"`
		Shares     bool   `json:"shares"`
		Error      string `json:"error"`
	} `json:"steps"` // PyTorch's, up to its first error
	Values []uint64 `json:"values"`
	Numpy  *struct {
		layout
		Shares bool `json:"shares"`
	} `json:"numpy"` // the last layout
	NumpyError      string   `json:"numpy_error"`
	NumpySameValues *bool    `json:"numpy_same_values"`
	NumpyValues     []uint64 `json:"numpy_values"`
}

func (r *viewsRecord) name() string { return r.Name }

// A chain is the state of a record: PyTorch's layouts hold until the first
// view with negative strides, of which PyTorch makes a copy.
type chain struct {
	base     any // the storage
	x        view
	reversed bool
	rules    []string
}

func (r *viewsRecord) check() ([]string, error) {
	e := elements["int64"]
	bits := make([]uint64, count(r.Base))
	for i := range bits {
		bits[i] = uint64(i)
	}
	c := &chain{base: e.storage(bits)}
	var err error
	if c.x, err = e.strided(c.base, r.Base, rowMajor(r.Base), 0); err != nil {
		return nil, err
	}
	for i, op := range r.Ops {
		done, err := r.step(c, i)
		if err != nil {
			return nil, fmt.Errorf("base %v, after %v: %v: %w", r.Base, r.Ops[:i], op, err)
		}
		if done {
			return c.rules, nil
		}
	}
	return c.rules, r.end(c)
}

// step runs operation i and reports whether the chain ends there in an error,
// as it should.
func (r *viewsRecord) step(c *chain, i int) (done bool, err error) {
	known := i < len(r.Steps)
	torch := r.Steps[min(i, len(r.Steps)-1)]
	refuse := known && torch.Error != ""
	op, ok := r.Ops[i][0].(string)
	if !ok {
		return false, fmt.Errorf("no name of an operation")
	}
	args := r.Ops[i][1:]
	before := c.x
	x, err := viewOp(before, op, args)
	if err != nil && !isOurs(err) {
		return false, err
	}

	switch {
	case op == "slice" && len(args) == 4 && isNegative(args[3]):
		// PyTorch stops here. What follows is compared with NumPy alone.
		c.rules = append(c.rules, ruleNegativeStep)
		c.reversed, refuse = true, false
		if r.Numpy == nil {
			return true, nil // NumPy fails later on
		}
	case op == "squeeze" && len(args) == 1 && sizeOf(before, args[0]) != 1:
		c.rules = append(c.rules, ruleSqueeze)
		refuse = true
	case refuse && r.Numpy != nil && i == len(r.Steps)-1 && !c.reversed && hasNegative(args):
		c.rules = append(c.rules, ruleNegativeSize)
	case op == "flip":
		c.rules = append(c.rules, ruleFlip)
		c.reversed = true
	case op == "view" && c.reversed && (!refuse || strings.Contains(torch.Error, "not compatible")):
		// PyTorch looks at its own copy. While memory is shared, the values
		// here are addresses.
		if shares, ok := c.shares(); ok && !shares {
			return true, nil
		}
		size, err := ints(args[0])
		if err != nil {
			return false, err
		}
		refuse = !affine(elements["int64"].elements(before), inferred(size, before.Len()))
	}
	if refuse {
		if !isTyped(err) {
			return false, fmt.Errorf("got %v, want an error: %s", describe(x, err), torch.Error)
		}
		return true, nil
	}
	if err != nil {
		return false, err
	}
	c.x = x
	if !known || torch.Error != "" {
		return false, nil
	}
	if !slices.Equal(x.Shape(), torch.Size) {
		return false, fmt.Errorf("shape is %v, want %v", x.Shape(), torch.Size)
	}
	if c.reversed {
		return false, nil
	}
	if err := sameLayout(x, torch.Size, torch.Stride); err != nil {
		return false, err
	}
	if x.IsContiguous() != torch.Contiguous {
		return false, fmt.Errorf("IsContiguous() is %t for shape %v, strides %v", x.IsContiguous(), x.Shape(), x.Strides())
	}
	if shares, ok := c.shares(); ok && shares != torch.Shares {
		return false, fmt.Errorf("shares memory with the base: %t, want %t", shares, torch.Shares)
	}
	return false, nil
}

// end compares the last layout and the values.
func (r *viewsRecord) end(c *chain) error {
	want := r.Values
	if want == nil {
		want = r.NumpyValues
	}
	if last := r.Steps[len(r.Steps)-1]; want == nil && last.Shares { // too many to be listed
		want = addresses(last.layout)
	}
	if want != nil {
		if err := (tolerance{}).compare("int64", want, elements["int64"].elements(c.x)); err != nil {
			return err
		}
	}
	if r.Numpy == nil {
		if r.NumpyError != "" {
			return fmt.Errorf("NumPy refuses this: %s", r.NumpyError)
		}
		return nil
	}
	if r.NumpySameValues != nil && !*r.NumpySameValues {
		// NumPy's ascontiguousarray gives a scalar a dimension.
		if len(c.x.Shape()) == 0 && slices.Equal(r.Numpy.Size, []int{1}) {
			c.rules = append(c.rules, ruleContiguousScalar)
			return nil
		}
		return fmt.Errorf("NumPy has other values")
	}
	if !c.reversed {
		return nil // NumPy's strides of expanded dimensions of size 1 differ
	}
	if err := sameLayout(c.x, r.Numpy.Size, r.Numpy.Stride); err != nil {
		return err
	}
	if shares, ok := c.shares(); ok && shares != r.Numpy.Shares {
		return fmt.Errorf("shares memory with the base: %t, NumPy %t", shares, r.Numpy.Shares)
	}
	return nil
}

// shares writes to the base and looks whether the view sees it.
func (c *chain) shares() (shares, ok bool) {
	if c.x.Len() == 0 {
		return false, false
	}
	base := c.base.([]int64)
	x := c.x.(*tensor.Tensor[int64])
	first := make([]int, len(c.x.Shape()))
	at := x.At(first...)
	base[at]--
	shares = x.At(first...) != at
	base[at]++
	return shares, true
}

// affine reports whether elements at the given addresses, in row-major order,
// can be seen in another shape without a copy.
func affine(addresses []uint64, size []int) bool {
	if len(addresses) == 0 {
		return true
	}
	l := layout{Size: size, Stride: make([]int, len(size)), Offset: int(addresses[0])}
	for d, step := range rowMajor(size) {
		if size[d] > 1 {
			l.Stride[d] = int(addresses[step]) - l.Offset
		}
	}
	for i := range addresses {
		at, rest := l.Offset, i
		for d := len(size) - 1; d >= 0; d-- {
			at += rest % size[d] * l.Stride[d]
			rest /= size[d]
		}
		if at != int(addresses[i]) {
			return false
		}
	}
	return true
}

// inferred puts in the size that is given as -1.
func inferred(size []int, elements int) []int {
	size = slices.Clone(size)
	if i := slices.Index(size, -1); i >= 0 {
		size[i] = 1
		size[i] = elements / max(count(size), 1)
	}
	return size
}

// viewOp calls the method that stands for an operation.
func viewOp(x view, op string, args []any) (view, error) {
	var c caller
	list, err := intsOrNil(args)
	if err != nil {
		return nil, err
	}
	methods := map[string]string{
		"transpose": "SwapAxes", "movedim": "MoveAxis", "select": "Select", "narrow": "Narrow",
		"squeeze": "Squeeze", "unsqueeze": "Unsqueeze", "diagonal": "Diagonal", "unfold": "Unfold", "flatten": "Flatten",
		"permute": "Transpose", "expand": "Expand", "flip": "Flip", "view": "View", "reshape": "Reshape", "contiguous": "Contiguous",
	}
	switch op {
	case "permute", "expand", "flip", "view", "reshape", "squeeze": // a list
		sizes := []int{}
		if len(args) > 0 {
			if sizes, err = ints(args[0]); err != nil {
				return nil, err
			}
		}
		if op == "permute" && len(sizes) == 0 && len(x.Shape()) > 0 {
			return nil, &inexpressibleError{"a permutation of no axes: Transpose() reverses them all"}
		}
		if op == "flip" && len(sizes) == 0 {
			return x, nil
		}
		return c.method(x, methods[op], sizes)
	case "slice":
		if len(list) != 4 || list[0] == nil {
			return nil, fmt.Errorf("cannot read %v", args)
		}
		step := 1
		if list[3] != nil {
			step = *list[3]
		}
		start, stop := tensor.Begin, tensor.End
		if step < 0 {
			start, stop = stop, start
		}
		if list[1] != nil {
			start = *list[1]
		}
		if list[2] != nil {
			stop = *list[2]
		}
		return c.method(x, "Slice", *list[0], start, stop, step)
	}
	name := methods[op]
	if name == "" {
		return nil, &waitingError{op}
	}
	var plain []any
	for _, v := range list {
		if v == nil {
			return nil, fmt.Errorf("cannot read %v", args)
		}
		plain = append(plain, *v)
	}
	return c.method(x, name, plain...)
}

// intsOrNil reads single whole numbers; null gives nil, a list is left out.
func intsOrNil(args []any) ([]*int, error) {
	var list []*int
	for _, arg := range args {
		switch arg := arg.(type) {
		case nil:
			list = append(list, nil)
		case json.Number:
			n, err := arg.Int64()
			if err != nil {
				return nil, err
			}
			i := int(n)
			list = append(list, &i)
		}
	}
	return list, nil
}

func isNegative(arg any) bool {
	list, err := ints(arg)
	return err == nil && len(list) == 1 && list[0] < 0
}

// hasNegative reports whether a list of sizes holds one that is negative, but
// for -1.
func hasNegative(args []any) bool {
	if len(args) != 1 {
		return false
	}
	list, err := ints(args[0])
	return err == nil && slices.ContainsFunc(list, func(n int) bool { return n < -1 })
}

// sizeOf returns the size of a dimension; 1 if there is none.
func sizeOf(x view, dim any) int {
	list, err := ints(dim)
	shape := x.Shape()
	if err != nil || len(list) != 1 {
		return 1
	}
	d := list[0]
	if d < 0 {
		d += len(shape)
	}
	if d < 0 || d >= len(shape) {
		return 1
	}
	return shape[d]
}

func describe(x view, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("shape %v, strides %v", x.Shape(), x.Strides())
}
