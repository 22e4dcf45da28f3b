package dispatch

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"math"
	"math/big"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/asm"
)

// TestAll16Bits gives kernels every input there is, where that is 16 bits: a
// 16-bit element, or two of 8 bits.
func TestAll16Bits(t *testing.T) {
	forEachKernel(t, func(t *testing.T, a *arena, k kernel, want meaning) {
		width := 0
		for s := range k.op.Sources {
			width += 8 * int(k.row.Size[1+s])
			if k.reads(s) == held || k.op.Sources == 1 && k.reads(s) == scalar {
				return
			}
		}
		if width != 16 {
			return
		}
		const row = 256
		size := int(k.row.Size[0])
		expected := make([]byte, row*size)
		for high := range 1 << 16 / row {
			var ptr [maxOperands]unsafe.Pointer
			xs := func(_, i int) (x args[uint64]) {
				switch {
				case k.op.Sources == 1:
					x[0] = uint64(high*row + i)
				case k.reads(1) == scalar:
					x[0], x[1] = uint64(i), uint64(high)
				default:
					x[0], x[1] = uint64(high), uint64(i)
				}
				for s := range k.op.Sources {
					if elementTypes[k.types[1+s]].kind == truth {
						x[s] &= 1
					}
				}
				return x
			}
			for i := range row {
				x := xs(0, i)
				for s := range k.op.Sources {
					putBits(a.mem[1+s][i*int(k.row.Size[1+s]):], int(k.row.Size[1+s]), x[s])
				}
				putBits(expected[i*size:], size, want(x))
			}
			for o := range 1 + k.op.Sources {
				ptr[o] = unsafe.Pointer(unsafe.SliceData(a.mem[o]))
			}
			k.call(ptr, 1, row, [maxOperands]int{})
			require.NoError(t, k.difference(call{rows: 1, cols: row}, a.mem[0][:row*size], expected, xs,
				func(_, i int) int { return i * size }))
		}
	})
}

// quick are meanings for float32 that are as independent as those in
// references, and fast enough to be asked 2³² times.
var quick = join(map[string]meaning{
	"Rsqrt": func(x args[uint64]) uint64 { return uint64(rsqrt32(uint32(x[0]))) },
}, quickCasts)

// rsqrt32 finds 1/√x by comparing the squares of the midpoints around it with
// 1/x, in integers.
func rsqrt32(x uint32) uint32 {
	t := elementTypes[Float32]
	v := math.Float32frombits(x)
	switch {
	case t.isNaN(uint64(x)):
		return x | uint32(t.quiet())
	case v == 0:
		return uint32(t.infinity()) | x
	case v < 0:
		return uint32(t.invalid())
	case x == uint32(t.infinity()):
		return 0
	}
	// x = m·2^e with an even e, and 2⁴⁸ ≤ m < 2⁵⁰; y = n·2^f with a 24-bit n.
	fraction, exponent := math.Frexp(float64(v))
	m, e := uint64(math.Ldexp(fraction, 49)), exponent-49
	if e%2 != 0 {
		m, e = 2*m, e-1
	}
	n, f := uint64(1<<24/math.Sqrt(float64(m)/(1<<48))), -e/2-48
	// 2·n + 1 is twice the midpoint above n: is (2n+1)²·m more than 2⁹⁸?
	above := func(n uint64) bool {
		high, low := bits.Mul64((2*n+1)*(2*n+1), m)
		return high > 1<<34 || high == 1<<34 && low > 0
	}
	for !above(n) {
		n++
	}
	for above(n - 1) {
		n--
	}
	return math.Float32bits(float32(math.Ldexp(float64(n), f)))
}

// TestAllFloat32 gives every float32 to the kernels of one source, on each set
// that this machine has. It takes some minutes on each set: LANECAST_TEST_LONG asks for it.
func TestAllFloat32(t *testing.T) {
	every := uint64(1)
	if os.Getenv("LANECAST_TEST_LONG") == "" {
		every = uint64(min(1<<12*sample(t), 1<<15)) // chunks
	}
	for _, op := range registry {
		row := op.Rows[Float32]
		if op.Sources != 1 || row == nil {
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			types := typesOf(op, Float32)
			want := quick[op.Name]
			if want == nil {
				want = references[op.Name](elementTypes[Float32])
			}
			start := time.Now()
			const chunk = 1 << 14
			var wg sync.WaitGroup
			workers := uint64(runtime.GOMAXPROCS(0))
			digests := make([]uint64, 1<<32/chunk)
			for w := range workers {
				wg.Go(func() {
					size := int(row.Size[0])
					in, got, expected := make([]uint32, chunk), make([]byte, chunk*size), make([]byte, chunk*size)
					for at := w * every; at < 1<<32/chunk && !t.Failed(); at += workers * every {
						for i := range in {
							in[i] = uint32(at*chunk) + uint32(i)
							putBits(expected[i*size:], size, want(args[uint64]{uint64(in[i])}))
						}
						for _, isa := range Available() {
							k := kernel{op: op, typ: Float32, row: row, isa: isa, set: &row.Sets[isa], types: types}
							k.f = k.set.Form[asm.Contiguous]
							k.f(unsafe.Pointer(unsafe.SliceData(got)), unsafe.Pointer(unsafe.SliceData(in)), nil, nil, nil, 1, chunk, 0, 0, 0, 0, 0)
							if bytes.Equal(got, expected) {
								continue
							}
							err := k.difference(call{rows: 1, cols: chunk}, got, expected,
								func(_, i int) args[uint64] { return args[uint64]{uint64(in[i])} },
								func(_, i int) int { return i * size })
							if err != nil {
								t.Errorf("%s: %v", k, err)
							}
						}
						digests[at] = crc64.Checksum(expected, crc64.MakeTable(crc64.ECMA))
					}
				})
			}
			wg.Wait()
			if every > 1 {
				return
			}
			sum := crc64.New(crc64.MakeTable(crc64.ECMA))
			fmt.Fprint(sum, digests)
			t.Logf("all 2³² float32: digest %016x on %v, %v", sum.Sum64(), Available(), time.Since(start).Round(time.Second))
		})
	}
}

// TestRoundingTraps holds inputs on which two roundings differ from one.
func TestRoundingTraps(t *testing.T) {
	f32 := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	for _, c := range []struct {
		op   string
		typ  Type
		x    args[uint64]
		want uint64
	}{
		// Through float64 the sum is a tie, which goes to even.
		{"FMA", Float32, args[uint64]{f32(1 + 0x1p-15), f32(1 - 0x1p-15), f32(16777218)}, f32(16777218)},
		{"FMA", Float64, args[uint64]{math.Float64bits(1 + 0x1p-52), math.Float64bits(1 - 0x1p-52), math.Float64bits(-1)}, math.Float64bits(-0x1p-104)},
		{"FMA", Float32, args[uint64]{f32(0x1p-75), f32(0x1p-75), f32(0x1p-149)}, f32(0x1p-148)},
		{"FMA", Float32, args[uint64]{f32(0x1p-75), f32(0x1p-75 - 0x1p-99), f32(0x1p-149)}, f32(0x1p-149)},
		{"AddMul", Float32, args[uint64]{f32(16777218), f32(1 + 0x1p-15), f32(1 - 0x1p-15), f32(1)}, f32(16777218)},
		{"Lerp", Float32, args[uint64]{f32(1e10), f32(1), f32(1)}, f32(1)},
		{"Lerp", Float32, args[uint64]{f32(math.MaxFloat32), f32(-math.MaxFloat32), f32(0.5)}, f32(0)},
		{"Rsqrt", Float32, args[uint64]{f32(6)}, f32(13698540 * 0x1p-25)}, // of the rounded root 13698539
		{"Hypot", Float32, args[uint64]{f32(0x3p125), f32(-0x4p125)}, f32(0x5p125)},
		{"Hypot", Float32, args[uint64]{f32(math.MaxFloat32), f32(math.MaxFloat32)}, f32(math.Inf(1))},
		{"Hypot", Float64, args[uint64]{math.Float64bits(0x3p1020), math.Float64bits(0x4p1020)}, math.Float64bits(0x5p1020)},
		{"Hypot", Float32, args[uint64]{f32(0x3p-149), f32(0x4p-149)}, f32(0x5p-149)},
		{"Hypot", Float64, args[uint64]{math.Float64bits(0x3p-1074), math.Float64bits(0x4p-1074)}, math.Float64bits(0x5p-1074)},
		// As above, through float32 and through float64.
		{"FMA", Float16, args[uint64]{0x3c20, 0x3c10, 0x0001}, 0x3c31},
		{"FMA", BFloat16, args[uint64]{0x3f88, 0x3f88, 0x0d80}, 0x3f91},
		{"FMA", BFloat16, args[uint64]{0x3f88, 0x3f88, 0x8d80}, 0x3f90},
		{"CastFloat32", Int64, args[uint64]{1<<60 + 1<<36 + 1}, f32(0x1p60 + 0x1p37)},
		{"CastFloat32", Int64, args[uint64]{-(1<<60 + 1<<36 + 1) & math.MaxUint64}, f32(-0x1p60 - 0x1p37)},
		{"CastFloat32", Uint64, args[uint64]{1<<63 + 1<<39 + 1}, f32(0x1p63 + 0x1p40)},
		{"CastFloat32", Uint32, args[uint64]{1<<31 + 1<<7 + 1}, f32(0x1p31 + 0x1p8)},
		{"CastFloat64", Uint64, args[uint64]{1<<63 + 1<<10 + 1}, math.Float64bits(0x1p63 + 0x1p11)},
		{"CastFloat16", Float64, args[uint64]{math.Float64bits(1 + 0x1p-11 + 0x1p-40)}, 0x3c01},
		{"CastFloat16", Float64, args[uint64]{math.Float64bits(0x1p-25 + 0x1p-70)}, 0x0001},
		{"CastFloat16", Float64, args[uint64]{math.Float64bits(65520 - 0x1p-30)}, 0x7bff},
		{"CastBFloat16", Float64, args[uint64]{math.Float64bits(1 + 0x1p-8 + 0x1p-40)}, 0x3f81},
		{"CastBFloat16", Float64, args[uint64]{math.Float64bits(0x1p-134 + 0x1p-170)}, 0x0001},
		{"CastBFloat16", Int32, args[uint64]{1<<24 + 1<<16 + 1}, f32(0x1p24+0x1p17) >> 16},
		{"CastBFloat16", Uint32, args[uint64]{1<<31 + 1<<23 + 1}, f32(0x1p31+0x1p24) >> 16},
		{"CastBFloat16", Int64, args[uint64]{1<<62 + 1<<54 + 1}, f32(0x1p62+0x1p55) >> 16},
		{"CastBFloat16", Uint64, args[uint64]{1<<63 + 1<<55 + 1}, f32(0x1p63+0x1p56) >> 16},
		{"CastFloat16", Float32, args[uint64]{f32(1 + 0x3p-12)}, 0x3c01},
		// Ties, and subnormal ones.
		{"CastFloat16", Float32, args[uint64]{f32(1 + 0x1p-11)}, 0x3c00},
		{"CastFloat16", Float32, args[uint64]{f32(1 + 0x3p-11)}, 0x3c02},
		{"CastFloat16", Float32, args[uint64]{f32(0x1p-25)}, 0x0000},
		{"CastFloat16", Float32, args[uint64]{f32(0x3p-25)}, 0x0002},
		{"CastBFloat16", Float32, args[uint64]{f32(1 + 0x1p-8)}, 0x3f80},
		{"CastBFloat16", Float32, args[uint64]{f32(1 + 0x3p-8)}, 0x3f82},
		{"CastBFloat16", Float32, args[uint64]{f32(0x1p-134)}, 0x0000},
		{"CastBFloat16", Float32, args[uint64]{f32(0x3p-134)}, 0x0002},
		{"CastUint8", Float32, args[uint64]{f32(255.99)}, 255},
		{"CastInt8", Float32, args[uint64]{f32(-128.99)}, 0x80},
		{"CastInt64", Float32, args[uint64]{f32(0x1p63)}, math.MaxInt64},
		{"CastUint32", Float32, args[uint64]{f32(0x1p32)}, math.MaxUint32},
		{"CastUint32", Float64, args[uint64]{math.Float64bits(4294967295.9)}, math.MaxUint32},
		{"Round", Float32, args[uint64]{f32(0.49999997)}, f32(0)},
		{"Round", Float64, args[uint64]{math.Float64bits(0.49999999999999994)}, 0},
		{"Round", Float32, args[uint64]{f32(8388609)}, f32(8388609)},
		{"FloorDiv", Float64, args[uint64]{math.Float64bits(1), math.Float64bits(0.1)}, math.Float64bits(9)},
	} {
		op := registry[slices.IndexFunc(registry, func(op *Operation) bool { return op.Name == c.op })]
		row := op.Rows[c.typ]
		require.Equal(t, c.want, meaningOf(op, c.typ)(c.x)&elementTypes[typesOf(op, c.typ)[0]].all(), "the reference for %s of %#x", c.op, c.x)
		for _, isa := range Available() {
			const n = 21 // in a body and in a tail
			var src [asm.MaxSources][8 * n]byte
			var dst [8 * n]byte
			var ptr [asm.MaxSources]unsafe.Pointer
			for s := range op.Sources {
				for i := range n {
					putBits(src[s][i*int(row.Size[1+s]):], int(row.Size[1+s]), c.x[s])
				}
				ptr[s] = unsafe.Pointer(&src[s])
			}
			row.Sets[isa].Form[asm.Contiguous](unsafe.Pointer(&dst), ptr[0], ptr[1], ptr[2], ptr[3], 1, n, 0, 0, 0, 0, 0)
			for i := range n {
				require.Equal(t, c.want, bitsAt(dst[i*int(row.Size[0]):], int(row.Size[0])), "%s of %#x on %s", c.op, c.x, isa)
			}
		}
	}
}

// TestHypotError compares results with exact ones, at all magnitudes: one unit
// in the last place is promised.
func TestHypotError(t *testing.T) {
	for _, typ := range []Type{Float32, Float64} {
		e, row := elementTypes[typ], Hypot.Rows[typ]
		bias := int(e.infinity()>>e.fractionBits()) / 2
		r := kernel{op: &Hypot, row: row}.rand()
		worst := 0.0
		for range 200000 / sample(t) {
			x := math.Ldexp(1+r.Float64(), r.IntN(2*bias-2)-bias)
			y := math.Ldexp(x, -r.IntN(12)) * r.Float64()
			a, b := e.nearest(exact(x)), e.nearest(exact(y))
			h := new(big.Float).SetPrec(400).Mul(exact(e.value(a)), exact(e.value(a)))
			l := new(big.Float).SetPrec(400).Mul(exact(e.value(b)), exact(e.value(b)))
			h.Sqrt(h.Add(h, l))
			var got [8]byte
			var ab [2][8]byte
			putBits(ab[0][:], e.size, a)
			putBits(ab[1][:], e.size, b)
			// All sets agree: see TestSetsAgree.
			row.Sets[Active()].Form[asm.Contiguous](unsafe.Pointer(&got), unsafe.Pointer(&ab[0]), unsafe.Pointer(&ab[1]), nil, nil, 1, 1, 0, 0, 0, 0, 0)
			z := bitsAt(got[:], e.size)
			unit := max(h.MantExp(nil)-1, 1-bias) - e.fractionBits()
			off := h.Sub(h, exact(e.value(z)))
			units, _ := off.SetMantExp(off, -unit).Float64()
			worst = max(worst, math.Abs(units))
			require.LessOrEqual(t, math.Abs(units), 1.0, "√(%x² + %x²)", e.value(a), e.value(b))
		}
		t.Logf("%s: %.3f units", e.name, worst)
	}
}

// TestRsqrtNearMidpoints has x = 1 - a·ε with small odd a, whose 1/√x is
// 1 + a·ε/2 + 3/8·a²·ε² + …, almost exactly between two numbers, and the same
// multiplied by powers of four.
func TestRsqrtNearMidpoints(t *testing.T) {
	want := references["Rsqrt"](elementTypes[Float64])
	row := Rsqrt.Rows[Float64]
	var in []float64
	for a := 1.0; a < 300; a += 2 {
		for _, scale := range []int{0, 2, -2, 510, -510, 1020, -1020} {
			in = append(in, math.Ldexp(1-a*0x1p-52, scale))
		}
	}
	out := make([]float64, len(in))
	for _, isa := range Available() {
		row.Sets[isa].Form[asm.Contiguous](unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), nil, nil, nil, 1, len(in), 0, 0, 0, 0, 0)
		for i, x := range in {
			require.Equal(t, want(args[uint64]{math.Float64bits(x)}), math.Float64bits(out[i]), "%x on %s", x, isa)
		}
	}
}
