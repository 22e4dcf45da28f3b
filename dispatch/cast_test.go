package dispatch

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

// tiesAway tells that the machine is an emulator whose conversion to 16-bit
// floats takes ties away from zero, where a CPU takes them to even:
// LANECAST_TEST_TIES=away.
var tiesAway = os.Getenv("LANECAST_TEST_TIES") == "away"

// isTieAway tells whether got may be what such a machine makes of a tie for
// which a CPU gives want.
func (t elementType) isTieAway(got, want uint64) bool {
	return tiesAway && t.name == "float16" && want&1 == 0 && got == want+1
}

// quickCasts convert float32 by comparing numbers, not by taking bits apart.
var quickCasts = map[string]meaning{
	"CastFloat32": func(x args[uint64]) uint64 { return x[0] },
	"CastFloat64": quickCast(Float64, math.Float64bits),
	"CastBool":    func(x args[uint64]) uint64 { return number01(math.Float32frombits(uint32(x[0])) != 0) },
	"CastInt8":    quickCast(Int8, limited(-1<<7, 1<<7-1)),
	"CastInt16":   quickCast(Int16, limited(-1<<15, 1<<15-1)),
	"CastInt32":   quickCast(Int32, limited(-1<<31, 1<<31-1)),
	"CastInt64":   quickCast(Int64, limited(math.MinInt64, math.MaxInt64)),
	"CastUint8":   quickCast(Uint8, limited(0, 1<<8-1)),
	"CastUint16":  quickCast(Uint16, limited(0, 1<<16-1)),
	"CastUint32":  quickCast(Uint32, limited(0, 1<<32-1)),
	"CastUint64": quickCast(Uint64, func(v float64) uint64 {
		switch {
		case v >= 0x1p64:
			return math.MaxUint64
		case v <= 0:
			return 0
		}
		return uint64(v)
	}),
	"CastFloat16":  quickCast(Float16, nearestOf(elementTypes[Float16])),
	"CastBFloat16": quickCast(BFloat16, nearestOf(elementTypes[BFloat16])),
}

// quickCast is f but for NaNs.
func quickCast(to Type, f func(float64) uint64) meaning {
	single, t := elementTypes[Float32], elementTypes[to]
	return func(x args[uint64]) uint64 {
		if v := math.Float32frombits(uint32(x[0])); v == v {
			return f(float64(v)) & t.all()
		}
		return castNaN(t, single, x[0])
	}
}

func limited(least, most int64) func(float64) uint64 {
	return func(v float64) uint64 {
		switch {
		case v >= float64(most):
			return uint64(most)
		case v <= float64(least):
			return uint64(least)
		}
		return uint64(int64(v))
	}
}

// nearestOf searches the list of all numbers half-way between neighbours.
func nearestOf(t elementType) func(float64) uint64 {
	var middles []float64
	for v := range t.infinity() {
		next := math.Ldexp(1, int(t.infinity()>>t.fractionBits())/2+1) // beyond the largest
		if v+1 < t.infinity() {
			next = t.float(v + 1)
		}
		middles = append(middles, t.float(v)/2+next/2)
	}
	return func(v float64) uint64 {
		a := math.Abs(v)
		i := sort.SearchFloat64s(middles, a) // between i-1 and i, or on i: the number i
		if i < len(middles) && middles[i] == a {
			i += i & 1
		}
		r := uint64(i)
		if math.Signbit(v) {
			r |= t.sign()
		}
		return r
	}
}

// Quick casts and the others agree, on what differs most.
func TestQuickCasts(t *testing.T) {
	single := elementTypes[Float32]
	r := rand.New(rand.NewPCG(1, 2))
	for name, quick := range quickCasts {
		want, all := casting[name](single), elementTypes[castTypes[name](Float32)[0]].all()
		inputs := single.specials()
		for range 10000 / sample(t) {
			inputs = append(inputs, uint64(r.Uint32()))
			for _, typ := range []Type{Float16, BFloat16} {
				h := uint64(r.Uint32() & 0xffff)
				if e := elementTypes[typ]; !e.isNaN(h) {
					exact := cast(single, e, h)
					inputs = append(inputs, exact, exact+1, exact+1<<12, exact+1<<15, exact+1<<15+1)
				}
			}
		}
		for _, x := range inputs {
			x := args[uint64]{x & single.all()}
			require.Equal(t, want(x)&all, quick(x)&all, "%s of %#x", name, x[0])
		}
	}
}

// TestHalves compares arithmetic on 16-bit floats, which is rounded to float32
// first, with exact results rounded once.
func TestHalves(t *testing.T) {
	exactly := map[*Operation]func(x, y *big.Float) *big.Float{
		&Add: func(x, y *big.Float) *big.Float { return x.Add(x, y) },
		&Sub: func(x, y *big.Float) *big.Float { return x.Sub(x, y) },
		&Mul: func(x, y *big.Float) *big.Float { return x.Mul(x, y) },
		&Div: func(x, y *big.Float) *big.Float {
			// A quotient is no tie unless it is short, and then it is exact.
			return x.Quo(x, y)
		},
		&Sqrt:  func(x, _ *big.Float) *big.Float { return x.Sqrt(x) },
		&Rsqrt: func(x, _ *big.Float) *big.Float { return x.Quo(big.NewFloat(1), x.Sqrt(x)) },
	}
	for _, typ := range []Type{Float16, BFloat16} {
		e := elementTypes[typ]
		value := func(v uint64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(e.float(v)) }
		for op, exact := range exactly {
			got := meaningOf(op, typ)
			r := rand.New(rand.NewPCG(uint64(typ), 3))
			test := func(x, y uint64) {
				a, b := value(x), value(y)
				if a.IsInf() || b.IsInf() || b.Sign() == 0 || a.Sign() == 0 || op.Sources == 1 && a.Sign() < 0 {
					return
				}
				z := exact(a, b)
				if z.Sign() == 0 {
					return
				}
				require.Equal(t, e.rounded(z), got(args[uint64]{x, y})&e.all(), "%s of %#x and %#x of %s", op.Name, x, y, e.name)
			}
			if op.Sources == 1 {
				for x := range e.infinity() {
					test(x, 1)
				}
				continue
			}
			for range 200000 / sample(t) {
				x, y := r.Uint64()&e.all(), r.Uint64()&e.all()
				if r.IntN(2) == 0 { // of similar size
					y = (x + r.Uint64()&0xfff - 0x800) & e.all()
				}
				if !e.isNaN(x) && !e.isNaN(y) {
					test(x, y)
				}
			}
		}
	}
}
