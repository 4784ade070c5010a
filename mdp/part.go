package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Sweeps over part of a model, for models that no machine holds as a whole.

// Part is what one machine holds of a model: the rows of some of its states, which the
// part numbers 0 … NumStates()−1 in any order. Rows may name larger numbers, which
// stand for states of other parts. An [Explicit] model, such as a [Table], is a part that holds
// all states. A part whose numbers are rounded has the method RelativeError of [Approximate].
type Part interface {
	// NumStates returns the number of states whose rows the part has.
	NumStates() int

	// NumActions and AppendRow are as in [Explicit].
	NumActions(s int) int
	AppendRow(dst []Entry, s, a int) (row []Entry, cost float64)
}

// listerOf returns the rows of a part with their relative error.
func listerOf(part Part) bound.Lister {
	lister := bound.Lister{Lister: part}
	if rounded, ok := part.(interface{ RelativeError() float64 }); ok {
		lister.RelativeError = rounded.RelativeError()
	}
	return lister
}

// Improve makes one sweep over a part of a model with values h, one for each number that
// its rows name. For each state of the part it writes
//
//	r(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·h(j) } − h(s)
//
// to residual and the action that attains the minimum to policy. It keeps an action of
// policy if no other is better by more than rounding. Costs are minimised, whatever the
// Sense.
//
// It returns bounds on T h − h in the states of the part. Over all parts of the model,
// the least lower and the greatest upper bound enclose the optimal gain (Odoni 1969;
// Puterman 1994, Theorem 8.5.5), for any values h, and the policies together cost no more
// than that upper bound. Rows are computed in double-double, and bounds are moved outward
// by the rounding error.
func (LongRunAverage) Improve(part Part, h Vector, policy []int32, residual []float64) (lower, upper float64) {
	return improve(listerOf(part), h, policy, residual)
}

// Improve is [LongRunAverage.Improve] with β·p in place of p and other bounds. Over all
// parts of the model, the least lower and the greatest upper bound enclose v*(s) − v(s)
// in every state, v* being the optimal values (MacQueen 1966), and v^π(s) − v(s) is no
// more than that upper bound for the policies together.
func (d Discounted) Improve(part Part, v Vector, policy []int32, residual []float64) (lower, upper float64) {
	by, model := d.factor(), listerOf(part)
	model.Discount = by
	lower, upper = improve(model, v, policy, residual)
	return discounted.Shift(lower, upper, by)
}

// improve sweeps over all states of the model, and returns bounds on T v − v.
func improve(model bound.Lister, v Vector, policy []int32, residual []float64) (lower, upper float64) {
	values := vector.Vector{High: v.High, Low: v.Low}
	lower, upper = math.Inf(1), math.Inf(-1)
	var row []Entry
	for s := range model.NumStates() {
		b := model.Best(values, policy, s, &row)
		policy[s], residual[s] = b.Action, b.Value.Hi
		lower, upper = min(lower, b.Floor), max(upper, b.Ceiling)
	}
	return lower, upper
}
