package tensor

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFits(t *testing.T) {
	assert.True(t, fits[float64](0))
	assert.True(t, fits[float64](1<<20))
	assert.True(t, fits[uint8](probeBytes), "256 MiB")
	if bits.UintSize == 64 {
		tera := 1 << (bits.UintSize - 24)
		assert.False(t, fits[float64](tera), "8 TiB")
	}
	assert.False(t, fits[uint8](maxBytes+1))
	assert.False(t, fits[float64](maxBytes/8+1))
}
