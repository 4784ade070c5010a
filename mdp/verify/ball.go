package verify

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// ball is a real number that lies within radius of high + low. Operations keep
// that promise: what they round is measured, by the error-free transformations
// of Dekker and Knuth, and goes into the radius. So a ball of radius 0 is a
// number known exactly, and sums and products of numbers with few digits stay
// exact. Overflow makes a ball unknown: nothing can be said of it.
type ball struct {
	high, low, radius float64
}

const (
	// outward makes up for the roundings of a few float64 operations on
	// radii, which are positive.
	outward = 1 + 0x1p-49
	// faintest is below what a product can be without losing digits of its
	// second part, and underflow above what it loses then.
	faintest  = 0x1p-960
	underflow = 0x1p-1070
)

func point(x float64) ball { return ball{high: x} }

// pointOf returns the ball of a double-double number.
func pointOf(x doubledouble.Number) ball { return ball{high: x.Hi, low: x.Lo} }

var unknown = ball{radius: math.Inf(1)}

// isUnknown reports whether nothing is known of x.
func (x ball) isUnknown() bool {
	return !(x.radius+math.Abs(x.high)+math.Abs(x.low) <= math.MaxFloat64)
}

// isExactly reports whether x is known to be y.
func (x ball) isExactly(y float64) bool { return x.radius == 0 && x.low == 0 && x.high == y }

// number returns the middle of x.
func (x ball) number() doubledouble.Number { return doubledouble.Number{Hi: x.high, Lo: x.low} }

// negative returns −x.
func (x ball) negative() ball { return ball{-x.high, -x.low, x.radius} }

// add adds y to x.
func (x *ball) add(y float64) {
	if y == 0 {
		return
	}
	a := doubledouble.TwoSum(x.high, y)
	b := doubledouble.TwoSum(x.low, a.Lo)
	c := doubledouble.TwoSum(a.Hi, b.Hi)
	x.high, x.low = c.Hi, c.Lo
	if b.Lo != 0 {
		x.widen(math.Abs(b.Lo))
	}
}

// widen adds to the radius of x.
func (x *ball) widen(by float64) { x.radius = (x.radius + by) * outward }

// addProduct adds y·z to x.
func (x *ball) addProduct(y, z float64) {
	if y == 0 || z == 0 {
		return
	}
	p := doubledouble.TwoProduct(y, z)
	x.add(p.Hi)
	x.add(p.Lo)
	if math.Abs(p.Hi) < faintest {
		x.widen(underflow)
	}
}

// addBall adds y to x.
func (x *ball) addBall(y ball) {
	x.add(y.high)
	x.add(y.low)
	if y.radius != 0 {
		x.widen(y.radius)
	}
}

// addScaled adds r·y to x.
func (x *ball) addScaled(r, y ball) {
	if r.isExactly(0) || y.isExactly(0) {
		return
	}
	x.addProduct(r.high, y.high)
	x.addProduct(r.high, y.low)
	x.addProduct(r.low, y.high)
	x.addProduct(r.low, y.low)
	if r.radius != 0 || y.radius != 0 {
		// |r|·ρ_y + ρ_r·(|y| + ρ_y), where |r| is high up to half a unit in its
		// last place.
		x.widen((math.Abs(r.high)*y.radius + r.radius*(math.Abs(y.high)+y.radius)) * outward)
		x.widen(underflow)
	}
}

// quotient returns x/y for y > 0.
func quotient(x, y ball) ball {
	divisor := y.high*(1-0x1p-52) - y.radius*outward
	if !(divisor > 0) || x.isUnknown() || y.isUnknown() {
		return unknown
	}
	if x.isExactly(0) {
		return ball{}
	}
	q := x.high / y.high
	rest := ball{high: x.high, low: x.low}
	rest.addProduct(-q, y.high)
	rest.addProduct(-q, y.low)
	quotient := doubledouble.TwoSum(q, rest.high/y.high)
	// x/y − quotient is what is left, divided.
	rest = x
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
	end := ball{high: x.high, low: x.low}
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
	width := pointOf(upper)
	width.addBall(pointOf(lower.Neg()))
	half := width.magnitude() / 2
	result := pointOf(lower)
	result.add(half)
	if half != 0 {
		result.widen(half)
	}
	return result
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
