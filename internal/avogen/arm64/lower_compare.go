package arm64

import "github.com/lanecast/lanecast/internal/avogen/lane"

// Shifts to the left by the signed low byte of each lane of the count, to the
// right if that is negative.
const (
	ushl lane.Op = "neon.ushl" // zeros move in
	sshl lane.Op = "neon.sshl" // the sign moves in from the left
)

var comparing = group{
	byBits: map[lane.Op]lower{
		lane.MaskAnd: bitwise((*assembler).and),
		lane.MaskOr:  bitwise((*assembler).orr),
		lane.MaskNot: func(m *machine, _ shape, d *reg, a []*reg, _ uint64) { m.not(d, a[0]) },
		lane.ToBool:  packBool,
		ushl:         two((*assembler).ushl),
		sshl:         two((*assembler).sshl),
	},
	byKind: map[lane.Kind]map[lane.Op]lower{
		lane.Float:    {lane.Le: swapped(two((*assembler).fcmge))},
		lane.Signed:   {lane.Le: swapped(two((*assembler).cmge))},
		lane.Unsigned: {lane.Le: swapped(two((*assembler).cmhs))},
		lane.Truth:    {lane.ToMask: spreadBool},
	},
}

// packBool narrows lanes of 0 and -1 to bytes of 0 and 1 in the low part.
func packBool(m *machine, s shape, d *reg, a []*reg, _ uint64) {
	v := a[0]
	for size := 1 << s.size; size > 1; size /= 2 {
		m.narrow(shapes[size], shapes[size/2], d, v)
		v = d
	}
	m.neg(shapes[1], d, v)
}

// spreadBool widens bytes of 0 and 1 to lanes of 0 and -1.
func spreadBool(m *machine, _ shape, d *reg, a []*reg, bytes uint64) {
	m.neg(shapes[1], d, a[0])
	for size := 1; size < int(bytes); size *= 2 {
		m.sxtl(shapes[size], shapes[2*size], d, d)
	}
}

var expand = map[lane.Op]lane.Expand{
	lane.ShlBy: func(b *lane.B, a []lane.V) lane.V { return shiftBy(b, a, ushl, lane.Unsigned, false) },
	lane.ShrBy: func(b *lane.B, a []lane.V) lane.V { return shiftBy(b, a, ushl, lane.Unsigned, true) },
	lane.SarBy: func(b *lane.B, a []lane.V) lane.V { return shiftBy(b, a, sshl, lane.Signed, true) },
}

// shiftBy limits the count to the width, which shifts everything out.
func shiftBy(b *lane.B, a []lane.V, op lane.Op, kind lane.Kind, right bool) lane.V {
	t := a[0].Type
	u := map[int]lane.Type{1: lane.U8, 2: lane.U16, 4: lane.U32, 8: lane.U64}[t.Bytes]
	as := u
	if kind == lane.Signed {
		as = map[int]lane.Type{1: lane.I8, 2: lane.I16, 4: lane.I32, 8: lane.I64}[t.Bytes]
	}
	n := b.Minimum(b.View(u, a[1]), b.Bits(u, uint64(t.Bits())))
	if right {
		n = b.Neg(n)
	}
	return b.View(t, b.Do(op, 0, b.View(as, a[0]), b.View(as, n)))
}
