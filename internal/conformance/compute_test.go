package conformance

import "fmt"

// A computeRecord is a whole operation on strided operands.
type computeRecord struct {
	Name   string         `json:"name"`
	Op     string         `json:"op"`
	Attrs  map[string]any `json:"attrs"`
	Inputs []struct {
		layout
		Storage struct {
			Dtype string `json:"dtype"`
			Data  []byte `json:"data"`
		} `json:"storage"`
	} `json:"inputs"`
	Output struct {
		Dtype string `json:"dtype"`
		Size  []int  `json:"size"`
		Data  []byte `json:"data"`
	} `json:"output"`
	Exact bool               `json:"exact"`
	Tol   map[string]float64 `json:"tol"`
}

func (r *computeRecord) name() string { return r.Name }

func (r *computeRecord) check() ([]string, error) {
	q := &query{attrs: r.Attrs, out: []string{r.Output.Dtype}, sizes: [][]int{r.Output.Size}}
	for _, in := range r.Inputs {
		bits, err := decode(in.Storage.Dtype, in.Storage.Data)
		if err != nil {
			return nil, err
		}
		e := elements[in.Storage.Dtype]
		if e == nil {
			return nil, &inexpressibleError{in.Storage.Dtype}
		}
		x, err := newView(in.Storage.Dtype, e.storage(bits), in.layout)
		if err != nil {
			return nil, err
		}
		q.in = append(q.in, x)
	}
	want, err := decode(r.Output.Dtype, r.Output.Data)
	if err != nil {
		return nil, err
	}
	out, err := q.answer(torchPrograms, r.Op)
	if err == nil && len(out) != 1 {
		return nil, fmt.Errorf("%d results", len(out))
	}
	var got view
	if err == nil {
		got = out[0]
	}
	var t tolerance
	if !r.Exact {
		t = tolerance{relative: r.Tol["rtol"], absolute: r.Tol["atol"], unsignedZero: true}
	}
	return q.judge(got, err, r.Output.Dtype, r.Output.Size, want, t)
}
