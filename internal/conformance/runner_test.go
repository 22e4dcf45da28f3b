package conformance

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/tensor"
)

func TestFloatBits(t *testing.T) {
	for _, dtype := range []string{"float16", "bfloat16"} {
		for bits := range uint64(1 << 16) {
			if v := float(dtype, bits); !math.IsNaN(v) {
				require.Equal(t, bits, floatBits(dtype, v), "%s %v", dtype, v)
			}
		}
	}
	for _, c := range []struct {
		dtype string
		v     float64
		want  uint64
	}{
		{"float16", 65504, 0x7bff}, {"float16", 65519.99, 0x7bff}, {"float16", 65520, 0x7c00}, // half of a unit beyond the largest
		{"float16", 2049, 0x6800}, {"float16", 2051, 0x6802}, // ties
		{"float16", math.Ldexp(1, -25), 0}, {"float16", math.Ldexp(1.001, -25), 1},
		{"float16", math.NaN(), 0x7e00}, {"bfloat16", math.Inf(-1), 0xff80}, {"bfloat16", 257, 0x4380},
		{"float32", 0.1, 0x3dcccccd}, {"float64", -2, 0xc000000000000000}, {"int8", -1, 0xff}, {"uint64", 3, 3},
	} {
		assert.Equal(t, c.want, floatBits(c.dtype, c.v), "%s %v", c.dtype, c.v)
	}
}

func TestTolerance(t *testing.T) {
	f32 := func(v float64) uint64 { return floatBits("float32", v) }
	nan, zero, one := f32(math.NaN()), f32(0), f32(1)
	minus := zero | 1<<31
	exact := tolerance{}
	assert.True(t, exact.same("float32", nan, nan|1<<31|1))
	assert.False(t, exact.same("float32", nan, one))
	assert.False(t, exact.same("float32", zero, minus))
	assert.True(t, tolerance{unsignedZero: true}.same("float32", zero, minus))
	assert.False(t, exact.same("float32", one, one+1))
	assert.True(t, tolerance{ulps: 1}.same("float32", one, one+1))
	assert.False(t, tolerance{ulps: 1}.same("float32", one, one+2))
	assert.True(t, tolerance{ulps: 2}.same("float32", 1, minus|1))
	assert.True(t, tolerance{relative: 1e-3}.same("float32", one, f32(1.0009)))
	assert.False(t, tolerance{relative: 1e-3}.same("float32", one, f32(1.0011)))
	assert.False(t, tolerance{relative: 1, absolute: 1e9}.same("float32", f32(math.Inf(1)), f32(math.MaxFloat32)))
	assert.False(t, tolerance{relative: 1}.same("int32", 1, 2))
	assert.Error(t, exact.compare("int8", []uint64{1, 2}, []uint64{1}))
	assert.ErrorContains(t, exact.compare("int8", []uint64{1, 255}, []uint64{1, 0}), "element 1 of 2 is 0, want -1")
	assert.Equal(t, 3.0, distance("float64", 1<<63|1, 2))
	assert.Equal(t, 1.0, distance("float64", 1<<62+1, 1<<62))
}

func TestChoose(t *testing.T) {
	f32, err := newTensor("float32", []int{2}, []uint64{0, 0})
	require.NoError(t, err)
	i8, err := newTensor("int8", nil, []uint64{5})
	require.NoError(t, err)
	instances := []reflect.Value{
		reflect.ValueOf(func(x *tensor.Tensor[float64], s float64, _ ...tensor.Option) (*tensor.Tensor[float64], error) {
			return x, nil
		}),
		reflect.ValueOf(func(x *tensor.Tensor[float32], s float32, _ ...tensor.Option) (*tensor.Tensor[float32], error) {
			assert.Equal(t, float32(2.5), s)
			return x, errors.New("seen")
		}),
	}
	_, err = choose("F", instances, []any{f32, number("2.5")}, nil)
	assert.EqualError(t, err, "seen")
	_, err = choose("F", instances, []any{i8, number("2.5")}, nil)
	assert.True(t, as[*inexpressibleError](err), "an operation on floats only")
	half, err := newTensor("float16", nil, []uint64{0})
	require.NoError(t, err)
	_, err = choose("F", instances, []any{half, number("2.5")}, nil)
	assert.True(t, as[*waitingError](err), "another floating-point type may come")
	_, err = choose("F", instances, []any{f32}, nil)
	assert.True(t, as[*callError](err), "a missing argument")
	_, err = choose("F", instances, []any{f32, number("1"), number("1")}, nil)
	assert.True(t, as[*callError](err), "one too many")
	_, err = choose("F", instances, []any{f32, []int{1}}, nil)
	assert.True(t, as[*callError](err), "a list for a number")

	scalar := []reflect.Value{reflect.ValueOf(func(x *tensor.Tensor[int8]) *tensor.Tensor[int8] { return x })}
	out, err := single(choose("G", scalar, []any{number("-3")}, nil))
	require.NoError(t, err)
	assert.Equal(t, []uint64{0xfd}, elements["int8"].elements(out), "a number becomes a scalar tensor")

	joined := []reflect.Value{reflect.ValueOf(func(axis int, xs ...*tensor.Tensor[int8]) (*tensor.Tensor[int8], error) { return xs[axis], nil })}
	out, err = single(choose("H", joined, []any{1, []view{i8, i8}}, nil))
	require.NoError(t, err)
	assert.Equal(t, i8, out)
	_, err = choose("H", joined, []any{1, []view{i8, f32}}, nil)
	assert.EqualError(t, err, "cannot express H of [int int8 float32]")
	_, err = call("NoSuchFunction", nil)
	assert.True(t, as[*waitingError](err))
}

func TestPendingFailsWhenTheFunctionExists(t *testing.T) {
	var q query
	_, err := pending("NoSuchFunction")(&q)
	assert.True(t, as[*waitingError](err))
	_, err = pending("NoSuchFunction", "Add")(&q)
	assert.True(t, as[*callError](err))
	_, err = q.answer(nil, "no_such_function")
	assert.True(t, as[*waitingError](err))
	_, err = q.answer(nil, "add")
	assert.True(t, as[*callError](err))
}

// TestRulesWithoutRecords holds rules that no record falls under.
func TestRulesWithoutRecords(t *testing.T) {
	f32 := func(v float64) uint64 { return floatBits("float32", v) }
	f64 := math.Float64bits
	for _, c := range []struct {
		rule, op, dtype, to string
		args                []uint64
		numbers             []any
		want                uint64 // unless the rule refuses
	}{
		{"cast-rounds-once", "Cast", "float64", "float16", []uint64{f64(1 + 0x1p-11 + 0x1p-40)}, nil, 0x3c01},
		{"cast-rounds-once", "Cast", "float64", "float16", []uint64{f64(-1 - 0x3p-11 + 0x1p-40)}, nil, 0xbc01},
		{"cast-rounds-once", "Cast", "float64", "bfloat16", []uint64{f64(1 + 0x1p-8 + 0x1p-40)}, nil, 0x3f81},
		{"cast-rounds-once", "Cast", "int32", "bfloat16", []uint64{1<<24 + 1<<16 + 1}, nil, f32(0x1p24+0x1p17) >> 16},
		{"cast-rounds-once", "Cast", "int64", "bfloat16", []uint64{1<<62 + 1<<54 + 1}, nil, f32(0x1p62+0x1p55) >> 16},
		{"cast-rounds-once", "Cast", "int64", "bfloat16", []uint64{1<<64 - (1<<62 + 1<<54 + 1)}, nil, f32(-0x1p62-0x1p55) >> 16},
		{"is-close-of-an-overflow", "IsClose", "float64", "bool",
			[]uint64{f64(math.MaxFloat64), f64(-math.MaxFloat64)}, []any{number("2"), number("0")}, 0},
		{"is-close-of-an-overflow", "IsClose", "float32", "bool",
			[]uint64{f32(-math.MaxFloat32), f32(math.MaxFloat32)}, []any{number("0"), number("inf")}, 0},
		{"negative-tolerance", "IsClose", "float32", "bool", []uint64{f32(1), f32(1)}, []any{number("-1"), number("2")}, 0},
		{"negative-tolerance", "IsClose", "float64", "bool", []uint64{f64(1), f64(1)}, []any{number("2"), number("-1")}, 0},
		{"negative-tolerance", "IsClose", "float64", "bool", []uint64{f64(1), f64(1)}, []any{number("nan"), number("0")}, 0},
		{"addmul-is-fused", "AddMul", "float32", "float32",
			[]uint64{f32(16777218), f32(1 + 0x1p-15), f32(1 - 0x1p-15)}, []any{number("1")}, f32(16777218)},
		{"addmul-is-fused", "AddMul", "float64", "float64",
			[]uint64{f64(-1), f64(1 + 0x1p-52), f64(1 - 0x1p-52)}, []any{number("1")}, f64(-0x1p-104)},
	} {
		q := &query{}
		for _, bits := range c.args {
			x, err := newTensor(c.dtype, []int{1}, []uint64{bits})
			require.NoError(t, err)
			q.in = append(q.in, x)
		}
		var got view
		var err error
		if c.op == "Cast" {
			got, err = q.cast(c.to, q.in[0])
		} else {
			got, err = q.apply(c.op, append(q.operands(), c.numbers...)...)
		}
		element := q.made[0].cases([]int{1}, c.to)[0]
		rule := ruleFor(element)
		require.NotNil(t, rule, "%+v", c)
		assert.Equal(t, c.rule, rule.name)
		if rule.refuses {
			assert.True(t, isTyped(err), "%+v: %v", c, err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []uint64{c.want}, elements[c.to].elements(got), "%+v", c)
		assert.Equal(t, c.want, rule.ours(element), "%+v", c)
	}
	exact := elementCase{op: "Cast", dtype: "float64", to: "float16", args: []uint64{f64(1 + 0x1p-11)}}
	assert.Nil(t, ruleFor(exact), "a tie goes to even, either way")
}

func TestTally(t *testing.T) {
	y := newTally("file")
	for _, c := range []struct {
		rules []string
		err   error
	}{
		{}, {rules: []string{"a", "b", "a"}}, {err: fmt.Errorf("wrapped: %w", &waitingError{"Add"})}, {err: &inexpressibleError{"complex"}},
	} {
		y.record(t, "r", func() ([]string, error) { return c.rules, c.err })
	}
	assert.Equal(t, &tally{
		file: "file", records: 4, ran: 2, passed: 1, diverged: 1,
		rules: map[string]int{"a": 1, "b": 1}, waiting: map[string]int{"Add": 1}, unable: map[string]int{"complex": 1},
	}, y)
	_, err := guarded(func() ([]string, error) { panic("oh") })
	assert.EqualError(t, err, "panic: oh")
	assert.False(t, isTyped(errors.New("plain")))
	assert.True(t, isTyped(fmt.Errorf("wrapped: %w", &tensor.AxisError{})))
}

func TestAffine(t *testing.T) {
	transposed := addresses(layout{Size: []int{2, 3}, Stride: []int{1, 2}})
	assert.Equal(t, []uint64{0, 2, 4, 1, 3, 5}, transposed)
	assert.True(t, affine(transposed, []int{2, 1, 3}))
	assert.False(t, affine(transposed, []int{6}))
	assert.False(t, affine(transposed, []int{3, 2}))
	assert.True(t, affine([]uint64{5, 3, 1}, []int{1, 3}))
	assert.True(t, affine(nil, []int{0, 7}))
}

// The runner must fail on a missing file, on a wrong record, and when nothing
// ran: it is run on such corpora in a process of its own.
func TestRunnerFails(t *testing.T) {
	if os.Getenv("LANECAST_CORPORA") != "" {
		t.Skip("runs on the committed records")
	}
	run := func(dir string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCorpora$", "-test.v")
		cmd.Env = append(os.Environ(), "LANECAST_CORPORA="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	dir := t.TempDir()
	write := func(file string, lines []map[string]any) {
		f, err := os.Create(filepath.Join(dir, filepath.FromSlash(file)))
		require.NoError(t, err)
		defer f.Close()
		z := gzip.NewWriter(f)
		for _, line := range lines {
			require.NoError(t, json.NewEncoder(z).Encode(line))
		}
		require.NoError(t, z.Close())
	}
	out, err := run(dir)
	require.Error(t, err)
	assert.Contains(t, out, "no such file")
	assert.Contains(t, out, "nothing ran")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "semantics"), 0o755))
	const shapes = "semantics/shapes.jsonl.gz"
	committed := map[string][]map[string]any{}
	for file := range corpora {
		if filepath.Ext(file) != ".gz" || file == "libm.jsonl.gz" {
			continue
		}
		lines, err := records[map[string]any](file)
		require.NoError(t, err)
		committed[file] = lines[:10]
		write(file, committed[file])
	}
	out, err = run(dir)
	require.NoError(t, err, out)

	wrong := map[string]any{"name": "wrong", "shapes": [][]int{{2}, {1}}, "result": []int{3}}
	write(shapes, []map[string]any{wrong})
	out, err = run(dir)
	require.Error(t, err)
	assert.Contains(t, out, "wrong: Shape([[2] [1]])")

	write(shapes, nil)
	out, err = run(dir)
	require.Error(t, err)
	assert.Contains(t, out, "has no records")

	require.NoError(t, os.Remove(filepath.Join(dir, "onnx.jsonl.gz")))
	write(shapes, committed[shapes])
	out, err = run(dir)
	require.Error(t, err)
	assert.Contains(t, out, "onnx.jsonl.gz: no such file")
}
