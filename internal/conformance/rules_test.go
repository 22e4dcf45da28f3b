package conformance

import (
	"math"
	"math/big"
	"slices"
)

// Rules by which the library differs from NumPy, PyTorch or another reference.
// Package tensor's DIVERGENCES.md gives their reasons and counts. These are
// about shapes and memory; elementRules are about values.
const (
	ruleKeptSize         = "minus-one-in-broadcast-to"
	ruleNegativeStep     = "negative-steps"
	ruleFlip             = "flip-is-a-view"
	ruleSqueeze          = "squeeze-of-another-size"
	ruleNegativeSize     = "negative-sizes"
	ruleContiguousScalar = "contiguous-scalar"
	ruleResize           = "destination-of-another-shape"
	ruleSelfOverlap      = "destination-overlaps-itself"
	ruleOverlap          = "overlap-as-if-copied"
)

// An elementCase is one element of one operation.
type elementCase struct {
	op        string // the function of package tensor
	dtype, to string // of the operands; of the result
	args      []uint64
}

// An elementRule says what the library gives where references differ from it
// or from each other.
type elementRule struct {
	name    string
	ops     []string
	when    func(c elementCase) bool
	refuses bool                       // the whole operation is an error
	ours    func(c elementCase) uint64 // the result, if it does not refuse; nil: NumPy's
}

// ruleFor returns the first rule that an element falls under, or nil.
func ruleFor(c elementCase) *elementRule {
	for i, r := range elementRules {
		if slices.Contains(r.ops, c.op) && r.when(c) {
			return &elementRules[i]
		}
	}
	return nil
}

var divisions = []string{"Div", "FloorDiv", "Remainder", "FMod"}

var elementRules = []elementRule{
	{
		name:    "integer-division-by-zero",
		ops:     divisions,
		when:    func(c elementCase) bool { return isInteger(c.dtype) && c.args[1] == 0 },
		refuses: true,
	},
	{
		name:    "negative-integer-exponent",
		ops:     []string{"Pow"},
		when:    func(c elementCase) bool { return isInteger(c.dtype) && isSigned(c.dtype) && c.integer(1) < 0 },
		refuses: true,
	},
	{
		name:    "negative-shift-count",
		ops:     []string{"ShiftLeft", "ShiftRight"},
		when:    func(c elementCase) bool { return isSigned(c.dtype) && c.integer(1) < 0 },
		refuses: true,
	},
	{
		name: "shift-by-the-width-or-more",
		ops:  []string{"ShiftLeft", "ShiftRight"},
		when: func(c elementCase) bool { return c.args[1] >= uint64(widths[c.dtype]) },
		ours: func(c elementCase) uint64 {
			if c.op == "ShiftRight" && isSigned(c.dtype) && c.integer(0) < 0 {
				return integerBits(c.dtype, -1)
			}
			return 0
		},
	},
	{
		name: "smallest-integer-by-minus-one",
		ops:  divisions,
		when: func(c elementCase) bool {
			return isInteger(c.dtype) && isSigned(c.dtype) && c.integer(1) == -1 && c.args[0] == 1<<(widths[c.dtype]-1)
		},
		ours: func(c elementCase) uint64 {
			if c.op == "Div" || c.op == "FloorDiv" {
				return c.args[0]
			}
			return 0
		},
	},
	{
		name: "integer-division-truncates",
		ops:  []string{"Div"},
		when: func(c elementCase) bool { return isInteger(c.dtype) },
		ours: func(c elementCase) uint64 {
			if isSigned(c.dtype) {
				return integerBits(c.dtype, c.integer(0)/c.integer(1))
			}
			return c.args[0] / c.args[1]
		},
	},
	{
		name: "order-of-zeros",
		ops:  []string{"Maximum", "Minimum", "FMax", "FMin", "Relu", "Clamp"},
		when: func(c elementCase) bool {
			zeros := 0
			for _, x := range c.args {
				if isNaN(c.dtype, x) {
					return false
				}
				if isFloat(c.dtype) && isZero(c.dtype, x) {
					zeros++
				}
			}
			return zeros > 1 || zeros == 1 && c.op == "Relu"
		},
		ours: func(c elementCase) uint64 {
			switch c.op {
			case "Relu":
				return c.larger(c.args[0], 0)
			case "Clamp":
				return c.smaller(c.larger(c.args[0], c.args[1]), c.args[2])
			case "Maximum", "FMax":
				return c.larger(c.args[0], c.args[1])
			}
			return c.smaller(c.args[0], c.args[1])
		},
	},
	{
		name: "rsqrt-of-minus-zero",
		ops:  []string{"Rsqrt"},
		when: func(c elementCase) bool {
			return isFloat(c.dtype) && isZero(c.dtype, c.args[0]) && math.Signbit(c.float(0))
		},
		ours: func(c elementCase) uint64 { return floatBits(c.dtype, math.Inf(-1)) },
	},
	{
		name: "nan-in-clamp",
		ops:  []string{"Clamp", "Maximum", "Minimum"}, // one bound or both
		when: func(c elementCase) bool {
			return isFloat(c.dtype) && slices.ContainsFunc(c.args, func(x uint64) bool { return isNaN(c.dtype, x) })
		},
		ours: func(c elementCase) uint64 { return floatBits(c.dtype, math.NaN()) },
	},
	{
		name: "sign-of-nan",
		ops:  []string{"Sign"},
		when: func(c elementCase) bool { return isNaN(c.dtype, c.args[0]) },
		ours: func(c elementCase) uint64 { return floatBits(c.dtype, math.NaN()) },
	},
	{
		name: "remainder-of-zero",
		ops:  []string{"Remainder"},
		when: func(c elementCase) bool {
			return isFloat(c.dtype) && math.Mod(c.float(0), c.float(1)) == 0 && !isNaN(c.dtype, c.args[1])
		},
		ours: func(c elementCase) uint64 { return floatBits(c.dtype, math.Copysign(0, c.float(1))) },
	},
	{
		name: "lerp-of-two-fused-sums",
		ops:  []string{"Lerp"},
		when: func(c elementCase) bool { return c.dtype == "float32" || c.dtype == "float64" },
		ours: func(c elementCase) uint64 {
			a, b, w := c.args[0], c.args[1], c.args[2]
			return fused(c.dtype, w, b, fused(c.dtype, floatBits(c.dtype, -c.float(2)), a, a))
		},
	},
	{
		name: "addmul-is-fused",
		ops:  []string{"AddMul"},
		when: func(c elementCase) bool { return c.dtype == "float32" || c.dtype == "float64" },
		ours: func(c elementCase) uint64 {
			return fused(c.dtype, floatBits(c.dtype, c.float(3)*c.float(1)), c.args[2], c.args[0])
		},
	},
	{
		name:    "negative-tolerance",
		ops:     []string{"IsClose"},
		when:    func(c elementCase) bool { return !(c.float(2) >= 0 && c.float(3) >= 0) },
		refuses: true,
	},
	{
		name: "is-close-of-an-overflow",
		ops:  []string{"IsClose"},
		when: func(c elementCase) bool {
			d := c.float(0) - c.float(1)
			if c.dtype != "float64" {
				d = float64(float32(d))
			}
			return math.IsInf(d, 0) && !math.IsInf(c.float(0), 0) && !math.IsInf(c.float(1), 0)
		},
		ours: func(c elementCase) uint64 { return 0 },
	},
	{
		name: "cast-rounds-once",
		ops:  []string{"Cast"},
		when: func(c elementCase) bool {
			half := c.to == "float16" || c.to == "bfloat16"
			return half && halfBits(c.to, c.odd()) != halfBits(c.to, float64(float32(c.odd())))
		},
		ours: func(c elementCase) uint64 { return halfBits(c.to, c.odd()) },
	},
	{
		name: "float-to-integer-saturates",
		ops:  []string{"Cast"},
		when: func(c elementCase) bool {
			if !isFloat(c.dtype) || !isInteger(c.to) {
				return false
			}
			low, high := limits(c.to)
			v := math.Trunc(c.float(0))
			return !(v >= low && v <= high)
		},
		ours: func(c elementCase) uint64 {
			_, high := limits(c.to)
			top := uint64(1)<<(widths[c.to]-1) - 1 // all ones but the sign
			if !isSigned(c.to) {
				top = 2*top + 1
			}
			switch v := c.float(0); {
			case math.IsNaN(v):
				return 0
			case v > high:
				return top
			case isSigned(c.to):
				return top + 1
			}
			return 0
		},
	},
}

// larger returns the larger of two floats that are not NaN, where -0 < +0.
func (c elementCase) larger(x, y uint64) uint64 {
	a, b := float(c.dtype, x), float(c.dtype, y)
	if a > b || a == b && math.Signbit(b) {
		return x
	}
	return y
}

// smaller is the opposite.
func (c elementCase) smaller(x, y uint64) uint64 {
	if c.larger(x, y) == x {
		return y
	}
	return x
}

func (c elementCase) integer(i int) int64 { return integer(c.dtype, c.args[i]) }

func (c elementCase) float(i int) float64 { return float(c.dtype, c.args[i]) }

// odd returns the first operand. A 64-bit integer that a float64 cannot hold is
// rounded to odd: rounded to fewer bits, that gives what the integer would give.
func (c elementCase) odd() float64 {
	if isFloat(c.dtype) || widths[c.dtype] < 64 {
		return c.float(0)
	}
	magnitude, sign := c.args[0], 1.0
	if isSigned(c.dtype) && c.integer(0) < 0 {
		magnitude, sign = -magnitude, -1
	}
	if magnitude>>53 != 0 && magnitude&(1<<11-1) != 0 {
		magnitude = magnitude>>11<<11 | 1<<11
	}
	return sign * float64(magnitude)
}

// limits returns the smallest and the largest float64 that an integer type
// holds after truncation.
func limits(dtype string) (low, high float64) {
	width := widths[dtype]
	if isSigned(dtype) {
		width--
		low = -math.Ldexp(1, width)
	}
	high = math.Ldexp(1, width) - 1
	if width > 53 {
		high = math.Nextafter(math.Ldexp(1, width), 0)
	}
	return low, high
}

// cases splits an operation into its elements, the operands broadcast to the
// shape of the result. It returns nil for what is not elementwise.
func (v invocation) cases(size []int, to string) []elementCase {
	dtype := ""
	columns := make([][]uint64, len(v.args))
	for i, arg := range v.args {
		if x, ok := arg.(view); ok {
			dtype = dtypeOf(x) // the last operand's: the first may be a condition
			if columns[i] = spread(x, size); columns[i] == nil {
				return nil
			}
		}
	}
	if dtype == "" {
		return nil
	}
	cases := make([]elementCase, count(size))
	for k := range cases {
		cases[k] = elementCase{op: v.name, dtype: dtype, to: to}
		for i, arg := range v.args {
			switch arg := arg.(type) {
			case view:
				cases[k].args = append(cases[k].args, columns[i][k])
			case number:
				cases[k].args = append(cases[k].args, arg.bits(dtype))
			default:
				return nil
			}
		}
	}
	return cases
}

// spread returns the elements of a tensor broadcast to a shape, by index
// arithmetic; nil if it does not go into it.
func spread(x view, size []int) []uint64 {
	have := x.Shape()
	added := len(size) - len(have)
	if added < 0 {
		return nil
	}
	stride := make([]int, len(size))
	for d, s := range rowMajor(have) {
		switch have[d] {
		case size[added+d]:
			stride[added+d] = s
		case 1:
		default:
			return nil
		}
	}
	elements := elements[dtypeOf(x)].elements(x)
	wide := make([]uint64, 0, count(size))
	for _, at := range addresses(layout{Size: size, Stride: stride}) {
		wide = append(wide, elements[at])
	}
	return wide
}

// fused is x·y + z of float32 or float64, rounded once.
func fused(dtype string, x, y, z uint64) uint64 {
	v := []float64{float(dtype, x), float(dtype, y), float(dtype, z)}
	special := func(v float64) bool { return v-v != 0 }
	if slices.ContainsFunc(v, special) {
		return floatBits(dtype, v[0]*v[1]+v[2])
	}
	exact := func(bits uint64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(float(dtype, bits)) }
	sum := exact(x)
	sum.Mul(sum, exact(y))
	if sum.Add(sum, exact(z)); sum.Sign() == 0 {
		return floatBits(dtype, v[0]*v[1]+v[2]) // with the sign of a sum of zeros
	}
	if dtype == "float32" {
		r, _ := sum.Float32()
		return uint64(math.Float32bits(r))
	}
	r, _ := sum.Float64()
	return math.Float64bits(r)
}
