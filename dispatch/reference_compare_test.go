package dispatch

import "math"

var comparedTypes = map[string]func(t Type) []Type{
	"Equal":     truths,
	"NotEqual":  truths,
	"Less":      truths,
	"LessEqual": truths,
	"IsNaN":     truths,
	"IsInf":     truths,
	"IsFinite":  truths,
	"SignBit":   truths,
	"IsClose":   truths,
	"Where":     func(t Type) []Type { return []Type{t, Bool} },
}

func truths(Type) []Type { return []Type{Bool} }

var comparisons = map[string]func(t elementType) meaning{
	"Equal":     ordered(func(c int) bool { return c == 0 }, false),
	"NotEqual":  ordered(func(c int) bool { return c != 0 }, true),
	"Less":      ordered(func(c int) bool { return c < 0 }, false),
	"LessEqual": ordered(func(c int) bool { return c <= 0 }, false),
	"IsNaN":     floating(func(t elementType, v uint64) bool { return t.isNaN(v) }),
	"IsInf":     floating(func(t elementType, v uint64) bool { return v&^t.sign() == t.infinity() }),
	"IsFinite":  floating(func(t elementType, v uint64) bool { return v&t.infinity() != t.infinity() }),
	"SignBit":   floating(func(t elementType, v uint64) bool { return v&t.sign() != 0 }),
	"IsClose":   isClose,
	"Copy":      func(elementType) meaning { return func(x args[uint64]) uint64 { return x[0] } },
	"Where": func(elementType) meaning {
		return func(x args[uint64]) uint64 {
			if x[0] != 0 {
				return x[1]
			}
			return x[2]
		}
	},
	"And":    bitwise(func(t elementType, x, y uint64) uint64 { return x & y }),
	"Or":     bitwise(func(t elementType, x, y uint64) uint64 { return x | y }),
	"Xor":    bitwise(func(t elementType, x, y uint64) uint64 { return x ^ y }),
	"AndNot": bitwise(func(t elementType, x, y uint64) uint64 { return x &^ y }),
	"Not": bitwise(func(t elementType, x, _ uint64) uint64 {
		if t.kind == truth {
			return 1 - x
		}
		return ^x
	}),
	"ShiftLeft": func(t elementType) meaning { return func(x args[uint64]) uint64 { return x[0] << x[1] } },
	"ShiftRight": func(t elementType) meaning {
		return func(x args[uint64]) uint64 {
			if t.kind == signed {
				return uint64(t.int(x[0]) >> x[1])
			}
			return x[0] >> x[1]
		}
	},
}

func number01(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// ordered is a comparison by the sign of compare, or what it gives if an
// operand is a NaN. Zeros of both signs are equal.
func ordered(holds func(c int) bool, unordered bool) func(t elementType) meaning {
	return func(t elementType) meaning {
		return func(x args[uint64]) uint64 {
			switch {
			case t.isNaN(x[0]) || t.isNaN(x[1]):
				return number01(unordered)
			case t.kind == float && (x[0]|x[1])&^t.sign() == 0:
				return number01(holds(0))
			}
			return number01(holds(t.compare(x[0], x[1])))
		}
	}
}

func floating(holds func(t elementType, v uint64) bool) func(t elementType) meaning {
	return func(t elementType) meaning {
		if t.kind != float {
			return nil
		}
		return func(x args[uint64]) uint64 { return number01(holds(t, x[0])) }
	}
}

func bitwise(f func(t elementType, x, y uint64) uint64) func(t elementType) meaning {
	return func(t elementType) meaning {
		if t.kind == float {
			return nil
		}
		return func(x args[uint64]) uint64 { return f(t, x[0], x[1]) }
	}
}

// isClose rounds every step to the type. In float64 the steps of a float32 are
// exact, or rounded right when rounded again.
func isClose(t elementType) meaning {
	value := math.Float64frombits
	round := func(v float64) float64 { return v }
	if t.size == 4 {
		value = func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
		round = func(v float64) float64 { return float64(float32(v)) }
	}
	return func(x args[uint64]) uint64 {
		a, b, rtol, atol := value(x[0]), value(x[1]), value(x[2]), value(x[3])
		product := round(float64(rtol * math.Abs(b)))
		distance := math.Abs(round(a - b))
		near := distance <= round(atol+product) && !math.IsInf(distance, 0)
		return number01(a == b || near)
	}
}
