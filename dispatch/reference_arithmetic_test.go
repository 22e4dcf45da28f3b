package dispatch

import (
	"math"
	"math/big"
	"runtime"
	"sync"
)

// calculations are in math/big where a rounding matters: exact values, rounded
// once by round.
var calculations = map[string]func(t elementType) meaning{
	"Div":       arithmetic(div[float32], div[float64], nonZero(div[int64]), nonZeroU(div[uint64])),
	"FloorDiv":  division(floorDivFloat, nonZero(floorDiv), nonZeroU(div[uint64])),
	"Remainder": division(remainderFloat, nonZero(floorMod), nonZeroU(mod[uint64])),
	"FMod":      division(fmodFloat, nonZero(mod[int64]), nonZeroU(mod[uint64])),
	"Pow": division(nil,
		func(x args[int64]) int64 {
			if x[1] < 0 {
				return 1
			}
			return int64(pow(args[uint64]{uint64(x[0]), uint64(x[1])}))
		}, pow),
	"FMax": func(t elementType) meaning { return ignoringNaN(t, choice(t, 1)) },
	"FMin": func(t elementType) meaning { return ignoringNaN(t, choice(t, -1)) },
	"AbsDiff": func(t elementType) meaning {
		if t.kind == float {
			return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 {
				return op("Sub", x[0], x[1]) &^ t.sign()
			})
		}
		return func(x args[uint64]) uint64 {
			if t.compare(x[0], x[1]) < 0 {
				return x[1] - x[0]
			}
			return x[0] - x[1]
		}
	},
	"SquaredDifference": func(t elementType) meaning {
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 {
			d := op("Sub", x[0], x[1])
			return op("Mul", d, d)
		})
	},
	"Hypot": hypot,
	"CopySign": func(t elementType) meaning {
		return func(x args[uint64]) uint64 { return x[0]&^t.sign() | x[1]&t.sign() }
	},

	"FMA": fma,
	"Lerp": func(t elementType) meaning {
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 {
			return op("FMA", x[2], x[1], op("FMA", x[2]^t.sign(), x[0], x[0]))
		})
	},
	"Clamp": func(t elementType) meaning {
		larger, smaller := choice(t, 1), choice(t, -1)
		return func(x args[uint64]) uint64 {
			return smaller(args[uint64]{larger(args[uint64]{x[0], x[1]}), x[2]})
		}
	},
	"AddMul": func(t elementType) meaning {
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 {
			if t.kind == float {
				return op("FMA", op("Mul", x[3], x[1]), x[2], x[0])
			}
			return x[0] + x[1]*x[2]*x[3]
		})
	},
	"AddDiv": func(t elementType) meaning {
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 {
			return op("Add", x[0], op("Div", op("Mul", x[3], x[1]), x[2]))
		})
	},

	"Sign": sign,
	"Rsqrt": func(t elementType) meaning {
		return t.rounding(func(x args[float64]) *big.Float {
			switch v := x[0]; {
			case v == 0:
				return new(big.Float).SetInf(math.Signbit(v))
			case v < 0:
				return nil
			case math.IsInf(v, 1):
				return new(big.Float)
			default: // midpoints are no closer than 2⁻¹⁶²
				root := new(big.Float).SetPrec(300).SetFloat64(v)
				return root.Quo(big.NewFloat(1), root.Sqrt(root))
			}
		})
	},
	"Reciprocal": func(t elementType) meaning {
		one := t.nearest(big.NewFloat(1))
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 { return op("Div", one, x[0]) })
	},
	"Square": func(t elementType) meaning {
		return chain(t, func(op func(string, ...uint64) uint64, x args[uint64]) uint64 { return op("Mul", x[0], x[0]) })
	},
	"Floor": whole(func(below int64, fraction float64) bool { return false }),
	"Ceil":  whole(func(below int64, fraction float64) bool { return fraction > 0 }),
	"Trunc": whole(func(below int64, fraction float64) bool { return fraction > 0 && below < 0 }),
	"Round": whole(func(below int64, fraction float64) bool {
		return fraction > 0.5 || fraction == 0.5 && below%2 != 0
	}),
	"Relu": func(t elementType) meaning {
		larger := choice(t, 1)
		return func(x args[uint64]) uint64 { return larger(args[uint64]{x[0], 0}) }
	},
}

// division has a meaning for floats, if any, and one for integers.
func division(f func(elementType) meaning, i func(args[int64]) int64, u func(args[uint64]) uint64) func(elementType) meaning {
	return func(t elementType) meaning {
		if t.kind != float {
			return arithmetic(nil, nil, i, u)(t)
		}
		if f == nil {
			return nil
		}
		return f(t)
	}
}

// chain makes a meaning of other operations, each rounded.
func chain(t elementType, f func(op func(string, ...uint64) uint64, x args[uint64]) uint64) meaning {
	var known sync.Map // of meaning, by name: some tests ask from several goroutines
	op := func(name string, x ...uint64) uint64 {
		m, ok := known.Load(name)
		if !ok {
			m = map[string]func(elementType) meaning{
				"Add": basics["Add"], "Sub": basics["Sub"], "Mul": basics["Mul"],
				"Div": arithmetic(div[float32], div[float64], nil, nil), "FMA": fma,
			}[name](t)
			known.Store(name, m)
		}
		var a args[uint64]
		copy(a[:], x)
		return m.(meaning)(a)
	}
	return func(x args[uint64]) uint64 { return f(op, x) }
}

// Division by zero gives 0: no caller asks for it.
func nonZero(f func(args[int64]) int64) func(args[int64]) int64 {
	return func(x args[int64]) int64 {
		if x[1] == 0 {
			return 0
		}
		return f(x)
	}
}

func nonZeroU(f func(args[uint64]) uint64) func(args[uint64]) uint64 {
	return func(x args[uint64]) uint64 {
		if x[1] == 0 {
			return 0
		}
		return f(x)
	}
}

func mod[T int64 | uint64](x args[T]) T { return x[0] % x[1] }

// floorDiv is Euclid's quotient of a positive divisor, in exact numbers.
func floorDiv(x args[int64]) int64 {
	n, d := big.NewInt(x[0]), big.NewInt(x[1])
	if d.Sign() < 0 {
		n.Neg(n)
		d.Neg(d)
	}
	q := n.Div(n, d)
	return int64(q.And(q, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
}

func floorMod(x args[int64]) int64 { return x[0] - floorDiv(x)*x[1] }

func pow(x args[uint64]) uint64 {
	z := uint64(1)
	for bit := 63; bit >= 0; bit-- {
		z *= z
		if x[1]>>bit&1 != 0 {
			z *= x[0]
		}
	}
	return z
}

func ignoringNaN(t elementType, choose meaning) meaning {
	return func(x args[uint64]) uint64 {
		switch a, b := t.isNaN(x[0]), t.isNaN(x[1]); {
		case a && !b:
			return x[1]
		case b && !a:
			return x[0]
		}
		return choose(x)
	}
}

func sign(t elementType) meaning {
	switch t.kind {
	case float:
		one := t.nearest(big.NewFloat(1))
		return func(x args[uint64]) uint64 {
			switch v := t.value(x[0]); {
			case v > 0:
				return one
			case v < 0:
				return one | t.sign()
			case v == 0:
				return 0
			}
			return x[0] | t.quiet()
		}
	case signed, unsigned:
		return func(x args[uint64]) uint64 { return uint64(int64(t.compare(x[0], 0))) }
	}
	return nil
}

// value is a floating-point element's value.
func (t elementType) value(v uint64) float64 {
	if t.size == 4 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// nearest is the element nearest to x, to even of two.
func (t elementType) nearest(x *big.Float) uint64 {
	if t.size == 4 {
		v, _ := x.Float32()
		return uint64(math.Float32bits(v))
	}
	v, _ := x.Float64()
	return math.Float64bits(v)
}

// rounding is an operation on floats other than NaN, exact or very precise; nil
// stands for an invalid one.
func (t elementType) rounding(f func(x args[float64]) *big.Float) meaning {
	if t.kind != float {
		return nil
	}
	return func(x args[uint64]) uint64 {
		if v, ok := t.nan(x); ok {
			return v
		}
		var v args[float64]
		for i := range v {
			v[i] = t.value(x[i])
		}
		if z := f(v); z != nil {
			return t.nearest(z)
		}
		return t.invalid()
	}
}

// exact holds sums of products of any float64s.
func exact(v float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(v) }

// fma knows infinities and NaNs itself: Arm looks at the addend first.
func fma(t elementType) meaning {
	if t.kind != float {
		return nil
	}
	finite := t.rounding(func(x args[float64]) *big.Float {
		p := exact(x[0])
		p.Mul(p, exact(x[1]))
		if z := exact(x[2]); p.Sign() != 0 || z.Sign() != 0 || p.Signbit() == z.Signbit() {
			return p.Add(p, z)
		}
		return new(big.Float)
	})
	return func(x args[uint64]) uint64 {
		isInf := func(v uint64) bool { return v&^t.sign() == t.infinity() }
		isZero := func(v uint64) bool { return v&^t.sign() == 0 }
		vague := isInf(x[0]) && isZero(x[1]) || isInf(x[1]) && isZero(x[0])
		if runtime.GOARCH == "arm64" {
			if t.isNaN(x[2]) && x[2]&t.quiet() != 0 && vague {
				return t.invalid()
			}
			if v, ok := t.nan(args[uint64]{x[2], x[0], x[1]}); ok {
				return v
			}
		} else if v, ok := t.nan(args[uint64]{x[0], x[1], x[2]}); ok {
			return v
		}
		sign := (x[0] ^ x[1]) & t.sign() // of the product
		switch {
		case vague:
			return t.invalid()
		case isInf(x[0]) || isInf(x[1]):
			if isInf(x[2]) && x[2]&t.sign() != sign {
				return t.invalid()
			}
			return t.infinity() | sign
		case isInf(x[2]):
			return x[2]
		}
		return finite(x)
	}
}

// integral makes integers of two floats, in the same unit.
func integral(x, y float64) (m, n *big.Int, unit int) {
	fx, ex := math.Frexp(x)
	fy, ey := math.Frexp(y)
	m, n = big.NewInt(int64(math.Ldexp(fx, 53))), big.NewInt(int64(math.Ldexp(fy, 53)))
	if x == 0 {
		return m, n, ey - 53
	}
	unit = min(ex, ey)
	return m.Lsh(m, uint(ex-unit)), n.Lsh(n, uint(ey-unit)), unit - 53
}

func fmodFloat(t elementType) meaning {
	return t.rounding(func(x args[float64]) *big.Float {
		switch {
		case math.IsInf(x[0], 0) || x[1] == 0:
			return nil
		case math.IsInf(x[1], 0):
			return exact(x[0])
		}
		m, n, unit := integral(x[0], x[1])
		r := new(big.Float).SetInt(m.Rem(m, n))
		r.SetMantExp(r, unit)
		if r.Sign() == 0 && math.Signbit(x[0]) {
			r.Neg(r)
		}
		return r
	})
}

// numpyDivmod is its algorithm, with each step rounded to the type.
func numpyDivmod(t elementType, x args[uint64]) (q, r uint64) {
	step := func(f func(a, b, z *big.Float) *big.Float, a, b uint64) uint64 {
		return t.nearest(f(new(big.Float).SetPrec(5000), exact(t.value(a)), exact(t.value(b))))
	}
	r = fmodFloat(t)(x)
	d := basics["Sub"](t)(args[uint64]{x[0], r})
	d = arithmetic(div[float32], div[float64], nil, nil)(t)(args[uint64]{d, x[1]})
	one := t.nearest(big.NewFloat(1))
	switch v := t.value(r); {
	case v == 0:
		r = x[1] & t.sign()
	case v < 0 != (t.value(x[1]) < 0):
		if math.IsInf(t.value(x[1]), 0) {
			r = x[1]
		} else {
			r = step(func(z, a, b *big.Float) *big.Float { return z.Add(a, b) }, r, x[1])
		}
		d = basics["Sub"](t)(args[uint64]{d, one})
	}
	if v := t.value(d); v == 0 {
		d = (x[0] ^ x[1]) & t.sign()
	} else if below := math.Floor(v); v-below > 0.5 { // exact
		d = t.nearest(exact(below + 1))
	} else {
		d = t.nearest(exact(below))
	}
	return d, r
}

func floorDivFloat(t elementType) meaning {
	divide := arithmetic(div[float32], div[float64], nil, nil)(t)
	return func(x args[uint64]) uint64 {
		if _, ok := t.nan(x); ok || t.value(x[1]) == 0 {
			return divide(x)
		}
		if math.IsInf(t.value(x[0]), 0) {
			return t.invalid()
		}
		q, _ := numpyDivmod(t, x)
		return q
	}
}

func remainderFloat(t elementType) meaning {
	plain := fmodFloat(t)
	return func(x args[uint64]) uint64 {
		if r := plain(x); t.isNaN(r) {
			return r
		}
		_, r := numpyDivmod(t, x)
		return r
	}
}

// whole rounds to whole numbers; up tells whether it is to the one above.
func whole(up func(below int64, fraction float64) bool) func(t elementType) meaning {
	return func(t elementType) meaning {
		if t.kind != float {
			return nil
		}
		return func(x args[uint64]) uint64 {
			v := t.value(x[0])
			switch {
			case v != v:
				return x[0] | t.quiet()
			case math.Abs(v) >= 1<<52:
				return x[0]
			}
			n := int64(v)
			if float64(n) > v {
				n--
			}
			if up(n, v-float64(n)) {
				n++
			}
			if t.size == 4 {
				return uint64(math.Float32bits(float32(n))) | x[0]&t.sign()
			}
			return math.Float64bits(float64(n)) | x[0]&t.sign()
		}
	}
}

// hypot follows the formula: the smaller magnitude's square is rounded, the
// larger one's is not, and nothing overflows or underflows in between, but for
// the smaller square.
func hypot(t elementType) meaning {
	if t.kind != float {
		return nil
	}
	add, fused := basics["Add"](t), fma(t)
	ldexp := func(v uint64, n int) uint64 {
		x := exact(t.value(v))
		return t.nearest(x.SetMantExp(x, n))
	}
	return func(x args[uint64]) uint64 {
		h, l := x[0]&^t.sign(), x[1]&^t.sign()
		switch {
		case h == t.infinity() || l == t.infinity():
			return t.infinity()
		case t.isNaN(h) || t.isNaN(l):
			return add(args[uint64]{x[0], x[1]})
		}
		h, l = max(h, l), min(h, l)
		up, large := -50, 62
		by := map[bool]int{false: 100, true: -66}
		if t.size == 8 {
			up, large = -450, 510
			by = map[bool]int{false: 700, true: -514}
		}
		n := 0
		switch v := t.value(h); {
		case v < math.Ldexp(1, up):
			n = by[false]
		case v > math.Ldexp(1, large):
			n = by[true]
		}
		h, l = ldexp(h, n), ldexp(l, n)
		s := fused(args[uint64]{h, h, fused(args[uint64]{l, l, 0})})
		root := exact(t.value(s))
		if s != 0 {
			root = new(big.Float).SetPrec(300).SetFloat64(t.value(s))
			root.Sqrt(root)
		}
		return ldexp(t.nearest(root), -n)
	}
}
