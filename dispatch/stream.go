package dispatch

import "unsafe"

// streamed is what non-temporal stores need of an address.
const streamed = 32

// streams tells whether a destination of so many bytes is better written
// around the caches: it would not stay there anyway, and a write by way of
// them reads each line first. The threshold is half of the last level: the
// sources of most operations need as much again or twice that, and other cores
// share it. Where its size is not known nothing streams.
func (m *moves) streams(bytes int) bool {
	return m.stream != nil && lastLevel > 0 && bytes >= lastLevel/2
}

// streamRows copies rows of bytes from scratch to a contiguous destination,
// around the caches but for what is not aligned.
func (m *moves) streamRows(dst, src unsafe.Pointer, rows, bytes, dstStep int) {
	if dstStep == bytes {
		rows, bytes = 1, rows*bytes
	}
	for r := range rows {
		d, s := unsafe.Add(dst, r*dstStep), unsafe.Add(src, r*bytes)
		to, from := unsafe.Slice((*byte)(d), bytes), unsafe.Slice((*byte)(s), bytes)
		head := min(int(-uintptr(d)%streamed), bytes)
		body := (bytes - head) / streamed * streamed
		copy(to[:head], from)
		if body > 0 {
			m.stream(unsafe.Add(d, head), unsafe.Add(s, head), nil, nil, nil, 1, body, 0, 0, 0, 0, 0)
		}
		copy(to[head+body:], from[head+body:])
	}
}
