package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// A workload is an entry of a workload file: an operation on given operands.
type workload struct {
	Name     string    `json:"name"`
	Op       string    `json:"op"`
	Operands []operand `json:"operands"`
}

// cell is the line printed for a workload: its times, or why there are none.
type cell struct {
	Workload string  `json:"workload"`
	Lib      string  `json:"lib"`
	MinNs    float64 `json:"min_ns,omitempty"` // per call
	MedNs    float64 `json:"med_ns,omitempty"`
	Error    string  `json:"error,omitempty"`
}

// readWorkloads reads a workload file and keeps the entries named in only, or
// all if only is empty.
func readWorkloads(path string, only []string) ([]workload, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []workload
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		if !slices.ContainsFunc(all, func(w workload) bool { return w.Name == name }) {
			return nil, fmt.Errorf("%s: no workload is named %q", path, name)
		}
	}
	return slices.DeleteFunc(all, func(w workload) bool { return !slices.Contains(only, w.Name) }), nil
}

// runWorkloads times each entry and prints a JSON line for it as soon as it is done.
func runWorkloads(stdout io.Writer, workloads []workload, rounds int, slice time.Duration, progress func(string)) error {
	out := json.NewEncoder(stdout)
	out.SetEscapeHTML(false)
	for _, w := range workloads {
		progress("timing " + w.Name + " …")
		c := cell{Workload: w.Name, Lib: "lanecast"}
		if t, err := w.time(rounds, slice); err != nil {
			c.Error = err.Error()
		} else {
			c.MinNs, c.MedNs = t.min, t.med
		}
		progress("")
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

func (w workload) time(rounds int, slice time.Duration) (timing, error) {
	c, err := newCall(w.Op, w.Operands)
	if err != nil {
		return timing{}, err
	}
	if err := c.run(); err != nil {
		return timing{}, err
	}
	return measure(rounds, slice, func() { c.run() })[0], nil
}
