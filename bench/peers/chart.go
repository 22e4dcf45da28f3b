package main

import (
	"fmt"
	"html"
	"io"
	"math"
)

// writeChart draws each workload's ratio to the fastest peer as a bar on a
// logarithmic scale: to the right of 1 ours is faster, to the left it is slower.
func writeChart(out io.Writer, title string, results []result) error {
	const (
		left, right, width = 150, 110, 900 // of the plot within the picture
		top, line          = 64, 18
	)
	var bars []result
	low, high := 0.5, 2.0
	for _, r := range results {
		if !math.IsNaN(r.ratio) {
			bars = append(bars, r)
			low, high = min(low, r.ratio), max(high, r.ratio)
		}
	}
	low, high = math.Exp2(math.Floor(math.Log2(low))), math.Exp2(math.Ceil(math.Log2(high)))
	x := func(ratio float64) float64 {
		return left + (width-left-right)*math.Log(ratio/low)/math.Log(high/low)
	}
	height := top + line*len(bars) + 24

	p := &printer{w: out}
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	p.printf(`<rect width="100%%" height="100%%" fill="#fff"/>` + "\n")
	p.printf(`<text x="%d" y="22" font-size="15" font-weight="bold">%s</text>`+"\n", 12, html.EscapeString(title))
	for ratio := low; ratio <= high; ratio *= 2 {
		color, size := "#ddd", 1.0
		if ratio == 1 {
			color, size = "#555", 1.5
		}
		p.printf(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="%.1f"/>`, x(ratio), top-6, x(ratio), height-20, color, size)
		p.printf(`<text x="%.1f" y="%d" text-anchor="middle" fill="#555">%g×</text>`+"\n", x(ratio), top-12, ratio)
	}
	for i, r := range bars {
		y := top + line*i
		from, to, color := x(1), x(r.ratio), "#2a7f62"
		if r.ratio < 1 {
			from, to, color = to, from, "#c0392b"
		}
		p.printf(`<text x="%d" y="%d" text-anchor="end">%s</text>`, left-8, y+12, html.EscapeString(r.Name))
		p.printf(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, from, y+2, max(1, to-from), line-5, color)
		p.printf(`<text x="%.1f" y="%d" fill="#333">%s %s</text>`+"\n", to+5, y+12, fixed("%.2f", r.ratio), html.EscapeString(r.best))
	}
	p.printf("</svg>\n")
	return p.err
}

// printer remembers the first error of its writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
