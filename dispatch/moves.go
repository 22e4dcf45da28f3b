package dispatch

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
)

const (
	// half is the width in bytes of a transposed tile along the source.
	half = 16
	// line is a cache line.
	line = 64
	// maxLoads is how many loads a piece of a shuffled vector may be put together
	// from.
	maxLoads = 4
	// maxPeriod is the largest number of bytes after which a shuffle repeats: the
	// table is some times as large and shares the first-level cache with the data.
	maxPeriod = scratchBytes / 4
)

// moves are the kernels of one instruction set that bring elements into another
// order. Generic has none: its loops are Go.
type moves struct {
	vector    int                  // bytes
	copy      asm.Kernel           // rows of bytes
	fill      [4]asm.Kernel        // rows, each from a scalar; by the logarithm of an element's bytes
	transpose [4]asm.Kernel        // tiles of half/size rows and vector/size columns
	shuffle   [maxShuffles]shuffle // in the order in which they are tried; what is left is empty
	stream    asm.Kernel           // bytes around the caches
	fence     asm.Kernel           // ends a series of streams
}

func logSize(size int) int { return bits.TrailingZeros(uint(size)) }

// shuffle is a family of kernels that write vectors. A piece of a vector is as
// wide as a load: reach. It is put together from units of up to maxLoads loads.
type shuffle struct {
	vector, reach, unit int                  // bytes
	kernel              [maxLoads]asm.Kernel // by the number of loads, from 1
}

// maxShuffles is the largest number of families that an instruction set has.
const maxShuffles = 3

// pattern is a gather that repeats after some rows of the outermost dimension,
// as vectors that a shuffle makes. It remembers the last one.
type pattern struct {
	size    int
	inner   []run // but the outermost dimension
	stride  int   // of the outermost
	valid   bool
	by      *shuffle
	rows    int // of the outermost dimension in a period
	vectors int // in a period
	loads   int
	table   []uint64 // see the generator's shuffle

	offset []int // of each element of a period from its first, in bytes
	from   [][maxLoads]int
}

// shuffled gathers the block with shuffles, if one has a pattern for that.
func (m *mover) shuffled(dst, src unsafe.Pointer, size int, b []run) bool {
	reach := 0 // of the last one tried: smaller units find nothing more
	for i := range m.shuffle {
		s := &m.shuffle[i]
		if s.unit == 0 || s.unit > size || s.reach == reach {
			continue
		}
		if reach = s.reach; m.pattern[i].gather(s, dst, src, size, b) {
			return true
		}
	}
	return false
}

// gather gathers the block with a shuffle, if it can. What is left of the last
// period is in one that overlaps its neighbour.
func (p *pattern) gather(s *shuffle, dst, src unsafe.Pointer, size int, b []run) bool {
	last, per := outermost(b)
	inner := b[:len(b)-1]
	if p.by != s || p.size != size || p.stride != last.stride || !slices.Equal(p.inner, inner) {
		if last.n < 2*s.vector/gcd(per*size, s.vector) {
			return false // not worth a table
		}
		p.by, p.size, p.stride, p.inner = s, size, last.stride, append(p.inner[:0], inner...)
		p.valid = p.make(per)
	}
	if !p.valid || last.n < p.rows {
		return false
	}
	run := func(row, periods int) {
		p.by.kernel[p.loads-1](unsafe.Add(dst, row*per*size), unsafe.Add(src, row*last.stride),
			unsafe.Pointer(unsafe.SliceData(p.table)), nil, nil,
			periods, p.vectors, p.vectors*p.by.vector, p.rows*last.stride, 0, 0, 0)
	}
	most := max(1, scratchBytes/(p.vectors*p.by.vector)) // of a call
	for done, all := 0, last.n/p.rows; done < all; done += most {
		run(done*p.rows, min(most, all-done))
	}
	if last.n%p.rows != 0 {
		run(last.n-p.rows, 1)
	}
	return true
}

// make finds the loads of a period and writes the table. No load begins before
// the lowest element of the period or ends behind the highest.
func (p *pattern) make(per int) bool {
	p.rows = p.by.vector / gcd(per*p.size, p.by.vector)
	low, high := 0, p.size
	for _, r := range p.inner {
		low, high = low+min(0, (r.n-1)*r.stride), high+max(0, (r.n-1)*r.stride)
	}
	extent := func() int { return high - low + (p.rows-1)*max(p.stride, -p.stride) }
	for extent() < p.by.reach && p.rows*per*p.size < maxPeriod && p.stride != 0 {
		p.rows *= 2
	}
	bytes := p.rows * per * p.size
	if extent() < p.by.reach || bytes > maxPeriod {
		return false
	}
	low, high = low+min(0, (p.rows-1)*p.stride), high+max(0, (p.rows-1)*p.stride)
	p.vectors = bytes / p.by.vector

	p.offset = append(p.offset[:0], 0)
	for _, r := range p.inner {
		p.extend(r)
	}
	p.extend(run{p.rows, p.stride})
	p.from, p.loads = p.from[:0], 1
	each := p.by.reach / p.size
	for i := 0; i < len(p.offset); i += each {
		from, n := cover(p.offset[i:i+each], p.size, p.by.reach, low, high)
		if n > maxLoads {
			return false
		}
		p.from = append(p.from, from)
		p.loads = max(p.loads, n)
	}
	p.write()
	return true
}

// extend repeats the offsets along one more dimension.
func (p *pattern) extend(r run) {
	for i, n := 1, len(p.offset); i < r.n; i++ {
		for _, o := range p.offset[:n] {
			p.offset = append(p.offset, o+i*r.stride)
		}
	}
}

// cover chooses loads of reach bytes between low and high that have the elements
// at the given offsets, and gives their number, or one above maxLoads. Those that
// are not needed are the first again.
func cover(offset []int, size, reach, low, high int) (from [maxLoads]int, n int) {
	for covered := 0; covered < 1<<len(offset)-1; n++ {
		if n == maxLoads {
			return from, n + 1
		}
		next := high
		for i, o := range offset {
			if covered>>i&1 == 0 {
				next = min(next, o)
			}
		}
		from[n] = max(low, min(next, high-reach))
		for i, o := range offset {
			if o >= from[n] && o+size <= from[n]+reach {
				covered |= 1 << i
			}
		}
	}
	for i := n; i < maxLoads; i++ {
		from[i] = from[0]
	}
	return from, n
}

// write fills the table: for each vector and load, the index of each unit, then
// the offset of the load for each reach. A unit that the load does not have gets
// an index with its highest bit set. An element that several loads have is taken
// from each, to the same effect.
func (p *pattern) write() {
	reaches := p.by.vector / p.by.reach
	load := p.by.vector/8 + reaches // words
	p.table = append(p.table[:0], make([]uint64, p.vectors*p.loads*load)...)
	index := unsafe.Slice((*byte)(unsafe.Pointer(&p.table[0])), 8*len(p.table))
	each := p.by.reach / p.size
	for i, from := range p.from {
		for k := range p.loads {
			at := (i/reaches*p.loads + k) * load
			p.table[at+p.by.vector/8+i%reaches] = uint64(from[k])
			piece := index[8*at+i%reaches*p.by.reach:][:p.by.reach]
			for j, o := range p.offset[i*each:][:each] {
				at := o - from[k]
				for n := 0; n < p.size; n += p.by.unit {
					if u := piece[j*p.size+n:][:p.by.unit]; at >= 0 && at+p.size <= p.by.reach {
						u[0] = byte((at + n) / p.by.unit) // little-endian
					} else {
						u[p.by.unit-1] = 0x80
					}
				}
			}
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
