package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The same patterns as the report, as ordinary Go benchmarks: names such as
// BenchmarkAdd/float32/row/512x512 are meant for benchstat.

var dtypes = []string{"float32", "float64", "int32", "int64", "uint8"}

// allSizes hold tiny, middle and large results, powers of two and not.
var allSizes = []struct {
	pattern
	sizes [][2]int
}{
	{contiguous, [][2]int{{1, 1}, {1, 3}, {1, 8}, {1, 31}, {1, 64}, {1, 1021}, {100, 31}, {512, 512}, {1000, 1000}}},
	{scalar, [][2]int{{1, 1}, {1, 3}, {1, 8}, {1, 31}, {1, 64}, {1, 1021}, {512, 512}, {1000, 1000}}},
	{row, [][2]int{{3, 3}, {8, 8}, {31, 31}, {64, 64}, {512, 512}, {999, 1001}, {100000, 3}, {100000, 7}}},
	{column, [][2]int{{3, 3}, {8, 8}, {31, 31}, {64, 64}, {512, 512}, {999, 1001}, {100000, 3}, {20000, 16}}},
	{outer, [][2]int{{3, 3}, {31, 31}, {512, 512}, {999, 1001}}},
	{transposed, [][2]int{{8, 8}, {31, 31}, {64, 64}, {1000, 1000}, {1024, 1024}}},
	{stepped, [][2]int{{1, 31}, {1, 1021}, {512, 512}}},
}

// mainSizes are one power of two and one other.
var mainSizes = [][2]int{{512, 512}, {317, 331}}

func BenchmarkAdd(b *testing.B) {
	for _, dtype := range dtypes {
		for _, p := range allSizes {
			sizes := mainSizes
			if dtype == "float32" {
				sizes = p.sizes
			}
			for _, s := range sizes {
				b.Run(dtype+"/"+p.name+"/"+sizeName(s), func(b *testing.B) {
					timeCall(b, "add", p.operands(dtype, s[0], s[1]))
				})
			}
		}
	}
}

func BenchmarkSub(b *testing.B)     { timeBinary(b, "sub") }
func BenchmarkMul(b *testing.B)     { timeBinary(b, "mul") }
func BenchmarkDiv(b *testing.B)     { timeBinary(b, "div") }
func BenchmarkMaximum(b *testing.B) { timeBinary(b, "maximum") }
func BenchmarkMinimum(b *testing.B) { timeBinary(b, "minimum") }
func BenchmarkNeg(b *testing.B)     { timeUnary(b, "neg") }
func BenchmarkAbs(b *testing.B)     { timeUnary(b, "abs") }
func BenchmarkSqrt(b *testing.B)    { timeUnary(b, "sqrt") }

func timeBinary(b *testing.B, op string) {
	for _, dtype := range dtypes {
		if operations[dtype][op] == nil {
			continue
		}
		for _, p := range []pattern{contiguous, scalar, row, column} {
			b.Run(dtype+"/"+p.name+"/512x512", func(b *testing.B) {
				timeCall(b, op, p.operands(dtype, 512, 512))
			})
		}
	}
}

func timeUnary(b *testing.B, op string) {
	for _, dtype := range dtypes {
		if operations[dtype][op] == nil {
			continue
		}
		for _, s := range [][2]int{{1, 31}, {317, 331}, {512, 512}} {
			b.Run(dtype+"/contiguous/"+sizeName(s), func(b *testing.B) {
				timeCall(b, op, contiguous.operands(dtype, s[0], s[1])[:1])
			})
		}
	}
}

func sizeName(s [2]int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(grid(s[0], s[1])), "[]"), " ", "x")
}

func timeCall(b *testing.B, op string, operands []operand) {
	c, err := newCall(op, operands)
	require.NoError(b, err)
	require.NoError(b, c.run())
	b.SetBytes(int64(c.bytes))
	b.ReportAllocs()
	for b.Loop() {
		c.run()
	}
}
