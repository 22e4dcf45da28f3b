package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func add(shapes ...[]int) workload {
	w := workload{Name: "w", Op: "add"}
	for _, s := range shapes {
		w.Operands = append(w.Operands, operand{"float32", s, "c"})
	}
	return w
}

func with(w workload, op string) workload {
	w.Op = op
	return w
}

func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		w             workload
		read, written int
	}{
		{add([]int{8}, []int{8}), 64, 32},
		{add([]int{100, 3}, []int{3}), 1212, 1200},
		{add([]int{5, 1}, []int{1, 4}), 36, 80},
		{add([]int{5}, []int{}), 24, 20},
		{with(add([]int{8}, []int{8}), "less"), 64, 8},
		{with(add([]int{8}), "sum_all"), 32, 0},
		{with(add([]int{8}, []int{8}), "equal"), 64, 8},
		{with(add([]int{8}), "is_nan"), 32, 8},
		{with(add([]int{8}), "cast_bool"), 32, 8},
		{with(add([]int{8}), "cast_bf16"), 32, 16},
		{workload{Op: "cast_f32", Operands: []operand{{"uint8", []int{8}, "c"}}}, 8, 32},
		{workload{Op: "where", Operands: []operand{{"bool", []int{8}, "c"}, {"float32", []int{8}, "c"}, {"float32", nil, "c"}}}, 44, 32},
	} {
		read, written := c.w.traffic()
		assert.Equal(t, [2]int{c.read, c.written}, [2]int{read, written}, "%+v", c.w)
	}
}

func TestSmallAndDifficult(t *testing.T) {
	assert.True(t, add([]int{64}, []int{64}).small())
	assert.False(t, add([]int{65}, []int{}).small())
	assert.True(t, add([]int{100, 3}, []int{3}).difficult())
	assert.False(t, add([]int{100, 3}, []int{100, 3}).difficult())
	assert.False(t, add([]int{100, 32}, []int{32}).difficult())
	turned := add([]int{64, 64}, []int{64, 64})
	turned.Operands[1].Layout = "t"
	assert.True(t, turned.difficult())
}

func TestLimit(t *testing.T) {
	var l limits
	assert.True(t, math.IsNaN(l.ns(8, 8)))
	require.NoError(t, l.add([]byte(`{"kernel":"copy","bytes_read":1000,"bytes_written":1000,"min_ns":100}
{"kernel":"copy_nt","bytes_read":1000,"bytes_written":1000,"min_ns":200}
{"kernel":"fill","bytes_read":0,"bytes_written":1000,"min_ns":30}
{"kernel":"copy","bytes_read":100000,"bytes_written":100000,"min_ns":90000}`)))
	assert.InDelta(t, 110, l.ns(1100, 1100), 1e-9) // scaled, the faster of two
	assert.InDelta(t, 33.12, l.ns(4, 1100), 1e-9)  // hardly reads
	assert.InDelta(t, 45000, l.ns(50000, 50000), 1e-9)
	require.NoError(t, l.add([]byte(`{"kernel":"copy","bytes_read":1000,"bytes_written":1000,"min_ns":50}`)))
	assert.Len(t, l, 4)
	assert.InDelta(t, 50, l.ns(1000, 1000), 1e-9)
	assert.Error(t, l.add([]byte("nonsense")))
}

func TestCompare(t *testing.T) {
	big, tiny, gone := add([]int{65}, []int{65}), add([]int{8}, []int{8}), add([]int{9, 3}, []int{3})
	big.Name, tiny.Name, gone.Name = "big", "tiny", "gone"
	times := newTimes()
	require.NoError(t, times.add([]byte(`{"workload":"big","lib":"lanecast","min_ns":10}
{"workload":"big","lib":"lanecast","min_ns":8}
{"workload":"big","lib":"numpy","min_ns":40}
{"workload":"big","lib":"vek","min_ns":6}
{"workload":"big","lib":"go_loop","min_ns":2}
{"workload":"tiny","lib":"lanecast","min_ns":20}
{"workload":"tiny","lib":"numpy","min_ns":400}
{"workload":"tiny","lib":"vek","min_ns":5}
{"workload":"gone","lib":"lanecast","error":"add of float32: no such operation"}
{"workload":"gone","lib":"numpy","min_ns":5}
`)))
	assert.Error(t, times.add([]byte("Traceback")))
	results := compare([]workload{big, tiny, gone}, times, nil)
	require.Len(t, results, 3)
	assert.Equal(t, "vek", results[0].best)
	assert.Equal(t, 0.75, results[0].ratio)
	assert.Equal(t, "NumPy", results[1].best) // slices do not count there
	assert.Equal(t, 20.0, results[1].ratio)
	assert.True(t, math.IsNaN(results[2].ratio))

	lines := summary(results)
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], "geometric mean 3.87 over 2 cells; worst 0.75 (big, vek); below 1: 1, below 0.95: 1")
	assert.Contains(t, lines[1], "nothing to compare")
	assert.Equal(t, "not measured (no such operation): gone", lines[2])

	var text bytes.Buffer
	printMarkdown(&text, results)
	rows := strings.Split(strings.TrimSpace(text.String()), "\n")
	require.Len(t, rows, 4)
	assert.Equal(t, "| `big` | 0.008 | vek | **0.75** | – | 0.040 | – | – | – | 0.006 | 0.002 |", rows[2])
	assert.Equal(t, strings.Count(rows[0], "|"), strings.Count(rows[1], "|"))
	assert.Equal(t, strings.Count(rows[0], "|"), strings.Count(rows[2], "|"))

	var svg bytes.Buffer
	require.NoError(t, writeChart(&svg, "a < b & c", results))
	assert.Equal(t, 1+2, strings.Count(svg.String(), "<rect "))
	for d := xml.NewDecoder(&svg); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want grid
		ok   bool
	}{
		{[]int{4, 5}, []int{4, 5}, grid{1, 20, false}, true},
		{[]int{4, 5}, []int{}, grid{1, 20, true}, true},
		{[]int{4, 5}, []int{5}, grid{4, 5, false}, true},
		{[]int{3, 4, 5}, []int{1, 4, 5}, grid{3, 20, false}, true},
		{[]int{4, 5}, []int{4, 1}, grid{4, 5, true}, true},
		{[]int{8, 3, 4, 5}, []int{3, 1, 1}, grid{24, 20, true}, true},
		{[]int{4, 1, 1, 5}, []int{4, 5}, grid{}, false},
		{[]int{2, 3, 5}, []int{2, 1, 5}, grid{}, false},
		{[]int{5, 1}, []int{1, 4}, grid{}, false},
	} {
		got, ok := gridOf(c.a, c.b)
		assert.Equal(t, c.ok, ok, "%v %v", c.a, c.b)
		assert.Equal(t, c.want, got, "%v %v", c.a, c.b)
	}
}

// Each library must compute what its name says, or its time means nothing.
func TestLibraries(t *testing.T) {
	a, b := []float64{1, 2, 3, 4.5, 6}, []float64{4, 3, 2, 1.5, 0.5}
	want := map[string]func(x, y float64) float64{
		"add":     func(x, y float64) float64 { return x + y },
		"sub":     func(x, y float64) float64 { return x - y },
		"mul":     func(x, y float64) float64 { return x * y },
		"div":     func(x, y float64) float64 { return x / y },
		"maximum": math.Max,
		"minimum": math.Min,
		"pow":     math.Pow,
		"neg":     func(x, _ float64) float64 { return -x },
		"abs":     func(x, _ float64) float64 { return math.Abs(x) },
		"sqrt":    func(x, _ float64) float64 { return math.Sqrt(x) },
		"exp":     func(x, _ float64) float64 { return math.Exp(x) },
		"log":     func(x, _ float64) float64 { return math.Log(x) },
		"sin":     func(x, _ float64) float64 { return math.Sin(x) },
	}
	checkLibraries(t, float64Libraries, a, b, want)
	checkLibraries(t, float32Libraries, narrow(a), narrow(b), want)
}

func narrow(s []float64) (out []float32) {
	for _, v := range s {
		out = append(out, float32(v))
	}
	return out
}

func checkLibraries[T float32 | float64](t *testing.T, libraries map[string]library[T], a, b []T, want map[string]func(x, y float64) float64) {
	for name, lib := range libraries {
		check := func(op string, y func(i int) T, f func(dst []T)) {
			dst := make([]T, len(a))
			f(dst)
			for i := range dst {
				v := want[op](float64(a[i]), float64(y(i)))
				assert.InDelta(t, v, float64(dst[i]), 1e-5*(1+math.Abs(v)), "%s %s", name, op)
			}
		}
		for op, f := range lib.binary {
			check(op, func(i int) T { return b[i] }, func(dst []T) { f.slices(dst, a, b) })
			if f.number != nil {
				check(op, func(int) T { return 1.25 }, func(dst []T) { f.number(dst, a, 1.25) })
			}
		}
		for op, f := range lib.unary {
			check(op, func(int) T { return 0 }, func(dst []T) { f(dst, a) })
		}
	}
}

func TestSlices(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, timeSlices(&out, []workload{add([]int{100, 3}, []int{3}), with(add([]int{8}), "frobnicate")}, 0.01))
	times := newTimes()
	require.NoError(t, times.add(out.Bytes()))
	assert.Positive(t, times.ns["w"]["vek"])
	assert.Positive(t, times.ns["w"]["go_loop"])
	assert.NotContains(t, times.ns["w"], "gonum") // has no float32
	assert.Len(t, strings.Split(strings.TrimSpace(out.String()), "\n"), 6)
}

func TestWorkloadFiles(t *testing.T) {
	all, err := readWorkloads("../workloads.json")
	require.NoError(t, err)
	two, err := choose(all, []string{"row3", "contig_1k"})
	require.NoError(t, err)
	assert.Len(t, two, 2)
	_, err = choose(all, []string{"nothing"})
	assert.ErrorContains(t, err, `"nothing"`)

	bad := filepath.Join(t.TempDir(), "bad.json")
	data, err := json.Marshal([]workload{{Name: "bare", Op: "add"}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bad, data, 0o644))
	_, err = readWorkloads(bad)
	assert.ErrorContains(t, err, `workload "bare" has no operands`)
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"extra"}, {"-rounds", "0"}, {"-ms", "NaN"}, {"-procs", "0"}, {"-frobnicate"}, {"-only", "nothing"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), args)
	}
}
