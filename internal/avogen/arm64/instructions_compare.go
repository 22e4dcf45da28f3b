package arm64

func (a *assembler) fcmge(s shape, d, n, m *reg) { a.word3(s.double(0x6E20E400), "fcmge", s, d, n, m) }
func (a *assembler) cmge(s shape, d, n, m *reg)  { a.word3(s.integer(0x4E203C00), "cmge", s, d, n, m) }
func (a *assembler) cmhs(s shape, d, n, m *reg)  { a.word3(s.integer(0x6E203C00), "cmhs", s, d, n, m) }
func (a *assembler) ushl(s shape, d, n, m *reg)  { a.word3(s.integer(0x6E204400), "ushl", s, d, n, m) }
func (a *assembler) sshl(s shape, d, n, m *reg)  { a.word3(s.integer(0x4E204400), "sshl", s, d, n, m) }

// half is the name of the shape of the low half of a vector.
func (s shape) half() string { return map[uint32]string{0: "8b", 1: "4h", 2: "2s"}[s.size] }

// narrow halves the width of lanes into the low half of d, sxtl doubles that of
// the low half's, signed.
func (a *assembler) narrow(from, to shape, d, n *reg) {
	a.word(to.integer(0x0E212800), "xtn v%[1]d.%[3]s, v%[2]d.%[4]s", written{d}, n, to.half(), from.gnu)
}
func (a *assembler) sxtl(from, to shape, d, n *reg) {
	a.word(0x0F00A400|8<<from.size<<16, "sxtl v%[1]d.%[3]s, v%[2]d.%[4]s", written{d}, n, to.gnu, from.half())
}
