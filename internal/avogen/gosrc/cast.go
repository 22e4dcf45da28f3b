package gosrc

import (
	"strings"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// stored is the type whose values stand for those of t: Go has no 16-bit
// floats, so package asm holds their bits.
func stored(t lane.Type) lane.Type {
	if t.Half() {
		return lane.U16
	}
	return t
}

// ofHalf lowers what there is for 16-bit floats: the conversion to float32 and
// the ops on bits.
func ofHalf(op lane.Op, t lane.Type) lower {
	switch op {
	case lane.To(lane.F32):
		return fill(t.Title() + "frombits(%s)")
	case lane.View:
		return view
	case lane.Select:
		return choose
	case lane.And, lane.Or, lane.Xor, lane.AndNot:
		return integerType[op]
	}
	return nil
}

// converting lowers conversions: Go's own where it has them, and functions of
// package asm from floats to integers and to 16-bit floats.
func converting(op lane.Op, from lane.Type) lower {
	name, found := strings.CutPrefix(string(op), "to ")
	switch {
	case !found || from.Kind == lane.Truth || op == lane.To(lane.Bool):
		return nil
	case op == lane.To(lane.F16) || op == lane.To(lane.BF16):
		if from.Kind != lane.Float {
			return nil
		}
		if op == lane.To(lane.F16) {
			return fill("Float16bits(float64(%s))")
		}
		return fill("BFloat16bits(float64(%s))")
	case from.Kind != lane.Float || strings.HasPrefix(name, "float"):
		return fill(name + "(%s)")
	}
	return fill("Saturate[" + name + "](float64(%s))")
}
