package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// bounds are what a result knows of the optimum from each state, and the vectors
// that prove it.
type bounds interface {
	// of returns the bounds of a state.
	of(s int) (lower, upper float64)

	witnesses() (lower, upper Witness)
}

// gainBounds are bounds on the gain, the same for all states, with the relative
// values that prove them, times the rate.
type gainBounds struct {
	lower, upper float64
	below, above values
}

func (b gainBounds) of(int) (lower, upper float64) { return b.lower, b.upper }

func (b gainBounds) witnesses() (lower, upper Witness) {
	return Witness{constant(b.lower), b.below.vector()}, Witness{constant(b.upper), b.above.vector()}
}

// shiftedBounds are values moved by the same number in every state, down and up.
type shiftedBounds struct {
	values   []float64 // times the rate
	down, up float64   // what is added to them
	rate     float64
}

func (b shiftedBounds) of(s int) (lower, upper float64) {
	lower = doubledouble.TwoSum(b.values[s], b.down).RoundDown()
	upper = doubledouble.TwoSum(b.values[s], b.up).RoundUp()
	if b.rate != 1 {
		lower, upper = quotientDown(lower, b.rate), -quotientDown(-upper, b.rate)
	}
	return lower, upper
}

func (b shiftedBounds) witnesses() (lower, upper Witness) {
	return Witness{Value: shifted(b.values, b.down)}, Witness{Value: shifted(b.values, b.up)}
}

// shifted returns x + by exactly.
func shifted(x []float64, by float64) Vector {
	v := newValues(len(x))
	for s := range x {
		v.set(s, doubledouble.TwoSum(x[s], by))
	}
	return v.vector()
}

// stateBounds are each of their own.
type stateBounds struct {
	lower, upper []float64
	proof        [2]Witness // of lower and upper
}

func (b stateBounds) of(s int) (lower, upper float64) { return b.lower[s], b.upper[s] }

func (b stateBounds) witnesses() (lower, upper Witness) { return b.proof[0], b.proof[1] }

// negatedBounds are bounds on what has the opposite sign.
type negatedBounds struct{ bounds }

func (b negatedBounds) of(s int) (lower, upper float64) {
	lower, upper = b.bounds.of(s)
	return 0 - upper, 0 - lower
}

func (b negatedBounds) witnesses() (lower, upper Witness) {
	lower, upper = b.bounds.witnesses()
	return upper.negative(), lower.negative()
}

// quotientDown returns x/y, rounded down where it is not exact.
func quotientDown(x, y float64) float64 {
	q := x / y
	if x == 0 || math.IsInf(x, 0) || math.Abs(x) > tiny && math.FMA(-q, y, x) == 0 {
		return q
	}
	return math.Nextafter(q, math.Inf(-1))
}

// tiny is a magnitude below which the second part of a product in double-double
// may be lost.
const tiny = 0x1p-900
