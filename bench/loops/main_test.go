package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// x86 has a loop over rows around one of two stores and one of a single store,
// and in the first an inner loop without stores.
const x86 = `
0000000000001000 <m/asm.AddFloat32ContiguousAVX2.abi0>:
  1000:	mov    0x30(%rsp),%rax
  1005:	vmovups (%r12),%ymm1
  100b:	vdivps 0x8(%rip),%ymm1,%ymm1        # 101a <const32_ff>
  1010:	dec    %rbx
  1012:	jne    100b <m/asm.AddFloat32ContiguousAVX2.abi0+0xb>
  1014:	vaddps 0x20(%r13),%ymm1,%ymm1
  101a:	vmovups %ymm1,(%r11)
  101f:	vextracti128 $0x1,%ymm1,0x20(%r11){%k1}
  1026:	add    $0x40,%r11
  102a:	cmp    $0x21,%r10
  102e:	jge    1005 <m/asm.AddFloat32ContiguousAVX2.abi0+0x5>
  1034:	vmovups %ymm1,(%r11)
  1039:	cmp    $0x9,%r10
  103d:	jge    1034 <m/asm.AddFloat32ContiguousAVX2.abi0+0x34>
  1040:	sub    $0x1,%rax
  1044:	jge    1000 <m/asm.AddFloat32ContiguousAVX2.abi0>
  1048:	ret

0000000000001050 <m/asm.AddFloat32ContiguousAVX2>:
  1050:	ret
`

const arm = `
0000000000002000 <m/asm.CastBFloat16Float32ContiguousNEON.abi0>:
  2000:	b.lt	2020 <m/asm.CastBFloat16Float32ContiguousNEON.abi0+0x20>  // b.tstop
  2004:	ldp	q3, q4, [x10]
  2008:	fcvtn	v5.4h, v3.4s
  200c:	str	d5, [x9]
  2010:	st1	{v5.h}[1], [x9]
  2014:	add	x10, x10, #0x20
  2018:	sub	x8, x8, #0x8
  201c:	cbnz	x8, 2004 <m/asm.CastBFloat16Float32ContiguousNEON.abi0+0x4>
  2020:	ret
`

func TestMainLoop(t *testing.T) {
	all, err := parse(x86 + arm)
	require.NoError(t, err)
	require.Len(t, all, 2)

	k := all[0]
	assert.Equal(t, "AddFloat32ContiguousAVX2, Add Float32, AVX2", strings.Join([]string{k.name, k.key(), k.set}, ", "))
	assert.Equal(t, uint64(0x1005), k.loop[0].address)
	assert.Equal(t, "jge", k.loop[len(k.loop)-1].mnemonic)
	assert.Equal(t, count{vectors: 2, loads: 3, operations: 3, stores: 2, control: 5, groups: 2}, k.count)

	k = all[1]
	assert.Equal(t, "CastBFloat16 Float32", k.key())
	assert.Equal(t, count{vectors: 2, loads: 2, operations: 1, stores: 2, control: 3, groups: 1}, k.count)

	_, err = parse(strings.Replace(arm, "cbnz\tx8, 2004", "cbnz\tx8, 2020", 1))
	assert.ErrorContains(t, err, "no loop that stores")
}

func TestCheckAdd(t *testing.T) {
	lean := count{vectors: 4, loads: 8, operations: 4, stores: 4, control: 6, groups: 1}
	good := func() []kernel {
		var all []kernel
		for _, s := range sets {
			all = append(all, kernel{name: s.name, op: "Add", element: "Float32", set: s.name, count: lean})
		}
		return append(all, kernel{op: "Add", element: "BFloat16", set: "NEON"}, kernel{op: "Div", element: "Int8", set: "NEON"})
	}
	assert.NoError(t, checkAdd(good()))
	assert.ErrorContains(t, checkAdd(good()[1:]), "no contiguous Add of AVX2")
	for _, worsen := range []func(*count){
		func(c *count) { c.vectors = 3 },
		func(c *count) { c.loads++ },
		func(c *count) { c.operations++ },
		func(c *count) { c.stores++ },
		func(c *count) { c.groups++ },
	} {
		all := good()
		worsen(&all[2].count)
		assert.ErrorContains(t, checkAdd(all), "NEON: ")
	}
}
