package broadcast

import (
	"bytes"
	"log"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// here gives the line of its call.
func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

// collect gathers warnings for the rest of a test.
func collect(t *testing.T) *[]Warning {
	var got []Warning
	t.Cleanup(SetWarnHandler(func(w Warning) { got = append(got, w) }))
	return &got
}

// withEnv makes the package read its environment again.
func withEnv(t *testing.T, value string) {
	before := warnings.Load()
	t.Setenv("LANECAST_WARN", value)
	warnings.Store(nil)
	t.Cleanup(func() { warnings.Store(before) })
}

func TestWarnEnv(t *testing.T) {
	for _, c := range []struct {
		value, unknown string
		want           WarnKind
	}{
		{"", "", 0},
		{"outer", "", Outer},
		{"outer,legacy,changed", "", Outer | Legacy | Changed},
		{" changed , legacy,", "", Changed | Legacy},
		{"all", "all", 0},
		{"outer,Legacy,x", "Legacy", Outer},
	} {
		t.Run(c.value, func(t *testing.T) {
			withEnv(t, c.value)
			require.Equal(t, c.want, WarnEnabled())
			err := WarnEnvError()
			if c.unknown == "" {
				require.NoError(t, err)
				return
			}
			var e *WarnError
			require.ErrorAs(t, err, &e)
			require.Equal(t, WarnError{Value: c.value, Word: c.unknown}, *e)
			require.ErrorContains(t, err, "outer,legacy,changed")
			restore := SetWarnHandler(nil)
			require.Equal(t, err, WarnEnvError(), "a handler does not hide it")
			restore()
		})
	}
}

func TestWarnOncePerPlace(t *testing.T) {
	got := collect(t)
	var line int
	for range 3 {
		Warn(Outer, []int{3}, []int{3, 1})
		line = here() - 1
	}
	Warn(Outer, []int{3}, []int{3, 1})
	Warn(Legacy, []int{6}, []int{2, 3})
	require.Len(t, *got, 3)
	for i, w := range *got {
		require.True(t, strings.HasSuffix(w.File, "warn_test.go"), w.File)
		require.Equal(t, line+[]int{0, 3, 4}[i], w.Line)
	}
	require.Equal(t, Outer, (*got)[0].Kind)
	require.Equal(t, [][]int{{3}, {3, 1}}, (*got)[0].Shapes)
	require.Equal(t, Legacy, (*got)[2].Kind)
}

func TestWarnBroadcast(t *testing.T) {
	for _, c := range []struct {
		shapes [][]int
		want   []string
	}{
		{[][]int{{4, 1}, {4}}, []string{
			"broadcast stretches every operand: shapes (4,1) and (4,) give (4,4)",
			"shapes (4,1) and (4,) have equally many elements and give (4,4), where PyTorch before 0.2 paired them and gave (4,1)"}},
		{[][]int{{1, 4}, {4}}, []string{
			"shapes (1,4) and (4,) have equally many elements and give (1,4), where PyTorch before 0.2 paired them and gave (1,4)"}},
		{[][]int{{2, 1}, {3}}, []string{"broadcast stretches every operand: shapes (2,1) and (3,) give (2,3)"}},
		{[][]int{{2, 3}, {3}}, nil},
		{[][]int{{2, 3}, {2, 3}}, nil},
		{[][]int{{4, 1}, {4}, {4, 4}}, nil},
	} {
		got := collect(t)
		WarnBroadcast(c.shapes...)
		var texts []string
		for _, w := range *got {
			texts = append(texts, w.String())
		}
		require.Equal(t, c.want, texts, "%v", c.shapes)
	}
}

func TestWarnKeepsItsShapes(t *testing.T) {
	got := collect(t)
	s := []int{3}
	Warn(Outer, s, []int{3, 1})
	s[0] = 7
	require.Equal(t, []int{3}, (*got)[0].Shapes[0])
}

func TestSetWarnHandler(t *testing.T) {
	withEnv(t, "")
	require.Zero(t, WarnEnabled())
	calls := 0
	outer := SetWarnHandler(func(Warning) { calls++ })
	require.Equal(t, Outer|Legacy|Changed, WarnEnabled())
	inner := SetWarnHandler(nil)
	require.Zero(t, WarnEnabled())
	Warn(Outer, []int{1})
	require.Zero(t, calls)
	inner()
	Warn(Outer, []int{1})
	require.Equal(t, 1, calls)
	outer()
	require.Zero(t, WarnEnabled())
	Warn(Outer, []int{1})
	require.Equal(t, 1, calls)
}

func TestWarnLogs(t *testing.T) {
	withEnv(t, "legacy")
	var out bytes.Buffer
	before, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(writer) // which SetDefault changes
		log.SetFlags(flags)
	})
	Warn(Outer, []int{3}, []int{3, 1})
	require.Empty(t, out.String(), "not asked for")
	Warn(Legacy, []int{6}, []int{2, 3})
	for _, part := range []string{"level=WARN", "shapes (6,) and (2,3) do not broadcast", "kind=legacy", "warn_test.go", "line="} {
		require.Contains(t, out.String(), part)
	}
}

func TestWarnConcurrently(t *testing.T) {
	var mu sync.Mutex
	calls := 0
	t.Cleanup(SetWarnHandler(func(Warning) { mu.Lock(); calls++; mu.Unlock() }))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				Warn(Outer, []int{3}, []int{3, 1})
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, calls)
}

func TestWarnSkipsThisModule(t *testing.T) {
	require.Equal(t, reflect.TypeFor[Warning]().PkgPath(), module+"broadcast")
	for _, c := range []struct {
		want           bool
		function, file string
	}{
		{true, module + "tensor.Add[...]", "tensor/binary.go"},
		{true, module + "tensor.(*Tensor[...]).Set", "tensor/tensor.go"},
		{true, module + "dispatch.Run.func1", "dispatch/walk.go"},
		{true, module + "broadcast.Warn", "broadcast/warn.go"},
		{false, module + "tensor.TestAdd", "tensor/binary_test.go"},
		{false, module + "tensor_test.TestAdd", "tensor/binary_test.go"},
		{false, module + "bench.run", "bench/run.go"},
		{false, "main.main", "main.go"},
		{false, "example.com/tensor.Add", "tensor.go"},
	} {
		require.Equal(t, c.want, internal(runtime.Frame{Function: c.function, File: c.file}), c.function)
	}
}

func BenchmarkWarnOff(b *testing.B) {
	b.Cleanup(SetWarnHandler(nil))
	for b.Loop() {
		if WarnEnabled() != 0 {
			b.Fatal("on")
		}
	}
}
