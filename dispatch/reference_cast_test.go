package dispatch

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// casting has an entry for each type that there is a cast to, and castTypes
// that type.
var (
	casting = eachCast(func(to Type) func(t elementType) meaning {
		return func(from elementType) meaning {
			return func(x args[uint64]) uint64 { return cast(elementTypes[to], from, x[0]) }
		}
	})
	castTypes = eachCast(func(to Type) func(t Type) []Type {
		return func(Type) []Type { return []Type{to} }
	})
)

func eachCast[V any](f func(to Type) V) map[string]V {
	m := map[string]V{}
	for to, t := range elementTypes {
		m["Cast"+typeTitle(t)] = f(Type(to))
	}
	return m
}

func typeTitle(t elementType) string {
	if t.name == "bfloat16" {
		return "BFloat16"
	}
	return strings.ToUpper(t.name[:1]) + t.name[1:]
}

// cast converts an element of one type to one of another.
func cast(to, from elementType, v uint64) uint64 {
	switch {
	case to == from:
		return v
	case to.kind == truth:
		if from.kind == float {
			v &^= from.sign()
		}
		return number01(v != 0)
	case from.kind == float && from.isNaN(v):
		return castNaN(to, from, v)
	case from.kind == float && to.kind != float:
		return saturated(to, from.float(v))
	case from.kind == float:
		return to.round(from.float(v))
	case from.kind == signed:
		if to.kind == float {
			return to.rounded(new(big.Float).SetInt64(from.int(v)))
		}
		return uint64(from.int(v))
	case to.kind == float:
		return to.rounded(new(big.Float).SetUint64(v))
	}
	return v
}

// castNaN keeps the sign and the upper bits of the fraction, and makes the NaN
// a quiet one, but where bits are all that is moved.
func castNaN(to, from elementType, v uint64) uint64 {
	if to.kind != float {
		return 0
	}
	fraction := v & from.fraction() << 12 // the widest has 52 bits: they end at bit 64
	fraction <<= 52 - from.fractionBits()
	fraction >>= 12 + 52 - to.fractionBits()
	r := to.infinity() | fraction
	if v&from.sign() != 0 {
		r |= to.sign()
	}
	if from.name == "bfloat16" && to.name == "float32" {
		return r
	}
	return r | to.quiet()
}

func saturated(to elementType, v float64) uint64 {
	whole, _ := big.NewFloat(math.Max(math.Min(v, 1e30), -1e30)).Int(nil) // towards zero
	largest, smallest := new(big.Int).SetUint64(to.all()), new(big.Int)
	if to.kind == signed {
		largest.SetUint64(to.all() >> 1)
		smallest.Not(largest)
	}
	switch {
	case whole.Cmp(largest) > 0:
		whole = largest
	case whole.Cmp(smallest) < 0:
		whole = smallest
	}
	if whole.Sign() < 0 {
		return uint64(whole.Int64())
	}
	return whole.Uint64()
}

// float is the value of a float that is not a NaN.
func (t elementType) float(v uint64) float64 {
	exponent, fraction := int(v&t.infinity()>>t.fractionBits()), v&t.fraction()
	bias := int(t.infinity()>>t.fractionBits()) / 2
	var f float64
	switch {
	case v&^t.sign() == t.infinity():
		f = math.Inf(1)
	case exponent == 0:
		f = math.Ldexp(float64(fraction), 1-bias-t.fractionBits())
	default:
		f = math.Ldexp(float64(fraction|(t.fraction()+1)), exponent-bias-t.fractionBits())
	}
	if v&t.sign() != 0 {
		return -f
	}
	return f
}

// round is rounded for what float64 holds, infinities and -0 included.
func (t elementType) round(v float64) uint64 {
	switch {
	case v == 0 || math.IsInf(v, 0):
		r := uint64(0)
		if v != 0 {
			r = t.infinity()
		}
		if math.Signbit(v) {
			r |= t.sign()
		}
		return r
	}
	return t.rounded(new(big.Float).SetFloat64(v))
}

// rounded gives the bits of the float of type t nearest to v, those of the even
// one of two.
func (t elementType) rounded(v *big.Float) uint64 {
	if v.Sign() == 0 {
		return 0
	}
	bits := t.fractionBits()
	bias := int(t.infinity()>>bits) / 2
	// In units of the last place v is a number of up to bits+1 bits.
	exponent := max(v.MantExp(nil)-1, 1-bias)
	units := new(big.Float).SetMantExp(new(big.Float).Abs(v), bits-exponent)
	whole, _ := units.Int(nil)
	rest := new(big.Float).Sub(units, new(big.Float).SetInt(whole))
	n := whole.Uint64()
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && n&1 != 0 {
		n++
	}
	r := n + uint64(exponent-(1-bias))<<bits // the upper bit of n counts as an exponent
	r = min(r, t.infinity())
	if v.Sign() < 0 {
		r |= t.sign()
	}
	return r
}

// Operations on 16-bit floats are those on float32, the operands converted to it
// and the result rounded once more, but for those of which exact says
// otherwise and those that look at nothing but bits.
var (
	exactHalves = map[string]func(t elementType) meaning{
		"FMA":   halfFMA,
		"Hypot": halfHypot,
	}
	ofBits = []string{"Neg", "Abs", "CopySign", "Copy", "Where", "SignBit",
		"Equal", "NotEqual", "Less", "LessEqual", "IsNaN", "IsInf", "IsFinite"}
)

// meaningOf finds the meaning of an operation for a type, or nil.
func meaningOf(op *Operation, typ Type) meaning {
	t := elementTypes[typ]
	reference := references[op.Name]
	switch {
	case reference == nil:
		return nil
	case !t.half() || slices.Contains(ofBits, op.Name) || casting[op.Name] != nil:
		return reference(t)
	case exactHalves[op.Name] != nil:
		return exactHalves[op.Name](t)
	}
	single := elementTypes[Float32]
	wide := reference(single)
	if wide == nil {
		return nil
	}
	types := typesOf(op, typ)
	return func(x args[uint64]) uint64 {
		for s := range op.Sources {
			if types[1+s] == typ {
				x[s] = cast(single, t, x[s])
			}
		}
		r := wide(x)
		if types[0] == typ {
			r = cast(t, single, r&single.all())
		}
		return r
	}
}

// quieted is the first NaN of the operands, quiet.
func (t elementType) quieted(x args[uint64]) (v uint64, ok bool) {
	for _, v := range x {
		if t.isNaN(v) {
			return v | t.quiet(), true
		}
	}
	return 0, false
}

// halfFMA is x·y + z, rounded once.
func halfFMA(t elementType) meaning {
	return func(x args[uint64]) uint64 {
		if v, ok := t.quieted(x); ok {
			return v
		}
		a, b, c := t.float(x[0]), t.float(x[1]), t.float(x[2])
		p := a * b // exact
		if s := p + c; s != s {
			return t.invalid()
		} else if s == 0 || math.IsInf(s, 0) {
			return t.round(s)
		}
		exact := new(big.Float).SetPrec(1000).SetFloat64(p)
		return t.rounded(exact.Add(exact, new(big.Float).SetFloat64(c)))
	}
}

// halfHypot is √(x² + y²), rounded once. An infinite operand is stronger than a
// NaN.
func halfHypot(t elementType) meaning {
	return func(x args[uint64]) uint64 {
		if x[0]&^t.sign() == t.infinity() || x[1]&^t.sign() == t.infinity() {
			return t.infinity()
		}
		if v, ok := t.quieted(x); ok {
			return v
		}
		square := func(v uint64) *big.Float {
			f := new(big.Float).SetPrec(1200).SetFloat64(t.float(v))
			return f.Mul(f, f)
		}
		sum := square(x[0])
		return t.rounded(sum.Sqrt(sum.Add(sum, square(x[1]))))
	}
}
