package broadcast

// KeepOrder fills strides with those of a new array without gaps whose
// dimensions lie in memory in the same order as the sources' do (NumPy's
// order 'K'): the sum of two transposed arrays is transposed too. Where the
// sources disagree the first decides; where none decides the order is
// row-major. shape is the broadcast shape of the sources, and strides is as
// long. It allocates nothing up to 8 dimensions.
func KeepOrder(strides, shape []int, src ...Operand) {
	var buf [8]int
	axes := buf[:0] // innermost first
	for i := len(shape) - 1; i >= 0; i-- {
		axes = append(axes, i)
	}
	for i := 1; i < len(axes); i++ {
		// An axis of which no source knows the place is passed over, but moves
		// only when a later comparison decides.
		at := i
		for j := i - 1; j >= 0; j-- {
			c := compareAxes(axes[at], axes[j], len(shape), shape, src)
			if c < 0 {
				for m := at; m > j; m-- {
					axes[m], axes[m-1] = axes[m-1], axes[m]
				}
				at = j
			} else if c > 0 {
				break
			}
		}
	}
	step := 1
	for _, i := range axes {
		strides[i] = step
		step *= max(shape[i], 1)
	}
}

// compareAxes is negative if axis x lies inside axis y in memory, positive if
// outside, and 0 if no source tells.
func compareAxes(x, y, rank int, shape []int, src []Operand) int {
	for s := range src {
		sx, sy := src[s].strideOf(x, rank), src[s].strideOf(y, rank)
		switch {
		case sx == 0 || sy == 0:
		case sx != sy:
			return sx - sy
		case shape[x] != shape[y]:
			return shape[x] - shape[y]
		}
	}
	return 0
}

// strideOf is the distance along an axis counted in a result of the given
// rank, 0 where the operand is stretched.
func (o *Operand) strideOf(axis, rank int) int {
	i := axis - (rank - len(o.Shape))
	if i < 0 || o.Shape[i] == 1 {
		return 0
	}
	return abs(o.Strides[i])
}
