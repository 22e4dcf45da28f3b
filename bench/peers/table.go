package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// Columns of the table, in this order. Plain loops are shown but never the peer
// to beat; slice libraries are not either where no operand has more than 64
// elements, since they do less there: no shapes, no views.
var columns = []struct {
	lib, title   string
	loop, slices bool
}{
	{lib: "numpy", title: "NumPy"},
	{lib: "torch", title: "PyTorch"},
	{lib: "numexpr", title: "numexpr"},
	{lib: "gonum", title: "gonum", slices: true},
	{lib: "vek", title: "vek", slices: true},
	{lib: "go_loop", title: "Go loop", loop: true},
}

const ours = "lanecast"

// times holds the fastest ns by workload and library, and the reasons for gaps.
type times struct {
	ns     map[string]map[string]float64
	errors map[string]map[string]string
}

func newTimes() *times {
	return &times{map[string]map[string]float64{}, map[string]map[string]string{}}
}

// add reads JSON lines of cells. Of several for one cell the fastest counts.
func (t *times) add(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var c cell
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		if c.Error != "" {
			put(t.errors, c.Workload, c.Lib, c.Error)
			continue
		}
		if old, ok := t.ns[c.Workload][c.Lib]; !ok || c.MinNs < old {
			put(t.ns, c.Workload, c.Lib, c.MinNs)
		}
	}
	return lines.Err()
}

func put[V any](m map[string]map[string]V, workload, lib string, v V) {
	if m[workload] == nil {
		m[workload] = map[string]V{}
	}
	m[workload][lib] = v
}

// limits are the lines of limit.c.
type limits []limitLine

type limitLine struct {
	Kernel  string  `json:"kernel"`
	Read    int     `json:"bytes_read"`
	Written int     `json:"bytes_written"`
	MinNs   float64 `json:"min_ns"`
}

// add reads the lines of another run: for each kernel and size the fastest counts.
func (l *limits) add(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var x limitLine
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		i := slices.IndexFunc(*l, func(y limitLine) bool {
			return y.Kernel == x.Kernel && y.Read == x.Read && y.Written == x.Written
		})
		if i < 0 {
			*l = append(*l, x)
		} else {
			(*l)[i].MinNs = min((*l)[i].MinNs, x.MinNs)
		}
	}
	return lines.Err()
}

// ns is the time to stream this traffic: that of the kernel whose mix of
// reading and writing and whose working set are nearest, scaled to as many
// bytes. Among equally near ones the fastest counts. NaN without limits.
func (l limits) ns(read, written int) float64 {
	nearest, best := math.Inf(1), math.NaN()
	for _, x := range l {
		mix := math.Abs(math.Log(float64(x.Read+1)/float64(x.Written+1)) - math.Log(float64(read+1)/float64(written+1)))
		size := float64(x.Read+x.Written) / float64(read+written)
		distance := math.Round(10*(min(mix, 9)+math.Abs(math.Log(size)))) / 10
		ns := x.MinNs / size
		if distance < nearest || distance == nearest && ns < best {
			nearest, best = distance, ns
		}
	}
	return best
}

// A result is a line of the table.
type result struct {
	workload
	ns    float64            // ours; NaN if it was not measured
	err   string             // why not
	peers map[string]float64 // by library
	best  string             // title of the fastest peer; empty if there is none
	ratio float64            // the fastest peer's time / ours
	limit float64            // time to stream the bytes / ours
}

func compare(workloads []workload, t *times, l limits) []result {
	var out []result
	for _, w := range workloads {
		r := result{workload: w, ns: math.NaN(), peers: t.ns[w.Name], ratio: math.NaN()}
		if ns, ok := t.ns[w.Name][ours]; ok {
			r.ns = ns
		} else {
			_, reason, _ := strings.Cut(t.errors[w.Name][ours], ": ") // after operation and type
			r.err = cmp.Or(reason, "no answer")
		}
		best := math.Inf(1)
		for _, c := range columns {
			ns, ok := r.peers[c.lib]
			if ok && !c.loop && !(c.slices && w.small()) && ns < best {
				best, r.best, r.ratio = ns, c.title, ns/r.ns
			}
		}
		r.limit = l.ns(w.traffic()) / r.ns
		out = append(out, r)
	}
	return out
}

// summary says in a few lines how ours fares against the fastest peers.
func summary(results []result) []string {
	all, difficult := &mean{}, &mean{}
	missing := map[string][]string{} // by reason
	for _, r := range results {
		if math.IsNaN(r.ns) {
			missing[r.err] = append(missing[r.err], r.Name)
		}
		all.add(r)
		if r.difficult() {
			difficult.add(r)
		}
	}
	lines := []string{
		"against the fastest peer, " + all.String(),
		"short, stretched or strided inner axes only, " + difficult.String(),
	}
	for _, reason := range slices.Sorted(maps.Keys(missing)) {
		lines = append(lines, fmt.Sprintf("not measured (%s): %s", reason, strings.Join(missing[reason], ", ")))
	}
	return lines
}

// mean gathers ratios to the fastest peer.
type mean struct {
	n, slower, clearly int // cells, below 1, below 0.95
	logs               float64
	worst              result
}

func (m *mean) add(r result) {
	if math.IsNaN(r.ratio) {
		return
	}
	if m.n == 0 || r.ratio < m.worst.ratio {
		m.worst = r
	}
	m.n++
	m.logs += math.Log(r.ratio)
	if r.ratio < 1 {
		m.slower++
	}
	if r.ratio < 0.95 {
		m.clearly++
	}
}

func (m *mean) String() string {
	if m.n == 0 {
		return "nothing to compare"
	}
	return fmt.Sprintf("geometric mean %.2f over %d cells; worst %.2f (%s, %s); below 1: %d, below 0.95: %d",
		math.Exp(m.logs/float64(m.n)), m.n, m.worst.ratio, m.worst.Name, m.worst.best, m.slower, m.clearly)
}

// printTable writes the table for a terminal.
func printTable(out io.Writer, results []result) {
	fmt.Fprintf(out, "%-18s %10s %13s %-8s %8s %9s\n", "workload", "ours µs", "best peer µs", "peer", "ratio", "of limit")
	for _, r := range results {
		if math.IsNaN(r.ns) {
			continue
		}
		fmt.Fprintf(out, "%-18s %10s %13s %-8s %8s %9s\n",
			r.Name, micros(r.ns), micros(r.ratio*r.ns), r.best, fixed("%.2f", r.ratio), fixed("%.2f", r.limit))
	}
}

// printMarkdown writes the table with every library's time.
func printMarkdown(out io.Writer, results []result) {
	fmt.Fprint(out, "| workload | ours µs | best peer | ratio | of limit |")
	for _, c := range columns {
		fmt.Fprintf(out, " %s µs |", c.title)
	}
	fmt.Fprint(out, "\n|---|---:|---|---:|---:|", strings.Repeat("---:|", len(columns)), "\n")
	for _, r := range results {
		if math.IsNaN(r.ns) {
			continue
		}
		ratio := fixed("%.2f", r.ratio)
		if r.ratio < 1 {
			ratio = "**" + ratio + "**"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s | %s | %s |", r.Name, micros(r.ns), r.best, ratio, fixed("%.2f", r.limit))
		for _, c := range columns {
			ns, ok := r.peers[c.lib]
			if !ok {
				ns = math.NaN()
			}
			fmt.Fprintf(out, " %s |", micros(ns))
		}
		fmt.Fprintln(out)
	}
}

func micros(ns float64) string {
	if ns < 10000 {
		return fixed("%.3f", ns/1e3)
	}
	return fixed("%.1f", ns/1e3)
}

// fixed is a dash where there is none.
func fixed(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
