package tensor

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/lanecast/lanecast/broadcast"
	"github.com/lanecast/lanecast/dispatch"
)

// Div returns a / b, broadcast, for every type of number.
//
// Floating-point quotients are rounded to nearest even, and negative where the
// signs differ, also zeros and infinities: those by zero are infinities, those of
// a number by an infinity zeros. 0/0, ∞/∞ and those with a NaN are NaN. Integer
// quotients are truncated, as in Go; the smallest integer divided by -1 wraps to
// itself.
//
// The error is a [*DivisionError] if an integer divisor is zero; others are
// those of [Add].
func Div[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return division(&dispatch.Div, a, b, opts)
}

// DivTo computes a / b into dst: see [Div] and [AddTo].
func DivTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return divisionTo(&dispatch.Div, dst, a, b, opts)
}

// FloorDiv returns a / b rounded down, broadcast, for every type of number.
//
// Integers are exact; the smallest one divided by -1 wraps to itself.
// Floating-point numbers give what NumPy's floor_divide does: with r the [FMod]
// of a and b, (a - r)/b, less 1 where r is not zero and has another sign than b,
// rounded to the nearest whole number, a half down. Each step is rounded to the
// type; for 16-bit types to float32, and the result once more. What is zero
// before it is rounded to a whole number has the sign of a/b.
//
// A division by zero gives a/b, infinite or NaN; otherwise an infinite a gives
// NaN. A finite a by an infinite b gives a zero, or -1 where a is not zero and
// has another sign than b. NaN gives NaN.
//
// The error is a [*DivisionError] if an integer divisor is zero; others are
// those of [Add].
func FloorDiv[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return division(&dispatch.FloorDiv, a, b, opts)
}

// FloorDivTo computes a / b rounded down into dst: see [FloorDiv] and [AddTo].
func FloorDivTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return divisionTo(&dispatch.FloorDiv, dst, a, b, opts)
}

// Remainder returns the remainder of [FloorDiv], a - b·⌊a/b⌋, broadcast, for
// every type of number. It has the sign of b.
//
// Floating-point remainders are those of [FMod], with b added where the signs
// differ, rounded, so that one may equal b. A zero has the sign of b. It is NaN
// if a is infinite, b is zero or either is a NaN. By an infinite b it is a if
// that has b's sign, a zero of b's sign if a is zero, else b. The remainder of
// the smallest integer by -1 is 0.
//
// The error is a [*DivisionError] if an integer divisor is zero; others are
// those of [Add].
func Remainder[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return division(&dispatch.Remainder, a, b, opts)
}

// RemainderTo computes the remainder of a / b, with b's sign, into dst: see
// [Remainder] and [AddTo].
func RemainderTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return divisionTo(&dispatch.Remainder, dst, a, b, opts)
}

// FMod returns the remainder of the truncated division, a - b·trunc(a/b),
// broadcast, for every type of number. It has the sign of a, also where it is
// zero, and is exact.
//
// A floating-point remainder is NaN if a is infinite, b is zero or either is a
// NaN; that of a finite a by an infinite b is a. The remainder of the smallest
// integer by -1 is 0.
//
// The error is a [*DivisionError] if an integer divisor is zero; others are
// those of [Add].
func FMod[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return division(&dispatch.FMod, a, b, opts)
}

// FModTo computes the remainder of a / b, with a's sign, into dst: see [FMod]
// and [AddTo].
func FModTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return divisionTo(&dispatch.FMod, dst, a, b, opts)
}

// Pow returns a to the power of b, broadcast, for integers. It wraps; 0 to the
// power of 0 is 1.
//
// The error is an [*ExponentError] if an exponent is negative; others are those
// of [Add].
func Pow[T Integer](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	if err := exponents(a, b, opts); err != nil {
		return nil, err
	}
	return binary(&dispatch.Pow, a, b, opts)
}

// PowTo computes a to the power of b into dst: see [Pow] and [AddTo].
func PowTo[T Integer](dst, a, b *Tensor[T], opts ...Option) error {
	if err := exponents(a, b, opts); err != nil {
		return err
	}
	return binaryTo(&dispatch.Pow, dst, a, b, opts)
}

// FMax returns the larger of a and b, broadcast, for every type of number. As
// IEEE 754-2019's maximumNumber it ignores a NaN, quiet or signalling: the
// result is NaN only if both are. -0 is less than +0. Errors are those of [Add].
func FMax[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.FMax, a, b, opts)
}

// FMaxTo computes the larger of a and b into dst: see [FMax] and [AddTo].
func FMaxTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.FMax, dst, a, b, opts)
}

// FMin returns the smaller of a and b, broadcast, for every type of number. As
// IEEE 754-2019's minimumNumber it ignores a NaN, quiet or signalling: the
// result is NaN only if both are. -0 is less than +0. Errors are those of [Add].
func FMin[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.FMin, a, b, opts)
}

// FMinTo computes the smaller of a and b into dst: see [FMin] and [AddTo].
func FMinTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.FMin, dst, a, b, opts)
}

// AbsDiff returns |a - b|, broadcast, for every type of number. Floating-point
// differences are rounded; of infinities of one sign it is NaN, as it is with a
// NaN, and it is never -0. Integers are subtracted the smaller from the larger:
// the result is exact for unsigned types and wraps for signed ones. Errors are
// those of [Add].
func AbsDiff[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.AbsDiff, a, b, opts)
}

// AbsDiffTo computes |a - b| into dst: see [AbsDiff] and [AddTo].
func AbsDiffTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.AbsDiff, dst, a, b, opts)
}

// SquaredDifference returns (a - b)², broadcast, for every type of number. The
// difference is rounded, then its square: for 16-bit floats to float32, and the
// result once more. Infinities of one sign and NaNs give NaN, other infinities
// +Inf. Integers wrap. Errors are those of [Add].
func SquaredDifference[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.SquaredDifference, a, b, opts)
}

// SquaredDifferenceTo computes (a - b)² into dst: see [SquaredDifference] and
// [AddTo].
func SquaredDifferenceTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.SquaredDifference, dst, a, b, opts)
}

// Hypot returns √(a² + b²), broadcast, for floating-point types, within 1 unit
// in the last place.
//
// The formula is √(h·h + l·l) with h the larger magnitude and l the smaller:
// l·l is rounded, h·h is not (the sum is one [FMA]). A power of two scales both
// where h is large or small, so that no square overflows, and only an l·l too
// small to matter underflows. 16-bit types are computed in float64 and rounded
// once more.
//
// An infinite operand gives +Inf, whatever the other is; otherwise a NaN gives
// NaN. Of two zeros it is +0. Errors are those of [Add].
func Hypot[T Float](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.Hypot, a, b, opts)
}

// HypotTo computes √(a² + b²) into dst: see [Hypot] and [AddTo].
func HypotTo[T Float](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.Hypot, dst, a, b, opts)
}

// CopySign returns the magnitude of a with the sign of b, broadcast, for
// floating-point types, zeros and NaNs included. Errors are those of [Add].
func CopySign[T Float](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.CopySign, a, b, opts)
}

// CopySignTo computes the magnitude of a with the sign of b into dst: see
// [CopySign] and [AddTo].
func CopySignTo[T Float](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.CopySign, dst, a, b, opts)
}

// FMA returns a·b + c, broadcast, for floating-point types, rounded once.
//
// The product of 0 and an infinity is NaN, as are the sum of infinities of
// different signs and all with a NaN. An exact sum of 0 is +0, unless the product
// and c are both -0. Errors are those of [Add].
func FMA[T Float](a, b, c *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return ternary(&dispatch.FMA, a, b, c, opts)
}

// FMATo computes a·b + c into dst: see [FMA] and [AddTo].
func FMATo[T Float](dst, a, b, c *Tensor[T], opts ...Option) error {
	return ternaryTo(&dispatch.FMA, dst, a, b, c, opts)
}

// Lerp returns the number that is the fraction w of the way from a to b,
// broadcast, for floating-point types.
//
// The formula is w·b + (a - w·a), each of the two sums with its product rounded
// once, as [FMA]; for 16-bit types to float32, and the result once more. It gives
// exactly a for w = 0 and b for w = 1, if both are finite, though a -0 may become
// +0, and does not overflow between them. w may be outside of 0 to 1. An infinite
// operand gives an infinity or NaN, a NaN gives NaN. Errors are those of [Add].
func Lerp[T Float](a, b, w *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return ternary(&dispatch.Lerp, a, b, w, opts)
}

// LerpTo computes the fraction w of the way from a to b into dst: see [Lerp]
// and [AddTo].
func LerpTo[T Float](dst, a, b, w *Tensor[T], opts ...Option) error {
	return ternaryTo(&dispatch.Lerp, dst, a, b, w, opts)
}

// Clamp returns x limited to the range from lo to hi, broadcast, for every type
// of number: the [Minimum] of hi and the [Maximum] of lo and x. So hi is the
// result where lo is above it, a NaN among the three gives NaN, and -0 is less
// than +0. Errors are those of [Add]. A [Scalar] bound costs nothing.
func Clamp[T Number](x, lo, hi *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return ternary(&dispatch.Clamp, x, lo, hi, opts)
}

// ClampTo computes x limited to the range from lo to hi into dst: see [Clamp]
// and [AddTo].
func ClampTo[T Number](dst, x, lo, hi *Tensor[T], opts ...Option) error {
	return ternaryTo(&dispatch.Clamp, dst, x, lo, hi, opts)
}

// AddMul returns a + s·b·c, broadcast, for every type of number. Of floats s·b
// is rounded, and its product with c is added to a with one rounding, as [FMA];
// for 16-bit types to float32, and the result once more. s·b may overflow where
// s·b·c would not. 0·∞, infinities that cancel and NaNs give NaN. Integers wrap.
// Errors are those of [Add].
func AddMul[T Number](a, b, c *Tensor[T], s T, opts ...Option) (*Tensor[T], error) {
	call := begin[T](&dispatch.AddMul, opts)
	defer call.free()
	if err := add3(&call, a, b, c, s); err != nil {
		return nil, err
	}
	return result[T](&call)
}

// AddMulTo computes a + s·b·c into dst: see [AddMul] and [AddTo].
func AddMulTo[T Number](dst, a, b, c *Tensor[T], s T, opts ...Option) error {
	call := begin[T](&dispatch.AddMul, opts)
	defer call.free()
	if err := add3(&call, a, b, c, s); err != nil {
		return err
	}
	return into(&call, dst)
}

// AddDiv returns a + (s·b)/c, broadcast, for floating-point types: the product,
// the quotient and the sum are rounded in turn; for 16-bit types to float32, and
// the result once more. A zero c gives an infinity, or NaN if s·b is zero too;
// infinities that cancel and NaNs give NaN. Errors are those of [Add].
func AddDiv[T Float](a, b, c *Tensor[T], s T, opts ...Option) (*Tensor[T], error) {
	call := begin[T](&dispatch.AddDiv, opts)
	defer call.free()
	if err := add3(&call, a, b, c, s); err != nil {
		return nil, err
	}
	return result[T](&call)
}

// AddDivTo computes a + (s·b)/c into dst: see [AddDiv] and [AddTo].
func AddDivTo[T Float](dst, a, b, c *Tensor[T], s T, opts ...Option) error {
	call := begin[T](&dispatch.AddDiv, opts)
	defer call.free()
	if err := add3(&call, a, b, c, s); err != nil {
		return err
	}
	return into(&call, dst)
}

// Sign returns 1, 0 or -1 for a number above, equal to or below 0, for every
// type of number. Of either zero it is +0, of NaN it is NaN. The error is a
// [*NilError] if a is nil.
func Sign[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Sign, a, opts)
}

// SignTo computes the sign of a into dst: see [Sign] and [AddTo].
func SignTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Sign, dst, a, opts)
}

// Rsqrt returns 1/√a for floating-point types, correctly rounded: not a
// rounded root's rounded reciprocal. Of a zero it is an infinity of the zero's
// sign, of +Inf it is +0, of what is below 0 and of NaN it is NaN. The error is
// a [*NilError] if a is nil.
func Rsqrt[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Rsqrt, a, opts)
}

// RsqrtTo computes 1/√a into dst: see [Rsqrt] and [AddTo].
func RsqrtTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Rsqrt, dst, a, opts)
}

// Reciprocal returns 1/a for floating-point types, correctly rounded. Of a zero
// it is an infinity, of an infinity a zero, of the same sign; of NaN it is NaN.
// The error is a [*NilError] if a is nil.
func Reciprocal[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Reciprocal, a, opts)
}

// ReciprocalTo computes 1/a into dst: see [Reciprocal] and [AddTo].
func ReciprocalTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Reciprocal, dst, a, opts)
}

// Square returns a² for every type of number. Integers wrap. Floats are rounded;
// of an infinity it is +Inf, of NaN it is NaN. The error is a [*NilError] if a is
// nil.
func Square[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Square, a, opts)
}

// SquareTo computes a² into dst: see [Square] and [AddTo].
func SquareTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Square, dst, a, opts)
}

// Floor returns the largest whole number up to a, for floating-point types.
// Zeros, with their sign, and infinities stay; NaN gives NaN. The error is a
// [*NilError] if a is nil.
func Floor[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Floor, a, opts)
}

// FloorTo computes the largest whole number up to a into dst: see [Floor] and
// [AddTo].
func FloorTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Floor, dst, a, opts)
}

// Ceil returns the smallest whole number from a on, for floating-point types;
// of numbers between -1 and 0 that is -0. Zeros, with their sign, and infinities
// stay; NaN gives NaN. The error is a [*NilError] if a is nil.
func Ceil[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Ceil, a, opts)
}

// CeilTo computes the smallest whole number from a on into dst: see [Ceil] and
// [AddTo].
func CeilTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Ceil, dst, a, opts)
}

// Trunc returns a without its fraction, for floating-point types, and with its
// sign, also where the result is zero. Infinities stay; NaN gives NaN. The error
// is a [*NilError] if a is nil.
func Trunc[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Trunc, a, opts)
}

// TruncTo computes a without its fraction into dst: see [Trunc] and [AddTo].
func TruncTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Trunc, dst, a, opts)
}

// Round returns the whole number nearest to a, the even one of two, for
// floating-point types, and with a's sign, also where the result is zero.
// Infinities stay; NaN gives NaN. The error is a [*NilError] if a is nil.
func Round[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Round, a, opts)
}

// RoundTo computes the whole number nearest to a into dst: see [Round] and
// [AddTo].
func RoundTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Round, dst, a, opts)
}

// Relu returns the [Maximum] of a and 0 for every type of number: -0 gives +0,
// NaN gives NaN. The error is a [*NilError] if a is nil.
func Relu[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Relu, a, opts)
}

// ReluTo computes the maximum of a and 0 into dst: see [Relu] and [AddTo].
func ReluTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Relu, dst, a, opts)
}

// add3 adds three tensors and a number to a call.
func add3[T Number](c *call, x, y, z *Tensor[T], s T) error {
	if err := sources(c, x, y); err != nil {
		return err
	}
	if err := source(c, z); err != nil {
		return err
	}
	scalar(c, s)
	return nil
}

// DivisionError reports an integer divisor that is zero.
type DivisionError struct {
	Op    string
	Index []int // where the first one is in the tensor of divisors, in row-major order
}

func (e *DivisionError) Error() string {
	return fmt.Sprintf("tensor: %s: the divisor at index %s is zero", e.Op, formatShape(e.Index))
}

// ExponentError reports a negative exponent of an integer.
type ExponentError struct {
	Op       string
	Exponent int64 // the first negative one, in row-major order
	Index    []int // where it is in the tensor of exponents
}

func (e *ExponentError) Error() string {
	return fmt.Sprintf("tensor: %s: exponent %d at index %s is negative", e.Op, e.Exponent, formatShape(e.Index))
}

func division[T Number](op *dispatch.Operation, a, b *Tensor[T], options []Option) (*Tensor[T], error) {
	if err := divisors(op.Name, a, b, options); err != nil {
		return nil, err
	}
	return binary(op, a, b, options)
}

func divisionTo[T Number](op *dispatch.Operation, dst, a, b *Tensor[T], options []Option) error {
	if err := divisors(op.Name, a, b, options); err != nil {
		return err
	}
	return binaryTo(op, dst, a, b, options)
}

// divisors checks those of integers, if there is anything to divide.
func divisors[T Number](op string, a, b *Tensor[T], options []Option) error {
	if t := typeOf[T](); t < dispatch.Int8 || t > dispatch.Uint64 {
		return nil
	}
	if !meets(a, b, options) {
		return nil
	}
	index, _ := find(b, firstZero[T])
	if index == nil {
		return nil
	}
	return &DivisionError{Op: op, Index: index}
}

// meets tells whether an operation on a and b would compute anything: only then
// is it worth looking at every element of b.
func meets[T Element](a, b *Tensor[T], options []Option) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	var buf [8]int
	_, err := broadcast.AppendShape(buf[:0], a.shape, b.shape)
	return err == nil || a.size == b.size && parse(options).has(Legacy)
}

// find returns the index of the first bad element in row-major order and the
// element; the index is nil if there is none. first tells which of n elements,
// step apart from a place in the storage on, is the first bad one; -1 if none is.
func find[T Number](t *Tensor[T], first func(data []T, at, n, step int) int) (index []int, value T) {
	var sizes, places [8]int
	shape := append(sizes[:0], t.shape...)
	for i, step := range t.strides {
		if step == 0 {
			shape[i] = 1 // the others are the same
		}
	}
	axis, n, step, _ := longRow(shape, t.strides, t.strides)
	r := rows{append(places[:0], make([]int, axis)...), shape[:axis], t.strides[:axis], t.offset}
	for more := true; more; more = r.next() {
		k := first(t.data, r.at, n, step)
		if k < 0 {
			continue
		}
		value = t.data[r.at+k*step]
		index = make([]int, len(shape))
		copy(index, r.index)
		for i := len(shape) - 1; i >= axis; i-- {
			index[i] = k % shape[i]
			k /= shape[i]
		}
		return index, value
	}
	return nil, 0
}

// foldLen is from how many elements on folding them is faster than a loop.
const foldLen = 64

// firstZero is for find.
func firstZero[T Number](data []T, at, n, step int) int {
	if step == 1 && n >= foldLen && !anyZero(data[at:at+n]) {
		return -1
	}
	for k := range n {
		if data[at+k*step] == 0 {
			return k
		}
	}
	return -1
}

// anyZero folds the values with the minimum: as unsigned numbers none is below
// zero.
func anyZero[T Number](values []T) (found bool) {
	t := typeOf[T]()
	if t < dispatch.Uint8 {
		t += dispatch.Uint8 - dispatch.Int8
	}
	row := dispatch.Minimum.Rows[t]
	row.Fold(unsafe.Pointer(unsafe.SliceData(values)), len(values), func(rest unsafe.Pointer, n int) {
		found = found || slices.Contains(unsafe.Slice((*T)(rest), n), 0)
	})
	return found
}

// exponents checks those of integers, if there is anything to raise.
func exponents[T Integer](a, b *Tensor[T], options []Option) error {
	index, v := negative(a, b, options)
	if index == nil {
		return nil
	}
	return &ExponentError{Op: "Pow", Exponent: int64(v), Index: index}
}
