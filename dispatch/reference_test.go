package dispatch

import (
	"cmp"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
)

// kind says what the bits of an element mean.
type kind uint8

const (
	signed kind = iota
	unsigned
	float
	truth // one byte, 0 or 1
)

// elementType is what the tests know of a Type.
type elementType struct {
	name string
	size int
	kind kind
}

var elementTypes = [numTypes]elementType{
	Float32:  {"float32", 4, float},
	Float64:  {"float64", 8, float},
	Int8:     {"int8", 1, signed},
	Int16:    {"int16", 2, signed},
	Int32:    {"int32", 4, signed},
	Int64:    {"int64", 8, signed},
	Uint8:    {"uint8", 1, unsigned},
	Uint16:   {"uint16", 2, unsigned},
	Uint32:   {"uint32", 4, unsigned},
	Uint64:   {"uint64", 8, unsigned},
	Bool:     {"bool", 1, truth},
	Float16:  {"float16", 2, float},
	BFloat16: {"bfloat16", 2, float},
}

// Masks of an element's bits.
func (t elementType) all() uint64      { return math.MaxUint64 >> (64 - 8*t.size) }
func (t elementType) sign() uint64     { return 1 << (8*t.size - 1) }
func (t elementType) fraction() uint64 { return 1<<t.fractionBits() - 1 }
func (t elementType) infinity() uint64 { return t.all() ^ t.sign() ^ t.fraction() }
func (t elementType) quiet() uint64    { return (t.fraction() + 1) / 2 }

// fractionBits are those of a float.
func (t elementType) fractionBits() int {
	switch {
	case t.size == 8:
		return 52
	case t.size == 4:
		return 23
	case t.name[0] == 'b':
		return 7
	}
	return 10
}

// half tells whether t is a 16-bit float.
func (t elementType) half() bool { return t.kind == float && t.size == 2 }

func (t elementType) isNaN(v uint64) bool {
	return t.kind == float && v&^t.sign() > t.infinity()
}

// nan is the NaN that an arithmetic instruction makes of operands that hold
// one, if any does: the first, or on arm64 the first signalling one, made quiet.
func (t elementType) nan(x args[uint64]) (v uint64, ok bool) {
	if runtime.GOARCH == "arm64" {
		for _, v := range x {
			if t.isNaN(v) && v&t.quiet() == 0 {
				return v | t.quiet(), true
			}
		}
	}
	for _, v := range x {
		if t.isNaN(v) {
			return v | t.quiet(), true
		}
	}
	return 0, false
}

// invalid is the NaN that an arithmetic instruction makes of operands that are
// none.
func (t elementType) invalid() uint64 {
	nan := t.infinity() | t.quiet()
	if runtime.GOARCH != "arm64" {
		nan |= t.sign()
	}
	return nan
}

// nanBits tells whether nan and invalid hold on this machine. On others only
// that a result is a NaN is known, not which, and so it is on an emulator that
// is known to choose among NaNs as no CPU does: LANECAST_TEST_NAN=any.
var nanBits = slices.Contains([]string{"386", "amd64", "arm64"}, runtime.GOARCH) && os.Getenv("LANECAST_TEST_NAN") != "any"

// compare orders two elements that are not NaNs, -0 before +0.
func (t elementType) compare(a, b uint64) int {
	switch t.kind {
	case signed:
		return cmp.Compare(t.int(a), t.int(b))
	case float: // the larger the magnitude, the farther from the middle
		key := func(v uint64) uint64 {
			if v&t.sign() != 0 {
				return ^v & t.all()
			}
			return v | t.sign()
		}
		return cmp.Compare(key(a), key(b))
	}
	return cmp.Compare(a, b)
}

// int is a signed element's value.
func (t elementType) int(v uint64) int64 {
	unused := 64 - 8*t.size
	return int64(v<<unused) >> unused
}

// args holds the operands of one element; those that an operation lacks are
// zero.
type args[T any] [4]T

type number interface {
	float32 | float64 | int64 | uint64
}

// A meaning computes one element from bits to bits. Bits above those of the
// result's type do not count.
type meaning func(x args[uint64]) uint64

// references is the hand-written meaning of each operation for each type, or
// nil where it has none. Nothing here is shared with the generator.
var references = join(basics, calculations, comparisons, casting)

func join[V any](groups ...map[string]V) map[string]V {
	all := map[string]V{}
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return all
}

// operandTypes lists the types of the destination and of the sources, as far
// as they may differ from the row's.
var operandTypes = join(comparedTypes, castTypes)

// typesOf lists the types of all operands of an operation on elements of type t.
func typesOf(op *Operation, t Type) (types [maxOperands]Type) {
	for o := range types {
		types[o] = t
	}
	if f := operandTypes[op.Name]; f != nil {
		copy(types[:], f(t))
	}
	return types
}

var basics = map[string]func(t elementType) meaning{
	"Add": arithmetic(add[float32], add[float64], add[int64], add[uint64]),
	"Sub": arithmetic(sub[float32], sub[float64], sub[int64], sub[uint64]),
	"Mul": arithmetic(mul[float32], mul[float64], mul[int64], mul[uint64]),
	"Sqrt": arithmetic(
		// Rounding a float64 root to float32 rounds it correctly.
		func(x args[float32]) float32 { return float32(math.Sqrt(float64(x[0]))) },
		func(x args[float64]) float64 { return math.Sqrt(x[0]) }, nil, nil),
	"Maximum": func(t elementType) meaning { return choice(t, 1) },
	"Minimum": func(t elementType) meaning { return choice(t, -1) },
	"Neg":     neg,
	"Abs":     abs,
}

func add[T number](x args[T]) T { return x[0] + x[1] }
func sub[T number](x args[T]) T { return x[0] - x[1] }
func mul[T number](x args[T]) T { return x[0] * x[1] }
func div[T number](x args[T]) T { return x[0] / x[1] }

// arithmetic is an operation that floats round and integers wrap. It takes
// part in the rules of NaNs: those of the operands pass on, others are the
// machine's.
func arithmetic(
	f32 func(args[float32]) float32, f64 func(args[float64]) float64,
	i func(args[int64]) int64, u func(args[uint64]) uint64,
) func(t elementType) meaning {
	return func(t elementType) meaning {
		switch {
		case t.kind == float && t.size == 4:
			return rounded(t, f32, func(v uint64) float32 { return math.Float32frombits(uint32(v)) },
				func(v float32) uint64 { return uint64(math.Float32bits(v)) })
		case t.kind == float && t.size == 8:
			return rounded(t, f64, math.Float64frombits, math.Float64bits)
		case t.kind == signed && i != nil:
			return func(x args[uint64]) uint64 {
				return uint64(i(args[int64]{t.int(x[0]), t.int(x[1]), t.int(x[2]), t.int(x[3])}))
			}
		case t.kind == unsigned && u != nil:
			return u
		}
		return nil
	}
}

func rounded[F number](t elementType, f func(args[F]) F, from func(uint64) F, bits func(F) uint64) meaning {
	return func(x args[uint64]) uint64 {
		if v, ok := t.nan(x); ok {
			return v
		}
		v := bits(f(args[F]{from(x[0]), from(x[1]), from(x[2]), from(x[3])}))
		if t.isNaN(v) {
			return t.invalid()
		}
		return v
	}
}

// choice is the larger operand for sign 1 and the smaller one for -1.
func choice(t elementType, sign int) meaning {
	if t.kind == truth {
		return nil
	}
	return func(x args[uint64]) uint64 {
		if v, ok := t.nan(x); ok {
			return v
		}
		if t.compare(x[0], x[1]) == sign {
			return x[0]
		}
		return x[1]
	}
}

// neg changes the sign of a float, NaN or not; integers wrap.
func neg(t elementType) meaning {
	switch t.kind {
	case float:
		return func(x args[uint64]) uint64 { return x[0] ^ t.sign() }
	case signed, unsigned:
		return func(x args[uint64]) uint64 { return -x[0] }
	}
	return nil
}

// abs clears the sign of a float, NaN or not. The least signed integer stays
// as it is.
func abs(t elementType) meaning {
	switch t.kind {
	case float:
		return func(x args[uint64]) uint64 { return x[0] &^ t.sign() }
	case signed:
		return func(x args[uint64]) uint64 {
			if t.int(x[0]) < 0 {
				return -x[0]
			}
			return x[0]
		}
	case unsigned:
		return func(x args[uint64]) uint64 { return x[0] }
	}
	return nil
}

// specials lists the values at which operations differ.
func (t elementType) specials() []uint64 {
	if t.kind == truth {
		return []uint64{0, 1}
	}
	if t.kind != float {
		const pattern = 0x5555555555555555
		var vs []uint64
		for _, v := range []uint64{0, 1, 2, 3, 7, 10, pattern, 1 << (4*t.size - 1), 1 << (4 * t.size), t.sign()} {
			vs = append(vs, v&t.all(), -v&t.all(), ^v&t.all())
		}
		return vs
	}
	one := t.infinity() >> 1 &^ t.fraction()
	var vs []uint64
	for _, v := range []uint64{
		0, 1, 2, t.fraction(), // subnormal, smallest to largest
		t.fraction() + 1, t.infinity() - 1, // normal, smallest and largest
		one, one + 1, one - 1, one + (t.fraction()+1)/2, one + (t.fraction() + 1), // 1, its neighbours, 1.5, 2
		one/2 + 3, t.infinity() - one/2 + 5, // small and large: their squares underflow and overflow
		t.infinity(), t.infinity() + 1, t.infinity() + 0x123, t.infinity() | t.quiet(), t.infinity() | t.quiet() | 0x45, t.all() &^ t.sign(),
	} {
		vs = append(vs, v, v|t.sign())
	}
	return vs
}
