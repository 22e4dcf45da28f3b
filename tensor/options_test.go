package tensor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOptions(t *testing.T) {
	none := parse(nil)
	assert.False(t, none.has(NoOuter|SameRank|Legacy|Serial))

	some := parse([]Option{NoOuter, Legacy, NoOuter})
	assert.True(t, some.has(NoOuter))
	assert.True(t, some.has(Legacy))
	assert.False(t, some.has(SameRank))
	assert.False(t, some.has(Serial))
	assert.Equal(t, some, parse([]Option{NoOuter | Legacy}))
}
