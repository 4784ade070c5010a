package verify

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// tally is a ball to which others are added.
type tally struct{ ball }

const (
	// outward makes up for the roundings of a few float64 operations on
	// radii, which are positive.
	outward = 1 + 0x1p-49
	// faintest is below what a product can be without losing digits of its
	// second part, and underflow above what it loses then.
	faintest  = 0x1p-960
	underflow = 0x1p-1070
)

// add adds y to x.
func (x *tally) add(y float64) {
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
func (x *tally) widen(by float64) { x.radius = (x.radius + by) * outward }

// addProduct adds y·z to x.
func (x *tally) addProduct(y, z float64) {
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
func (x *tally) addBall(y ball) {
	x.add(y.high)
	x.add(y.low)
	if y.radius != 0 {
		x.widen(y.radius)
	}
}

// addScaled adds r·y to x.
func (x *tally) addScaled(r, y ball) {
	if r.isZero() || y.isZero() {
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
