package dispatch

import "unsafe"

// streams tells whether a destination of so many bytes is better written
// around the caches: it would not stay there anyway, and a write by way of
// them reads each line first. The threshold is half of the last level: the
// sources of most operations need as much again or twice that, and other cores
// share it. Where its size is not known nothing streams.
func (m *moves) streams(bytes int) bool {
	return m.stream != nil && lastLevel > 0 && bytes >= lastLevel/2
}

// fetch is where the next block of a source lies: an address, and the bytes from
// there that belong to a line of the destination. One line of them is asked for,
// so only part of a source that is wider than the destination.
type fetch struct {
	at   unsafe.Pointer // nil: nowhere
	step int
}

// streamRows copies rows of bytes from scratch to a contiguous destination,
// around the caches but for what is not aligned, and meanwhile fetches what is
// to be read next: that many rows.
func (m *moves) streamRows(dst, src unsafe.Pointer, rows, bytes, dstStep int, next [3]fetch, nextRows int) {
	if dstStep == bytes {
		rows, bytes = 1, rows*bytes
	}
	for r := range rows {
		for i := range next {
			switch f := &next[i]; {
			case f.at == nil || r >= nextRows:
				*f = fetch{src, 0} // near in any case
			case r > 0:
				f.at = unsafe.Add(f.at, bytes/line*f.step)
			}
		}
		d, s := unsafe.Add(dst, r*dstStep), unsafe.Add(src, r*bytes)
		to, from := unsafe.Slice((*byte)(d), bytes), unsafe.Slice((*byte)(s), bytes)
		head := min(int(-uintptr(d)%line), bytes)
		body := (bytes - head) / line * line
		copy(to[:head], from)
		if body > 0 {
			m.stream(unsafe.Add(d, head), unsafe.Add(s, head), next[0].at, next[1].at, next[2].at,
				1, body, 0, 0, next[0].step, next[1].step, next[2].step)
		}
		copy(to[head+body:], from[head+body:])
	}
}
