package dispatch

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/asm"
)

// kernel is one cell of the table.
type kernel struct {
	op   *Operation
	typ  Type
	row  *Row
	isa  ISA
	form asm.Form
	set  *Kernels
	f    asm.Kernel
	// types of the elements of the destination and of each source
	types [maxOperands]Type
}

// kernels lists what the table holds for one instruction set.
func kernels(isa ISA) iter.Seq[kernel] {
	return func(yield func(kernel) bool) {
		for _, op := range registry {
			for typ, row := range op.Rows {
				if row == nil {
					continue
				}
				set := &row.Sets[isa]
				types := typesOf(op, Type(typ))
				for form, f := range set.Form {
					if f != nil && !yield(kernel{op, Type(typ), row, isa, asm.Form(form), set, f, types}) {
						return
					}
				}
			}
		}
	}
}

func (k kernel) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", k.op.Name, elementTypes[k.typ].name, formName(k.op.Sources, k.form), k.isa)
}

func formName(sources int, form asm.Form) string {
	if sources == 2 {
		return []string{"Contiguous", "ScalarLeft", "ScalarRight", "RowLeft", "RowRight"}[form]
	}
	if form == asm.Contiguous {
		return "Contiguous"
	}
	name := "Scalar"
	for s := range sources {
		if form>>s&1 != 0 {
			name += string(rune('A' + s))
		}
	}
	return name
}

// reading is how a kernel reads a source along a row.
type reading uint8

const (
	contiguous reading = iota
	scalar             // one element a row
	held               // contiguous, the same for all rows
)

// reads tells how the kernel reads source s.
func (k kernel) reads(s int) reading {
	switch {
	case k.op.Sources == 2 && k.form == asm.RowLeft+asm.Form(s):
		return held
	case k.op.Sources == 2 && k.form >= asm.RowLeft:
		return contiguous
	case k.form>>s&1 != 0:
		return scalar
	}
	return contiguous
}

// lanes is how many elements the kernel handles at a time. Generic handles one,
// and is tested as if it had vectors too.
func (k kernel) lanes() int {
	return max(k.set.Lanes, 32/int(slices.Max(k.row.Size[:])))
}

// longest is the longest row that the kernel takes.
func (k kernel) longest() int {
	for s := range k.op.Sources {
		if k.reads(s) == held {
			return k.set.Held * k.set.Lanes
		}
	}
	return math.MaxInt
}

func (k kernel) rand() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(k.String()))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// Operands are numbered as in Row.Size: the destination is 0, source s is 1+s.
const maxOperands = 1 + asm.MaxSources

const maxRows = 5

// call is one call of a kernel.
type call struct {
	rows, cols int
	back       bool             // operands end before the guard page behind them, else start after the one before
	offset     [maxOperands]int // elements between an operand and that page
	step       [maxOperands]int // elements from one row to the next
	inPlace    uint             // bit s: source s is the destination
}

// steps chooses the distance between rows for each operand.
func (c *call) steps(k kernel, r *rand.Rand) {
	for o := range 1 + k.op.Sources {
		width := c.cols
		how := r.IntN(8)
		if o > 0 {
			switch k.reads(o - 1) {
			case scalar:
				width = 1
			case held:
				how = 0
			}
		}
		switch {
		case how == 0 && o > 0: // the same row again
			c.step[o] = 0
		case how < 4: // no gaps
			c.step[o] = width
		case how < 6:
			c.step[o] = width + 1 + r.IntN(2*k.lanes())
		default: // upwards
			c.step[o] = -width - r.IntN(3)
		}
	}
}

// canBeInPlace tells whether the sources that inPlace says may be the
// destination: the same elements at the same places.
func (c call) canBeInPlace(k kernel) bool {
	for s := range k.op.Sources {
		if c.inPlace>>s&1 != 0 && (k.types[0] != k.types[1+s] ||
			k.reads(s) == scalar && c.cols > 1 || k.reads(s) == held && c.rows > 1) {
			return false
		}
	}
	return true
}

// calls lists what a kernel is tested with: all lengths at a few offsets, all
// offsets at a few lengths, all numbers of rows with all ways to be in place.
// If every is above 1, one in so many of them are left, and besides all short
// rows that end at the guard page: from 17 on, half of these.
func (k kernel) calls(every int) (list []call) {
	r := k.rand()
	count, parity := r.IntN(every), r.IntN(2)
	add := func(needed bool, c call) {
		c.steps(k, r)
		if count++; needed || count%every == 0 {
			list = append(list, c)
		}
	}
	lanes := k.lanes()
	longest := k.longest() // tested: all of a held row, else some vectors
	if longest == math.MaxInt {
		longest = 4*lanes + 3
	}
	fewRows := func() int { return 1 + r.IntN(2) }
	manyRows := func() int { return 1 + r.IntN(maxRows) }
	if every > 1 {
		manyRows = fewRows
	}
	for n := range longest + 1 {
		short := n <= lanes+3 && (every <= 16 || n%2 == parity)
		add(short, call{rows: manyRows(), cols: n, back: true})
		add(false, call{rows: manyRows(), cols: n})
		for offset := range 2 {
			add(false, call{rows: fewRows(), cols: n, back: r.IntN(2) == 0, offset: [maxOperands]int{
				1 + offset, 2 + offset, 3 + offset, 4 + offset, 5 + offset}})
		}
	}

	few := []int{1, lanes - 1, lanes, lanes + 1, 2*lanes + 1, 4*lanes + 3, longest}
	few = slices.DeleteFunc(few, func(n int) bool { return n < 1 || n > longest })
	offsets := 64 / int(slices.Min(k.row.Size[:1+k.op.Sources]))
	for _, n := range few {
		for offset := range offsets {
			c := call{rows: fewRows(), cols: n}
			for o := range c.offset { // odd factors bring every offset to every operand
				c.offset[o] = offset * (2*o + 1) % offsets
			}
			add(false, c)
		}
	}

	for _, n := range append(few, 0) {
		for rows := range maxRows + 1 {
			for inPlace := range uint(1) << k.op.Sources {
				c := call{rows: rows, cols: n, back: r.IntN(2) == 0, inPlace: inPlace}
				if c.canBeInPlace(k) {
					add(false, c)
				}
			}
		}
	}
	return list
}

// arena holds a kernel's operands while it is tested: a guarded piece of memory
// for each.
type arena struct {
	mem      [maxOperands][]byte
	expected []byte // the destination's memory as it should be after a call
	pools    map[Type][]byte
}

// arenaSize has room for the longest rows, their gaps and a margin.
const arenaSize = 32 << 10

func newArena(t testing.TB) *arena {
	a := &arena{pools: map[Type][]byte{}}
	for o := range a.mem {
		a.mem[o] = guarded(t, arenaSize)
	}
	return a
}

// pool is random data of a type, every other element a special value, longer
// than an operand's memory.
func (a *arena) pool(typ Type) []byte {
	if p := a.pools[typ]; p != nil {
		return p
	}
	t := elementTypes[typ]
	specials := t.specials()
	r := rand.New(rand.NewPCG(uint64(typ), 2))
	p := make([]byte, 2*arenaSize)
	for i := 0; i < len(p); i += t.size {
		v := r.Uint64()
		if t.kind == truth {
			v &= 1
		}
		if r.IntN(2) == 0 {
			v = specials[r.IntN(len(specials))]
		}
		putBits(p[i:], t.size, v)
	}
	a.pools[typ] = p
	return p
}

func bitsAt(p []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(p))
	case 4:
		return uint64(binary.NativeEndian.Uint32(p))
	}
	return binary.NativeEndian.Uint64(p)
}

func putBits(p []byte, size int, v uint64) {
	switch size {
	case 1:
		p[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(p, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(p, uint32(v))
	default:
		binary.NativeEndian.PutUint64(p, v)
	}
}

// counts of the calls of each instruction set's kernels, raised by call itself.
var counts [numISA]struct {
	kernels, calls atomic.Int64
}

func (k kernel) call(ptr [maxOperands]unsafe.Pointer, rows, cols int, step [maxOperands]int) {
	k.f(ptr[0], ptr[1], ptr[2], ptr[3], ptr[4], rows, cols, step[0], step[1], step[2], step[3], step[4])
	counts[k.isa].calls.Add(1)
}

// window is the place of an operand in its memory.
type window struct {
	lo, hi int // of its bytes
	first  int // its element [0, 0]
	step   int // in bytes
}

func (c call) window(o, cols, size, mem int) window {
	span := 0
	if c.rows > 0 && cols > 0 {
		span = (c.rows-1)*max(c.step[o], -c.step[o])*size + cols*size
	}
	w := window{lo: c.offset[o] * size, step: c.step[o] * size}
	if c.back {
		w.lo = mem - c.offset[o]*size - span
	}
	w.hi, w.first = w.lo+span, w.lo
	if w.step < 0 && span > 0 {
		w.first = w.hi - cols*size
	}
	return w
}

// run makes one call and compares the destination's memory, the gaps between
// its rows and some bytes around it included, with what the reference says.
func (a *arena) run(k kernel, c call, want meaning, r *rand.Rand) error {
	const margin = 160
	var (
		w      [maxOperands]window
		around [maxOperands][2]int
		source [maxOperands][]byte // what the memory around an operand is filled with
		ptr    [maxOperands]unsafe.Pointer
		size   [maxOperands]int
		step   [maxOperands]int
	)
	for o := range 1 + k.op.Sources {
		pool := a.pool(k.types[o])
		size[o] = int(k.row.Size[o])
		if o > 0 && c.inPlace>>(o-1)&1 != 0 {
			w[o], ptr[o], step[o] = w[0], ptr[0], step[0]
			continue
		}
		cols := c.cols
		if o > 0 && k.reads(o-1) == scalar {
			cols = min(cols, 1)
		}
		w[o] = c.window(o, cols, size[o], len(a.mem[o]))
		step[o] = w[o].step
		around[o] = [2]int{max(0, w[o].lo-margin), min(len(a.mem[o]), w[o].hi+margin)}
		if around[o][0] >= around[o][1] {
			return fmt.Errorf("operand %d does not fit its memory", o)
		}
		n := around[o][1] - around[o][0]
		from := r.IntN((len(pool)-n)/16) * 16
		source[o] = pool[from : from+n]
		copy(a.mem[o][around[o][0]:], source[o])
		ptr[o] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.mem[o])), w[o].first)
	}

	operands := func(row, i int) (x args[uint64]) {
		for s := range k.op.Sources {
			o, from := 1+s, 1+s
			if c.inPlace>>s&1 != 0 {
				from = 0
			}
			at := w[o].first - around[from][0]
			if k.reads(s) != held {
				at += row * w[o].step
			}
			if k.reads(s) != scalar {
				at += i * size[o]
			}
			x[s] = bitsAt(source[from][at:], size[o])
		}
		return x
	}
	expected := append(a.expected[:0], source[0]...)
	a.expected = expected
	at := func(row, i int) int { return w[0].first - around[0][0] + row*w[0].step + i*size[0] }
	for row := range c.rows {
		for i := range c.cols {
			putBits(expected[at(row, i):], size[0], want(operands(row, i)))
		}
	}

	k.call(ptr, c.rows, c.cols, step)

	got := a.mem[0][around[0][0]:around[0][1]]
	if !bytes.Equal(got, expected) {
		if err := k.difference(c, got, expected, operands, at); err != nil {
			return err
		}
	}
	for o := 1; o <= k.op.Sources; o++ {
		if source[o] != nil && !bytes.Equal(a.mem[o][around[o][0]:around[o][1]], source[o]) {
			return fmt.Errorf("source %d was written", o-1)
		}
	}
	return nil
}

// difference describes the first byte or element that is wrong, if any is.
func (k kernel) difference(c call, got, expected []byte, operands func(row, i int) args[uint64], at func(row, i int) int) error {
	t, size := elementTypes[k.types[0]], int(k.row.Size[0])
	inside := make([]bool, len(got))
	for row := range c.rows {
		for i := range c.cols {
			p := at(row, i)
			g, e := bitsAt(got[p:], size), bitsAt(expected[p:], size)
			if g != e && !(!nanBits && t.isNaN(g) && t.isNaN(e)) && !t.isTieAway(g, e) {
				x := operands(row, i)
				if !k.miscomputed(x, g, e) {
					return fmt.Errorf("[%d][%d] of %#x is %#x, want %#x", row, i, x[:k.op.Sources], g, e)
				}
			}
			for b := range size {
				inside[p+b] = true
			}
		}
	}
	for i := range got {
		if !inside[i] && got[i] != expected[i] {
			return fmt.Errorf("byte %d from [0][0] was written, outside the destination's rows", i-at(0, 0))
		}
	}
	return nil
}

// proven is an instruction set that is known to be right from runs on a CPU,
// where LANECAST_TEST_PROVEN names one: on an emulator that computes wrongly,
// another set's kernel may give what this one gives there.
var proven, hasProven = func() (ISA, bool) {
	isa, err := ParseISA(os.Getenv("LANECAST_TEST_PROVEN"))
	return isa, err == nil && slices.Contains(Available(), isa)
}()

// miscomputed tells whether the emulator is to blame for a wrong result: the
// proven kernel gives it too.
func (k kernel) miscomputed(x args[uint64], got, want uint64) bool {
	if !hasProven {
		return false
	}
	// Bochs 2.7's VCVTTPD2UQQ takes 2⁶³ and more for too large.
	if k.op.Name == "CastUint64" && elementTypes[k.types[1]].kind == float && want>>63 == 1 && got == math.MaxUint64 {
		return true
	}
	var ptr [maxOperands]unsafe.Pointer
	var mem [maxOperands][8]byte
	for o := range 1 + k.op.Sources {
		if o > 0 {
			putBits(mem[o][:], int(k.row.Size[o]), x[o-1])
		}
		ptr[o] = unsafe.Pointer(&mem[o])
	}
	k.row.Sets[proven].Form[k.form](ptr[0], ptr[1], ptr[2], ptr[3], ptr[4], 1, 1, 0, 0, 0, 0, 0)
	return bitsAt(mem[0][:], int(k.row.Size[0])) == got
}

// check runs f and turns an access to a guard page into an error.
func check(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			fault, ok := p.(interface {
				error
				Addr() uintptr
			})
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("touched %#x, outside its operands", fault.Addr())
		}
	}()
	return f()
}

// sample is N where only one in N of the calls that can be left out is made:
// with -short, or as the environment variable LANECAST_TEST_SAMPLE says, which
// is for slow emulators.
func sample(t testing.TB) int {
	if s := os.Getenv("LANECAST_TEST_SAMPLE"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err, "LANECAST_TEST_SAMPLE")
		require.Positive(t, n, "LANECAST_TEST_SAMPLE")
		return n
	}
	if testing.Short() {
		return 16
	}
	return 1
}

// forEachKernel runs test once for every kernel of every set that this machine
// has.
func forEachKernel(t *testing.T, test func(t *testing.T, a *arena, k kernel, want meaning)) {
	require.NotEmpty(t, registry)
	for _, isa := range Available() {
		t.Run(isa.String(), func(t *testing.T) {
			t.Parallel()
			a := newArena(t)
			for k := range kernels(isa) {
				t.Run(strings.TrimSuffix(k.String(), "/"+isa.String()), func(t *testing.T) {
					require.NotNil(t, references[k.op.Name], "%s has no reference: add its meaning to reference_test.go", k.op.Name)
					want := meaningOf(k.op, k.typ)
					require.NotNil(t, want, "%s has no reference for %s", k.op.Name, elementTypes[k.typ].name)
					test(t, a, k, want)
				})
			}
		})
	}
}

// TestKernels is the proof of every kernel.
func TestKernels(t *testing.T) {
	every := sample(t)
	forEachKernel(t, func(t *testing.T, a *arena, k kernel, want meaning) {
		r := k.rand()
		for _, c := range k.calls(every) {
			if err := check(func() error { return a.run(k, c, want, r) }); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
		}
		counts[k.isa].kernels.Add(1)
	})
}

// TestSpecialPairs gives every combination of special values to the kernels,
// each in a body and in tails. Operations on three and four sources get a
// sample of them.
func TestSpecialPairs(t *testing.T) {
	every := sample(t)
	forEachKernel(t, func(t *testing.T, a *arena, k kernel, want meaning) {
		var specials [asm.MaxSources][]uint64
		for s := range k.op.Sources {
			specials[s] = elementTypes[k.types[1+s]].specials()
		}
		r := k.rand()
		lengths := []int{4*k.lanes() + 3, k.lanes(), k.lanes() - 1, k.lanes() + 1, 1}
		total := 1
		for s := range min(k.op.Sources, 3) {
			total *= len(specials[s])
		}
		total = max(total/every, len(specials[0]))
		if testing.Short() || k.op.Sources > 2 {
			total = min(total, 2000)
		}
		// pick is combination i: all of them in turn if there are few.
		pick := func(i int) (x args[uint64]) {
			for s := range k.op.Sources {
				x[s] = specials[s][i%len(specials[s])]
				if i /= len(specials[s]); k.op.Sources > 2 {
					x[s] = specials[s][r.IntN(len(specials[s]))]
				}
			}
			return x
		}
		for i, round := 0, 0; i < total; round++ {
			n := min(lengths[round%len(lengths)], k.longest(), total-i)
			var ptr [maxOperands]unsafe.Pointer
			var step [maxOperands]int
			xs := make([]args[uint64], n)
			for j := range xs {
				xs[j] = pick(i)
				for s := range k.op.Sources {
					size := int(k.row.Size[1+s])
					if k.reads(s) == scalar && j > 0 {
						xs[j][s] = xs[0][s]
					}
					putBits(a.mem[1+s][j*size:], size, xs[j][s])
				}
				i++
			}
			for o := range 1 + k.op.Sources {
				ptr[o] = unsafe.Pointer(unsafe.SliceData(a.mem[o]))
			}
			k.call(ptr, 1, n, step)
			size := int(k.row.Size[0])
			expected := make([]byte, n*size)
			for j, x := range xs {
				putBits(expected[j*size:], size, want(x))
			}
			err := k.difference(call{rows: 1, cols: n}, a.mem[0][:n*size], expected,
				func(_, i int) args[uint64] { return xs[i] }, func(_, i int) int { return i * size })
			require.NoError(t, err, "a row of %d", n)
		}
	})
}

// TestSetsAgree compares the instruction sets of this machine with each other,
// on rows that are long where the kernel takes them.
func TestSetsAgree(t *testing.T) {
	a := newArena(t)
	longest := max(arenaSize/8/sample(t), 1000) - 5
	for _, isa := range Available()[1:] {
		for k := range kernels(isa) {
			generic := k
			generic.isa, generic.set = Generic, &k.row.Sets[Generic]
			generic.f = generic.set.Form[k.form]
			n := min(generic.longest(), k.longest(), longest)
			row := func(k kernel) []byte {
				var ptr [maxOperands]unsafe.Pointer
				for o := range 1 + k.op.Sources {
					copy(a.mem[o], a.pool(k.types[o])[o*64:])
					ptr[o] = unsafe.Pointer(unsafe.SliceData(a.mem[o]))
				}
				k.call(ptr, 1, n, [maxOperands]int{})
				return bytes.Clone(a.mem[0])
			}
			operands := func(_, i int) (x args[uint64]) {
				for s := range k.op.Sources {
					size, at := int(k.row.Size[1+s]), 0
					if k.reads(s) != scalar {
						at = i * size
					}
					x[s] = bitsAt(a.pool(k.types[1+s])[(1+s)*64+at:], size)
				}
				return x
			}
			at := func(_, i int) int { return i * int(k.row.Size[0]) }
			assert.NoError(t, k.difference(call{rows: 1, cols: n}, row(k), row(generic), operands, at), "%s and Generic", k)
		}
	}
}

// TestTable checks the table itself: every row has the same kernels for each
// set that this build has.
func TestTable(t *testing.T) {
	for _, op := range registry {
		require.NotEmpty(t, op.Name)
		require.True(t, op.Sources >= 1 && op.Sources <= asm.MaxSources, op.Name)
		for typ, row := range op.Rows {
			if row == nil {
				continue
			}
			name := op.Name + "/" + elementTypes[typ].name
			assert.Positive(t, row.Cost, name)
			for o, size := range row.Size {
				assert.Equal(t, o <= op.Sources, size > 0, "%s: size of operand %d", name, o)
			}
			for isa := range numISA {
				set := row.Sets[isa]
				if !slices.Contains(compiled, isa) {
					assert.Empty(t, set.Form, "%s: %s", name, isa)
					continue
				}
				for form := range max(len(set.Form), len(row.Sets[Generic].Form)) {
					has := func(set Kernels) bool { return form < len(set.Form) && set.Form[form] != nil }
					assert.Equal(t, has(row.Sets[Generic]), has(set), "%s/%s/%s", name, formName(op.Sources, asm.Form(form)), isa)
				}
				if vector := map[ISA]int{NEON: 16, AVX2: 32, AVX512: 64}[isa]; vector != 0 {
					assert.LessOrEqual(t, set.Lanes*int(slices.Max(row.Size[:])), vector, "%s: lanes of %s", name, isa)
				}
				assert.Positive(t, set.Lanes, "%s: lanes of %s", name, isa)
			}
		}
	}
}

// inTable is how many kernels the table has for a set.
func inTable(isa ISA) (n int64) {
	for range kernels(isa) {
		n++
	}
	return n
}

// TestMain prints how many kernels of each set were really called, for the
// table at the end of .ci/run. LANECAST_TEST_HOW says on what.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := EnvError(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	how := os.Getenv("LANECAST_TEST_HOW")
	if how == "" {
		how = "native"
	}
	for isa := range numISA {
		if c := &counts[isa]; c.kernels.Load() > 0 {
			fmt.Printf("ran: %s/%s kernels=%d/%d calls=%d %s\n", isa, runtime.GOARCH, c.kernels.Load(), inTable(isa), c.calls.Load(), how)
		}
	}
	// An instruction set that was expected and did not run is a failure.
	for _, name := range strings.FieldsFunc(os.Getenv("LANECAST_TEST_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' }) {
		isa, err := ParseISA(name)
		if err == nil && !slices.Contains(Available(), isa) {
			err = newISAError(name)
		}
		if ran, all := counts[isa].kernels.Load(), inTable(isa); err == nil && (all == 0 || ran < all) {
			err = fmt.Errorf("%d of %d kernels of %s ran", ran, all, isa)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "LANECAST_TEST_REQUIRE:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// BenchmarkKernel times single kernels on rows of n elements, without the
// planner.
func BenchmarkKernel(b *testing.B) {
	for _, isa := range Available() {
		for k := range kernels(isa) {
			for _, n := range []int{8, 64, 2560} {
				b.Run(fmt.Sprintf("%s/%d", k, n), func(b *testing.B) { benchmark(b, k, n) })
			}
		}
	}
}

func benchmark(b *testing.B, k kernel, n int) {
	var ptr [maxOperands]unsafe.Pointer
	var step [maxOperands]int
	cols := min(n, k.longest())
	rows := max(n/cols, 1)
	moved := 0
	for o := range 1 + k.op.Sources {
		size := int(k.row.Size[o])
		mem := make([]byte, n*size+256)
		for i := range mem { // memory that was never written is one page, read again and again
			mem[i] = 1
		}
		start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem)))&63) + 64*(o%3)
		ptr[o] = unsafe.Pointer(unsafe.SliceData(mem[start:]))
		step[o] = cols * size
		if o == 0 || k.reads(o-1) == contiguous {
			moved += rows * cols * size
		} else {
			step[o] = 0
		}
	}
	b.SetBytes(int64(moved))
	for b.Loop() {
		k.call(ptr, rows, cols, step)
	}
}
