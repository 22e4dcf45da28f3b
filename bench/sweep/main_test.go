package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/tensor"
)

func TestCommandLine(t *testing.T) {
	var out bytes.Buffer
	assert.ErrorContains(t, run(nil, &out, &out), "name one")
	assert.ErrorContains(t, run([]string{"rows", "columns"}, &out, &out), `"columns"`)
	assert.Empty(t, out.String(), "nothing is measured before the command line is read")
}

func TestFilesAreWritten(t *testing.T) {
	defer func(f func(io.Writer, bool) (*chart, error)) { sweeps["rows"] = f }(sweeps["rows"])
	sweeps["rows"] = func(out io.Writer, short bool) (*chart, error) {
		_, err := io.WriteString(out, "## Rows\n")
		return sample(), err
	}
	results := filepath.Join(t.TempDir(), "RESULTS.md")
	require.NoError(t, os.WriteFile(results, []byte("# Results\n\n<!-- begin a -->\none\n<!-- end a -->\n"), 0o644))
	picture := filepath.Join(filepath.Dir(results), "sweep-rows.svg")

	require.NoError(t, run([]string{"-short", "-results", results, "rows"}, io.Discard, io.Discard))
	assert.NoFileExists(t, picture)
	for range 2 {
		require.NoError(t, run([]string{"-results", results, "rows"}, io.Discard, io.Discard))
		assert.FileExists(t, picture)
		page, err := os.ReadFile(results)
		require.NoError(t, err)
		assert.Equal(t, "# Results\n\n<!-- begin a -->\none\n<!-- end a -->\n\n"+
			"<!-- begin sweep-rows -->\n## Rows\n\n![a < b](sweep-rows.svg)\n<!-- end sweep-rows -->\n", string(page))
	}
}

func sample() *chart {
	return &chart{title: "a < b", x: "elements", logX: true, limit: 1, panels: []panel{
		{"p", []line{{"l", []point{{1024, 1}, {8192, 2.2}}}}},
		{"q", []line{{"l", []point{{1024, 0.5}, {8192, 0.9}}}}},
	}}
}

func TestChart(t *testing.T) {
	low, high, most := sample().ranges()
	assert.Equal(t, []float64{1024, 8192, 2.5}, []float64{low, high, most})
	svg := sample().svg()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	assert.Equal(t, 2, strings.Count(string(svg), "<polyline"))
	assert.Contains(t, string(svg), "8 Ki")
}

func TestSizes(t *testing.T) {
	assert.Equal(t, []int{1024, 1536, 2048, 3072, 4096}, sizes(1<<10, 4<<10))
	assert.Equal(t, "loses at 1.5 Ki, 32 Mi", losses(line{points: []point{{1024, 0.95}, {1536, 0.94}, {32 << 20, 0.5}}}))
	assert.Equal(t, "no size loses", losses(line{points: []point{{1024, 1}}}))
}

// The operands of every workload broadcast at every size, and the work is done.
func TestWorkloads(t *testing.T) {
	for _, w := range workloads {
		at := w.prepare(8 << 10)
		for _, n := range sizes(1<<10, 8<<10) {
			call := at(n)
			assert.NoError(t, call(0), "%s, %d", w.name, n)
			assert.NoError(t, call(tensor.Serial), "%s, %d", w.name, n)
		}
	}
}

func TestFastest(t *testing.T) {
	var order []int
	ns := fastest(3, time.Nanosecond, func() { order = append(order, 0) }, func() {
		order = append(order, 1)
		time.Sleep(time.Millisecond)
	})
	assert.Less(t, ns[0], ns[1])
	assert.GreaterOrEqual(t, ns[1], 1e6)
	assert.Equal(t, []int{0, 1, 0, 1, 0, 1}, order[len(order)-6:], "in turn")
}

func TestHistogram(t *testing.T) {
	h := histogram{[]uint64{1, 5, 2}, []float64{0, 1e-6, 2e-6, math.Inf(1)}}
	d := h.since(histogram{[]uint64{1, 1, 1}, h.bounds})
	assert.Equal(t, uint64(5), d.count())
	assert.Equal(t, 2*time.Microsecond, d.quantile(0.5))
	assert.Equal(t, 2*time.Microsecond, d.quantile(1), "no upper end: the lower one")
	assert.Equal(t, time.Microsecond, h.quantile(0.1))
	assert.Zero(t, histogram{}.quantile(1))
}

// Each collection stops the world twice, and the work goes on meanwhile.
func TestCollect(t *testing.T) {
	calls := 0
	delay, pause, err := collect(3, func() error { calls++; return nil })
	require.NoError(t, err)
	assert.GreaterOrEqual(t, delay.count(), uint64(6))
	assert.GreaterOrEqual(t, pause.quantile(1), delay.quantile(0.5))
	assert.Greater(t, calls, 1)
	_, _, err = collect(1, func() error { return io.ErrUnexpectedEOF })
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
