package property

// Values of expressions: numbers that are known exactly or by bounds, and truth values.

import (
	"math"
	"math/big"
)

// value is a number between two bounds. Truth values are numbers, too: 0 for false, 1 for true,
// and between 0 and 1 for what is undecided.
type value struct {
	low, high float64

	// exact is the number itself if it is known and no float64, nil otherwise. A finite number with
	// equal bounds is known, too.
	exact *big.Rat
}

var (
	isFalse   = value{}
	isTrue    = value{low: 1, high: 1}
	undecided = value{high: 1}
)

func truth(is bool) value {
	if is {
		return isTrue
	}
	return isFalse
}

// exactly returns a fraction as a value.
func exactly(x *big.Rat) value {
	if x.IsInt() && x.Num().BitLen() <= 53 { // most constants
		float := float64(x.Num().Int64())
		return value{low: float, high: float}
	}
	float, isExact := x.Float64()
	switch {
	case isExact:
		return value{low: float, high: float}
	case new(big.Rat).SetFloat64(float) == nil: // beyond float64
		return value{low: math.Inf(-1), high: math.Inf(1), exact: x}
	case new(big.Rat).SetFloat64(float).Cmp(x) < 0:
		return value{low: float, high: math.Nextafter(float, math.Inf(1)), exact: x}
	}
	return value{low: math.Nextafter(float, math.Inf(-1)), high: float, exact: x}
}

// within returns the value of a state that has been solved. exact may be nil.
func within(lower, upper float64, exact *big.Rat) value {
	if exact != nil {
		return exactly(exact)
	}
	return value{low: lower, high: upper}
}

// rational returns the number if it is known exactly, and nil otherwise.
func (x value) rational() *big.Rat {
	if x.exact != nil || x.low != x.high {
		return x.exact
	}
	return new(big.Rat).SetFloat64(x.low) // nil if infinite
}

// isWhole reports whether both are whole numbers so small that float64 adds and multiplies them
// exactly.
func isWhole(x, y value) bool {
	const most = 1 << 26
	small := func(x value) bool {
		return x.low == x.high && x.exact == nil && x.low == math.Trunc(x.low) && math.Abs(x.low) <= most
	}
	return small(x) && small(y)
}

// compute returns the result of an operator on two numbers. Float64 is exact for small whole
// numbers, but for divisions; other numbers that are known are fractions. For others the result
// lies between those of the bounds, which are rounded outward.
func compute(operator string, x, y value) value {
	switch operator {
	case "min":
		return extreme(x, y, -1)
	case "max":
		return extreme(x, y, 1)
	}
	if isWhole(x, y) && operator != "/" {
		z := floats[operator](x.low, y.low)
		return value{low: z, high: z}
	}
	if a, b := x.rational(), y.rational(); a != nil && b != nil && (operator != "/" || b.Sign() != 0) {
		return exactly(fractions[operator](new(big.Rat), a, b))
	}
	if operator == "/" && y.low <= 0 && y.high >= 0 && y.low != y.high {
		return value{low: math.Inf(-1), high: math.Inf(1)}
	}
	z := value{low: math.Inf(1), high: math.Inf(-1)}
	for _, a := range []float64{x.low, x.high} {
		for _, b := range []float64{y.low, y.high} {
			c := floats[operator](a, b)
			if math.IsNaN(c) {
				return value{low: math.Inf(-1), high: math.Inf(1)}
			}
			z.low, z.high = min(z.low, c), max(z.high, c)
		}
	}
	if !math.IsInf(z.low, 0) {
		z.low = math.Nextafter(z.low, math.Inf(-1))
	}
	if !math.IsInf(z.high, 0) {
		z.high = math.Nextafter(z.high, math.Inf(1))
	}
	return z
}

var floats = map[string]func(x, y float64) float64{
	"+": func(x, y float64) float64 { return x + y },
	"-": func(x, y float64) float64 { return x - y },
	"*": func(x, y float64) float64 { return x * y },
	"/": func(x, y float64) float64 { return x / y },
}

var fractions = map[string]func(z, x, y *big.Rat) *big.Rat{
	"+": (*big.Rat).Add, "-": (*big.Rat).Sub, "*": (*big.Rat).Mul, "/": (*big.Rat).Quo,
}

// extreme returns the smaller of two numbers (side −1), or the greater (1).
func extreme(x, y value, side int) value {
	switch compared, known := compareKnown(x, y); {
	case known && compared == side:
		return x
	case known:
		return y
	case side < 0:
		return value{low: min(x.low, y.low), high: min(x.high, y.high)}
	}
	return value{low: max(x.low, y.low), high: max(x.high, y.high)}
}

// compareKnown compares two numbers if both are known exactly, infinite ones included.
func compareKnown(x, y value) (sign int, known bool) {
	if x.exact == nil && y.exact == nil {
		return compareFloats(x.low, y.low), x.low == x.high && y.low == y.high
	}
	a, b := x.rational(), y.rational()
	if a != nil && b != nil {
		return a.Cmp(b), true
	}
	return 0, false
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// compare returns whether a relation holds between two numbers.
func compare(relation string, x, y value) value {
	if sign, known := compareKnown(x, y); known {
		return truth(holds(relation, sign))
	}
	switch { // 0 would need equality
	case x.high < y.low:
		return truth(holds(relation, -1))
	case x.low > y.high:
		return truth(holds(relation, 1))
	case x.high == y.low && relation != "=" && relation != "!=" && holds(relation, -1) == holds(relation, 0):
		return truth(holds(relation, 0))
	case x.low == y.high && relation != "=" && relation != "!=" && holds(relation, 1) == holds(relation, 0):
		return truth(holds(relation, 0))
	}
	return undecided
}

// holds reports whether a relation holds between two numbers whose difference has that sign.
func holds(relation string, sign int) bool {
	switch relation {
	case "=":
		return sign == 0
	case "!=":
		return sign != 0
	case "<":
		return sign < 0
	case "<=":
		return sign <= 0
	case ">":
		return sign > 0
	}
	return sign >= 0
}

// round returns a number rounded by a function such as floor. No whole number lies between a
// fraction that is no float64 and its bounds, unless it is one of them.
func round(name string, x value) value {
	switch name {
	case "floor":
		if x.exact != nil {
			x.high = x.low
		}
		return value{low: math.Floor(x.low), high: math.Floor(x.high)}
	case "ceil":
		if x.exact != nil {
			x.low = x.high
		}
		return value{low: math.Ceil(x.low), high: math.Ceil(x.high)}
	}
	return round("floor", compute("+", x, value{low: 0.5, high: 0.5}))
}

// modulo applies mod to whole numbers, the second above 0; others are not valid.
func modulo(x, y value) (value, bool) {
	if !isWhole(x, y) || y.low <= 0 {
		return value{}, false
	}
	rest := new(big.Int).Mod(big.NewInt(int64(x.low)), big.NewInt(int64(y.low)))
	return exactly(new(big.Rat).SetInt(rest)), true
}

// mostBits and mostExponent bound the numbers whose powers are fractions.
const mostBits, mostExponent = 256, 1000

// power returns the power of a number: as a fraction if both are known and the exponent is whole, and
// otherwise between bounds that are wider by far more than the error of math.Pow. Only numbers above 0 have
// others.
func power(x, y value) (value, bool) {
	base, exponent := x.rational(), y.rational()
	isKnown := base != nil && exponent != nil && exponent.IsInt() && exponent.Num().IsInt64()
	if isKnown && base.Num().BitLen()+base.Denom().BitLen() <= mostBits && math.Abs(float64(exponent.Num().Int64())) <= mostExponent {
		n := exponent.Num().Int64()
		if base.Sign() == 0 && n < 0 {
			return value{}, false
		}
		if n < 0 {
			base, n = new(big.Rat).Inv(base), -n
		}
		e := big.NewInt(n)
		return exactly(new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), e, nil), new(big.Int).Exp(base.Denom(), e, nil))), true
	}
	if !(x.low > 0) || math.IsInf(y.low, 0) || math.IsInf(y.high, 0) {
		return value{}, false
	}
	const margin = 1e-13
	z := value{low: math.Inf(1)}
	for _, a := range []float64{x.low, x.high} {
		for _, b := range []float64{y.low, y.high} {
			c := math.Pow(a, b)
			z.low, z.high = min(z.low, c*(1-margin)), max(z.high, c*(1+margin)+math.SmallestNonzeroFloat64)
		}
	}
	return z, true
}
