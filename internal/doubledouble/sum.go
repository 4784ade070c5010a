package doubledouble

import (
	"math"
	"math/big"
	"math/bits"
)

// FromRat returns a Number close to x. Its error is below 2^−105·|x|. It is NaN if |x| is
// not 0 and not in [2^−900, 2^1000).
func FromRat(x *big.Rat) Number {
	if y, ok := fromShort(x); ok {
		return y
	}
	high, _ := x.Float64()
	if size := math.Abs(high); !(size >= 0x1p-900 && size < 0x1p1000) && x.Sign() != 0 {
		return FromFloat(math.NaN())
	}
	rest := new(big.Rat).SetFloat64(high)
	low, _ := rest.Sub(x, rest).Float64()
	return TwoSum(high, low)
}

// fromShort is FromRat for a fraction whose numerator and denominator have at most 64 bits, as
// those of most decimals in files. It needs no division of long integers: two divisions of 128
// bits by 64 give 127 bits of the quotient or more, of which it drops those below 2⁻¹⁰⁶.
func fromShort(x *big.Rat) (y Number, ok bool) {
	top, bottom := x.Num(), x.Denom()
	if top.BitLen() > 64 || bottom.BitLen() > 64 || top.Sign() == 0 {
		return Number{}, top.Sign() == 0
	}
	sign := float64(top.Sign())
	if sign < 0 {
		top = new(big.Int).Neg(top)
	}
	n, d := top.Uint64(), bottom.Uint64()
	left, right := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n, d = n<<left, d<<right
	after := uint64(0)
	if n >= d { // the quotient is from 1/2 to below 1
		n, after, right = n>>1, n<<63, right+1
	}
	high, rest := bits.Div64(n, after, d)
	low, _ := bits.Div64(rest, 0, d)
	const kept = 11 // bits of high that a float64 does not hold
	y = TwoSum(float64(high>>kept<<kept), float64(high&(1<<kept-1))+float64(low)*0x1p-64)
	scale := math.Ldexp(sign, right-left-64)
	return Number{y.Hi * scale, y.Lo * scale}, true
}

// Rat returns x, which is finite, exactly.
func (x Number) Rat() *big.Rat {
	sum := new(big.Rat).SetFloat64(x.Hi)
	return sum.Add(sum, new(big.Rat).SetFloat64(x.Lo))
}

// Around returns the greatest float64 that is not above x and the least that is not
// below it.
func Around(x *big.Rat) (down, up float64) {
	nearest, _ := x.Float64()
	nearest = min(max(nearest, -math.MaxFloat64), math.MaxFloat64)
	switch x.Cmp(new(big.Rat).SetFloat64(nearest)) {
	case -1:
		return math.Nextafter(nearest, math.Inf(-1)), nearest
	case 1:
		return nearest, math.Nextafter(nearest, math.Inf(1))
	}
	return nearest, nearest
}

// Quo returns x/y with a relative error below 2^−99, if nothing overflows or underflows.
func (x Number) Quo(y Number) Number {
	q := FromFloat(x.Hi / y.Hi)
	for range 2 {
		q = q.AddFloat(x.Sub(y.Mul(q)).Hi / y.Hi)
	}
	return q
}

// Sum is a sum of products with the sum of their magnitudes, which bounds its rounding
// error.
type Sum struct {
	Number
	Size float64
}

// AddProduct adds x·y. size is |y| or, if y is a sum, the sum of the magnitudes of its
// terms.
func (s *Sum) AddProduct(x, y Number, size float64) {
	s.Number = s.Add(x.Mul(y))
	part := math.Abs(x.Hi) * size
	if part == 0 && x.Hi != 0 && size != 0 { // it is 0 for zeros only
		part = math.SmallestNonzeroFloat64
	}
	s.Size += part
}

// Error returns a bound on the rounding error of a sum of the given number of terms, whose
// factors have relative errors of at most 2^−105: 0 for a sum of zeros, infinite if
// something may have overflowed.
func (s *Sum) Error(terms int) float64 {
	switch {
	case s.Size == 0:
		return 0
	case !(s.Size < 0x1p1000):
		return math.Inf(1)
	}
	return s.Size*float64(terms+8)*0x1p-100 + float64(terms)*0x1p-1000
}
