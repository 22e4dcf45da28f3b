package arm64

// A shape is how an instruction divides the 16 bytes of a vector into lanes.
type shape struct {
	size uint32 // log2 of a lane's bytes, as instructions encode it
	goas string // in Go's assembly
	gnu  string // in GNU's
	lane string // one lane in Go's assembly
}

// shapes by the bytes of a lane.
var shapes = map[int]shape{
	1: {0, "B16", "16b", "B"},
	2: {1, "H8", "8h", "H"},
	4: {2, "S4", "4s", "S"},
	8: {3, "D2", "2d", "D"},
}

// bits of a lane.
func (s shape) bits() uint64 { return 8 << s.size }

// Instructions that Go's assembler has.

// binary is an instruction of two sources, n first: it lists the second first.
func (a *assembler) binary(mnemonic string, s shape, d, n, m *reg) {
	a.op(mnemonic+" V%[1]d.%[4]s, V%[2]d.%[4]s, V%[3]d.%[4]s", m, n, written{d}, s.goas)
}

func (a *assembler) add(s shape, d, n, m *reg)  { a.binary("VADD", s, d, n, m) }
func (a *assembler) sub(s shape, d, n, m *reg)  { a.binary("VSUB", s, d, n, m) }
func (a *assembler) umax(s shape, d, n, m *reg) { a.binary("VUMAX", s, d, n, m) }
func (a *assembler) umin(s shape, d, n, m *reg) { a.binary("VUMIN", s, d, n, m) }
func (a *assembler) cmeq(s shape, d, n, m *reg) { a.binary("VCMEQ", s, d, n, m) }
func (a *assembler) and(d, n, m *reg)           { a.binary("VAND", shapes[1], d, n, m) }
func (a *assembler) orr(d, n, m *reg)           { a.binary("VORR", shapes[1], d, n, m) }
func (a *assembler) eor(d, n, m *reg)           { a.binary("VEOR", shapes[1], d, n, m) }

// bsl replaces the ones of d by bits of n, its zeros by bits of m.
func (a *assembler) bsl(d, n, m *reg) {
	a.op("VBSL V%d.B16, V%d.B16, V%d.B16", m, n, updated{d})
}

func (a *assembler) mov(d, n *reg) { a.move("VMOV V%d.B16, V%d.B16", d, n) }

// dup copies a general register to every lane.
func (a *assembler) dup(s shape, d, n *reg) { a.op("VDUP R%d, V%d.%s", n, written{d}, s.goas) }

func (a *assembler) rev64(s shape, d, n *reg) {
	a.op("VREV64 V%[1]d.%[3]s, V%[2]d.%[3]s", n, written{d}, s.goas)
}

// shl shifts by 0 to bits-1, ushr by 1 to bits.
func (a *assembler) shl(s shape, d, n *reg, by uint64) {
	a.op("VSHL $%[1]d, V%[2]d.%[4]s, V%[3]d.%[4]s", by, n, written{d}, s.goas)
}
func (a *assembler) ushr(s shape, d, n *reg, by uint64) {
	a.op("VUSHR $%[1]d, V%[2]d.%[4]s, V%[3]d.%[4]s", by, n, written{d}, s.goas)
}

// Instructions that it lacks, by their encodings. Each is one function, to be
// replaced in one line once Go knows the mnemonic.

// word2 and word3 are instructions of one and two sources on whole vectors.
func (a *assembler) word2(encoding uint32, mnemonic string, s shape, d, n *reg) {
	a.word(encoding, mnemonic+" v%[1]d.%[3]s, v%[2]d.%[3]s", written{d}, n, s.gnu)
}
func (a *assembler) word3(encoding uint32, mnemonic string, s shape, d, n, m *reg) {
	a.word(encoding, mnemonic+" v%[1]d.%[4]s, v%[2]d.%[4]s, v%[3]d.%[4]s", written{d}, n, m, s.gnu)
}

// integer puts the size of the lanes into an encoding, double that of floats.
func (s shape) integer(encoding uint32) uint32 { return encoding | s.size<<22 }
func (s shape) double(encoding uint32) uint32  { return encoding | (s.size-2)<<22 }

func (a *assembler) fadd(s shape, d, n, m *reg)  { a.word3(s.double(0x4E20D400), "fadd", s, d, n, m) }
func (a *assembler) fsub(s shape, d, n, m *reg)  { a.word3(s.double(0x4EA0D400), "fsub", s, d, n, m) }
func (a *assembler) fmul(s shape, d, n, m *reg)  { a.word3(s.double(0x6E20DC00), "fmul", s, d, n, m) }
func (a *assembler) fdiv(s shape, d, n, m *reg)  { a.word3(s.double(0x6E20FC00), "fdiv", s, d, n, m) }
func (a *assembler) fmax(s shape, d, n, m *reg)  { a.word3(s.double(0x4E20F400), "fmax", s, d, n, m) }
func (a *assembler) fmin(s shape, d, n, m *reg)  { a.word3(s.double(0x4EA0F400), "fmin", s, d, n, m) }
func (a *assembler) fcmeq(s shape, d, n, m *reg) { a.word3(s.double(0x4E20E400), "fcmeq", s, d, n, m) }
func (a *assembler) fcmgt(s shape, d, n, m *reg) { a.word3(s.double(0x6EA0E400), "fcmgt", s, d, n, m) }
func (a *assembler) fsqrt(s shape, d, n *reg)    { a.word2(s.double(0x6EA1F800), "fsqrt", s, d, n) }
func (a *assembler) fneg(s shape, d, n *reg)     { a.word2(s.double(0x6EA0F800), "fneg", s, d, n) }
func (a *assembler) fabs(s shape, d, n *reg)     { a.word2(s.double(0x4EA0F800), "fabs", s, d, n) }

// mul, smax and smin have lanes of 1, 2 and 4 bytes only.
func (a *assembler) mul(s shape, d, n, m *reg)  { a.word3(s.integer(0x4E209C00), "mul", s, d, n, m) }
func (a *assembler) smax(s shape, d, n, m *reg) { a.word3(s.integer(0x4E206400), "smax", s, d, n, m) }
func (a *assembler) smin(s shape, d, n, m *reg) { a.word3(s.integer(0x4E206C00), "smin", s, d, n, m) }
func (a *assembler) cmgt(s shape, d, n, m *reg) { a.word3(s.integer(0x4E203400), "cmgt", s, d, n, m) }
func (a *assembler) cmhi(s shape, d, n, m *reg) { a.word3(s.integer(0x6E203400), "cmhi", s, d, n, m) }
func (a *assembler) neg(s shape, d, n *reg)     { a.word2(s.integer(0x6E20B800), "neg", s, d, n) }
func (a *assembler) abs(s shape, d, n *reg)     { a.word2(s.integer(0x4E20B800), "abs", s, d, n) }

// bic is n &^ m.
func (a *assembler) bic(d, n, m *reg) { a.word3(0x4E601C00, "bic", shapes[1], d, n, m) }
func (a *assembler) not(d, n *reg)    { a.word2(0x6E205800, "mvn", shapes[1], d, n) }

// sshr shifts by 1 to bits.
func (a *assembler) sshr(s shape, d, n *reg, by uint64) {
	a.word(0x4F000400|uint32(2*s.bits()-by)<<16, "sshr v%[1]d.%[3]s, v%[2]d.%[3]s, #%[4]d", written{d}, n, s.gnu, by)
}

// xtn narrows the 64-bit lanes of n to 32 bits, uaddlp adds neighbouring 32-bit
// lanes to 64 bits, umlal adds the products of the low two 32-bit lanes to d.
func (a *assembler) xtn(d, n *reg)    { a.word(0x0EA12800, "xtn v%d.2s, v%d.2d", written{d}, n) }
func (a *assembler) uaddlp(d, n *reg) { a.word(0x6EA02800, "uaddlp v%d.2d, v%d.4s", written{d}, n) }
func (a *assembler) umlal(d, n, m *reg) {
	a.word(0x2EA08000, "umlal v%d.2d, v%d.2s, v%d.2s", updated{d}, n, m)
}

// ldrh and strh move the low two bytes of a vector; off is even and at most
// 8190, or between -256 and -1.
func (a *assembler) ldrh(d, p *reg, off int) { a.half(0x7C400000, "ld", written{d}, p, off) }
func (a *assembler) strh(d, p *reg, off int) { a.half(0x7C000000, "st", d, p, off) }

func (a *assembler) half(encoding uint32, mnemonic string, d any, p *reg, off int) {
	switch {
	case off < 0:
		a.word(encoding|uint32(off&0x1FF)<<12, mnemonic+"ur h%d, [x%d, #%d]", d, p, off)
	case off == 0:
		a.word(encoding|1<<24, mnemonic+"r h%d, [x%d]", d, p)
	default:
		a.word(encoding|1<<24|uint32(off/2)<<10, mnemonic+"r h%d, [x%d, #%d]", d, p, off)
	}
}
