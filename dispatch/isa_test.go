package dispatch

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestISANames(t *testing.T) {
	for isa := range numISA {
		for _, name := range []string{isa.String(), strings.ToLower(isa.String()), strings.ToUpper(isa.String())} {
			got, err := ParseISA(name)
			require.NoError(t, err)
			assert.Equal(t, isa, got)
		}
	}
	assert.Equal(t, "ISA(4)", numISA.String())
	for _, name := range []string{"", "avx9", "avx-512", " avx2", "ISA(4)"} {
		_, err := ParseISA(name)
		var e *ISAError
		require.ErrorAs(t, err, &e, "%q", name)
		assert.Equal(t, name, e.Name)
		assert.Equal(t, Available(), e.Available)
	}
}

func TestAvailable(t *testing.T) {
	have := Available()
	require.NotEmpty(t, have)
	assert.Equal(t, Generic, have[0])
	assert.IsIncreasing(t, have)
	have[0] = numISA
	assert.Equal(t, Generic, Available()[0], "the caller's copy is its own")
	assert.Contains(t, Available(), Active())
}

// TestChoose is the table of what LANECAST_ISA does on each kind of machine.
func TestChoose(t *testing.T) {
	arm, old, haswell, skylake := []ISA{Generic, NEON}, []ISA{Generic}, []ISA{Generic, AVX2}, []ISA{Generic, AVX2, AVX512}
	for _, c := range []struct {
		name string
		have []ISA
		want ISA
		ok   bool
	}{
		{"", old, Generic, true},
		{"", arm, NEON, true},
		{"", skylake, AVX512, true},
		{"generic", arm, Generic, true},
		{"generic", skylake, Generic, true},
		{"neon", arm, NEON, true},
		{"neon", haswell, Generic, false},
		{"avx2", skylake, AVX2, true},
		{"AVX2", haswell, AVX2, true},
		{"avx2", old, Generic, false},
		{"avx2", arm, NEON, false},
		{"avx512", skylake, AVX512, true},
		{"avx512", haswell, AVX2, false},
		{"avx512", old, Generic, false},
		{"avx9", old, Generic, false},
		{"avx9", haswell, AVX2, false},
		{"avx9", skylake, AVX512, false},
	} {
		got, err := choose(c.name, c.have)
		assert.Equal(t, c.want, got, "%q of %v", c.name, c.have)
		if c.ok {
			assert.Nil(t, err, "%q of %v", c.name, c.have)
			continue
		}
		require.NotNil(t, err, "%q of %v", c.name, c.have)
		assert.Equal(t, &ISAError{Env: "LANECAST_ISA", Name: c.name, Available: c.have, Running: c.want}, err)
	}
	_, err := choose("avx9", haswell)
	assert.EqualError(t, err, "lanecast: LANECAST_ISA=avx9 is not available here: have generic, avx2, running avx2")
}

func TestUse(t *testing.T) {
	before := Active()
	for _, isa := range Available() {
		restore, err := Use(isa)
		require.NoError(t, err)
		assert.Equal(t, isa, Active())
		inner, err := Use(Generic)
		require.NoError(t, err)
		assert.Equal(t, Generic, Active())
		inner()
		assert.Equal(t, isa, Active())
		restore()
		assert.Equal(t, before, Active())
	}
	missing := NEON
	if runtime.GOARCH == "arm64" {
		missing = AVX512
	}
	for _, isa := range []ISA{missing, numISA, 255} {
		restore, err := Use(isa)
		var e *ISAError
		require.True(t, errors.As(err, &e), "%v", isa)
		assert.Equal(t, &ISAError{Name: isa.String(), Available: Available(), Running: before}, e)
		assert.Equal(t, before, Active())
		restore()
		assert.Equal(t, before, Active())
	}
}

func TestUseWhileOthersRead(t *testing.T) {
	defer func(before ISA) { active.Store(uint32(before)) }(Active())
	var wg sync.WaitGroup
	for _, isa := range Available() {
		wg.Go(func() {
			for range 1000 {
				_, err := Use(isa)
				assert.NoError(t, err)
				assert.Contains(t, available, Active())
			}
		})
	}
	wg.Wait()
}
