package arm64

// fmla adds the products of n and m to d, rounding once.
func (a *assembler) fmla(s shape, d, n, m *reg) {
	a.word(s.double(0x4E20CC00), "fmla v%[1]d.%[4]s, v%[2]d.%[4]s, v%[3]d.%[4]s", updated{d}, n, m, s.gnu)
}

// To whole numbers: to nearest and ties to even, down, up, and to zero.
func (a *assembler) frintn(s shape, d, n *reg) { a.word2(s.double(0x4E218800), "frintn", s, d, n) }
func (a *assembler) frintm(s shape, d, n *reg) { a.word2(s.double(0x4E219800), "frintm", s, d, n) }
func (a *assembler) frintp(s shape, d, n *reg) { a.word2(s.double(0x4EA18800), "frintp", s, d, n) }
func (a *assembler) frintz(s shape, d, n *reg) { a.word2(s.double(0x4EA19800), "frintz", s, d, n) }
