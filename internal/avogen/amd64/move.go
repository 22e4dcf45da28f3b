package amd64

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
)

// half is what VPSHUFB and the transposes reach: their bytes stay within 16.
const half = 16

// Moves adds the kernels that move elements. They are written for vectors of 32
// bytes, which AVX-512 has too, but for permutations, which gain by wider ones.
func (t *Target) Moves() (list []loop.Move) {
	add := func(name, doc string, print func(m *machine)) {
		name += t.Suffix()
		t.function(name, print)
		list = append(list, loop.Move{Name: name, Doc: doc})
	}
	tables := func(name string, reach int, combine combiner) {
		for k := 1; k <= loop.ShuffleLoads; k++ {
			add(fmt.Sprintf(name, k), fmt.Sprintf("vectors of %d bytes, cols a row, as the table b says with %d loads for each %d bytes", t.set.vecBytes, k, reach),
				func(m *machine) { m.shuffle(k, reach, combine) })
		}
	}
	if t.set == avx512 {
		tables("Permute%dUint16", t.set.vecBytes, permuteMasked((*build.Context).VPMOVW2M, (*build.Context).KNOTD, (*build.Context).VPERMW))
		tables("Permute%dUint32", t.set.vecBytes, permuteMasked((*build.Context).VPMOVD2M, (*build.Context).KNOTW, (*build.Context).VPERMD))
		return list
	}
	list = loop.Rows(t)
	for _, e := range loop.MoveTypes {
		n := half / e.Bytes
		add("Transpose"+e.Title(), fmt.Sprintf("dst[r][i] = a[i][r], rows a multiple of %d and cols of %d", n, 2*n),
			func(m *machine) { m.transpose(e) })
	}
	tables("Shuffle%d", half, shuffleHalves)
	tables("Permute%dUint32", t.set.vecBytes, permuteBlended)
	add("Stream", "dst[i] = a[i], bytes of one row, by non-temporal stores, and fetches from b, c and d: dst and cols are multiples of 64; Fence has to follow", (*machine).stream)
	add("Fence", "nothing: it orders what was streamed before what is stored after it", (*machine).fence)
	return list
}

// transpose goes along the source's lines, a column of tiles at a time, so that
// a line is used up while it is in the first-level cache. A tile has the rows
// that fill half a vector of the source; a register holds two such halves, of
// columns that are as many apart. With n columns in n registers, log2(n) times
// interleaving register i with i+n/2 transposes both halves at once.
func (m *machine) transpose(e lane.Type) {
	n := half / e.Bytes
	rows, cols := m.Param("rows"), m.Param("cols")
	m.JumpLess(rows, n, "done")
	m.JumpLess(cols, 2*n, "done")
	d, p := m.param("dst"), m.param("a")
	dStep, step := m.param("dstStep"), m.param("aStep")
	step3 := m.GP64()
	m.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)

	m.Label("columns")
	rows = m.Param("rows")
	m.LoopLabel("tile")
	every := []reg.Register{p} // every fourth column
	column := func(i int) operand.Mem {
		for k := len(every); k <= i/4; k++ {
			q := m.GP64()
			m.LEAQ(operand.Mem{Base: every[k-1], Index: step, Scale: 4}, q)
			every = append(every, q)
		}
		at := operand.Mem{Base: every[i/4]}
		switch i % 4 {
		case 1, 2:
			at.Index, at.Scale = step, uint8(i%4)
		case 3:
			at.Index, at.Scale = step3, 1
		}
		return at
	}
	load := func(i int) reg.VecVirtual {
		v := m.load(column(i), half)
		m.VINSERTI128(operand.Imm(1), column(i+n), v, v)
		return v
	}
	type c = build.Context
	zip := []emit{
		byBytes(e, (*c).VPUNPCKLBW, (*c).VPUNPCKLWD, (*c).VPUNPCKLDQ, (*c).VPUNPCKLQDQ),
		byBytes(e, (*c).VPUNPCKHBW, (*c).VPUNPCKHWD, (*c).VPUNPCKHDQ, (*c).VPUNPCKHQDQ),
	}
	interleave := func(high int, a, b reg.VecVirtual) reg.VecVirtual {
		v := m.vec()
		zip[high](m.Context, b, a, v)
		return v
	}
	parts := 1
	if n == m.target.set.registers {
		parts = 2 // the low and the high results of the first step, one after the other
	}
	for part := range parts {
		var v []reg.VecVirtual
		for i := range n / parts {
			x := load(i)
			if parts == 2 {
				x = interleave(part, x, load(i+n/2))
			}
			v = append(v, x)
		}
		for range log2(len(v)) {
			var next []reg.VecVirtual
			for i := range len(v) / 2 {
				next = append(next, interleave(0, v[i], v[i+len(v)/2]), interleave(1, v[i], v[i+len(v)/2]))
			}
			v = next
		}
		for _, x := range v {
			m.VMOVDQU(x, mem(d, 0))
			m.Add(d, dStep)
		}
	}
	m.AddImm(p, half)
	m.AddImm(rows, -n)
	m.JumpGreaterEq(rows, n, "tile")

	// Back to the first row, and on to the next columns.
	back, written := m.param("rows"), m.param("rows")
	m.IMULQ(dStep, written)
	m.SUBQ(written, d)
	m.AddImm(d, 2*half)
	m.SHLQ(operand.Imm(uint64(log2(e.Bytes))), back)
	m.SUBQ(back, p)
	for range 2 * n / 8 {
		m.LEAQ(operand.Mem{Base: p, Index: step, Scale: 8}, p)
	}
	if 2*n%8 != 0 {
		m.LEAQ(operand.Mem{Base: p, Index: step, Scale: 4}, p)
	}
	m.AddImm(cols, -2*n)
	m.JumpGreaterEq(cols, 2*n, "columns")
	m.Label("done")
	m.Return()
}

// shuffle builds vectors, each from the given number of loads for every reach of
// bytes: what it takes of each load is brought into place, and the loads are
// combined. The table has an entry for each vector of a row: for each load, a
// vector of indices and the offsets, one for each reach, from the source's row.
// An entry stays in registers for all rows.
func (m *machine) shuffle(loads, reach int, combine combiner) {
	bytes := m.VecBytes()
	rows, cols := m.Param("rows"), m.Param("cols")
	m.JumpLess(rows, 1, "done")
	m.JumpLess(cols, 1, "done")
	table := m.param("b")
	d := m.param("dst")

	m.Label("vector")
	var index []reg.VecVirtual
	var off [][]reg.Register
	entry := 0
	for range loads {
		index = append(index, m.load(mem(table, entry), bytes))
		entry += bytes
		var o []reg.Register
		for range bytes / reach {
			o = append(o, m.GP64())
			m.MOVQ(mem(table, entry), o[len(o)-1])
			entry += 8
		}
		off = append(off, o)
	}
	vector := combine(m, index)
	rows = m.Param("rows")
	a, to := m.param("a"), m.Copy(d)
	// With many offsets the registers do not suffice for the steps too.
	var aStep, dStep operand.Op = m.frame("aStep"), m.frame("dstStep")
	if loads*len(off[0]) < 8 {
		aStep, dStep = m.param("aStep"), m.param("dstStep")
	}
	loop.Unrolled(m, rows, 4, func() {
		var sum reg.VecVirtual
		for k := range loads {
			var from []operand.Mem
			for _, o := range off[k] {
				from = append(from, operand.Mem{Base: a, Index: o, Scale: 1})
			}
			sum = vector(k, from, sum)
		}
		m.store(sum, mem(to.(reg.Register), 0), bytes)
		m.ADDQ(aStep, a)
		m.ADDQ(dStep, to.(operand.Op))
	})
	m.AddImm(table, entry)
	m.AddImm(d, bytes)
	m.AddImm(cols, -1)
	m.JumpGreaterEq(cols, 1, "vector")
	m.Label("done")
	m.Return()
}

// combiner prepares, once for the entry with the given indices, and returns what
// adds load k at the given addresses to the sum of those before it. The highest
// bit of an index is set where the load has nothing to add.
type combiner func(m *machine, index []reg.VecVirtual) func(k int, from []operand.Mem, sum reg.VecVirtual) reg.VecVirtual

// shuffleHalves moves bytes within each half of a vector. Others become 0.
func shuffleHalves(m *machine, index []reg.VecVirtual) func(int, []operand.Mem, reg.VecVirtual) reg.VecVirtual {
	return func(k int, from []operand.Mem, sum reg.VecVirtual) reg.VecVirtual {
		v := m.load(from[0], half)
		m.VINSERTI128(operand.Imm(1), from[1], v, v)
		m.VPSHUFB(index[k], v, v)
		if k > 0 {
			m.VPOR(sum, v, v)
		}
		return v
	}
}

// permuteBlended moves words of 4 bytes to anywhere in a vector.
func permuteBlended(m *machine, index []reg.VecVirtual) func(int, []operand.Mem, reg.VecVirtual) reg.VecVirtual {
	return func(k int, from []operand.Mem, sum reg.VecVirtual) reg.VecVirtual {
		v := m.vec()
		m.VPERMD(from[0], index[k], v)
		if k > 0 {
			m.VBLENDVPS(index[k], sum, v, v)
		}
		return v
	}
}

// permuteMasked moves words to anywhere in a vector, those that the mask made of
// the indices' highest bits does not exclude.
func permuteMasked(excluded, not func(c *build.Context, a, b operand.Op), permute func(c *build.Context, ops ...operand.Op)) combiner {
	return func(m *machine, index []reg.VecVirtual) func(int, []operand.Mem, reg.VecVirtual) reg.VecVirtual {
		mask := make([]reg.Register, len(index)) // but for the first: others cover what it lacks
		for i := 1; i < len(index); i++ {
			mask[i] = m.K()
			excluded(m.Context, index[i], mask[i])
			not(m.Context, mask[i], mask[i])
		}
		return func(k int, from []operand.Mem, sum reg.VecVirtual) reg.VecVirtual {
			if k == 0 {
				v := m.vec()
				permute(m.Context, from[0], index[0], v)
				return v
			}
			permute(m.Context, from[0], index[k], mask[k], sum)
			return sum
		}
	}
}

func log2(n int) int { return bits.TrailingZeros(uint(n)) }

// frame is where a parameter is.
func (m *machine) frame(name string) operand.Mem {
	p, err := m.Context.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
