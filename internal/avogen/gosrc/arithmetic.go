package gosrc

import "github.com/lanecast/lanecast/internal/avogen/lane"

// What package asm has functions for.
var (
	floatFunctions = map[lane.Op]lower{
		lane.Floor:     fill("floor(%s)"),
		lane.Ceil:      fill("ceil(%s)"),
		lane.Trunc:     fill("trunc(%s)"),
		lane.Round:     fill("round(%s)"),
		lane.FloorDiv:  fill("floorDiv(%s, %s)"),
		lane.Remainder: fill("remainder(%s, %s)"),
		lane.FMod:      fill("fmod(%s, %s)"),
	}
	integerFunctions = map[lane.Op]lower{
		lane.Div:       fill("quotient(%s, %s)"),
		lane.FloorDiv:  fill("floorQuotient(%s, %s)"),
		lane.Remainder: fill("floorRemainder(%s, %s)"),
		lane.FMod:      fill("truncRemainder(%s, %s)"),
		lane.Pow:       fill("power(%s, %s)"),
	}
)

func calculating(op lane.Op, t lane.Type) lower {
	switch {
	case t.Integer():
		return integerFunctions[op]
	case t.Kind != lane.Float:
		return nil
	case op == lane.FMA && t == lane.F32:
		return fill("fma32(%s, %s, %s)")
	case op == lane.FMA:
		return fill("fma64(%s, %s, %s)")
	case op == lane.Rsqrt && t == lane.F32:
		return fill("rsqrt32(%s)")
	}
	return floatFunctions[op]
}
