package main

import (
	"fmt"
	"io"
	"time"

	"github.com/lanecast/lanecast/tensor"
)

const (
	longestRow  = 70
	rowElements = 300 << 10
	rowLimit    = 2 // times the contiguous case, everywhere
)

// rowCurves are the ways in which an operand is stretched over short rows.
var rowCurves = []string{"x - row", "row - x", "x - column", "column - x"}

// sweepRows compares each row length with contiguous operands of as many
// elements: what a row costs to begin must not show.
func sweepRows(out io.Writer, short bool) (*chart, error) {
	rounds, slice := 15, 2*time.Millisecond
	if short {
		rounds, slice = 2, 100*time.Microsecond
	}
	c := &chart{
		title: "Time per element of short rows, as a multiple of contiguous operands'",
		x:     "elements in a row", limit: rowLimit,
		panels: []panel{
			rowPanel[int8]("int8", rounds, slice),
			rowPanel[int16]("int16", rounds, slice),
			rowPanel[float32]("float32", rounds, slice),
			rowPanel[float64]("float64", rounds, slice),
		},
	}
	fmt.Fprintf(out, "## Row lengths from 1 to %d\n\n%s. Written by `go run ./bench/sweep rows`.\n\n", longestRow, machine())
	fmt.Fprintf(out, "Subtraction of %d Ki elements on one goroutine, where one operand is a row or a column that is stretched: time per\n"+
		"element as a multiple of that of two contiguous operands of the same size, measured in turn, fastest of %d rounds.\n"+
		"A cell has the worst row length from 1 to %d; the limit is %d×.\n\n", rowElements>>10, rounds, longestRow, rowLimit)
	fmt.Fprint(out, "| type |")
	for _, name := range rowCurves {
		fmt.Fprintf(out, " %s |", name)
	}
	fmt.Fprintf(out, " lengths above %d× |\n|---|---:|---:|---:|---:|---:|\n", rowLimit)
	for _, p := range c.panels {
		fmt.Fprintf(out, "| %s |", p.title)
		above := 0
		for _, l := range p.lines {
			worst := l.points[0]
			for _, point := range l.points {
				if point.y > worst.y {
					worst = point
				}
				if point.y > rowLimit {
					above++
				}
			}
			fmt.Fprintf(out, " %.2f× at %.0f |", worst.y, worst.x)
		}
		fmt.Fprintf(out, " %d of %d |\n", above, len(rowCurves)*longestRow)
	}
	return c, nil
}

// rowPanel has a curve for each way, over all row lengths.
func rowPanel[T tensor.Number](title string, rounds int, slice time.Duration) panel {
	p := panel{title: title}
	for _, name := range rowCurves {
		p.lines = append(p.lines, line{name: name})
	}
	a, b, c := numbers[T](rowElements), numbers[T](rowElements), numbers[T](rowElements)
	for cols := 1; cols <= longestRow; cols++ {
		rows := rowElements / cols
		dst, x, y := view(a, rows, cols), view(b, rows, cols), view(c, rows, cols)
		row, column := view(c, cols), view(c, rows, 1)
		sub := func(x, y *tensor.Tensor[T]) func() {
			return func() {
				if err := tensor.SubTo(dst, x, y, tensor.Serial); err != nil {
					panic(err) // the shapes above broadcast
				}
			}
		}
		ns := fastest(rounds, slice, sub(x, y), sub(x, row), sub(row, x), sub(x, column), sub(column, x))
		for i := range p.lines {
			p.lines[i].points = append(p.lines[i].points, point{float64(cols), ns[1+i] / ns[0]})
		}
	}
	return p
}
