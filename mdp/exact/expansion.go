package exact

import "math/big"

// expansion holds the digits of numbers modulo a power of a prime: number i is
// the sum of digits[k][i]·p^k.
type expansion struct {
	prime  *big.Int
	digits [][]uint64
}

// slack is how many bits shorter than the modulus a number, or a numerator and
// its denominator together, must be to count as no accident. Random ones are so
// with probability 2⁻⁴⁰ a quotient; the answer is substituted all the same.
const slack = 40

// rationals returns the simplest fractions that the digits stand for, over one
// denominator; false where there are too few digits to tell.
//
// The denominator of the sum of all numbers, each times a small factor, is a
// common one, but for small divisors; those that are missing are found with the
// first number that needs them.
func (e *expansion) rationals() (vector, bool) {
	all := len(e.digits)
	modulus := e.modulus(all)
	sum, denominator := fraction(e.sum(), modulus)
	if denominator == nil {
		return vector{}, false
	}
	// Numerators have fewer digits than a numerator and its denominator.
	short := min(all, max(all/2, (sum.BitLen()+128)/61)+1)
	shortModulus := e.modulus(short)
	v := vector{numerators: make([]*big.Int, len(e.digits[0])), denominator: denominator}
	over := make([]*big.Int, len(v.numerators)) // the denominator as it was
	for i := range v.numerators {
		over[i] = v.denominator
		x := symmetric(e.number(i, short), v.denominator, shortModulus)
		if x.BitLen()+slack > shortModulus.BitLen() {
			var rest *big.Int
			if x, rest = fraction(symmetric(e.number(i, all), v.denominator, modulus), modulus); rest == nil {
				return vector{}, false
			}
			v.denominator = rest.Mul(rest, v.denominator)
			over[i] = v.denominator
		}
		v.numerators[i] = x
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

// number returns number i modulo the prime to the power of count.
func (e *expansion) number(i, count int) *big.Int {
	coefficients := make([]big.Int, count)
	for k := range coefficients {
		coefficients[k].SetUint64(e.digits[k][i])
	}
	return e.polynomial(coefficients)
}

// sum returns the sum of all numbers, number i times 1 + i² mod 2¹⁶: factors
// that no two numbers of a regular model are likely to cancel by.
func (e *expansion) sum() *big.Int {
	coefficients := make([]big.Int, len(e.digits))
	var digit, factor big.Int
	for k, row := range e.digits {
		for i, d := range row {
			factor.SetUint64(1 + uint64(i)*uint64(i)%(1<<16))
			coefficients[k].Add(&coefficients[k], digit.Mul(digit.SetUint64(d), &factor))
		}
	}
	return e.polynomial(coefficients)
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

// symmetric returns x·y modulo m, between −m/2 and m/2.
func symmetric(x, y, m *big.Int) *big.Int {
	z := new(big.Int).Mul(x, y)
	z.Mod(z, m)
	if new(big.Int).Lsh(z, 1).Cmp(m) > 0 {
		z.Sub(z, m)
	}
	return z
}

// fraction returns a and b > 0 with a/b = x modulo m and a·b far below m: the
// remainder before the greatest quotient of Euclid's algorithm and its cofactor
// (Monagan 2004). b is nil where that quotient is no greater than by accident. As
// m grows, the quotient for the fraction that x stands for grows with it, and
// those before it do not.
func fraction(x, m *big.Int) (a, b *big.Int) {
	r0, r1 := new(big.Int).Set(m), new(big.Int).Mod(x, m)
	if r1.Sign() == 0 {
		return r1, big.NewInt(1)
	}
	t0, t1 := new(big.Int), big.NewInt(1)
	q, r, product := new(big.Int), new(big.Int), new(big.Int)
	greatest := slack
	for r1.Sign() != 0 {
		q.QuoRem(r0, r1, r)
		if q.BitLen() > greatest {
			greatest = q.BitLen()
			a, b = new(big.Int).Set(r1), new(big.Int).Set(t1)
		}
		if greatest > r1.BitLen() { // no later quotient is as great
			break
		}
		r0, r1, r = r1, r, r0
		t0.Sub(t0, product.Mul(q, t1))
		t0, t1 = t1, t0
	}
	if b != nil && b.Sign() < 0 {
		a.Neg(a)
		b.Neg(b)
	}
	return a, b
}
