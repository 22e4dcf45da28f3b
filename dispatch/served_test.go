package dispatch

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// served lists the operations and types that Go's kernels serve on all
// instruction sets, and why.
var served = []struct {
	ops   []string
	types []Type
	why   string
}{
	{
		ops: []string{"Div", "FloorDiv", "Remainder", "FMod"}, types: []Type{Int64, Uint64},
		why: "no vector instruction divides them, and float64 does not hold them: a correction costs more than the scalar division",
	},
	{
		ops: []string{"FloorDiv", "Remainder", "FMod"}, types: []Type{Float64},
		why: "an exact remainder is a long division with up to 40 steps, as the exponents of each lane ask for",
	},
	{
		ops: []string{"Pow"}, types: []Type{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64},
		why: "each exponent asks for another number of multiplications; of 8 and 16 bits a masked step for every bit could do, which was not measured",
	},
}

// TestServed compares the cells of the table that Go's kernels serve with that
// list, both ways.
func TestServed(t *testing.T) {
	listed := map[string]bool{}
	for _, s := range served {
		assert.NotEmpty(t, s.why)
		for _, op := range s.ops {
			for _, typ := range s.types {
				for _, isa := range compiled {
					if isa != Generic {
						listed[cell(op, typ, isa)] = true
					}
				}
			}
		}
	}
	found := map[string]bool{}
	for _, op := range registry {
		for typ, row := range op.Rows {
			if row == nil {
				continue
			}
			for _, isa := range compiled {
				if isa == Generic {
					continue
				}
				for form, f := range row.Sets[isa].Form {
					if f != nil && reflect.ValueOf(f).Pointer() == reflect.ValueOf(row.Sets[Generic].Form[form]).Pointer() {
						found[cell(op.Name, Type(typ), isa)] = true
					}
				}
			}
		}
	}
	assert.Equal(t, listed, found)
}

func cell(op string, typ Type, isa ISA) string {
	return fmt.Sprintf("%s/%s/%s", op, elementTypes[typ].name, isa)
}
