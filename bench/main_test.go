package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/dispatch"
	"github.com/lanecast/lanecast/tensor"
)

// command runs the whole program.
func command(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

func writeFile(t *testing.T, name, content string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func TestReport(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "picture.png")
	status, stdout, stderr := command("-ms", "0.1", "-rounds", "1", "-o", picture)
	require.Equal(t, 0, status, stderr)
	for _, line := range table {
		assert.Contains(t, stdout, "\n  "+line.label+" ")
	}
	assert.Equal(t, len(table)+3, strings.Count(stdout, "same bits"))
	assert.Contains(t, stderr, "timing short column")

	f, err := os.Open(picture)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 150, 103), img.Bounds())
}

func TestMarkdown(t *testing.T) {
	status, stdout, stderr := command("-markdown", "-ms", "0.1", "-rounds", "1")
	require.Equal(t, 0, status, stderr)
	assert.Equal(t, len(table)+2, strings.Count(stdout, "\n|"))
}

// A loop that disagrees must end the program with status 1.
func TestMismatchFails(t *testing.T) {
	saved := table
	defer func() { table = saved }()
	wrong := contiguous
	wrong.loop = func(dst, a, b []float32, rows, cols int) {
		loopContiguous(dst, a, b, rows, cols)
		last := &dst[len(dst)-1]
		*last = math.Float32frombits(math.Float32bits(*last) ^ 1)
	}
	table = []tableRow{{"one bit off", wrong, 1, 37}}
	for _, args := range [][]string{{"-short"}, {"-markdown"}} {
		status, _, stderr := command(append(args, "-ms", "0.1", "-rounds", "1")...)
		assert.Equal(t, 1, status)
		assert.Contains(t, stderr, "one bit off (37,) + (37,): 1 elements differ from the plain loop, first at 36")
	}
}

func TestSameBits(t *testing.T) {
	nan, other := math.Float32frombits(0x7fc00000), math.Float32frombits(0x7fc00001)
	assert.NoError(t, sameBits([]float32{1, nan}, []float32{1, nan}))
	assert.Error(t, sameBits([]float32{0}, []float32{float32(math.Copysign(0, -1))}))
	assert.Error(t, sameBits([]float32{nan}, []float32{other}))
	assert.Error(t, sameBits([]float32{1}, []float32{1, 2}))
	var diff *bitsError
	require.ErrorAs(t, sameBits([]float32{1, 2, 3}, []float32{1, 5, 6}), &diff)
	assert.Equal(t, bitsError{Index: 1, Count: 2, Got: 2, Want: 5}, *diff)
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"-help"}, 0, "Usage of bench"},
		{[]string{"-frobnicate"}, 2, "frobnicate"},
		{[]string{"extra"}, 2, `unexpected argument "extra"`},
		{[]string{"-ms", "0"}, 2, "-ms 0: more than 0"},
		{[]string{"-ms", "NaN"}, 2, "-ms NaN: more than 0"},
		{[]string{"-rounds", "0"}, 2, "-rounds 0: at least 1"},
		{[]string{"-procs", "-1"}, 2, "-procs -1: at least 0"},
		{[]string{"-json", "-workloads", "nowhere.json"}, 1, "nowhere.json"},
		{[]string{"-json", "-workloads", "workloads.json", "-only", "nothing"}, 1, `no workload is named "nothing"`},
		{[]string{"-i", "nowhere.png"}, 1, "nowhere.png"},
	} {
		status, stdout, stderr := command(c.args...)
		assert.Equal(t, c.status, status, c.args)
		assert.Contains(t, stderr, c.stderr)
		assert.Empty(t, stdout)
	}
}

func TestWrongISA(t *testing.T) {
	defer func() { envError = dispatch.EnvError }()
	envError = func() error {
		return &dispatch.ISAError{Env: "LANECAST_ISA", Name: "avx9", Available: dispatch.Available()}
	}
	for _, args := range [][]string{{}, {"-about"}, {"-json", "-workloads", "workloads.json"}} {
		status, stdout, stderr := command(args...)
		assert.Equal(t, 1, status)
		assert.Contains(t, stderr, "LANECAST_ISA=avx9")
		assert.Empty(t, stdout)
	}
}

func TestNotAPicture(t *testing.T) {
	status, _, stderr := command("-i", writeFile(t, "text.png", "not a picture"))
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "text.png: image: unknown format")
}

func TestNotWorkloads(t *testing.T) {
	status, _, stderr := command("-json", "-workloads", writeFile(t, "w.json", `{"name": 1}`))
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "w.json: json: cannot unmarshal")
}

// Every entry gets its line: a time or the reason why there is none.
func TestJSON(t *testing.T) {
	huge := strconv.Itoa(math.MaxInt)
	path := writeFile(t, "w.json", `[
		{"name": "sum", "op": "add", "operands": [{"dtype": "float32", "shape": [4, 3], "layout": "c"}, {"dtype": "float32", "shape": [3], "layout": "c"}]},
		{"name": "negated", "op": "neg", "operands": [{"dtype": "int64", "shape": [2, 3, 4, 5], "layout": "nhwc"}]},
		{"name": "unheard", "op": "frobnicate", "operands": [{"dtype": "float32", "shape": [4], "layout": "c"}]},
		{"name": "untyped", "op": "add", "operands": [{"dtype": "complex128", "shape": [4], "layout": "c"}, {"dtype": "complex128", "shape": [4], "layout": "c"}]},
		{"name": "mixed", "op": "add", "operands": [{"dtype": "float64", "shape": [4], "layout": "c"}, {"dtype": "float32", "shape": [4], "layout": "c"}]},
		{"name": "mismatched", "op": "add", "operands": [{"dtype": "float32", "shape": [4], "layout": "c"}, {"dtype": "float32", "shape": [3], "layout": "c"}]},
		{"name": "lonely", "op": "add", "operands": [{"dtype": "float32", "shape": [4], "layout": "c"}]},
		{"name": "crowded", "op": "neg", "operands": [{"dtype": "float32", "shape": [4], "layout": "c"}, {"dtype": "float32", "shape": [4], "layout": "c"}]},
		{"name": "empty", "op": "add", "operands": []},
		{"name": "laid out", "op": "neg", "operands": [{"dtype": "float32", "shape": [4], "layout": "z"}]},
		{"name": "flat", "op": "neg", "operands": [{"dtype": "float32", "shape": [4], "layout": "t"}]},
		{"name": "negative", "op": "neg", "operands": [{"dtype": "float32", "shape": [-4], "layout": "c"}]},
		{"name": "huge", "op": "neg", "operands": [{"dtype": "float32", "shape": [`+huge+`], "layout": "c"}]}
	]`)
	status, stdout, stderr := command("-json", "-workloads", path, "-ms", "0.1", "-rounds", "3")
	require.Equal(t, 0, status, stderr)
	wants := []struct{ name, err string }{
		{"sum", ""}, {"negated", ""},
		{"unheard", "frobnicate of float32: no such operation"},
		{"untyped", "add of complex128: no such operation"},
		{"mixed", "operand 0 is float64 where this operation takes float32"},
		{"mismatched", "4"},
		{"lonely", "takes 2 operands, not 1"},
		{"crowded", "takes 1 operand, not 2"},
		{"empty", "no operands"},
		{"laid out", `unknown layout "z"`},
		{"flat", `layout "t" does not suit shape [4]`},
		{"negative", "-4"},
		{"huge", huge},
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, len(wants))
	for i, want := range wants {
		var c cell
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &c))
		assert.Equal(t, want.name, c.Workload)
		assert.Equal(t, "lanecast", c.Lib)
		if want.err != "" {
			assert.Contains(t, c.Error, want.err)
			assert.NotContains(t, lines[i], "_ns")
			continue
		}
		assert.Empty(t, c.Error)
		assert.Positive(t, c.MinNs)
		assert.GreaterOrEqual(t, c.MedNs, c.MinNs)
	}
}

// The project's own lists must be readable, and each of their operands makeable.
// The first names operations too that only others have.
func TestWorkloadFiles(t *testing.T) {
	for _, file := range []string{"workloads.json", "operations.json", "transposed.json"} {
		all, err := readWorkloads(file, nil)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, w := range all {
			assert.False(t, seen[w.Name], "%s: two workloads are named %s", file, w.Name)
			seen[w.Name] = true
			require.NotEmpty(t, w.Operands, w.Name)
			for _, o := range w.Operands {
				assert.Contains(t, operations, o.DType, w.Name)
				assert.Contains(t, []string{"c", "t", "s2", "r", "nhwc"}, o.Layout, w.Name)
			}
			if file != "workloads.json" {
				assert.Contains(t, operations[w.Operands[len(w.Operands)-1].DType], w.Op, w.Name)
			}
		}
	}
	two, err := readWorkloads("workloads.json", []string{"row3", "contig_tiny8"})
	require.NoError(t, err)
	require.Len(t, two, 2)
	assert.Equal(t, "contig_tiny8", two[0].Name)
}

func TestOperand(t *testing.T) {
	rng := newRandom(0)
	for _, c := range []struct {
		o     operand
		index []int // of the element that is data[at]
		at    int
		size  int
		text  string
	}{
		{operand{"float32", []int{2, 3}, "c"}, []int{1, 0}, 3, 6, "(2,3)"},
		{operand{"float32", []int{3}, "c"}, []int{2}, 2, 3, "(3,)"},
		{operand{"float32", []int{}, "c"}, []int{}, 0, 1, "()"},
		{operand{"float32", []int{2, 3}, "t"}, []int{1, 2}, 5, 6, "(2,3).T"},
		{operand{"float32", []int{2, 3}, "t"}, []int{0, 2}, 4, 6, "(2,3).T"},
		{operand{"float32", []int{2, 3}, "s2"}, []int{1, 1}, 8, 12, "(2,3)[::2]"},
		{operand{"float32", []int{2, 3}, "r"}, []int{1, 0}, 5, 6, "(2,3)[::-1]"},
		{operand{"float32", []int{2, 3, 4, 5}, "nhwc"}, []int{1, 2, 3, 4}, 119, 120, "(2,3,4,5)"},
		{operand{"float32", []int{2, 3, 4, 5}, "nhwc"}, []int{0, 1, 0, 0}, 1, 120, "(2,3,4,5)"},
	} {
		view, data, err := makeOperand[float32](c.o, rng)
		require.NoError(t, err)
		assert.Equal(t, c.o.Shape, view.Shape())
		assert.Len(t, data, c.size)
		assert.Equal(t, data[c.at], view.At(c.index...), "%+v", c.o)
		assert.Equal(t, c.text, c.o.String())
	}
}

func TestFillRandom(t *testing.T) {
	checkValues[float32](t, 0.25, 2.25)
	checkValues[float64](t, 0.25, 2.25)
	checkValues[int8](t, 1, 99)
	checkValues[int16](t, 1, 99)
	checkValues[int32](t, 1, 99)
	checkValues[int64](t, 1, 99)
	checkValues[uint8](t, 1, 99)
	checkValues[uint16](t, 1, 99)
	checkValues[uint32](t, 1, 99)
	checkValues[uint64](t, 1, 99)
	bools := make([]bool, 64)
	fillRandom(newRandom(0), bools)
	assert.ElementsMatch(t, []bool{true, false}, distinct(bools))
}

func checkValues[T tensor.Number](t *testing.T, low, high T) {
	values := make([]T, 200)
	fillRandom(newRandom(0), values)
	assert.Greater(t, len(distinct(values)), 50)
	for _, v := range values {
		assert.True(t, low <= v && v <= high, "%v", v)
	}
}

func distinct[T comparable](values []T) (out []T) {
	seen := map[T]bool{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// Every pattern at small sizes: the loop by hand and the library agree.
func TestPatterns(t *testing.T) {
	for _, p := range []pattern{contiguous, scalar, row, column, outer, transposed, stepped} {
		for _, s := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {2, 3}, {7, 9}, {33, 17}} {
			_, err := tableRow{p.name, p, s[0], s[1]}.run(1, time.Microsecond)
			assert.NoError(t, err, s)
		}
	}
}

func TestNormalizeFlatChannel(t *testing.T) {
	img := image.NewRGBA(image.Rect(2, 3, 4, 4)) // bounds need not start at 0
	img.Set(2, 3, color.RGBA{255, 51, 0, 255})
	img.Set(3, 3, color.RGBA{0, 51, 0, 255})
	p := newPhoto(img)
	assert.Equal(t, []float32{1, 0.2, 0, 0, 0.2, 0}, p.pixels)
	assert.Equal(t, []float32{0.5, 0.2, 0}, p.mean)
	assert.Equal(t, []float32{0.5, 1, 1}, p.deviation)

	_, y, err := p.normalize(1, time.Microsecond)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0, 0, -1, 0, 0}, y.Data())

	var file bytes.Buffer
	require.NoError(t, writePicture(&file, y))
	got, err := png.Decode(&file)
	require.NoError(t, err)
	assert.Equal(t, color.RGBA{191, 128, 128, 255}, color.RGBAModel.Convert(got.At(0, 0)))
	assert.Equal(t, color.RGBA{64, 128, 128, 255}, color.RGBAModel.Convert(got.At(1, 0)))
}

// Both are timed, in ns a call.
func TestMeasure(t *testing.T) {
	var a, b int
	times := measure(5, 50*time.Microsecond, func() { a++ }, func() { b++; time.Sleep(20 * time.Microsecond) })
	require.Len(t, times, 2)
	assert.Greater(t, a, b)
	for _, x := range times {
		assert.Positive(t, x.min)
		assert.LessOrEqual(t, x.min, x.med)
	}
	assert.GreaterOrEqual(t, times[1].min, 20000.0)
}
