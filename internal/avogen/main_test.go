package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lanecast/lanecast/internal/avogen/lane"
	"github.com/lanecast/lanecast/internal/avogen/loop"
	"github.com/lanecast/lanecast/internal/avogen/table"
)

// What lies in the module is what the table gives, to the byte.
func TestNothingIsStale(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	files, err := generate(table.Operations)
	require.NoError(t, err)
	for name, data := range files {
		old, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.True(t, string(old) == string(data), "%s is stale: go generate ./asm", name)
	}
}

func TestWriteReplacesItsOwn(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	put("asm/gone_generic.go", header+"package asm")
	put("asm/kept.go", "package asm")
	put("dispatch/table_amd64.go", header+"old")
	require.NoError(t, write(root, map[string][]byte{"dispatch/table_amd64.go": []byte(header + "new")}))

	assert.NoFileExists(t, filepath.Join(root, "asm/gone_generic.go"))
	assert.FileExists(t, filepath.Join(root, "asm/kept.go"))
	data, err := os.ReadFile(filepath.Join(root, "dispatch/table_amd64.go"))
	require.NoError(t, err)
	assert.Equal(t, header+"new", string(data))
}

func TestErrorsNameTheKernel(t *testing.T) {
	op := table.Operation{
		Name: "Odd", Sources: 1, Types: []lane.Type{lane.F32}, Formula: "odd(%s)",
		Cost: func(lane.Type) int { return 1 },
		Lane: func(b *lane.B, a []lane.V) lane.V { return b.Do("odd", 0, a[0]) },
	}
	_, err := generate([]table.Operation{op})
	require.EqualError(t, err, "OddFloat32Generic: no lowering of odd for float32")
}

func TestTable(t *testing.T) {
	for _, op := range table.Operations {
		require.NotNil(t, loop.Loops(op.Sources), op.Name)
		for _, e := range op.Types {
			same := op.Kernels(e)
			assert.Contains(t, op.Types, same, "%s %s", op.Name, e.Name)
			assert.Equal(t, e.Bytes, same.Bytes, "%s %s", op.Name, e.Name)
			assert.Equal(t, same, op.Kernels(same), "%s %s", op.Name, e.Name)
			assert.Len(t, op.Inputs(e), op.Sources)
			assert.Positive(t, op.Cost(e))
		}
	}
}

func TestFormula(t *testing.T) {
	op := table.Operation{Sources: 2, Formula: "%s + %s"}
	var all []string
	for _, l := range loop.Loops(2) {
		all = append(all, formula(op, l))
	}
	assert.Equal(t, []string{
		"dst[r][i] = a[r][i] + b[r][i]",
		"dst[r][i] = a[r] + b[r][i]",
		"dst[r][i] = a[r][i] + b[r]",
		"dst[r][i] = a[i] + b[r][i]",
		"dst[r][i] = a[r][i] + b[i]",
	}, all)
}
