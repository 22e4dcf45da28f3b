package arm64

import "github.com/lanecast/lanecast/internal/avogen/lane"

var calculating = group{
	byKind: map[lane.Kind]map[lane.Op]lower{
		lane.Float: {
			lane.FMA:   fused,
			lane.Floor: one((*assembler).frintm),
			lane.Ceil:  one((*assembler).frintp),
			lane.Trunc: one((*assembler).frintz),
			lane.Round: one((*assembler).frintn),
		},
	},
}

// fused is first · second + third.
func fused(m *machine, s shape, d *reg, a []*reg, _ uint64) {
	m.mov(d, a[2])
	m.fmla(s, d, a[0], a[1])
}
