package doubledouble

import (
	"math"
	"math/bits"
)

// Ldexp returns x·2^exponent.
func (x Number) Ldexp(exponent int) Number {
	return Number{math.Ldexp(x.Hi, exponent), math.Ldexp(x.Lo, exponent)}
}

// frexp splits x into a mantissa with Hi in [1/2, 1) and an exponent.
func (x Number) frexp() (mantissa Number, exponent int) {
	_, exponent = math.Frexp(x.Hi)
	return x.Ldexp(-exponent), exponent
}

// Power returns x^n for x ≥ 0 and n ≥ 0 as mantissa·2^exponent with mantissa in
// [1/2, 1], or 0 if x = 0 and n > 0, so that nothing overflows or underflows.
// The relative error is below n·2^−102: each squaring doubles the relative error so far,
// and each product adds one rounding, which makes less than 2n roundings for an exact x.
func (x Number) Power(n int) (mantissa Number, exponent int) {
	mantissa = FromFloat(1)
	if n == 0 {
		return mantissa, 0
	}
	base, shift := x.frexp()
	for bit := 1 << (bits.Len(uint(n)) - 1); bit > 0; bit >>= 1 {
		mantissa, exponent = mantissa.Mul(mantissa), 2*exponent
		if n&bit != 0 {
			mantissa, exponent = mantissa.Mul(base), exponent+shift
		}
		var moved int
		mantissa, moved = mantissa.frexp()
		exponent += moved
	}
	return mantissa, exponent
}
