package conformance

import (
	"fmt"
	"slices"
)

// An expandRecord expands one view. PyTorch decides; of NumPy there is only
// broadcast_to.
type expandRecord struct {
	Name       string  `json:"name"`
	Op         string  `json:"op"`
	Input      layout  `json:"input"`
	Sizes      []int   `json:"sizes"`
	Result     *layout `json:"result"`
	TorchError string  `json:"torch_error"`
	Numpy      *layout `json:"numpy"`
	NumpyError string  `json:"numpy_error"`
}

func (r *expandRecord) name() string { return r.Name }

func (r *expandRecord) check() ([]string, error) {
	x, err := counting(r.Input)
	if err != nil {
		return nil, err
	}
	got, err := r.run(x)
	if r.Result != nil && slices.ContainsFunc(r.Result.Size, func(n int) bool { return n < 0 }) {
		// PyTorch multiplies the sizes and sees nothing wrong where one is 0.
		if !isTyped(err) {
			return nil, fmt.Errorf("rule %s: got %v, want an error", ruleNegativeSize, describe(got, err))
		}
		return []string{ruleNegativeSize}, nil
	}
	if r.Result == nil {
		if !isOurs(err) || !isTyped(err) {
			return nil, fmt.Errorf("error is %v, want one: %s", err, r.TorchError)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := sameLayout(got, r.Result.Size, r.Result.Stride); err != nil {
		return nil, err
	}
	var rules []string
	if r.Op == "broadcast_to" && slices.Contains(r.Sizes, -1) {
		rules = append(rules, ruleKeptSize)
	}
	return rules, (tolerance{}).compare("int64", addresses(*r.Result), elements["int64"].elements(got))
}

func (r *expandRecord) run(x view) (view, error) {
	var c caller
	switch r.Op {
	case "expand":
		return c.method(x, "Expand", r.Sizes)
	case "broadcast_to":
		return c.method(x, "BroadcastTo", r.Sizes)
	case "expand_as":
		e := elements["int64"]
		other, err := e.strided(e.storage([]uint64{0}), r.Sizes, make([]int, len(r.Sizes)), 0)
		if err != nil {
			return nil, err
		}
		return c.method(x, "ExpandAs", other)
	}
	return nil, &waitingError{r.Op}
}

// counting returns a view of storage that holds 0, 1, 2, …
func counting(l layout) (view, error) {
	length := l.Offset + 1
	for _, a := range addresses(l) {
		length = max(length, int(a)+1)
	}
	bits := make([]uint64, length)
	for i := range bits {
		bits[i] = uint64(i)
	}
	e := elements["int64"]
	return e.strided(e.storage(bits), l.Size, l.Stride, l.Offset)
}

// addresses lists where the elements of a layout lie, in row-major order.
func addresses(l layout) []uint64 {
	list := []int{l.Offset}
	for d, n := range l.Size {
		longer := make([]int, 0, len(list)*n)
		for _, a := range list {
			for i := range n {
				longer = append(longer, a+i*l.Stride[d])
			}
		}
		list = longer
	}
	bits := make([]uint64, len(list))
	for i, a := range list {
		bits[i] = uint64(a)
	}
	return bits
}

// sameLayout compares sizes and strides. The stride of a dimension of size 1,
// or 0, says nothing.
func sameLayout(x view, size, stride []int) error {
	if !slices.Equal(x.Shape(), size) {
		return fmt.Errorf("shape is %v, want %v", x.Shape(), size)
	}
	if x.Len() != count(size) {
		return fmt.Errorf("%d elements, want %d", x.Len(), count(size))
	}
	for d, s := range x.Strides() {
		if size[d] > 1 && s != stride[d] {
			return fmt.Errorf("strides of shape %v are %v, want %v", size, x.Strides(), stride)
		}
	}
	return nil
}
