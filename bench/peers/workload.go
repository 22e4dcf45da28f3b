package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A workload is an entry of a workload file.
type workload struct {
	Name     string    `json:"name"`
	Op       string    `json:"op"`
	Operands []operand `json:"operands"`
}

type operand struct {
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`  // as the operation sees it
	Layout string `json:"layout"` // how it lies in memory: c, t, s2, r or nhwc
}

func (o operand) size() int { return product(o.Shape) }

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func readWorkloads(path string) ([]workload, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []workload
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, w := range all {
		if len(w.Operands) == 0 {
			return nil, fmt.Errorf("%s: workload %q has no operands", path, w.Name)
		}
		for _, o := range w.Operands {
			if bytesOf[o.DType] == 0 {
				return nil, fmt.Errorf("%s: workload %q has operands of the unknown type %q", path, w.Name, o.DType)
			}
		}
	}
	return all, nil
}

// shape is what the operands broadcast to.
func (w workload) shape() []int {
	rank := 0
	for _, o := range w.Operands {
		rank = max(rank, len(o.Shape))
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	for _, o := range w.Operands {
		for i, d := range o.Shape {
			if d != 1 {
				shape[rank-len(o.Shape)+i] = d
			}
		}
	}
	return shape
}

// bytesOf has the element types by their names, and by those in casts.
var bytesOf = map[string]int{
	"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "bool": 1,
	"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8,
	"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "i8": 1, "i32": 4, "i64": 8, "u8": 1,
}

// traffic returns the bytes that the operation must read and write. A stretched
// operand is read once; what a reduction writes does not count.
func (w workload) traffic() (read, written int) {
	for _, o := range w.Operands {
		read += o.size() * bytesOf[o.DType]
	}
	width := bytesOf[w.Operands[len(w.Operands)-1].DType]
	if to, ok := strings.CutPrefix(w.Op, "cast_"); ok {
		width = bytesOf[to]
	}
	switch w.Op {
	case "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "is_nan", "is_inf", "is_finite", "sign_bit":
		width = bytesOf["bool"]
	case "sum_all", "sum_axis0", "sum_axis1", "max_axis1", "argmax_axis1", "sqdist":
		width = 0
	}
	return read, product(w.shape()) * width
}

// small reports whether no operand has more than 64 elements.
func (w workload) small() bool {
	for _, o := range w.Operands {
		if o.size() > 64 {
			return false
		}
	}
	return true
}

// difficult reports whether the workload is one that array libraries are known
// to be slow at: the last axis is shorter than 32 and something is stretched,
// or an operand does not lie in memory in row-major order.
func (w workload) difficult() bool {
	shape := w.shape()
	stretched := false
	for _, o := range w.Operands {
		if o.Layout != "c" {
			return true
		}
		stretched = stretched || o.size() != product(shape)
	}
	return stretched && len(shape) > 0 && shape[len(shape)-1] < 32
}

// A cell is what one library says about one workload.
type cell struct {
	Workload string  `json:"workload"`
	Lib      string  `json:"lib"`
	MinNs    float64 `json:"min_ns,omitempty"` // per call
	MedNs    float64 `json:"med_ns,omitempty"`
	Error    string  `json:"error,omitempty"`
}
