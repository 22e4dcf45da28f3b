package conformance

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// committed reports whether the records are those of this module.
func committed() bool { return os.Getenv("LANECAST_CORPORA") == "" }

// path returns where a corpus lies.
func path(file string) string {
	dir := os.Getenv("LANECAST_CORPORA")
	if dir == "" {
		dir = "testdata"
	}
	return filepath.Join(dir, filepath.FromSlash(file))
}

// records reads all records of a compressed file of JSON lines.
func records[R any](file string) ([]R, error) {
	f, err := os.Open(path(file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d := json.NewDecoder(bufio.NewReader(z))
	d.UseNumber() // some attributes exceed 2^53
	var all []R
	for {
		var r R
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: record %d: %w", file, len(all), err)
		}
		all = append(all, r)
	}
}

// A layout is a view's, in elements.
type layout struct {
	Size    []int `json:"size"`
	Stride  []int `json:"stride"`
	Offset  int   `json:"offset"`
	Storage int   `json:"storage"`
}

// count returns the number of elements of a shape.
func count(size []int) int {
	n := 1
	for _, s := range size {
		n *= s
	}
	return n
}

// rowMajor returns the strides of a contiguous array.
func rowMajor(size []int) []int {
	stride := make([]int, len(size))
	step := 1
	for d := len(size) - 1; d >= 0; d-- {
		stride[d] = step
		step *= max(size[d], 1)
	}
	return stride
}

// newTensor returns a contiguous tensor of new memory.
func newTensor(dtype string, size []int, bits []uint64) (view, error) {
	e := elements[dtype]
	if e == nil {
		return nil, &inexpressibleError{dtype}
	}
	return e.strided(e.storage(bits), size, rowMajor(size), 0)
}

// newView returns a view of a storage of the given type.
func newView(dtype string, storage any, l layout) (view, error) {
	if count(l.Size) == 0 {
		l.Offset = 0 // PyTorch lets that of an empty view lie anywhere
	}
	return elements[dtype].strided(storage, l.Size, l.Stride, l.Offset)
}

// decode reads little-endian values.
func decode(dtype string, data []byte) ([]uint64, error) {
	width := widths[dtype] / 8
	if width == 0 {
		return nil, &inexpressibleError{dtype}
	}
	if len(data)%width != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of %s", len(data), dtype)
	}
	bits := make([]uint64, len(data)/width)
	for i := range bits {
		for k := range width {
			bits[i] |= uint64(data[i*width+k]) << (8 * k)
		}
	}
	return bits, nil
}

// ints reads a JSON list of whole numbers, or a single one.
func ints(v any) ([]int, error) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		return []int{int(n)}, err
	case []any:
		list := []int{}
		for _, x := range v {
			n, err := ints(x)
			if err != nil {
				return nil, err
			}
			list = append(list, n...)
		}
		return list, nil
	}
	return nil, fmt.Errorf("%v is no list of whole numbers", v)
}
