package exact

import (
	"math/big"
	"math/bits"
)

// field is arithmetic modulo a Mersenne prime p = 2^k − 1, where a quotient by 2^k
// is a remainder: 2^k is 1.
type field struct {
	k     uint
	p     uint64
	prime *big.Int
}

func newField(k uint) *field {
	p := uint64(1)<<k - 1
	return &field{k, p, new(big.Int).SetUint64(p)}
}

// of returns x modulo p; scratch is overwritten.
func (f *field) of(x, scratch *big.Int) uint64 { return scratch.Mod(x, f.prime).Uint64() }

// times returns a·b.
func (f *field) times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return f.plus(low&f.p, high<<(64-f.k)|low>>f.k)
}

// plus returns a + b.
func (f *field) plus(a, b uint64) uint64 {
	if a += b; a >= f.p {
		a -= f.p
	}
	return a
}

// minus returns a − b.
func (f *field) minus(a, b uint64) uint64 {
	if a < b {
		a += f.p
	}
	return a - b
}

// reciprocal returns 1/a for a ≠ 0.
func (f *field) reciprocal(a uint64) uint64 {
	x := new(big.Int).SetUint64(a)
	return x.ModInverse(x, f.prime).Uint64()
}
