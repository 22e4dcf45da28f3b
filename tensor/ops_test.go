package tensor

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unsafe"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onEverySet runs a test once for each instruction set that this machine has.
func onEverySet(t *testing.T, test func(t *testing.T)) {
	for _, isa := range dispatch.Available() {
		t.Run(isa.String(), func(t *testing.T) {
			restore, err := dispatch.Use(isa)
			require.NoError(t, err)
			defer restore()
			test(t)
		})
	}
}

// arange holds 1, 2, 3, … in a shape.
func arange[T Number](shape ...int) *Tensor[T] {
	data := make([]T, product(shape))
	for i := range data {
		data[i] = T(i + 1)
	}
	return Must(FromSlice(data, shape...))
}

func TestRules(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct{ a, b, want []int }{
			{[]int{5, 7, 3}, []int{5, 7, 3}, []int{5, 7, 3}},
			{[]int{5, 3, 4, 1}, []int{3, 1, 1}, []int{5, 3, 4, 1}},
			{[]int{5, 1, 4, 1}, []int{3, 1, 1}, []int{5, 3, 4, 1}},
			{[]int{1}, []int{3, 1, 7}, []int{3, 1, 7}},
			{[]int{}, []int{3}, []int{3}},
			{[]int{}, []int{}, []int{}},
			{[]int{0, 3}, []int{1, 3}, []int{0, 3}},
			{[]int{3, 1}, []int{3}, []int{3, 3}},
			{[]int{100, 3}, []int{100, 1}, []int{100, 3}},
			{[]int{1, 8, 8, 2}, []int{16, 1, 1, 2}, []int{16, 8, 8, 2}},
		} {
			a, b := arange[float32](c.a...), arange[float32](c.b...)
			for _, flip := range []bool{false, true} {
				if flip {
					a, b = b, a
				}
				y, err := Sub(a, b)
				require.NoError(t, err)
				require.Equal(t, c.want, y.Shape())
				ea, eb := Must(a.Expand(c.want...)), Must(b.Expand(c.want...))
				for i := range y.All() {
					require.Equal(t, ea.At(i...)-eb.At(i...), y.At(i...), "%v - %v at %v", c.a, c.b, i)
				}
			}
		}
	})
}

func TestMismatch(t *testing.T) {
	_, err := Add(arange[float32](5, 2, 4, 1), arange[float32](3, 1, 1))
	var m *broadcast.MismatchError
	require.ErrorAs(t, err, &m)
	assert.Equal(t, []int{2, 3, 1}, []int{m.SizeA, m.SizeB, m.Dim})
	assert.ErrorContains(t, err, "non-singleton dimension 1")

	_, err = Add(&Tensor[float32]{}, arange[float32](2, 2))
	require.ErrorAs(t, err, &m, "(0,) and (2,2)")
}

func TestInPlace(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		x := arange[float32](5, 3, 4, 1)
		want := Must(Add(x, arange[float32](3, 1, 1))).Data()
		require.NoError(t, AddTo(x, x, arange[float32](3, 1, 1)))
		assert.Equal(t, []int{5, 3, 4, 1}, x.Shape())
		assert.Equal(t, want, x.Data())

		y := arange[float32](10) // y[::2] += 100, reversed too
		even := Must(Must(y.Slice(0, 0, 10, 2)).Flip(0))
		require.NoError(t, AddTo(even, even, Scalar[float32](100)))
		assert.Equal(t, []float32{101, 2, 103, 4, 105, 6, 107, 8, 109, 10}, y.Data())

		wide := arange[int32](4, 5) // a short row into a wider array
		left := Must(wide.Slice(1, 0, 2, 1))
		require.NoError(t, MulTo(left, left, Must(FromSlice([]int32{0, -1}, 2))))
		assert.Equal(t, []int32{0, -2, 3, 4, 5, 0, -7, 8, 9, 10, 0, -12, 13, 14, 15, 0, -17, 18, 19, 20}, wide.Data())
	})
}

// What is refused leaves every byte of the destination as it was.
func TestDestinationErrors(t *testing.T) {
	row := arange[float32](4)
	for _, c := range []struct {
		name string
		dst  *Tensor[float32]
		a, b *Tensor[float32]
		as   any
	}{
		{"smaller", arange[float32](1, 3, 1), arange[float32](1, 3, 1), arange[float32](3, 1, 7), new(*broadcast.DestinationError)},
		{"would stretch", arange[float32](2, 3), arange[float32](3), arange[float32](3), new(*broadcast.DestinationError)},
		{"larger rank", arange[float32](1, 3), arange[float32](3), arange[float32](3), new(*broadcast.DestinationError)},
		{"mismatch", arange[float32](3), arange[float32](3), arange[float32](4), new(*broadcast.MismatchError)},
		{"expanded", Must(row.Expand(3, 4)), arange[float32](3, 4), arange[float32](4), new(*OverlapError)},
		{"windows", Must(row.Unfold(0, 2, 1)), arange[float32](3, 2), arange[float32](2), new(*OverlapError)},
		{"nil source", arange[float32](3), nil, arange[float32](3), new(*NilError)},
		{"nil second source", arange[float32](3), arange[float32](3), nil, new(*NilError)},
	} {
		before := bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&c.dst.data[0])), 4*len(c.dst.data)))
		err := AddTo(c.dst, c.a, c.b)
		require.ErrorAs(t, err, c.as, c.name)
		assert.Equal(t, before, unsafe.Slice((*byte)(unsafe.Pointer(&c.dst.data[0])), 4*len(c.dst.data)), c.name)
	}
	var n *NilError
	require.ErrorAs(t, AddTo(nil, row, row), &n)
	err := AddTo(arange[float32](1, 3, 1), arange[float32](1, 3, 1), arange[float32](3, 1, 7))
	var d *broadcast.DestinationError
	require.ErrorAs(t, err, &d)
	assert.ErrorContains(t, err, "7")
	assert.ErrorContains(t, err, "dimension 2")
}

func TestZeroTensor(t *testing.T) {
	var zero Tensor[float32]
	y, err := Add(&zero, &zero)
	require.NoError(t, err)
	assert.Equal(t, []int{0}, y.Shape())
	require.NoError(t, AddTo(&zero, &zero, Scalar[float32](1)))
	y, err = Add(&zero, arange[float32](2, 1))
	require.NoError(t, err)
	assert.Equal(t, []int{2, 0}, y.Shape())
	_, err = Neg[float32](nil)
	var n *NilError
	require.ErrorAs(t, err, &n)
}

func TestResultOrder(t *testing.T) {
	a := Must(arange[float32](4, 5).Transpose())
	y := Must(Add(a, a))
	assert.Equal(t, []int{1, 5}, y.Strides(), "the sum of transposed arrays is transposed")
	nhwc := Must(arange[float32](2, 4, 5, 3).Transpose(0, 3, 1, 2))
	y = Must(Sub(nhwc, arange[float32](3, 1, 1)))
	assert.Equal(t, nhwc.Strides(), y.Strides())
	assert.Equal(t, []int{5, 1}, Must(Add(arange[float32](4, 5), arange[float32](5))).Strides())
}

func TestOperationOptions(t *testing.T) {
	row, column := arange[float32](3), arange[float32](3, 1)
	_, err := Sub(row, column, NoOuter)
	var outer *OuterError
	require.ErrorAs(t, err, &outer)
	assert.Equal(t, []int{3, 3}, outer.Result)
	_, err = Sub(row, arange[float32](2, 3), NoOuter)
	require.NoError(t, err)
	_, err = FMA(row, column, arange[float32](3, 3), NoOuter)
	require.NoError(t, err, "not every operand is stretched")
	_, err = FMA(row, column, Scalar[float32](1), NoOuter)
	require.ErrorAs(t, err, &outer)
	assert.Equal(t, []int{3, 3}, outer.Result)

	_, err = Sub(row, column, SameRank)
	var rank *RankError
	require.ErrorAs(t, err, &rank)
	_, err = Sub(arange[float32](1, 3), column, SameRank)
	require.NoError(t, err)

	a, b := arange[float32](2, 3), Must(arange[float32](2, 3).Transpose())
	_, err = Add(a, b)
	require.Error(t, err)
	y, err := Add(a, b, Legacy)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 3}, y.Shape())
	assert.Equal(t, []float32{2, 6, 5, 9, 8, 12}, y.Data(), "paired in row-major order")
	_, err = Add(a, arange[float32](5), Legacy)
	require.Error(t, err)
	require.NoError(t, AddTo(a, a, b, Legacy))
	assert.Equal(t, []float32{2, 6, 5, 9, 8, 12}, a.Data())
	require.Error(t, AddTo(b, a, b, Legacy), "the result has the first operand's shape")
}

func TestOperationAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct {
			name string
			a, b *Tensor[float32]
		}{
			{"contiguous", arange[float32](31), arange[float32](31)},
			{"scalar", arange[float32](31), Scalar[float32](2)},
			{"row", arange[float32](10, 100), arange[float32](100)},
			{"column", arange[float32](10, 100), arange[float32](10, 1)},
			{"short row", arange[float32](100, 3), arange[float32](3)},
			{"short column", arange[float32](100, 3), arange[float32](100, 1)},
			{"transposed", arange[float32](40, 40), Must(arange[float32](40, 40).Transpose())},
			{"rank 8", arange[float32](2, 3, 2, 3, 2, 3, 2, 3), arange[float32](3, 1, 3, 1, 3, 1, 3)},
			{"turned and reversed", Must(arange[float32](65, 64).Transpose()), Must(arange[float32](64, 65).Flip(1))},
		} {
			dst := Must(Add(c.a, c.b))
			run := func() {
				if err := AddTo(dst, c.a, c.b, Serial); err != nil {
					t.Fatal(err)
				}
			}
			run()
			assert.Zero(t, testing.AllocsPerRun(50, run), c.name)
		}
		m := arange[float32](40, 8)
		left, right := Must(m.Narrow(1, 0, 4)), Must(m.Narrow(1, 4, 4))
		row, column := arange[float32](4), arange[float32](40, 1)
		for name, run := range map[string]func() error{
			"interleaved":       func() error { return AddTo(left, left, right, Serial) },
			"NoOuter, SameRank": func() error { return AddTo(left, left, column, Serial, NoOuter, SameRank) },
			"Legacy":            func() error { return AddTo(left, left, row, Serial, Legacy) },
		} {
			require.NoError(t, run(), name)
			assert.Zero(t, testing.AllocsPerRun(50, func() { _ = run() }), name)
		}
		a := arange[float32](8)
		assert.Equal(t, 2.0, testing.AllocsPerRun(50, func() { Must(Add(a, a)) }), "header and data")
	})
}

// randomView is a view over part of a storage, of the given shape or one that
// broadcasts to it; nil if the dice made none that fits.
func randomView(r *rand.Rand, data []int32, shape []int, stretch bool) *Tensor[int32] {
	shape = append([]int{}, shape...)
	strides, low, high, step := make([]int, len(shape)), 0, 0, 1
	if stretch {
		shape = shape[r.IntN(len(shape)+1)*r.IntN(2):]
		strides = strides[:len(shape)]
	}
	for _, i := range r.Perm(len(shape)) {
		if stretch && r.IntN(4) == 0 {
			shape[i] = 1
		}
		if stretch && r.IntN(8) == 0 {
			continue
		}
		strides[i] = step * (1 + r.IntN(3)/2)
		step = strides[i] * shape[i]
		if r.IntN(4) == 0 {
			strides[i] = -strides[i]
			low += (shape[i] - 1) * -strides[i]
		} else {
			high += (shape[i] - 1) * strides[i]
		}
	}
	if low+high+1 > len(data) {
		return nil
	}
	v, err := FromStrided(data, shape, strides, low+r.IntN(len(data)-low-high))
	if err != nil {
		panic(err)
	}
	return v
}

// checkShared runs AddTo on random views of one buffer, which may overlap in
// any way, and compares the buffer with what an index loop on copies gives.
func checkShared(t testing.TB, seed uint64) (overlapped bool) {
	r := rand.New(rand.NewPCG(seed, 2))
	data := make([]int32, 400)
	for i := range data {
		data[i] = r.Int32()
	}
	shape := make([]int, r.IntN(4))
	for i := range shape {
		shape[i] = 1 + r.IntN(9)
	}
	if r.IntN(3) == 0 {
		shape = []int{1 + r.IntN(180)}
	}
	dst := randomView(r, data, shape, false)
	a, b := randomView(r, data, shape, true), randomView(r, data, shape, true)
	if dst == nil || a == nil || b == nil {
		return false
	}
	if r.IntN(4) == 0 {
		a = dst
	}
	want := append([]int32{}, data...)
	if err := broadcast.Into(shape, a.shape, b.shape); err != nil {
		require.Error(t, AddTo(dst, a, b))
		require.Equal(t, want, data)
		return false
	}
	ea, err := a.Expand(shape...)
	require.NoError(t, err)
	eb, err := b.Expand(shape...)
	require.NoError(t, err)
	av, bv := ea.Data(), eb.Data()
	i := 0
	for index := range dst.All() {
		want[dst.position(index)] = av[i] + bv[i]
		i++
	}
	overlapped = overlaps(&dst.array, &b.array)
	if err := AddTo(dst, a, b, Serial); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !assert.ObjectsAreEqual(want, data) {
		t.Fatalf("seed %d: dst %v %v+%d, a %v %v+%d, b %v %v+%d", seed, shape, dst.strides, dst.offset,
			a.shape, a.strides, a.offset, b.shape, b.strides, b.offset)
	}
	return overlapped
}

func TestSharedBuffer(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		overlapped := 0
		for seed := range uint64(10000) {
			if checkShared(t, seed) {
				overlapped++
			}
		}
		require.Greater(t, overlapped, 1000, "too few views overlapped")
	})
}

func FuzzAddTo(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkShared(t, seed) })
}

// overlaps is compared with the sets of bytes themselves.
func TestOverlaps(t *testing.T) {
	data := make([]int32, 100)
	bytesOf := func(v *Tensor[int32]) map[int]bool {
		m := map[int]bool{}
		for i := range v.All() {
			m[v.position(i)] = true
		}
		return m
	}
	yes, no := 0, 0
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		shape := []int{1 + r.IntN(5), 1 + r.IntN(5)}
		dst, src := randomView(r, data, shape, false), randomView(r, data, shape, true)
		if dst == nil || src == nil {
			continue
		}
		if sameView(&dst.array, &src.array) && dst.ptr == src.ptr {
			require.False(t, overlaps(&dst.array, &src.array))
			continue
		}
		a, want := bytesOf(dst), false
		for p := range bytesOf(src) {
			want = want || a[p]
		}
		require.Equal(t, want, overlaps(&dst.array, &src.array), "seed %d", seed)
		if want {
			yes++
		} else {
			no++
		}
	}
	require.Greater(t, yes, 500)
	require.Greater(t, no, 500)
}

func TestOverlapsItself(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		want           bool
	}{
		{[]int{3, 4}, []int{4, 1}, false},
		{[]int{3, 4}, []int{0, 1}, true},
		{[]int{1, 4}, []int{0, 1}, false},
		{[]int{3, 2}, []int{1, 1}, true},
		{[]int{3, 2}, []int{2, 3}, false}, // 0 3 2 5 4 7
		{[]int{4, 2}, []int{2, 3}, false}, // 0 3 2 5 4 7 6 9
		{[]int{4, 3}, []int{2, 3}, true},  // 6 twice
		{[]int{4, 4}, []int{-4, 1}, false},
	} {
		assert.Equal(t, c.want, overlapsItself(&array{shape: c.shape, strides: c.strides}), "%v %v", c.shape, c.strides)
	}
}

// Every operation, against the plain expression.
func TestOperations(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		checkNumber[float32](t)
		checkNumber[float64](t)
		checkNumber[int8](t)
		checkNumber[int16](t)
		checkNumber[int32](t)
		checkNumber[int64](t)
		checkNumber[uint8](t)
		checkNumber[uint16](t)
		checkNumber[uint32](t)
		checkNumber[uint64](t)
		checkFloat[float32](t)
		checkFloat[float64](t)
	})
}

func checkNumber[T Number](t *testing.T) {
	a, b := arange[T](7, 19), Must(FromSlice([]T{200 % 128, 3, 100, 0, 7, 1, 50}, 7, 1))
	for name, op := range map[string]struct {
		run  func(a, b *Tensor[T], opts ...Option) (*Tensor[T], error)
		to   func(dst, a, b *Tensor[T], opts ...Option) error
		want func(x, y T) T
	}{
		"Add":     {Add[T], AddTo[T], func(x, y T) T { return x + y }},
		"Sub":     {Sub[T], SubTo[T], func(x, y T) T { return x - y }},
		"Mul":     {Mul[T], MulTo[T], func(x, y T) T { return x * y }},
		"Maximum": {Maximum[T], MaximumTo[T], func(x, y T) T { return max(x, y) }},
		"Minimum": {Minimum[T], MinimumTo[T], func(x, y T) T { return min(x, y) }},
	} {
		y := Must(op.run(a, b))
		z := Must(Zeros[T](7, 19))
		require.NoError(t, op.to(z, a, b))
		for i, got := range y.All() {
			require.Equal(t, op.want(a.At(i...), b.At(i[0], 0)), got, "%s %v", name, i)
			require.Equal(t, got, z.At(i...))
		}
	}
	for name, op := range map[string]struct {
		run  func(a *Tensor[T], opts ...Option) (*Tensor[T], error)
		to   func(dst, a *Tensor[T], opts ...Option) error
		want func(x T) T
	}{
		"Neg": {Neg[T], NegTo[T], func(x T) T { return -x }},
		"Abs": {Abs[T], AbsTo[T], func(x T) T { return max(x, -x) }},
	} {
		if var0 := T(0); name == "Abs" && var0-1 > 0 {
			op.want = func(x T) T { return x } // unsigned
		}
		c := Must(Sub(a, Scalar(T(40))))
		y := Must(op.run(c))
		z := Must(Zeros[T](7, 19))
		require.NoError(t, op.to(z, c))
		for i, got := range y.All() {
			require.Equal(t, op.want(c.At(i...)), got, "%s %v", name, i)
			require.Equal(t, got, z.At(i...))
		}
	}
}

func checkFloat[T Float](t *testing.T) {
	a, b := arange[T](7, 19), Must(FromSlice([]T{2, 3, 100, 0, 7, 1, 50}, 7, 1))
	y, s := Must(Div(a, b)), Must(Sqrt(a))
	z := Must(Zeros[T](7, 19))
	require.NoError(t, DivTo(z, a, b))
	for i, got := range y.All() {
		require.Equal(t, a.At(i...)/b.At(i[0], 0), got)
		require.Equal(t, got, z.At(i...))
		require.Equal(t, T(math.Sqrt(float64(a.At(i...)))), s.At(i...))
	}
	require.NoError(t, SqrtTo(z, a))
	require.Equal(t, s.Data(), z.Data())
}

// Results are the same bits on one goroutine and on many.
func TestSerial(t *testing.T) {
	a, b := arange[float32](300, 7001), arange[float32](7001)
	x, y := Must(Div(a, b)), Must(Div(a, b, Serial))
	require.Equal(t, y.Data(), x.Data())
	x, y = Must(Div(a, a)), Must(Div(a, a, Serial))
	require.Equal(t, y.Data(), x.Data())
}

func ExampleAdd() {
	prices := Must(FromSlice([]float32{10, 20, 30, 40, 50, 60}, 2, 3))
	fees := Must(FromSlice([]float32{1, 2, 3}, 3))
	total, err := Add(prices, fees) // (2,3) + (3,)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(total.Data())
	// Output: [11 22 33 41 52 63]
}

func ExampleAddTo() {
	x := Must(FromSlice([]float32{1, 2, 3, 4, 5, 6}, 6))
	every := Must(x.Slice(0, 0, 6, 2)) // x[::2] += 10
	if err := AddTo(every, every, Scalar[float32](10)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Data())
	// Output: [11 2 13 4 15 6]
}

// Legacy pairs elements one by one, also those of views that repeat them.
func TestLegacyExpanded(t *testing.T) {
	m := arange[float32](2, 3)
	for name, b := range map[string]*Tensor[float32]{
		"wholly expanded": Must(Scalar[float32](7).Expand(6)),
		"partly expanded": Must(arange[float32](3, 1).Expand(3, 2)),
		"reversed":        Must(arange[float32](6).Flip(0)),
	} {
		y, err := Add(m, b, Legacy)
		require.NoError(t, err, name)
		want := b.Data()
		for i, v := range m.Data() {
			want[i] += v
		}
		assert.Equal(t, want, y.Data(), name)
	}
	if strconv.IntSize == 64 {
		n := 1 << (strconv.IntSize/2 - 10)
		huge := Must(Scalar[float32](1).Expand(n, n))
		_, err := Add(Must(Scalar[float32](1).Expand(n*n)), huge, Legacy)
		var s *ShapeError
		require.ErrorAs(t, err, &s)
	}
}

func TestTooManyPieces(t *testing.T) {
	_, err := Must(Scalar[float32](1).Expand(math.MaxInt)).Split(0, 1)
	var s *ShapeError
	require.ErrorAs(t, err, &s)
}

func TestArangeAcrossTheRange(t *testing.T) {
	assert.Equal(t, []float64{-1e308, 0}, Must(Arange(-1e308, 1e308, 1e308)).Data())
	assert.Equal(t, []float64{1e308, 0}, Must(Arange(1e308, -1e308, -1e308)).Data())
}

// A mismatch is found before the elements are looked at.
func TestMismatchBeforeDivisors(t *testing.T) {
	zeros := Must(Zeros[int32](5))
	var m *broadcast.MismatchError
	six, negative := arange[int32](2, 3), Must(Full[int32](-1, 3, 2)) // equally many elements
	for name, op := range map[string]func(a, b *Tensor[int32], opts ...Option) (*Tensor[int32], error){
		"Pow": Pow[int32], "ShiftLeft": ShiftLeft[int32], "ShiftRight": ShiftRight[int32],
	} {
		_, err := op(six, negative)
		require.ErrorAs(t, err, &m, name)
		_, err = op(six, negative, Legacy)
		require.ErrorContains(t, err, "at index (0,0) is negative", name)
	}
	for name, op := range map[string]func(a, b *Tensor[int32], opts ...Option) (*Tensor[int32], error){
		"Div": Div[int32], "FloorDiv": FloorDiv[int32], "Remainder": Remainder[int32], "FMod": FMod[int32],
	} {
		_, err := op(arange[int32](6), zeros)
		require.ErrorAs(t, err, &m, name)
		_, err = op(six, Must(Zeros[int32](3, 2)))
		require.ErrorAs(t, err, &m, name)
		var d *DivisionError
		_, err = op(six, Must(Zeros[int32](3, 2)), Legacy)
		require.ErrorAs(t, err, &d, name)
		_, err = op(arange[int32](5), zeros)
		require.ErrorAs(t, err, &d, name)
	}
}
