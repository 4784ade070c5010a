package doubledouble

import (
	"math"
	"math/big"
)

// FromRat returns a Number next to x: off by less than 2^−105·|x| where |x| is from
// 2^−900 up and below 2^1000, and NaN where it is not, but for 0.
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

// Quo returns x/y, off by less than 2^−99 of it where nothing overflows or
// underflows.
func (x Number) Quo(y Number) Number {
	q := FromFloat(x.Hi / y.Hi)
	for range 2 {
		q = q.AddFloat(x.Sub(y.Mul(q)).Hi / y.Hi)
	}
	return q
}

// Sum is a sum of products, and beside it the sum of their magnitudes, from which
// it follows how far rounding has taken it.
type Sum struct {
	Number
	Size float64
}

// AddProduct adds x·y, where y is a number or a sum of numbers whose magnitudes sum
// to size.
func (s *Sum) AddProduct(x, y Number, size float64) {
	s.Number = s.Add(x.Mul(y))
	s.Size += math.Abs(x.Hi) * size
}

// Error returns a bound on what rounding has done to a sum of so many terms, each
// of numbers that are themselves off by 2^−105 of their magnitude at most: 0 for a
// sum of zeros, infinite where something may have overflowed.
func (s *Sum) Error(terms int) float64 {
	switch {
	case s.Size == 0:
		return 0
	case !(s.Size < 0x1p1000):
		return math.Inf(1)
	}
	return s.Size*float64(terms+8)*0x1p-100 + float64(terms)*0x1p-1000
}
