package exact

import (
	"math/big"
	"slices"
)

// expansion holds the digits of numbers modulo a power of a prime: number i is
// the sum of digits[k][i]·p^k.
type expansion struct {
	prime  *big.Int
	digits [][]uint64
}

// slack is the number of bits by which a number, or a numerator and its denominator
// together, must be shorter than the modulus to be accepted. Random digits give an
// accepted number with probability 2⁻⁴⁰; the answer is checked by substitution anyway.
const slack = 40

// rationals returns the simplest fractions with these digits, over one denominator; false
// if there are too few digits. Fractions share most of their denominators. So each number
// is first multiplied by the denominator found so far, and the product taken for a whole number
// if it is shorter than the modulus by at least margin bits. Otherwise fraction finds the rest of
// its denominator.
func (e *expansion) rationals(margin int) (vector, bool) {
	modulus := new(big.Int).Exp(e.prime, big.NewInt(int64(len(e.digits))), nil)
	v := vector{make([]*big.Int, len(e.digits[0])), big.NewInt(1)}
	over := make([]*big.Int, len(v.numerators)) // the denominator when each numerator was found
	for i := range v.numerators {
		x := symmetric(e.number(i), v.denominator, modulus)
		if x.BitLen()+margin > modulus.BitLen() {
			numerator, denominator := fraction(x, modulus)
			if denominator == nil {
				return vector{}, false
			}
			x, v.denominator = numerator, denominator.Mul(denominator, v.denominator)
		}
		v.numerators[i], over[i] = x, v.denominator
	}
	for i, x := range v.numerators {
		if over[i] != v.denominator {
			x.Mul(x, new(big.Int).Quo(v.denominator, over[i]))
		}
	}
	return v, true
}

// symmetric returns x·y modulo m, between −m/2 and m/2.
func symmetric(x, y, m *big.Int) *big.Int {
	z := new(big.Int).Mul(x, y)
	z.Mod(z, m)
	if new(big.Int).Lsh(z, 1).Cmp(m) > 0 {
		z.Sub(z, m)
	}
	return z
}

// fraction returns a and b > 0 with a/b = x modulo m, shorter than m by slack bits; b is
// nil if there are none. Remainders a and cofactors b of Euclid's algorithm all have that
// quotient (Wang 1981).
func fraction(x, m *big.Int) (a, b *big.Int) {
	a0, a := m, new(big.Int).Mod(x, m)
	b0, b := new(big.Int), big.NewInt(1)
	for quotient := new(big.Int); 2*a.BitLen() > m.BitLen(); {
		rest := new(big.Int)
		quotient.QuoRem(a0, a, rest)
		b0, b = b, new(big.Int).Sub(b0, quotient.Mul(quotient, b))
		a0, a = a, rest
	}
	if a.BitLen()+b.BitLen()+slack > m.BitLen() {
		return nil, nil
	}
	if b.Sign() < 0 {
		a.Neg(a)
	}
	return a, b.Abs(b)
}

// number returns number i modulo the modulus.
func (e *expansion) number(i int) *big.Int {
	x, digit := new(big.Int), new(big.Int)
	for _, row := range slices.Backward(e.digits) {
		x.Add(x.Mul(x, e.prime), digit.SetUint64(row[i]))
	}
	return x
}
