package number

import (
	"math"
	"math/bits"
)

// A Double is the unevaluated sum Hi + Lo of two float64 with
// |Lo| ≤ ulp(Hi)/2: a number of some 106 bits, in the range of float64.
//
// Sums and products of Doubles carry a relative error below 2^−103 as long as
// no cancellation occurs and Hi stays above 2^−960 or so, where Lo leaves the
// normal range. The algorithms are those of T. J. Dekker, A floating-point
// technique for extending the available precision, Numerische Mathematik 18
// (1971), with the fused multiply-add in place of the splitting.
type Double struct {
	Hi, Lo float64
}

// FromFloat returns x, exactly.
func FromFloat(x float64) Double { return Double{Hi: x} }

// Quotient returns a/b for finite a and b ≠ 0.
func Quotient(a, b float64) Double { return FromFloat(a).Div(FromFloat(b)) }

// Float returns the nearest float64.
func (x Double) Float() float64 { return x.Hi + x.Lo }

// fastSum is exact for |a| ≥ |b|.
func fastSum(a, b float64) Double {
	sum := a + b
	return Double{sum, b - (sum - a)}
}

// twoSum is exact for every a and b.
func twoSum(a, b float64) Double {
	sum := a + b
	part := sum - a
	return Double{sum, (a - (sum - part)) + (b - part)}
}

// Add returns x + y.
func (x Double) Add(y Double) Double {
	high := twoSum(x.Hi, y.Hi)
	low := twoSum(x.Lo, y.Lo)
	high = fastSum(high.Hi, high.Lo+low.Hi)
	return fastSum(high.Hi, high.Lo+low.Lo)
}

// Sub returns x − y.
func (x Double) Sub(y Double) Double { return x.Add(Double{-y.Hi, -y.Lo}) }

// Mul returns x·y.
func (x Double) Mul(y Double) Double {
	product := x.Hi * y.Hi
	rest := math.FMA(x.Hi, y.Hi, -product)
	rest += math.FMA(x.Hi, y.Lo, x.Lo*y.Hi)
	return fastSum(product, rest)
}

// Div returns x/y, y ≠ 0.
func (x Double) Div(y Double) Double {
	first := x.Hi / y.Hi
	rest := x.Sub(y.Mul(FromFloat(first)))
	second := rest.Hi / y.Hi
	rest = rest.Sub(y.Mul(FromFloat(second)))
	third := rest.Hi / y.Hi
	sum := fastSum(first, second)
	return sum.Add(FromFloat(third))
}

// scale returns x·2^exponent.
func (x Double) scale(exponent int) Double {
	return Double{math.Ldexp(x.Hi, exponent), math.Ldexp(x.Lo, exponent)}
}

// Power returns x^n for x ≥ 0 and n ≥ 0 as mantissa·2^exponent with mantissa
// in [1/2, 1] (0 where x = 0 and n > 0), so that nothing overflows or
// underflows. The relative error is below n·2^−102.
//
// Each squaring doubles the relative error at hand and each product adds one
// rounding; starting from an exact x this sums to less than 2n roundings.
func (x Double) Power(n int) (mantissa Double, exponent int) {
	mantissa = FromFloat(1)
	if n == 0 {
		return mantissa, 0
	}
	base, shift := x.normalize()
	for bit := 1 << (bits.Len(uint(n)) - 1); bit > 0; bit >>= 1 {
		mantissa, exponent = mantissa.Mul(mantissa), 2*exponent
		if n&bit != 0 {
			mantissa, exponent = mantissa.Mul(base), exponent+shift
		}
		var moved int
		mantissa, moved = mantissa.normalize()
		exponent += moved
	}
	return mantissa, exponent
}

// normalize splits x into a mantissa with Hi in [1/2, 1) and an exponent.
func (x Double) normalize() (mantissa Double, exponent int) {
	_, exponent = math.Frexp(x.Hi)
	return x.scale(-exponent), exponent
}
