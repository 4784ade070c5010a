package exact

import "math/big"

// expansion holds the digits of numbers modulo a power of a prime: number i is
// the sum of digits[k][i]·p^k.
type expansion struct {
	prime  *big.Int
	bits   uint // of the prime
	digits [][]uint64
}

// slack is how many bits shorter than the modulus a number, or a numerator and
// its denominator together, must be to count as no accident. Random ones are so
// with probability 2⁻⁴⁰; the answer is substituted all the same.
const slack = 40

// rationals returns the simplest fractions that the digits stand for, over one
// denominator; false where there are too few digits to tell.
//
// The denominator of the sum of all numbers, each times a small factor, is a
// common one, but for divisors that cancel in the sum; those are found with the
// first number that needs them.
func (e *expansion) rationals() (vector, bool) {
	all := len(e.digits)
	modulus := e.modulus(all)
	sum, denominator := fraction(e.sum(), modulus)
	if denominator == nil {
		return vector{}, false
	}
	// Numerators have fewer digits than a numerator and its denominator.
	short := min(all, max(all/2, (sum.BitLen()+128)/int(e.bits))+1)
	shortModulus := e.modulus(short)
	v := vector{make([]*big.Int, len(e.digits[0])), denominator}
	over := make([]*big.Int, len(v.numerators)) // the denominator as it was
	for i := range v.numerators {
		x := symmetric(e.number(i, short), v.denominator, shortModulus)
		if x.BitLen()+slack > shortModulus.BitLen() {
			if x, denominator = fraction(symmetric(e.number(i, all), v.denominator, modulus), modulus); denominator == nil {
				return vector{}, false
			}
			v.denominator = denominator.Mul(denominator, v.denominator)
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

// modulus returns the prime to the power of count.
func (e *expansion) modulus(count int) *big.Int {
	return new(big.Int).Exp(e.prime, big.NewInt(int64(count)), nil)
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

// fraction returns a and b > 0 with a/b = x modulo m, so small that they are no
// accident; b is nil where there are none. Remainders a and cofactors b of Euclid's
// algorithm all have that quotient (Wang 1981).
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

// number returns number i modulo the prime to the power of count.
func (e *expansion) number(i, count int) *big.Int {
	digits := make([]big.Int, count)
	for k := range digits {
		digits[k].SetUint64(e.digits[k][i])
	}
	return e.polynomial(digits)
}

// sum returns the sum of all numbers, number i times 1 + i² mod 2¹⁶: factors
// that no two numbers of a regular model are likely to cancel by.
func (e *expansion) sum() *big.Int {
	digits := make([]big.Int, len(e.digits))
	var digit, factor big.Int
	for k, row := range e.digits {
		for i, d := range row {
			factor.SetUint64(1 + uint64(i)*uint64(i)%(1<<16))
			digits[k].Add(&digits[k], digit.Mul(digit.SetUint64(d), &factor))
		}
	}
	return e.polynomial(digits)
}

// polynomial returns the value of a polynomial at the prime, and overwrites its
// coefficients: pairs of neighbours become one until there is one.
func (e *expansion) polynomial(coefficients []big.Int) *big.Int {
	power, product := new(big.Int).Set(e.prime), new(big.Int)
	for n := len(coefficients); n > 1; n = (n + 1) / 2 {
		if n < len(coefficients) {
			power.Mul(power, power)
		}
		for i := 0; i < n; i += 2 {
			if i+1 < n {
				coefficients[i].Add(&coefficients[i], product.Mul(&coefficients[i+1], power))
			}
			coefficients[i/2], coefficients[i] = coefficients[i], coefficients[i/2]
		}
	}
	return &coefficients[0]
}
