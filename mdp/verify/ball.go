package verify

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// ball is a real number that lies within radius of high + low. Operations (see
// tally) keep that promise: what they round is measured, by the error-free
// transformations of Dekker and Knuth, and goes into the radius. So a ball of
// radius 0 is a number known exactly, and sums and products of numbers with few
// digits stay exact. Overflow makes a ball unknown: nothing can be said of it.
type ball struct {
	high, low, radius float64
}

func point(x float64) ball { return ball{high: x} }

// pointOf returns the ball of a double-double number.
func pointOf(x doubledouble.Number) ball { return ball{high: x.Hi, low: x.Lo} }

var unknown = ball{radius: math.Inf(1)}

// isUnknown reports whether nothing is known of x.
func (x ball) isUnknown() bool {
	return !(x.radius+math.Abs(x.high)+math.Abs(x.low) <= math.MaxFloat64)
}

// isZero reports whether x is known to be 0.
func (x ball) isZero() bool { return x.radius == 0 && x.low == 0 && x.high == 0 }

// number returns the middle of x.
func (x ball) number() doubledouble.Number { return doubledouble.Number{Hi: x.high, Lo: x.low} }

// negative returns −x.
func (x ball) negative() ball { return ball{-x.high, -x.low, x.radius} }

// quotient returns x/y for y > 0.
func quotient(x, y ball) ball {
	divisor := y.high*(1-0x1p-52) - y.radius*outward
	if !(divisor > 0) || x.isUnknown() || y.isUnknown() {
		return unknown
	}
	if x.isZero() {
		return ball{}
	}
	q := x.high / y.high
	rest := tally{ball{high: x.high, low: x.low}}
	rest.addProduct(-q, y.high)
	rest.addProduct(-q, y.low)
	quotient := doubledouble.TwoSum(q, rest.high/y.high)
	// x/y − quotient is what is left, divided.
	rest = tally{x}
	rest.addScaled(pointOf(quotient.Neg()), y)
	result := pointOf(quotient)
	if left := rest.magnitude(); left != 0 {
		result.radius = left/divisor*outward + underflow
	}
	return result
}

// magnitude returns a bound on |x|, 0 only for 0.
func (x ball) magnitude() float64 {
	return (math.Abs(x.high)+math.Abs(x.low))*outward + x.radius*outward
}

// lower returns a number that x is not below, the end of the ball but for
// rounding.
func (x ball) lower() doubledouble.Number {
	if x.isUnknown() {
		return doubledouble.FromFloat(math.Inf(-1))
	}
	end := tally{ball{high: x.high, low: x.low}}
	end.add(-x.radius)
	if end.radius == 0 {
		return end.number()
	}
	// The addition is within 2⁻¹⁰⁴ of the end, relatively.
	return end.number().AddFloat(-2*end.radius - 0x1p-102*math.Abs(end.high))
}

// upper returns a number that x is not above.
func (x ball) upper() doubledouble.Number { return x.negative().lower().Neg() }

// between returns a ball that holds all from lower to upper.
func between(lower, upper doubledouble.Number) ball {
	if math.IsInf(lower.Hi, 0) || math.IsInf(upper.Hi, 0) {
		return unknown
	}
	width := tally{pointOf(upper)}
	width.addBall(pointOf(lower.Neg()))
	half := width.magnitude() / 2
	result := tally{pointOf(lower)}
	result.add(half)
	if half != 0 {
		result.widen(half)
	}
	return result.ball
}

// least returns the least of some numbers, unknown for none.
func least(numbers []ball) ball {
	ceiling := math.Inf(1)
	for _, x := range numbers {
		ceiling = min(ceiling, x.upper().RoundUp())
	}
	result := unknown
	for _, x := range numbers {
		switch {
		case x.isUnknown():
			return unknown
		case x.lower().RoundDown() > ceiling: // it is not the least
		case result.isUnknown():
			result = x
		default:
			// The minimum moves no further than its arguments do.
			if x.number().Less(result.number()) {
				result.high, result.low = x.high, x.low
			}
			result.radius = max(result.radius, x.radius)
		}
	}
	return result
}
