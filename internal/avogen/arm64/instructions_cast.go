package arm64

// Instructions between lanes of a width and the low half of a vector of lanes
// of half that; to and from are the shapes of result and operand.

func (a *assembler) widen(encoding uint32, mnemonic string, from, to shape, d, n *reg) {
	a.word(encoding, mnemonic+" v%[1]d.%[3]s, v%[2]d.%[4]s", written{d}, n, to.gnu, from.half())
}
func (a *assembler) halve(encoding uint32, mnemonic string, from, to shape, d, n *reg) {
	a.word(encoding, mnemonic+" v%[1]d.%[3]s, v%[2]d.%[4]s", written{d}, n, to.half(), from.gnu)
}

func (a *assembler) uxtl(from, to shape, d, n *reg) {
	a.widen(0x2F00A400|8<<from.size<<16, "uxtl", from, to, d, n)
}
func (a *assembler) sqxtn(from, to shape, d, n *reg) {
	a.halve(to.integer(0x0E214800), "sqxtn", from, to, d, n)
}
func (a *assembler) uqxtn(from, to shape, d, n *reg) {
	a.halve(to.integer(0x2E214800), "uqxtn", from, to, d, n)
}

// fcvtl and fcvtn convert between floats of 2 and 4, and of 4 and 8 bytes.
func (a *assembler) fcvtl(from, to shape, d, n *reg) {
	a.widen(0x0E217800|(from.size-1)<<22, "fcvtl", from, to, d, n)
}
func (a *assembler) fcvtn(from, to shape, d, n *reg) {
	a.halve(0x0E216800|(to.size-1)<<22, "fcvtn", from, to, d, n)
}

// Between integers and floats of as many bytes. Truncation gives the nearest
// integer, and 0 for NaN.
func (a *assembler) scvtf(s shape, d, n *reg)  { a.word2(s.double(0x4E21D800), "scvtf", s, d, n) }
func (a *assembler) ucvtf(s shape, d, n *reg)  { a.word2(s.double(0x6E21D800), "ucvtf", s, d, n) }
func (a *assembler) fcvtzs(s shape, d, n *reg) { a.word2(s.double(0x4EA1B800), "fcvtzs", s, d, n) }
func (a *assembler) fcvtzu(s shape, d, n *reg) { a.word2(s.double(0x6EA1B800), "fcvtzu", s, d, n) }
