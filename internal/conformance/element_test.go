package conformance

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/lanecast/lanecast/tensor"
)

// An element stands for an element type of tensors, whose values pass as bits.
type element interface {
	// storage returns a new []T that holds the values.
	storage(bits []uint64) any
	// bits reads a []T.
	bits(storage any) []uint64
	// strided returns a view over a []T.
	strided(storage any, size, stride []int, offset int) (view, error)
	// elements returns the elements of a *tensor.Tensor[T] in row-major order.
	elements(x view) []uint64
	// width is the number of bits of a value.
	width() int
	// slice returns an empty []*tensor.Tensor[T] with the tensors appended.
	slice(xs []view) any
}

// A view is a *tensor.Tensor[T] of any T.
type view interface {
	Shape() []int
	Strides() []int
	Len() int
	IsContiguous() bool
}

type elementOf[T tensor.Element] struct{}

func (e elementOf[T]) width() int { return 8 * int(unsafe.Sizeof(*new(T))) }

func (e elementOf[T]) storage(bits []uint64) any {
	s := make([]T, len(bits))
	for i, b := range bits {
		p := unsafe.Pointer(&s[i])
		switch e.width() {
		case 8:
			*(*uint8)(p) = uint8(b)
		case 16:
			*(*uint16)(p) = uint16(b)
		case 32:
			*(*uint32)(p) = uint32(b)
		case 64:
			*(*uint64)(p) = b
		}
	}
	return s
}

func (e elementOf[T]) bits(storage any) []uint64 {
	s := storage.([]T)
	bits := make([]uint64, len(s))
	for i := range s {
		p := unsafe.Pointer(&s[i])
		switch e.width() {
		case 8:
			bits[i] = uint64(*(*uint8)(p))
		case 16:
			bits[i] = uint64(*(*uint16)(p))
		case 32:
			bits[i] = uint64(*(*uint32)(p))
		case 64:
			bits[i] = *(*uint64)(p)
		}
	}
	return bits
}

func (e elementOf[T]) strided(storage any, size, stride []int, offset int) (view, error) {
	x, err := tensor.FromStrided(storage.([]T), size, stride, offset)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (e elementOf[T]) elements(x view) []uint64 {
	return e.bits(x.(*tensor.Tensor[T]).Data())
}

func (e elementOf[T]) slice(xs []view) any {
	var s []*tensor.Tensor[T]
	for _, x := range xs {
		s = append(s, x.(*tensor.Tensor[T]))
	}
	return s
}

// widths holds the bits of a value of each of the corpora's types.
var widths = map[string]int{
	"bool": 8, "int8": 8, "int16": 16, "int32": 32, "int64": 64,
	"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64,
	"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
}

func isFloat(dtype string) bool { return mantissa(dtype) > 0 }

// isInteger leaves out bool.
func isInteger(dtype string) bool { return !isFloat(dtype) && dtype != "bool" }

func isSigned(dtype string) bool { return isFloat(dtype) || dtype[0] == 'i' }

// mantissa returns the number of stored mantissa bits of a float type.
func mantissa(dtype string) int {
	return map[string]int{"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[dtype]
}

// integer returns the value of an integer or bool.
func integer(dtype string, bits uint64) int64 {
	if isSigned(dtype) {
		shift := 64 - widths[dtype]
		return int64(bits<<shift) >> shift
	}
	return int64(bits)
}

// integerBits is the opposite of integer; it wraps.
func integerBits(dtype string, v int64) uint64 {
	return uint64(v) & (math.MaxUint64 >> (64 - widths[dtype]))
}

// float returns the value of any type, rounded where an integer is too large.
func float(dtype string, bits uint64) float64 {
	switch dtype {
	case "float64":
		return math.Float64frombits(bits)
	case "float32":
		return float64(math.Float32frombits(uint32(bits)))
	case "bfloat16":
		return float64(math.Float32frombits(uint32(bits) << 16))
	case "float16":
		sign, exponent, fraction := bits>>15, int(bits>>10&31), float64(bits&1023)
		var v float64
		switch {
		case exponent == 31 && fraction != 0:
			v = math.NaN()
		case exponent == 31:
			v = math.Inf(1)
		case exponent == 0:
			v = math.Ldexp(fraction, -24)
		default:
			v = math.Ldexp(1024+fraction, exponent-25)
		}
		return math.Copysign(v, 1-2*float64(sign))
	case "uint64":
		return float64(bits)
	}
	return float64(integer(dtype, bits))
}

// floatBits is the opposite of float for the types that a corpus gives as
// decimal numbers; it rounds once, and to an integer towards zero.
func floatBits(dtype string, v float64) uint64 {
	switch dtype {
	case "float64":
		return math.Float64bits(v)
	case "float32":
		return uint64(math.Float32bits(float32(v)))
	case "bfloat16", "float16":
		return halfBits(dtype, v)
	case "uint64":
		return uint64(v)
	}
	return integerBits(dtype, int64(v))
}

// halfBits rounds to the nearest 16-bit float, ties to even, by searching the
// two neighbours: positive floats are ordered as their bits are.
func halfBits(dtype string, v float64) uint64 {
	var sign uint64
	if math.Signbit(v) {
		sign = 1 << 15
	}
	infinity := uint64(31 << 10)
	if dtype == "bfloat16" {
		infinity = 255 << 7
	}
	magnitude := math.Abs(v)
	if math.IsNaN(v) {
		return sign | infinity | infinity>>1
	}
	low, high := uint64(0), infinity // low ≤ magnitude < high
	if math.IsInf(v, 0) {
		return sign | infinity
	}
	for high-low > 1 {
		if middle := (low + high) / 2; float(dtype, middle) <= magnitude {
			low = middle
		} else {
			high = middle
		}
	}
	below := float(dtype, low)
	above := float(dtype, high)
	if high == infinity {
		above = 2*below - float(dtype, low-1) // where the next would be
	}
	if up, down := above-magnitude, magnitude-below; up < down || up == down && high&1 == 0 {
		return sign | high
	}
	return sign | low
}

func isNaN(dtype string, bits uint64) bool {
	return isFloat(dtype) && math.IsNaN(float(dtype, bits))
}

func isZero(dtype string, bits uint64) bool { return float(dtype, bits) == 0 }

// format writes a value for people.
func format(dtype string, bits uint64) string {
	switch {
	case isFloat(dtype):
		return fmt.Sprintf("%v (%0*x)", float(dtype, bits), widths[dtype]/4, bits)
	case dtype == "uint64":
		return fmt.Sprint(bits)
	}
	return fmt.Sprint(integer(dtype, bits))
}

// A tolerance says how near a float must be.
type tolerance struct {
	relative, absolute float64
	ulps               float64
	unsignedZero       bool // +0 and -0 are the same
}

// same compares one value: NaN with any NaN.
func (t tolerance) same(dtype string, want, got uint64) bool {
	if want == got {
		return true
	}
	w, g := float(dtype, want), float(dtype, got)
	if !isFloat(dtype) {
		return t.absolute > 0 && math.Abs(w-g) <= t.absolute
	}
	if math.IsNaN(w) || math.IsNaN(g) {
		return math.IsNaN(w) && math.IsNaN(g)
	}
	loose := t.relative > 0 || t.absolute > 0 || t.ulps > 0
	if w == 0 && g == 0 {
		return t.unsignedZero || loose
	}
	if !loose || math.IsInf(w, 0) || math.IsInf(g, 0) {
		return t.ulps > 0 && distance(dtype, want, got) <= t.ulps
	}
	d := math.Abs(w - g)
	return d <= t.absolute+t.relative*math.Abs(w) || distance(dtype, want, got) <= t.ulps
}

// distance counts the floats from a to b.
func distance(dtype string, a, b uint64) float64 {
	sign := uint64(1) << (widths[dtype] - 1)
	x, y := a&^sign, b&^sign
	if (a^b)&sign != 0 {
		return float64(x) + float64(y)
	}
	return float64(max(x, y) - min(x, y))
}

// compare returns the first difference of two lists of values as an error.
func (t tolerance) compare(dtype string, want, got []uint64) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range want {
		if !t.same(dtype, want[i], got[i]) {
			return fmt.Errorf("element %d of %d is %s, want %s", i, len(want), format(dtype, got[i]), format(dtype, want[i]))
		}
	}
	return nil
}
