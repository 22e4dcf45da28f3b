package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// A chart is panels of curves with common axes, and a limit drawn across.
type chart struct {
	title, x string
	logX     bool
	limit    float64
	panels   []panel
}

type panel struct {
	title string
	lines []line
}

type line struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

var colors = []string{"#2a7f62", "#c0392b", "#2c6fbb", "#b8860b"}

// svg draws the panels in two columns, or one panel by itself.
func (c *chart) svg() []byte {
	const (
		left, right, top, bottom = 46, 24, 40, 44 // margins of a panel
		height, head             = 300, 60
	)
	columns := min(2, len(c.panels))
	width := 900 / columns
	low, high, most := c.ranges()

	var b bytes.Buffer
	all := head + height*((len(c.panels)+columns-1)/columns)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="%d" viewBox="0 0 900 %d" font-family="sans-serif" font-size="12">`+"\n", all, all)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n"+
		`<text x="12" y="22" font-size="15" font-weight="bold">%s</text>`+"\n", html.EscapeString(c.title))
	for i, l := range c.panels[0].lines {
		fmt.Fprintf(&b, `<text x="%d" y="46" fill="%s">— %s</text>`+"\n", 12+i*220, colors[i%len(colors)], html.EscapeString(l.name))
	}
	for i, p := range c.panels {
		x0, y0 := float64(i%columns*width), float64(head+i/columns*height)
		atX := func(v float64) float64 {
			return x0 + left + float64(width-left-right)*(c.scale(v)-c.scale(low))/(c.scale(high)-c.scale(low))
		}
		atY := func(v float64) float64 { return y0 + height - bottom - (height-top-bottom)*v/most }
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" font-weight="bold">%s</text>`+"\n", x0+left, y0+top-14, html.EscapeString(p.title))
		for v := 0.0; v <= most; v += 0.5 {
			color := "#ddd"
			if v == c.limit {
				color = "#555"
			}
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`, atX(low), atY(v), atX(high), atY(v), color)
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#555">%g×</text>`+"\n", atX(low)-5, atY(v)+4, v)
		}
		for _, v := range c.ticks(low, high) {
			label := fmt.Sprint(v)
			if c.logX {
				label = sizeString(int(v))
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#555">%s</text>`+"\n", atX(v), y0+height-bottom+16, label)
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#555">%s</text>`+"\n", (atX(low)+atX(high))/2, y0+height-bottom+34, html.EscapeString(c.x))
		for i, l := range p.lines {
			fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colors[i%len(colors)])
			for _, q := range l.points {
				fmt.Fprintf(&b, "%.1f,%.1f ", atX(q.x), atY(q.y))
			}
			fmt.Fprint(&b, `"/>`+"\n")
		}
	}
	fmt.Fprint(&b, "</svg>\n")
	return b.Bytes()
}

func (c *chart) scale(x float64) float64 {
	if c.logX {
		return math.Log2(x)
	}
	return x
}

// ranges are the ends of the horizontal axis and the top of the vertical one.
func (c *chart) ranges() (low, high, most float64) {
	low, most = math.Inf(1), c.limit
	for _, p := range c.panels {
		for _, l := range p.lines {
			for _, q := range l.points {
				low, high, most = min(low, q.x), max(high, q.x), max(most, q.y)
			}
		}
	}
	return low, high, math.Ceil(2*most) / 2
}

// ticks are tens, or powers of eight times the lowest.
func (c *chart) ticks(low, high float64) (at []float64) {
	if c.logX {
		for v := low; v <= high; v *= 8 {
			at = append(at, v)
		}
		return at
	}
	for v := math.Ceil(low/10) * 10; v <= high; v += 10 {
		at = append(at, v)
	}
	return at
}
