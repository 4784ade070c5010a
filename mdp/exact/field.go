package exact

import (
	"math/big"
	"math/bits"
)

// field is arithmetic modulo a prime p between 2⁶¹ and 2⁶². A number x in Montgomery form
// is x·2⁶⁴ mod p; times takes one factor in that form and one as it is, and
// returns the product as it is (Montgomery 1985).
type field struct {
	p       uint64
	inverse uint64 // −1/p mod 2⁶⁴
	square  uint64 // 2¹²⁸ mod p
	prime   *big.Int
}

// firstPrime starts the search for primes, and is π·2⁶⁰. It is far from simple
// fractions of powers of two: the denominators of systems in float64 numbers are
// next to such, and so would be their ratios to a power of a prime next to 2⁶².
const firstPrime = 0x3243F6A8885A308D

// newField returns the field of the greatest prime below a number.
func newField(below uint64) *field {
	p := (below - 1) | 1
	if p >= below {
		p -= 2
	}
	prime := new(big.Int)
	for !prime.SetUint64(p).ProbablyPrime(20) {
		p -= 2
	}
	inverse := uint64(1)
	for range 6 { // Newton's iteration doubles the number of right bits
		inverse *= 2 - p*inverse
	}
	square := new(big.Int).Lsh(big.NewInt(1), 128)
	return &field{p: p, inverse: -inverse, square: square.Mod(square, prime).Uint64(), prime: prime}
}

// times returns a·b, a in Montgomery form, b and the product as they are.
func (f *field) times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	h, l := bits.Mul64(low*f.inverse, f.p)
	_, carry := bits.Add64(low, l, 0)
	if high += h + carry; high >= f.p {
		high -= f.p
	}
	return high
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

// montgomery returns the Montgomery form of a.
func (f *field) montgomery(a uint64) uint64 { return f.times(f.square, a) }

// reciprocal returns 1/a in Montgomery form; a is as it is and not 0.
func (f *field) reciprocal(a uint64) uint64 {
	x := new(big.Int).SetUint64(a)
	return f.montgomery(x.ModInverse(x, f.prime).Uint64())
}

// residue returns x mod p; scratch is overwritten.
func (f *field) residue(x *big.Int, scratch *big.Int) uint64 {
	return scratch.Mod(x, f.prime).Uint64()
}
