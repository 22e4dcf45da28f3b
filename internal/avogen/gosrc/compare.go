package gosrc

import (
	"fmt"

	"github.com/lanecast/lanecast/internal/avogen/lane"
)

// A mask is a bool here.
var maskOps = map[lane.Op]lower{
	lane.Le:      infix("<="),
	lane.Ne:      infix("!="),
	lane.MaskAnd: infix("&&"),
	lane.MaskOr:  infix("||"),
	lane.MaskNot: not,
	lane.ToBool:  same,
	lane.ToMask:  same,
}

var boolOps = map[lane.Op]lower{
	lane.And: infix("&&"),
	lane.Or:  infix("||"),
	lane.Xor: func(e *expr, n *lane.Node) string {
		if n.Args[1].Op == lane.Const && n.Args[1].Imm == 1 {
			return not(e, n)
		}
		return infix("!=")(e, n)
	},
	lane.AndNot: func(e *expr, n *lane.Node) string {
		return fmt.Sprintf("(%s && !%s)", e.val[n.Args[0]], e.val[n.Args[1]])
	},
}

// Shifts by a count per lane. Go's counts may not be negative.
var shiftOps = map[lane.Op]lower{
	lane.ShlBy: func(e *expr, n *lane.Node) string { return shifted(e, n, "<<", n.Type.Kind) },
	lane.ShrBy: func(e *expr, n *lane.Node) string { return shifted(e, n, ">>", lane.Unsigned) },
	lane.SarBy: func(e *expr, n *lane.Node) string { return shifted(e, n, ">>", lane.Signed) },
}

func same(e *expr, n *lane.Node) string { return e.val[n.Args[0]] }

func not(e *expr, n *lane.Node) string { return fmt.Sprintf("(!%s)", e.val[n.Args[0]]) }

// shifted shifts the value as an integer of the given kind.
func shifted(e *expr, n *lane.Node, op string, as lane.Kind) string {
	x := cast(e.val[n.Args[0]], n.Type, as)
	count := cast(e.val[n.Args[1]], n.Type, lane.Unsigned)
	return cast(fmt.Sprintf("(%s %s %s)", x, op, count), lane.Type{Bytes: n.Type.Bytes, Kind: as}, n.Type.Kind)
}

// cast turns an integer into one of the same width and another kind.
func cast(x string, t lane.Type, to lane.Kind) string {
	if t.Kind == to {
		return x
	}
	return fmt.Sprintf("%s(%s)", integer(t, to), bare(x))
}

// integer is the name of the integer type as wide as t.
func integer(t lane.Type, kind lane.Kind) string {
	if kind == lane.Signed {
		return fmt.Sprintf("int%d", t.Bits())
	}
	return fmt.Sprintf("uint%d", t.Bits())
}

// view reads bits as another type of the same width.
func view(e *expr, n *lane.Node) string {
	from, to := stored(n.Args[0].Type), stored(n.Type)
	x := bare(e.val[n.Args[0]])
	switch {
	case n.Mask:
		return x
	case from.Kind == lane.Float && to.Kind == lane.Float:
		return x
	case from.Kind == lane.Float:
		return cast(fmt.Sprintf("math.%sbits(%s)", from.Title(), x), lane.Type{Bytes: to.Bytes, Kind: lane.Unsigned}, to.Kind)
	case to.Kind == lane.Float:
		return fmt.Sprintf("math.%sfrombits(%s)", to.Title(), bare(cast(x, from, lane.Unsigned)))
	}
	return cast(x, from, to.Kind)
}

func comparing(op lane.Op, t lane.Type) lower {
	if l := maskOps[op]; l != nil {
		return l
	}
	switch {
	case op == lane.View:
		return view
	case t.Kind == lane.Truth:
		return boolOps[op]
	case t.Kind != lane.Float:
		return shiftOps[op]
	}
	return nil
}
