package dispatch

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lanecast/lanecast/asm"
)

const (
	// half is the width in bytes of a transposed tile along the source, and of
	// what a shuffle reaches.
	half = 16
	// line is a cache line.
	line = 64
	// maxLoads is the largest number of loads that one half of a shuffled vector
	// is made of.
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
	shuffle   [maxLoads]asm.Kernel // by the number of loads, from 1
	stream    asm.Kernel           // rows of bytes around the caches
	fence     asm.Kernel           // ends a series of streams
}

func logSize(size int) int { return bits.TrailingZeros(uint(size)) }

// pattern is a gather that repeats after some rows of the outermost dimension,
// as vectors that are made of loads and shuffles. It remembers the last one.
type pattern struct {
	size, vector int
	inner        []run // but the outermost dimension
	stride       int   // of the outermost
	valid        bool
	rows         int // of the outermost dimension in a period
	vectors      int // in a period
	loads        int
	table        []uint64 // see the generator's shuffle

	offset []int // of each element of a period from its first, in bytes
	from   [][maxLoads]int
}

// shuffled gathers the block with shuffles, if it has a pattern for that. What
// is left of the last period is in one that overlaps its neighbour.
func (m *mover) shuffled(dst, src unsafe.Pointer, size int, b []run) bool {
	last, per := outermost(b)
	p := &m.pattern
	inner := b[:len(b)-1]
	if p.size != size || p.vector != m.vector || p.stride != last.stride || !slices.Equal(p.inner, inner) {
		if last.n < 2*m.vector/gcd(per*size, m.vector) {
			return false // not worth a table
		}
		p.size, p.vector, p.stride, p.inner = size, m.vector, last.stride, append(p.inner[:0], inner...)
		p.valid = p.make(per)
	}
	if !p.valid || last.n < p.rows {
		return false
	}
	run := func(row, periods int) {
		m.shuffle[p.loads-1](unsafe.Add(dst, row*per*size), unsafe.Add(src, row*last.stride),
			unsafe.Pointer(unsafe.SliceData(p.table)), nil, nil,
			periods, p.vectors, p.vectors*p.vector, p.rows*last.stride, 0, 0, 0)
	}
	most := max(1, scratchBytes/(p.vectors*p.vector)) // of a call
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
	p.rows = p.vector / gcd(per*p.size, p.vector)
	low, high := 0, p.size
	for _, r := range p.inner {
		low, high = low+min(0, (r.n-1)*r.stride), high+max(0, (r.n-1)*r.stride)
	}
	reach := func() int { return high - low + (p.rows-1)*max(p.stride, -p.stride) }
	for reach() < half && p.rows*per*p.size < maxPeriod && p.stride != 0 {
		p.rows *= 2
	}
	bytes := p.rows * per * p.size
	if reach() < half || bytes > maxPeriod {
		return false
	}
	low, high = low+min(0, (p.rows-1)*p.stride), high+max(0, (p.rows-1)*p.stride)
	p.vectors = bytes / p.vector

	p.offset = append(p.offset[:0], 0)
	for _, r := range append(p.inner, run{p.rows, p.stride}) {
		for i, n := 1, len(p.offset); i < r.n; i++ {
			for _, o := range p.offset[:n] {
				p.offset = append(p.offset, o+i*r.stride)
			}
		}
	}
	p.from, p.loads = p.from[:0], 1
	each := half / p.size
	for i := 0; i < len(p.offset); i += each {
		from, n := cover(p.offset[i:i+each], p.size, low, high)
		if n > maxLoads {
			return false
		}
		p.from = append(p.from, from)
		p.loads = max(p.loads, n)
	}
	p.write()
	return true
}

// cover chooses loads of 16 bytes between low and high that have the elements at
// the given offsets, and gives their number, or one above maxLoads. Those that
// are not needed are the first again.
func cover(offset []int, size, low, high int) (from [maxLoads]int, n int) {
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
		from[n] = max(low, min(next, high-half))
		for i, o := range offset {
			if o >= from[n] && o+size <= from[n]+half {
				covered |= 1 << i
			}
		}
	}
	for i := n; i < maxLoads; i++ {
		from[i] = from[0]
	}
	return from, n
}

// write fills the table: for each vector and load, the index of each byte, then
// the offset of the load for each half. An index of 0x80 means no byte. An
// element that several loads have is taken from each, to the same effect.
func (p *pattern) write() {
	halves := p.vector / half
	load := p.vector/8 + halves // words
	p.table = append(p.table[:0], make([]uint64, p.vectors*p.loads*load)...)
	index := unsafe.Slice((*byte)(unsafe.Pointer(&p.table[0])), 8*len(p.table))
	each := half / p.size
	for i, from := range p.from { // halves
		for k := range p.loads {
			at := (i/halves*p.loads + k) * load
			p.table[at+p.vector/8+i%halves] = uint64(from[k])
			piece := index[8*at+i%halves*half:][:half]
			for j, o := range p.offset[i*each:][:each] {
				for n := range p.size {
					piece[j*p.size+n] = 0x80
					if at := o - from[k]; at >= 0 && at+p.size <= half {
						piece[j*p.size+n] = byte(at + n)
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
