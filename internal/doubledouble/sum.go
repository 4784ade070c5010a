package doubledouble

import (
	"math"
	"math/big"
)

// FromRat returns a Number close to x. Its error is below 2^−105·|x|. It is NaN if |x| is
// not 0 and not in [2^−900, 2^1000).
func FromRat(x *big.Rat) Number {
	high, _ := x.Float64()
	if size := math.Abs(high); !(size >= 0x1p-900 && size < 0x1p1000) && x.Sign() != 0 {
		return FromFloat(math.NaN())
	}
	rest := new(big.Rat).SetFloat64(high)
	low, _ := rest.Sub(x, rest).Float64()
	return TwoSum(high, low)
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
	s.Size += math.Abs(x.Hi) * size
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
