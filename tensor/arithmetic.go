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
// Floating-point quotients are rounded to nearest even; those by zero are
// infinities, 0/0 and ∞/∞ are NaN. Integer quotients are truncated, as in Go;
// the smallest integer divided by -1 wraps to itself.
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
// Floating-point numbers give what NumPy's floor_divide does: with r the
// [Remainder] before it gets a zero's sign, (a - r)/b rounded to the nearest
// whole number, each operation in the type's own precision. Where that is zero
// it has the sign of a/b. A division by zero gives a/b; an infinite a gives NaN.
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
// differ, rounded. A zero has the sign of b. A remainder is NaN if a is infinite
// or b is zero; an infinite b leaves an a of its sign as it is, and takes the
// place of others.
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
// A floating-point remainder is NaN if a is infinite or b is zero, and a if b is
// infinite. The remainder of the smallest integer by -1 is 0.
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
	if err := exponents(a, b); err != nil {
		return nil, err
	}
	return binary(&dispatch.Pow, a, b, opts)
}

// PowTo computes a to the power of b into dst: see [Pow] and [AddTo].
func PowTo[T Integer](dst, a, b *Tensor[T], opts ...Option) error {
	if err := exponents(a, b); err != nil {
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
// differences are rounded; of infinities of one sign it is NaN. Integers are
// subtracted the smaller from the larger: the result is exact for unsigned types
// and wraps for signed ones. Errors are those of [Add].
func AbsDiff[T Number](a, b *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return binary(&dispatch.AbsDiff, a, b, opts)
}

// AbsDiffTo computes |a - b| into dst: see [AbsDiff] and [AddTo].
func AbsDiffTo[T Number](dst, a, b *Tensor[T], opts ...Option) error {
	return binaryTo(&dispatch.AbsDiff, dst, a, b, opts)
}

// SquaredDifference returns (a - b)², broadcast, for every type of number. The
// difference is rounded, then its square. Integers wrap. Errors are those of
// [Add].
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
// where squares would overflow or underflow, so only the result itself can.
// 16-bit types are computed in float64 and rounded once more.
//
// An infinite operand gives +Inf, whatever the other is; otherwise a NaN gives
// NaN. Errors are those of [Add].
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

// FMA returns a·b + c, broadcast, for floating-point types, rounded once. The
// product of 0 and an infinity is NaN, as is the sum of infinities of different
// signs. Errors are those of [Add].
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
// once, as [FMA]. It gives exactly a for w = 0 and b for w = 1, if both are
// finite, and does not overflow between them. w may be outside of 0 to 1. An
// infinite operand gives an infinity or NaN. Errors are those of [Add].
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
// is rounded, and its product with c is added to a with one rounding, as [FMA].
// Integers wrap. Errors are those of [Add].
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
// the quotient and the sum are rounded in turn. Errors are those of [Add].
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
// sign, of +Inf it is +0, of other negative numbers NaN. The error is a
// [*NilError] if a is nil.
func Rsqrt[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Rsqrt, a, opts)
}

// RsqrtTo computes 1/√a into dst: see [Rsqrt] and [AddTo].
func RsqrtTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Rsqrt, dst, a, opts)
}

// Reciprocal returns 1/a for floating-point types, correctly rounded. Of a zero
// it is an infinity of the zero's sign. The error is a [*NilError] if a is nil.
func Reciprocal[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Reciprocal, a, opts)
}

// ReciprocalTo computes 1/a into dst: see [Reciprocal] and [AddTo].
func ReciprocalTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Reciprocal, dst, a, opts)
}

// Square returns a² for every type of number. Integers wrap. The error is a
// [*NilError] if a is nil.
func Square[T Number](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Square, a, opts)
}

// SquareTo computes a² into dst: see [Square] and [AddTo].
func SquareTo[T Number](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Square, dst, a, opts)
}

// Floor returns the largest whole number up to a, for floating-point types.
// Zeros, with their sign, and infinities stay. The error is a [*NilError] if a
// is nil.
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
// stay. The error is a [*NilError] if a is nil.
func Ceil[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Ceil, a, opts)
}

// CeilTo computes the smallest whole number from a on into dst: see [Ceil] and
// [AddTo].
func CeilTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Ceil, dst, a, opts)
}

// Trunc returns a without its fraction, for floating-point types, and with its
// sign, also where the result is zero. Infinities stay. The error is a
// [*NilError] if a is nil.
func Trunc[T Float](a *Tensor[T], opts ...Option) (*Tensor[T], error) {
	return unary(&dispatch.Trunc, a, opts)
}

// TruncTo computes a without its fraction into dst: see [Trunc] and [AddTo].
func TruncTo[T Float](dst, a *Tensor[T], opts ...Option) error {
	return unaryTo(&dispatch.Trunc, dst, a, opts)
}

// Round returns the whole number nearest to a, the even one of two, for
// floating-point types, and with a's sign, also where the result is zero.
// Infinities stay. The error is a [*NilError] if a is nil.
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
	if err := divisors(op.Name, a, b); err != nil {
		return nil, err
	}
	return binary(op, a, b, options)
}

func divisionTo[T Number](op *dispatch.Operation, dst, a, b *Tensor[T], options []Option) error {
	if err := divisors(op.Name, a, b); err != nil {
		return err
	}
	return binaryTo(op, dst, a, b, options)
}

// divisors checks those of integers, if there is anything to divide.
func divisors[T Number](op string, a, b *Tensor[T]) error {
	if t := typeOf[T](); t < dispatch.Int8 || t > dispatch.Uint64 {
		return nil
	}
	if !meets(a, b) {
		return nil
	}
	once := b.unstretched()
	if raw, ok := once.Raw(); ok && !anyZero(raw) {
		return nil
	}
	for index, v := range once.All() {
		if v == 0 {
			return &DivisionError{Op: op, Index: clone(index)}
		}
	}
	return nil
}

// meets tells whether an operation on a and b would compute anything: only then
// is it worth looking at every element of b.
func meets[T Element](a, b *Tensor[T]) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	var buf [8]int
	_, err := broadcast.AppendShape(buf[:0], a.shape, b.shape)
	return err == nil || a.size == b.size // as Legacy pairs them
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
func exponents[T Integer](a, b *Tensor[T]) error {
	if zero := T(0); zero-1 > zero || !meets(a, b) {
		return nil
	}
	once := b.unstretched()
	if raw, ok := once.Raw(); ok && !anyNegative(raw) {
		return nil
	}
	for index, v := range once.All() {
		if v < 0 {
			return &ExponentError{Op: "Pow", Exponent: int64(v), Index: clone(index)}
		}
	}
	return nil
}
