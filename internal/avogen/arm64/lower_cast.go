package arm64

import "github.com/lanecast/lanecast/internal/avogen/lane"

var integers = []lane.Type{lane.I8, lane.I16, lane.I32, lane.I64, lane.U8, lane.U16, lane.U32, lane.U64}

// resizing is an instruction that doubles or halves the width of lanes.
type resizing = func(a *assembler, from, to shape, d, n *reg)

// converting lowers the conversions that have instructions, or several of them
// in a row.
func converting(op lane.Op, from lane.Type) lower {
	switch {
	case from == lane.F16 && op == lane.To(lane.F32), from == lane.F32 && op == lane.To(lane.F64):
		return resize(from.Bytes, 2*from.Bytes, (*assembler).fcvtl)
	case from == lane.F64 && op == lane.To(lane.F32), from == lane.F32 && op == lane.To(lane.F16):
		return resize(from.Bytes, from.Bytes/2, (*assembler).fcvtn)
	case from == lane.I32 && op == lane.To(lane.F32), from == lane.I64 && op == lane.To(lane.F64):
		return one((*assembler).scvtf)
	case from == lane.U32 && op == lane.To(lane.F32), from == lane.U64 && op == lane.To(lane.F64):
		return one((*assembler).ucvtf)
	case from == lane.I32 && op == lane.To(lane.F64):
		return then(resize(4, 8, (*assembler).sxtl), 8, one((*assembler).scvtf))
	case from == lane.U32 && op == lane.To(lane.F64):
		return then(resize(4, 8, (*assembler).uxtl), 8, one((*assembler).ucvtf))
	}
	for _, t := range integers {
		if op != lane.To(t) {
			continue
		}
		signed := t.Kind == lane.Signed
		wider, saturate, truncate := resizing((*assembler).uxtl), resizing((*assembler).uqxtn), one((*assembler).fcvtzu)
		if signed {
			wider, saturate, truncate = (*assembler).sxtl, (*assembler).sqxtn, one((*assembler).fcvtzs)
		}
		switch {
		case from == lane.F32 && t.Bytes == 8:
			return then(resize(4, 8, (*assembler).fcvtl), 8, truncate)
		case from == lane.F32 || from == lane.F64:
			return then(truncate, from.Bytes, resize(from.Bytes, t.Bytes, saturate))
		case from.Kind == t.Kind && from.Bytes < t.Bytes:
			return resize(from.Bytes, t.Bytes, wider)
		case from.Kind == t.Kind && from.Bytes > t.Bytes:
			return resize(from.Bytes, t.Bytes, (*assembler).narrow)
		}
	}
	return nil
}

// resize takes as many steps as there are powers of two between the widths.
func resize(from, to int, f resizing) lower {
	return func(m *machine, _ shape, d *reg, a []*reg, _ uint64) {
		v := a[0]
		for bytes := from; bytes != to; {
			next := bytes * 2
			if to < from {
				next = bytes / 2
			}
			r := d
			if next != to {
				r = m.vector()
			}
			f(&m.assembler, shapes[bytes], shapes[next], r, v)
			v, bytes = r, next
		}
		if from == to {
			m.mov(d, v)
		}
	}
}

// then is second on the result of first, whose lanes have so many bytes.
func then(first lower, bytes int, second lower) lower {
	return func(m *machine, s shape, d *reg, a []*reg, imm uint64) {
		r := m.vector()
		first(m, s, r, a, imm)
		second(m, shapes[bytes], d, []*reg{r}, imm)
	}
}
