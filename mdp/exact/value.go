package exact

import (
	"math"
	"math/big"
)

// Value is a rational number, or plus or minus infinity. The zero Value is 0.
type Value struct {
	numerator, denominator *big.Int // not in lowest terms; nil for 0 and for infinities
	infinity               int8     // the sign of an infinity
}

// Infinity returns 1 for +Inf, −1 for −Inf, and 0 for a number.
func (v Value) Infinity() int { return int(v.infinity) }

// Rat returns the number in lowest terms, and nil for an infinity. Reducing a
// fraction of many thousand digits takes milliseconds, which the other methods
// save.
func (v Value) Rat() *big.Rat {
	switch {
	case v.infinity != 0:
		return nil
	case v.numerator == nil:
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(v.numerator, v.denominator)
}

// String returns "95/219", "2", "Infinity" or "-Infinity".
func (v Value) String() string {
	switch v.infinity {
	case 1:
		return "Infinity"
	case -1:
		return "-Infinity"
	}
	return v.Rat().RatString()
}

// Float64 returns the nearest float64; if that is subnormal, one of the two nearest.
func (v Value) Float64() float64 { return v.rounded(big.ToNearestEven) }

// Bounds returns the greatest float64 that is not above the value and the least
// that is not below it. They are equal if the value is a float64.
func (v Value) Bounds() (lower, upper float64) {
	return v.rounded(big.ToNegativeInf), v.rounded(big.ToPositiveInf)
}

// negative returns −v.
func (v Value) negative() Value {
	if v.infinity = -v.infinity; v.numerator != nil {
		v.numerator = new(big.Int).Neg(v.numerator)
	}
	return v
}

func (v Value) rounded(mode big.RoundingMode) float64 {
	if v.infinity != 0 {
		return math.Inf(int(v.infinity))
	}
	if v.numerator == nil {
		return 0
	}
	// Ints become Floats of their own precision, and the quotient is rounded
	// once.
	quotient := new(big.Float).SetPrec(53).SetMode(mode)
	quotient.Quo(new(big.Float).SetInt(v.numerator), new(big.Float).SetInt(v.denominator))
	x, accuracy := quotient.Float64()
	switch { // overflow and subnormal numbers are rounded to the nearest
	case mode == big.ToNegativeInf && accuracy == big.Above:
		x = math.Nextafter(x, math.Inf(-1))
	case mode == big.ToPositiveInf && accuracy == big.Below:
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}

// values returns a vector divided by a number.
func (v vector) values(divisor *big.Rat) []Value {
	denominator := new(big.Int).Mul(v.denominator, divisor.Num())
	values := make([]Value, len(v.numerators))
	for s, x := range v.numerators {
		values[s] = Value{numerator: new(big.Int).Mul(x, divisor.Denom()), denominator: denominator}
	}
	return values
}
