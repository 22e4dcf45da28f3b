package gosrc

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

func statements(in []lane.Type, f func(*lane.B, []lane.V) lane.V) string {
	t := New()
	t.Kernel("F", loop.Loops(len(in))[0], loop.Kernel{Prog: lane.Build(t.Rules(), in, f)})
	return t.body.String()
}

func TestExpressions(t *testing.T) {
	f32, u8 := []lane.Type{lane.F32, lane.F32, lane.F32}, []lane.Type{lane.U8, lane.U8}
	for _, c := range []struct {
		name string
		in   []lane.Type
		f    func(b *lane.B, a []lane.V) lane.V
		want []string
	}{
		{"products are rounded before they are added", f32,
			func(b *lane.B, a []lane.V) lane.V { return b.Sub(b.Mul(a[0], a[1]), a[2]) },
			[]string{"out[i] = inOrder(float32(x[i] * y[i]), x[i], y[i]) - z[i]"}},
		{"what is used twice has a name", u8,
			func(b *lane.B, a []lane.V) lane.V { s := b.Add(a[0], a[1]); return b.Mul(s, s) },
			[]string{"v2 := x[i] + y[i]", "out[i] = v2 * v2"}},
		{"parentheses", u8,
			func(b *lane.B, a []lane.V) lane.V { return b.Mul(a[0], b.Add(a[0], a[1])) },
			[]string{"out[i] = x[i] * (x[i] + y[i])"}},
		{"signs are bits", f32[:1],
			func(b *lane.B, a []lane.V) lane.V { return b.Abs(a[0]) },
			[]string{"out[i] = math.Float32frombits(math.Float32bits(x[i]) & 0x7fffffff)"}},
		{"selection", u8,
			func(b *lane.B, a []lane.V) lane.V { return b.Select(b.Lt(a[0], a[1]), a[0], b.Bits(lane.U8, 3)) },
			[]string{"v4 := uint8(0x3)", "if x[i] < y[i] { v4 = x[i] }", "out[i] = v4"}},
	} {
		src := statements(c.in, c.f)
		for _, want := range c.want {
			assert.Contains(t, src, want+"\n", c.name)
		}
	}
}

// Every op on every type, default compositions too, is Go that type-checks.
func TestSourceTypeChecks(t *testing.T) {
	all := []lane.Type{lane.F32, lane.F64, lane.I8, lane.I16, lane.I32, lane.I64, lane.U8, lane.U16, lane.U32, lane.U64}
	tgt := New()
	for _, e := range all {
		for name, f := range map[string]func(b *lane.B, a []lane.V) lane.V{
			"Arithmetic": func(b *lane.B, a []lane.V) lane.V { return b.Sub(b.Add(a[0], a[1]), b.Mul(a[1], b.Neg(a[0]))) },
			"Bits": func(b *lane.B, a []lane.V) lane.V {
				return b.Xor(b.And(a[0], a[1]), b.Or(b.AndNot(a[0], a[1]), b.Bits(e, 5)))
			},
			"Compare": func(b *lane.B, a []lane.V) lane.V {
				m := b.MaskOr(b.Le(a[0], a[1]), b.MaskNot(b.Ne(a[0], a[1])))
				x := b.ToBool(m)
				return b.AndNot(b.Not(b.Or(x, b.And(x, b.ToBool(b.Lt(a[0], a[1]))))), x)
			},
			"Choose": func(b *lane.B, a []lane.V) lane.V {
				return b.Select(b.ToMask(e, b.ToBool(b.Eq(a[0], a[1]))), a[0], a[1])
			},
			"ShiftBy": func(b *lane.B, a []lane.V) lane.V {
				if e.Kind == lane.Float {
					i := map[int]lane.Type{4: lane.I32, 8: lane.I64}[e.Bytes]
					return b.View(e, b.SarBy(b.View(i, a[0]), b.View(i, a[1])))
				}
				return b.Xor(b.ShlBy(a[0], a[1]), b.Sub(b.ShrBy(a[0], a[1]), b.SarBy(a[0], a[1])))
			},
			"Order": func(b *lane.B, a []lane.V) lane.V { return b.Add(b.Maximum(a[0], a[1]), b.Minimum(a[0], b.Abs(a[1]))) },
			"Default": func(b *lane.B, a []lane.V) lane.V {
				x := lane.Default(lane.Maximum)(b, a)
				return lane.Default(lane.Minimum)(b, []lane.V{x, lane.Default(lane.Abs)(b, a[:1])})
			},
			"Shift": func(b *lane.B, a []lane.V) lane.V {
				if e.Kind == lane.Float {
					return b.Div(b.Sqrt(a[0]), a[1])
				}
				return b.Add(b.Shl(a[0], 1), b.Sub(b.Shr(a[0], 2), b.Sar(a[1], 3)))
			},
		} {
			k := loop.Kernel{Prog: lane.Build(tgt.Rules(), []lane.Type{e, e}, f)}
			for _, l := range loop.Loops(2) {
				tgt.Kernel(name+e.Title()+l.Name, l, k)
			}
		}
	}
	out, err := tgt.Print()
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "kernels.go", out, 0)
	require.NoError(t, err)
	helpers, err := parser.ParseFile(fset, "nan.go", "package asm\nfunc inOrder[T float32 | float64](z, x, y T) T { return z }", 0)
	require.NoError(t, err)
	_, err = (&types.Config{Importer: importer.Default()}).Check("asm", fset, []*ast.File{file, helpers}, nil)
	require.NoError(t, err)
}
