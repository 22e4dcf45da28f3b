package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A functionRecord holds arguments of one elementary function and its
// correctly rounded results.
type functionRecord struct {
	Name     string   `json:"name"`
	Func     string   `json:"func"`
	Dtype    string   `json:"dtype"`
	X        []string `json:"x"`
	Y        []string `json:"y"`
	Expected []string `json:"expected"`
	ulps     float64  // by which the reference itself may be off
}

func (r *functionRecord) name() string { return r.Name }

// elementary names the functions of package tensor.
var elementary = map[string]string{
	"sqrt": "Sqrt", "rsqrt": "Rsqrt", "cbrt": "Cbrt", "hypot": "Hypot", "pow": "Pow", "atan2": "Atan2",
	"exp": "Exp", "exp2": "Exp2", "exp10": "Exp10", "expm1": "Expm1", "log": "Log", "log2": "Log2", "log10": "Log10", "log1p": "Log1p",
	"sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan",
	"sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
	"arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh",
	"erf": "Erf", "erfc": "Erfc", "sigmoid": "Sigmoid", "softplus": "Softplus", "silu": "Silu", "gelu": "Gelu", "gelu_tanh": "GeluTanh", "mish": "Mish",
}

// accuracy is how far from the correctly rounded result a function may be, in
// units in the last place.
func accuracy(function string) float64 {
	switch function {
	case "Sqrt", "Rsqrt":
		return 0
	}
	return 4
}

func (r *functionRecord) check() ([]string, error) {
	name := elementary[r.Func]
	if name == "" {
		return nil, &waitingError{r.Func}
	}
	q := &query{}
	for _, list := range [][]string{r.X, r.Y} {
		if list == nil {
			continue
		}
		bits, err := hexBits(r.Dtype, list)
		if err != nil {
			return nil, err
		}
		x, err := newTensor(r.Dtype, []int{len(bits)}, bits)
		if err != nil {
			return nil, err
		}
		q.in = append(q.in, x)
	}
	want, err := hexBits(r.Dtype, r.Expected)
	if err != nil {
		return nil, err
	}
	got, err := q.apply(name, q.operands()...)
	return q.judge(got, err, r.Dtype, []int{len(want)}, want, tolerance{ulps: accuracy(name) + r.ulps})
}

// umathRecords reads NumPy's files, one for each function: lines of
// dtype,input,output,ulperrortol with the bits in hex.
func umathRecords(dir string) ([]functionRecord, error) {
	files, err := filepath.Glob(filepath.Join(path(dir), "umath-validation-set-*.csv"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", path(dir), fs.ErrNotExist)
	}
	var all []functionRecord
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".csv")
		some, err := umathFile(file, strings.TrimPrefix(base, "umath-validation-set-"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", base, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func umathFile(file, function string) ([]functionRecord, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	byType := map[string]*functionRecord{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(strings.TrimSpace(lines.Text()), ",")
		dtype := map[string]string{"np.float32": "float32", "np.float64": "float64"}[fields[0]]
		if dtype == "" || len(fields) < 4 {
			continue // the heading, comments
		}
		r := byType[dtype]
		if r == nil {
			// All outputs are within 1 ulp of what is right.
			r = &functionRecord{Name: function + "/" + dtype, Func: function, Dtype: dtype, ulps: 1}
			byType[dtype] = r
		}
		r.X, r.Expected = append(r.X, fields[1]), append(r.Expected, fields[2])
	}
	var all []functionRecord
	for _, r := range byType {
		all = append(all, *r)
	}
	return all, lines.Err()
}

// runUmath runs NumPy's files, which need not be there with other corpora.
func runUmath(dir string) func(t *testing.T, r *report) {
	return func(t *testing.T, r *report) {
		all, err := umathRecords(dir)
		if errors.Is(err, fs.ErrNotExist) && !committed() {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		runAll[functionRecord](t, r, dir, all)
	}
}
