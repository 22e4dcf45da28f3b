package conformance

import "fmt"

// A suiteRecord is one operation of a public suite.
type suiteRecord struct {
	Name    string             `json:"name"`
	Suite   string             `json:"suite"`
	Op      string             `json:"op"`
	Attrs   map[string]any     `json:"attrs"`
	Inputs  []*value           `json:"inputs"`
	Outputs []*value           `json:"outputs"`
	Tol     map[string]float64 `json:"tol"`
	Check   string             `json:"check"`
}

func (r *suiteRecord) name() string { return r.Suite + " " + r.Name }

// suites holds the programs of each suite.
var suites = map[string]map[string]program{
	"onnx": onnxPrograms, "wpt-webnn": webnnPrograms, "webnn-baseline": webnnPrograms, "tfjs": tfjsPrograms, "stablehlo": stablehloPrograms,
}

func (r *suiteRecord) check() ([]string, error) {
	programs := suites[r.Suite]
	if programs == nil {
		return nil, fmt.Errorf("unknown suite %q", r.Suite)
	}
	q := &query{attrs: r.Attrs}
	var want [][]uint64
	for _, v := range r.Outputs {
		bits, err := decode(v.Dtype, v.Data)
		if err != nil {
			return nil, err
		}
		if elements[v.Dtype] == nil {
			return nil, &inexpressibleError{v.Dtype}
		}
		want = append(want, bits)
		q.out, q.sizes = append(q.out, v.Dtype), append(q.sizes, v.Shape)
	}
	for _, v := range r.Inputs {
		if v == nil {
			q.in = append(q.in, nil)
			continue
		}
		bits, err := decode(v.Dtype, v.Data)
		if err != nil {
			return nil, err
		}
		x, err := newTensor(v.Dtype, v.Shape, bits)
		if err != nil {
			return nil, err
		}
		q.in = append(q.in, x)
	}
	got, err := q.answer(programs, r.Op)
	if err == nil && len(got) != len(want) {
		return nil, fmt.Errorf("%d results, want %d", len(got), len(want))
	}
	var rules []string
	for i, bits := range want {
		var x view
		if err == nil {
			x = got[i]
		}
		rule, err := q.judge(x, err, q.out[i], q.sizes[i], bits, r.tolerance(q.out[i]))
		if err != nil {
			return nil, fmt.Errorf("%s %v: %w", r.Op, r.Attrs, err)
		}
		rules = append(rules, rule...)
	}
	return rules, nil
}

// tolerance is what each suite's own runner allows.
func (r *suiteRecord) tolerance(dtype string) tolerance {
	switch r.Suite {
	case "onnx":
		return tolerance{relative: 1e-3, absolute: 1e-7, unsignedZero: true}
	case "stablehlo":
		if r.Check == "expect_eq" {
			return tolerance{}
		}
		relative := map[string]float64{"float16": 1e-2, "bfloat16": 1e-2, "float32": 1e-5, "float64": 1e-12}
		return tolerance{relative: relative[dtype], unsignedZero: true}
	}
	// JSON has no negative zero.
	return tolerance{absolute: r.Tol["atol"], ulps: r.Tol["ulp"], unsignedZero: true}
}
