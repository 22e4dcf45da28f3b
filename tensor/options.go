package tensor

// Option changes how an operation treats its operands or runs. Several may be
// given.
type Option uint8

const (
	// NoOuter refuses a broadcast that stretches every operand: (3,) - (3,1) gives
	// (3,3) and is seldom meant. It allows one in which an operand already has the
	// result's size in each dimension.
	NoOuter Option = 1 << iota
	// SameRank refuses to invent dimensions: all operands must have the same
	// number of them.
	SameRank
	// Legacy accepts operands that do not broadcast but have equally many
	// elements, and pairs these in row-major order, as PyTorch did before 0.2. The
	// result has the shape of the first. Tensors of one element count too.
	Legacy
	// Serial keeps the work on the calling goroutine, for callers that use all
	// cores themselves.
	Serial
)

// parse joins options to one.
func parse(options []Option) Option {
	var all Option
	for _, o := range options {
		all |= o
	}
	return all
}

// has reports whether o holds any of the options given.
func (o Option) has(options Option) bool { return o&options != 0 }
