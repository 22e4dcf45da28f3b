package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanecast/lanecast/tensor"
)

// torchPrograms answers the operations of semantics/values and compute, which
// have PyTorch's names.
var torchPrograms = map[string]program{
	"add": fn("Add"), "sub": fn("Sub"), "mul": fn("Mul"), "div": fn("Div"),
	"div_floor": fn("FloorDiv"), "floor_divide": fn("FloorDiv"), "remainder": fn("Remainder"), "fmod": fn("FMod"),
	"div_trunc": giving(func(q *query) (view, error) {
		x, err := q.apply("Div", q.operands()...)
		if err != nil || !isFloat(q.dtype()) {
			return x, err
		}
		return q.apply("Trunc", x)
	}),
	"pow": fn("Pow"), "maximum": fn("Maximum"), "minimum": fn("Minimum"), "fmax": fn("FMax"), "fmin": fn("FMin"),
	"hypot": fn("Hypot"), "copysign": fn("CopySign"), "atan2": fn("Atan2"), "nextafter": fn("NextAfter"),
	"heaviside": fn("Heaviside"), "logaddexp": fn("LogAddExp"), "xlogy": fn("XLogY"), "gcd": fn("GCD"), "lcm": fn("LCM"),

	"eq": fn("Equal"), "ne": fn("NotEqual"), "lt": fn("Less"), "le": fn("LessEqual"), "gt": fn("Greater"), "ge": fn("GreaterEqual"),
	"isnan": fn("IsNaN"), "isinf": fn("IsInf"), "isfinite": fn("IsFinite"), "signbit": fn("SignBit"),

	"logical_and": logical("And"), "logical_or": logical("Or"), "logical_xor": logical("Xor"), "logical_not": logical("Not"),
	"bitwise_and": fn("And"), "bitwise_or": fn("Or"), "bitwise_xor": fn("Xor"), "bitwise_not": fn("Not"),
	"left_shift": fn("ShiftLeft"), "right_shift": fn("ShiftRight"),

	"neg": fn("Neg"), "abs": fn("Abs"), "sign": fn("Sign"), "sqrt": fn("Sqrt"), "rsqrt": fn("Rsqrt"),
	"reciprocal": fn("Reciprocal"), "square": fn("Square"), "floor": fn("Floor"), "ceil": fn("Ceil"), "trunc": fn("Trunc"),
	"round": fn("Round"), "relu": fn("Relu"), "frac": fn("Frac"),
	"relu6":       giving(func(q *query) (view, error) { return q.clamp(number("0"), number("6")) }),
	"hardsigmoid": pending("HardSigmoid"), "leaky_relu": pending("LeakyRelu"),
	"exp": fn("Exp"), "expm1": fn("Expm1"), "log": fn("Log"), "log1p": fn("Log1p"), "sin": fn("Sin"), "cos": fn("Cos"),
	"tanh": fn("Tanh"), "erf": fn("Erf"), "sigmoid": fn("Sigmoid"), "silu": fn("Silu"), "gelu": fn("Gelu"), "softplus": fn("Softplus"),

	"where": fn("Where"), "clamp": fn("Clamp"), "lerp": fn("Lerp"),
	"lerp_half": giving(func(q *query) (view, error) { return q.apply("Lerp", q.in[0], q.in[1], number("0.5")) }),
	"addcmul":   with("AddMul", "value"), "addcdiv": with("AddDiv", "value"),

	"add_scalar": with("Add", "value"), "sub_scalar": with("Sub", "value"), "mul_scalar": with("Mul", "value"),
	"div_scalar": with("Div", "value"), "maximum_scalar": with("Maximum", "value"), "minimum_scalar": with("Minimum", "value"),
	"lt_scalar": with("Less", "value"),
	"rsub_scalar": giving(func(q *query) (view, error) {
		n, err := numberOf(q.attrs["value"])
		if err != nil {
			return nil, err
		}
		return q.apply("Sub", n, q.in[0])
	}),

	"cast": cast, "copy": same, "cat": join("Concat", "dim"), "stack": join("Stack", "dim"), "flip": byList("Flip", "dims"),

	"repeat": pending("Repeat", "Tile"), "roll": pending("Roll"), "pad": pending("Pad"), "tril": pending("Tril"), "triu": pending("Triu"),
	"gather": pending("Gather"), "index_select": pending("IndexSelect", "Take"), "masked_select": pending("MaskedSelect"),
	"matmul": pending("MatMul"), "sum": pending("Sum"), "prod": pending("Prod"), "mean": pending("Mean"), "var": pending("Var"),
	"amax": pending("Max"), "amin": pending("Min"), "argmax": pending("ArgMax"), "argmin": pending("ArgMin"),
	"all": pending("All"), "any": pending("Any"), "cumsum": pending("CumSum"), "norm2": pending("Norm"),
	"logsumexp": pending("LogSumExp"), "softmax": pending("Softmax"), "log_softmax": pending("LogSoftmax"),
}

var onnxPrograms = map[string]program{
	"Add": oneWay("Add"), "Sub": oneWay("Sub"), "Mul": oneWay("Mul"), "Div": oneWay("Div"), "Pow": oneWay("Pow"),
	"Mod": giving(func(q *query) (view, error) {
		if n, err := q.int("fmod", 0); err != nil || n == 1 {
			return q.apply("FMod", q.operands()...)
		}
		return q.apply("Remainder", q.operands()...)
	}),
	"BitShift": giving(func(q *query) (view, error) {
		if q.attrs["direction"] == "LEFT" {
			return q.apply("ShiftLeft", q.operands()...)
		}
		return q.apply("ShiftRight", q.operands()...)
	}),
	"BitwiseAnd": fn("And"), "BitwiseOr": fn("Or"), "BitwiseXor": fn("Xor"), "BitwiseNot": fn("Not"),
	"And": logical("And"), "Or": logical("Or"), "Xor": logical("Xor"), "Not": logical("Not"),
	"Equal": fn("Equal"), "Greater": fn("Greater"), "GreaterOrEqual": fn("GreaterEqual"), "Less": fn("Less"), "LessOrEqual": fn("LessEqual"),
	"Max": fold("Maximum"), "Min": fold("Minimum"), "Sum": fold("Add"),
	"Mean": giving(func(q *query) (view, error) {
		x, err := fold("Add")(q)
		if err != nil {
			return nil, err
		}
		return q.apply("Div", x[0], number(fmt.Sprint(len(q.in))))
	}),
	"Clip": giving(func(q *query) (view, error) {
		bounds := make([]any, 2)
		for i, name := range []string{"min", "max"} {
			var err error
			if bounds[i], err = q.attribute(name); err != nil {
				return nil, err
			}
			if i+1 < len(q.in) && q.in[i+1] != nil {
				bounds[i] = q.in[i+1]
			}
		}
		return q.clamp(bounds[0], bounds[1])
	}),
	"Where": fn("Where"), "Cast": cast, "CastLike": cast, "BitCast": pending("BitCast"),
	"Abs": fn("Abs"), "Neg": fn("Neg"), "Sign": fn("Sign"), "Sqrt": fn("Sqrt"), "Reciprocal": fn("Reciprocal"),
	"Floor": fn("Floor"), "Ceil": fn("Ceil"), "Round": fn("Round"), "Relu": fn("Relu"), "IsNaN": fn("IsNaN"),
	"IsInf": giving(func(q *query) (view, error) {
		x, err := q.apply("IsInf", q.in[0])
		if err != nil {
			return nil, err
		}
		for attr, function := range map[string]string{"detect_negative": "Greater", "detect_positive": "Less"} {
			if n, err := q.int(attr, 1); err != nil || n != 0 {
				continue
			}
			sign, err := q.apply(function, q.in[0], number("0"))
			if err != nil {
				return nil, err
			}
			if x, err = q.apply("And", x, sign); err != nil {
				return nil, err
			}
		}
		return x, nil
	}),
	"Exp": fn("Exp"), "Log": fn("Log"), "Sin": fn("Sin"), "Cos": fn("Cos"), "Tan": fn("Tan"), "Asin": fn("Asin"), "Acos": fn("Acos"),
	"Atan": fn("Atan"), "Sinh": fn("Sinh"), "Cosh": fn("Cosh"), "Tanh": fn("Tanh"), "Asinh": fn("Asinh"), "Acosh": fn("Acosh"),
	"Atanh": fn("Atanh"), "Erf": fn("Erf"), "Sigmoid": fn("Sigmoid"), "Softplus": fn("Softplus"), "Softsign": fn("Softsign"), "Mish": fn("Mish"),
	"Gelu": giving(func(q *query) (view, error) {
		if q.attrs["approximate"] == "tanh" {
			return q.apply("GeluTanh", q.in[0])
		}
		return q.apply("Gelu", q.in[0])
	}),

	"Concat": join("Concat", "axis"), "Transpose": byList("Transpose", "perm"),
	"Expand": giving(func(q *query) (view, error) { return q.method(q.in[0], "Expand", q.sizes[0]) }),
	"Flatten": giving(func(q *query) (view, error) {
		axis, err := q.int("axis", 1)
		if err != nil {
			return nil, err
		}
		shape := q.in[0].Shape()
		if axis < 0 {
			axis += len(shape)
		}
		return q.method(q.in[0], "Reshape", count(shape[:axis]), count(shape[axis:]))
	}),
	"Reshape": giving(func(q *query) (view, error) {
		sizes := q.list(1)
		if n, err := q.int("allowzero", 0); err != nil || n == 0 {
			for d, n := range sizes {
				if n == 0 { // keeps the size
					sizes[d] = q.in[0].Shape()[d]
				}
			}
		}
		return q.method(q.in[0], "Reshape", sizes)
	}),
	"Slice": giving(func(q *query) (view, error) {
		x, starts, stops, axes, steps := q.in[0], q.list(1), q.list(2), q.list(3), q.list(4)
		for i, start := range starts {
			axis, step := i, 1
			if axes != nil {
				axis = axes[i]
			}
			if steps != nil {
				step = steps[i]
			}
			stop := stops[i]
			if step < 0 && stop < -sizeAtAxis(x, axis) {
				stop = tensor.Begin
			}
			var err error
			if x, err = q.method(x, "Slice", axis, start, stop, step); err != nil {
				return nil, err
			}
		}
		return x, nil
	}),
	"Split": func(q *query) ([]view, error) {
		axis, err := q.int("axis", 0)
		if err != nil {
			return nil, err
		}
		return q.split(axis, q.list(1))
	},
	"Squeeze": giving(func(q *query) (view, error) {
		axes := q.list(1)
		if q.attrs["axes"] != nil {
			axes, _ = q.ints("axes")
		}
		return q.method(q.in[0], "Squeeze", slices.Clip(axes))
	}),
	"Unsqueeze": giving(func(q *query) (view, error) {
		axes := q.list(1)
		if q.attrs["axes"] != nil {
			axes, _ = q.ints("axes")
		}
		return q.unsqueeze(axes)
	}),
	"Identity": same,
	"Shape": giving(func(q *query) (view, error) {
		shape := q.in[0].Shape()
		start, err := q.int("start", 0)
		if err != nil {
			return nil, err
		}
		end, err := q.int("end", len(shape))
		if err != nil {
			return nil, err
		}
		for _, bound := range []*int{&start, &end} {
			if *bound < 0 {
				*bound += len(shape)
			}
			*bound = min(max(*bound, 0), len(shape))
		}
		sizes := []uint64{}
		for d := start; d < end; d++ {
			sizes = append(sizes, uint64(shape[d]))
		}
		return newTensor("int64", []int{len(sizes)}, sizes)
	}),
	"Size": giving(func(q *query) (view, error) {
		return newTensor("int64", nil, []uint64{uint64(q.in[0].Len())})
	}),
	"Range": giving(func(q *query) (view, error) {
		var args []any
		for _, x := range q.in {
			args = append(args, numberIn(x))
		}
		return single(callFor("Arange", args, tensorType(q.out[0])))
	}),
}

// numberIn returns the first element of a tensor.
func numberIn(x view) number {
	dtype := dtypeOf(x)
	bits := elements[dtype].elements(x)[0]
	if isFloat(dtype) {
		return number(fmt.Sprint(float(dtype, bits)))
	}
	return number(fmt.Sprint(integer(dtype, bits)))
}

// oneWay is a function under the rule of ONNX before opset 7: the second
// operand's dimensions start at the first one's axis.
func oneWay(name string) program {
	return giving(func(q *query) (view, error) {
		if err := q.sameTypes(); err != nil {
			return nil, err
		}
		b := q.in[1]
		if q.attrs["axis"] != nil {
			axis, err := q.int("axis", 0)
			if err != nil {
				return nil, err
			}
			shape := b.Shape()
			for len(shape)+axis < len(q.in[0].Shape()) {
				shape = append(slices.Clip(shape), 1)
			}
			if b, err = q.method(b, "Reshape", shape); err != nil {
				return nil, err
			}
		}
		return q.apply(name, q.in[0], b)
	})
}

// split gives as many pieces as the corpus expects.
func (q *query) split(axis int, sizes []int) ([]view, error) {
	if sizes == nil {
		for _, s := range q.sizes {
			d := axis
			if d < 0 {
				d += len(s)
			}
			sizes = append(sizes, s[d])
		}
	}
	if len(sizes) == 1 {
		x, err := q.method(q.in[0], "Clone")
		return []view{x}, err
	}
	return several(callMethod(q.in[0], "Split", []any{axis, sizes}))
}

// unsqueeze puts in several dimensions, counted in the result.
func (q *query) unsqueeze(axes []int) (view, error) {
	x := q.in[0]
	rank := len(x.Shape()) + len(axes)
	axes = slices.Clone(axes)
	for i, a := range axes {
		if a < 0 {
			axes[i] = a + rank
		}
	}
	slices.Sort(axes)
	for _, a := range axes {
		var err error
		if x, err = q.method(x, "Unsqueeze", a); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func sizeAtAxis(x view, axis int) int {
	if axis < 0 {
		axis += len(x.Shape())
	}
	return x.Shape()[axis]
}

var webnnPrograms = map[string]program{
	"add": fn("Add"), "sub": fn("Sub"), "mul": fn("Mul"), "div": fn("Div"), "max": fn("Maximum"), "min": fn("Minimum"), "pow": fn("Pow"),
	"equal": fn("Equal"), "notEqual": fn("NotEqual"), "greater": fn("Greater"), "greaterOrEqual": fn("GreaterEqual"),
	"lesser": fn("Less"), "lesserOrEqual": fn("LessEqual"),
	"logicalAnd": logical("And"), "logicalOr": logical("Or"), "logicalXor": logical("Xor"), "logicalNot": logical("Not"),
	"where": giving(func(q *query) (view, error) {
		condition, err := q.boolean(q.in[0])
		if err != nil {
			return nil, err
		}
		return q.apply("Where", condition, q.in[1], q.in[2])
	}),
	"clamp": clampBy("minValue", "maxValue"),
	"cast": giving(func(q *query) (view, error) {
		to, ok := q.attrs["type"].(string)
		if !ok {
			to = q.out[0]
		}
		x, err := q.cast(to, q.in[0])
		if err != nil || to == q.out[0] {
			return x, err
		}
		return q.cast(q.out[0], x) // the baseline keeps all numbers as doubles
	}),
	"abs": fn("Abs"), "neg": fn("Neg"), "sign": fn("Sign"), "sqrt": fn("Sqrt"), "reciprocal": fn("Reciprocal"),
	"floor": fn("Floor"), "ceil": fn("Ceil"), "relu": fn("Relu"), "identity": same,
	"exp": fn("Exp"), "log": fn("Log"), "sin": fn("Sin"), "cos": fn("Cos"), "tan": fn("Tan"), "tanh": fn("Tanh"), "erf": fn("Erf"),
	"sigmoid": fn("Sigmoid"), "softsign": fn("Softsign"), "gelu": fn("Gelu"),
	"concat": join("Concat", "axis"), "expand": byList("Expand", "newShape"), "broadcast": byList("Expand", "newShape"),
	"reshape": byList("Reshape", "newShape"), "transpose": byList("Transpose", "permutation"), "reverse": byList("Flip", "axes"),
	"slice": giving(func(q *query) (view, error) {
		starts, err := q.ints("starts")
		if err != nil {
			return nil, err
		}
		sizes, err := q.ints("sizes")
		if err != nil {
			return nil, err
		}
		steps := make([]int, len(starts))
		for i := range steps {
			steps[i] = 1
		}
		if q.attrs["strides"] != nil {
			if steps, err = q.ints("strides"); err != nil {
				return nil, err
			}
		}
		x := q.in[0]
		for axis, start := range starts {
			if x, err = q.method(x, "Slice", axis, start, start+sizes[axis], steps[axis]); err != nil {
				return nil, err
			}
		}
		return x, nil
	}),
	"split": func(q *query) ([]view, error) {
		axis, err := q.int("axis", 0)
		if err != nil {
			return nil, err
		}
		return q.split(axis, nil)
	},
}

var tfjsPrograms = map[string]program{
	"Add": fn("Add"), "Sub": fn("Sub"), "Multiply": fn("Mul"), "AddN": fold("Add"), "Maximum": fn("Maximum"), "Minimum": fn("Minimum"),
	"RealDiv": giving(func(q *query) (view, error) {
		if err := q.sameTypes(); err != nil {
			return nil, err
		}
		if isFloat(q.dtype()) {
			return q.apply("Div", q.operands()...)
		}
		return q.apply("FloorDiv", q.operands()...)
	}),
	"FloorDiv": giving(func(q *query) (view, error) {
		x, err := q.apply("FloorDiv", q.operands()...)
		if err != nil || dtypeOf(x) == q.out[0] {
			return x, err
		}
		return q.cast(q.out[0], x)
	}),
	"Mod": fn("Remainder"), "Pow": fn("Pow"), "SquaredDifference": fn("SquaredDifference"), "Atan2": fn("Atan2"),
	"Equal": fn("Equal"), "NotEqual": fn("NotEqual"), "Greater": fn("Greater"), "GreaterEqual": fn("GreaterEqual"),
	"Less": fn("Less"), "LessEqual": fn("LessEqual"),
	"LogicalAnd": logical("And"), "LogicalOr": logical("Or"), "LogicalNot": logical("Not"), "BitwiseAnd": fn("And"),
	"Select": giving(func(q *query) (view, error) {
		condition, rank := q.in[0], len(q.in[1].Shape())
		if len(condition.Shape()) == 1 && rank > 1 { // chooses whole rows
			shape := append(condition.Shape(), slices.Repeat([]int{1}, rank-1)...)
			var err error
			if condition, err = q.method(condition, "Reshape", shape); err != nil {
				return nil, err
			}
		}
		return q.apply("Where", condition, q.in[1], q.in[2])
	}),
	"ClipByValue": clampBy("clipValueMin", "clipValueMax"), "Cast": cast, "Identity": same,
	"Abs": fn("Abs"), "Neg": fn("Neg"), "Sign": fn("Sign"), "Sqrt": fn("Sqrt"), "Rsqrt": fn("Rsqrt"), "Square": fn("Square"),
	"Reciprocal": fn("Reciprocal"), "Floor": fn("Floor"), "Ceil": fn("Ceil"), "Round": fn("Round"), "Relu": fn("Relu"),
	"Relu6":    giving(func(q *query) (view, error) { return q.clamp(number("0"), number("6")) }),
	"IsFinite": fn("IsFinite"), "IsInf": fn("IsInf"), "IsNan": fn("IsNaN"),
	"Exp": fn("Exp"), "Expm1": fn("Expm1"), "Log": fn("Log"), "Log1p": fn("Log1p"), "Sin": fn("Sin"), "Cos": fn("Cos"), "Tan": fn("Tan"),
	"Asin": fn("Asin"), "Acos": fn("Acos"), "Atan": fn("Atan"), "Sinh": fn("Sinh"), "Cosh": fn("Cosh"), "Tanh": fn("Tanh"),
	"Asinh": fn("Asinh"), "Acosh": fn("Acosh"), "Atanh": fn("Atanh"), "Erf": fn("Erf"), "Sigmoid": fn("Sigmoid"), "Softplus": fn("Softplus"),
	"ZerosLike": filled("Zeros"), "OnesLike": filled("Full", number("1")),
	"Fill": func(q *query) ([]view, error) {
		n, err := numberOf(q.attrs["value"])
		if err != nil {
			return nil, err
		}
		return filled("Full", n)(q)
	},
	"Concat": join("Concat", "axis"), "Pack": join("Stack", "axis"), "Reshape": byList("Reshape", "shape"),
	"Transpose": byList("Transpose", "perm"),
	"Reverse": giving(func(q *query) (view, error) {
		if q.attrs["dims"] == nil {
			return q.method(q.in[0], "Flip", 0)
		}
		axes, err := q.ints("dims")
		if err != nil || len(axes) == 0 {
			return q.in[0], err
		}
		return q.method(q.in[0], "Flip", axes)
	}),
	"ExpandDims": giving(func(q *query) (view, error) {
		axis, err := q.int("dim", 0)
		if err != nil {
			return nil, err
		}
		return q.method(q.in[0], "Unsqueeze", axis)
	}),
	"Slice": giving(func(q *query) (view, error) {
		begin, err := q.ints("begin")
		if err != nil {
			return nil, err
		}
		x := q.in[0]
		for axis, start := range begin { // the sizes are those of the result
			if x, err = q.method(x, "Narrow", axis, start, q.sizes[0][axis]); err != nil {
				return nil, err
			}
		}
		return x, nil
	}),
	"StridedSlice": giving(stridedSlice),
	"LinSpace":     made("Linspace", "start", "stop"),
	"Range":        made("Arange", "start", "stop", "step"),
}

// filled makes a tensor of the expected shape and type.
func filled(name string, args ...any) program {
	return giving(func(q *query) (view, error) {
		return single(callFor(name, append(args, q.sizes[0]), tensorType(q.out[0])))
	})
}

// made makes a tensor of rank 1 from numbers; Linspace also takes how many.
func made(name string, attrs ...string) program {
	return giving(func(q *query) (view, error) {
		var args []any
		var numbers []number
		for _, a := range attrs {
			n, err := numberOf(q.attrs[a])
			if err != nil {
				return nil, err
			}
			args, numbers = append(args, n), append(numbers, n)
		}
		if name == "Linspace" {
			n, err := q.int("num", 0)
			if err != nil {
				return nil, err
			}
			args = append(args, n)
		} else if start, stop := numbers[0], numbers[1]; stop.float() < start.float() && numbers[2].float() == 1 {
			args[2] = number("-1") // a step of 1 is the default and goes either way
		}
		return single(callFor(name, args, tensorType(q.out[0])))
	})
}

// stridedSlice is TensorFlow's: bit d of a mask belongs to dimension d.
func stridedSlice(q *query) (view, error) {
	lists := map[string][]int{}
	for _, name := range []string{"begin", "end", "strides"} {
		var err error
		if lists[name], err = q.ints(name); err != nil {
			return nil, err
		}
	}
	masks := map[string]int{}
	for _, name := range []string{"beginMask", "endMask", "ellipsisMask", "newAxisMask", "shrinkAxisMask"} {
		var err error
		if masks[name], err = q.int(name, 0); err != nil {
			return nil, err
		}
	}
	x, axis := q.in[0], 0
	if masks["ellipsisMask"] != 0 || masks["newAxisMask"] != 0 {
		return nil, &inexpressibleError{"a slice with an ellipsis or a new axis"}
	}
	for i, start := range lists["begin"] {
		stop, step := lists["end"][i], 1
		if i < len(lists["strides"]) {
			step = lists["strides"][i]
		}
		var err error
		if masks["shrinkAxisMask"]>>i&1 == 1 {
			if x, err = q.method(x, "Select", axis, start); err != nil {
				return nil, err
			}
			continue
		}
		first, last := tensor.Begin, tensor.End
		if step < 0 {
			first, last = last, first
		}
		if masks["beginMask"]>>i&1 == 1 {
			start = first
		}
		if masks["endMask"]>>i&1 == 1 {
			stop = last
		}
		if x, err = q.method(x, "Slice", axis, start, stop, step); err != nil {
			return nil, err
		}
		axis++
	}
	return x, nil
}

var stablehloPrograms = map[string]program{
	"add": ofBool("Or", "Add"), "multiply": ofBool("And", "Mul"), "maximum": ofBool("Or", "Maximum"), "minimum": ofBool("And", "Minimum"),
	"subtract": fn("Sub"), "divide": fn("Div"), "remainder": fn("FMod"), "power": fn("Pow"), "atan2": fn("Atan2"), "next_after": fn("NextAfter"),
	"and": fn("And"), "or": fn("Or"), "xor": fn("Xor"), "not": fn("Not"), "shift_left": fn("ShiftLeft"),
	"shift_right_arithmetic": giving(func(q *query) (view, error) {
		if !isSigned(q.dtype()) {
			return nil, &inexpressibleError{"an arithmetic shift of an unsigned type"}
		}
		return q.apply("ShiftRight", q.operands()...)
	}),
	"shift_right_logical": giving(func(q *query) (view, error) {
		if isSigned(q.dtype()) {
			return nil, &inexpressibleError{"a logical shift of a signed type"}
		}
		return q.apply("ShiftRight", q.operands()...)
	}),
	"compare": giving(func(q *query) (view, error) {
		name := map[any]string{"EQ": "Equal", "NE": "NotEqual", "LT": "Less", "LE": "LessEqual", "GT": "Greater", "GE": "GreaterEqual"}[q.attrs["direction"]]
		if name == "" || q.attrs["type"] == "TOTALORDER" {
			return nil, &inexpressibleError{fmt.Sprintf("comparison %v %v", q.attrs["direction"], q.attrs["type"])}
		}
		return q.apply(name, q.operands()...)
	}),
	"select": fn("Where"), "convert": cast, "bitcast_convert": pending("BitCast"),
	"abs": fn("Abs"), "negate": fn("Neg"), "sign": fn("Sign"), "sqrt": fn("Sqrt"), "rsqrt": fn("Rsqrt"), "cbrt": fn("Cbrt"),
	"floor": fn("Floor"), "ceil": fn("Ceil"), "round_nearest_even": fn("Round"), "round_nearest_afz": pending("RoundHalfAway"),
	"is_finite": fn("IsFinite"), "popcnt": pending("PopCount", "OnesCount"),
	"exponential": fn("Exp"), "exponential_minus_one": fn("Expm1"), "log": fn("Log"), "log_plus_one": fn("Log1p"),
	"sine": fn("Sin"), "cosine": fn("Cos"), "tan": fn("Tan"), "asin": fn("Asin"), "acos": fn("Acos"), "atan": fn("Atan"),
	"sinh": fn("Sinh"), "cosh": fn("Cosh"), "tanh": fn("Tanh"), "asinh": fn("Asinh"), "acosh": fn("Acosh"), "atanh": fn("Atanh"),
	"erf": fn("Erf"), "erfc": fn("Erfc"),
	"reverse": byList("Flip", "dims"), "transpose": byList("Transpose", "dims"),
	"concatenate": giving(func(q *query) (view, error) {
		dims, err := q.ints("dims")
		if err != nil || len(dims) != 1 {
			return nil, fmt.Errorf("attribute dims: %w", err)
		}
		return q.apply("Concat", dims[0], q.in)
	}),
	"reshape": giving(func(q *query) (view, error) { return q.method(q.in[0], "Reshape", q.sizes[0]) }),
	"slice": giving(func(q *query) (view, error) {
		slices, ok := q.attrs["slices"].([]any)
		if !ok {
			return nil, fmt.Errorf("attribute slices is no list")
		}
		x := q.in[0]
		for axis, s := range slices {
			bounds, err := ints(s)
			if err != nil {
				return nil, err
			}
			if bounds = append(bounds, 1); len(bounds) < 3 {
				return nil, fmt.Errorf("slice %v", s)
			}
			if x, err = q.method(x, "Slice", axis, bounds[0], bounds[1], bounds[2]); err != nil {
				return nil, err
			}
		}
		return x, nil
	}),
	"broadcast_in_dim": giving(func(q *query) (view, error) {
		dims, err := q.ints("dims")
		if err != nil {
			return nil, err
		}
		wide := make([]int, len(q.sizes[0])) // sizes 1 but for the operand's dimensions
		for d := range wide {
			wide[d] = 1
		}
		if !slices.IsSorted(dims) {
			return nil, &inexpressibleError{"a broadcast that also transposes"}
		}
		for i, d := range dims {
			wide[d] = q.in[0].Shape()[i]
		}
		x, err := q.method(q.in[0], "Reshape", wide)
		if err != nil {
			return nil, err
		}
		return q.method(x, "Expand", q.sizes[0])
	}),
}

// ofBool calls one function for bool, another for numbers.
func ofBool(boolean, numeric string) program {
	return func(q *query) ([]view, error) {
		if q.dtype() == "bool" {
			return fn(boolean)(q)
		}
		return fn(numeric)(q)
	}
}

// clampText reads the bounds in names such as clamp(-1,nan).
func clampText(op string) (low, high any, ok bool) {
	name, rest, ok := strings.Cut(op, "(")
	if !ok || name != "clamp" && name != "clamp_tensor" {
		return nil, nil, false
	}
	l, h, ok := strings.Cut(strings.TrimSuffix(rest, ")"), ",")
	return number(l), number(h), ok
}
