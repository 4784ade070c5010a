package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
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
	below, above vector.Vector
}

func (b gainBounds) of(int) (lower, upper float64) { return b.lower, b.upper }

func (b gainBounds) witnesses() (lower, upper Witness) {
	return Witness{constant(b.lower), vectorOf(b.below)}, Witness{constant(b.upper), vectorOf(b.above)}
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
		lower, upper = rounding.QuotientDown(lower, b.rate), -rounding.QuotientDown(-upper, b.rate)
	}
	return lower, upper
}

func (b shiftedBounds) witnesses() (lower, upper Witness) {
	return Witness{Value: shifted(b.values, b.down)}, Witness{Value: shifted(b.values, b.up)}
}

// shifted returns x + by exactly.
func shifted(x []float64, by float64) Vector {
	v := vector.New(len(x))
	for s := range x {
		v.Set(s, doubledouble.TwoSum(x[s], by))
	}
	return vectorOf(v)
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

// between returns the estimate x, if it is between the bounds, or what is best of
// them.
func between(x, lower, upper float64) float64 {
	switch {
	case lower <= x && x <= upper:
		return x
	case lower == upper || math.IsInf(upper, 1):
		return lower
	case math.IsInf(lower, -1):
		return upper
	}
	return lower + (upper-lower)/2
}
