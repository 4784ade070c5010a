package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/discounted"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Sweeps over part of a model: what is needed where no machine holds all of it.

// Part is what one machine holds of a model: the rows of some of its states, which the
// part numbers 0 … NumStates()−1 as it likes. Rows may lead to larger numbers, which
// stand for states of other parts. An [Inexact] model is the part that is all of it.
type Part interface {
	// NumStates returns the number of states whose rows the part has.
	NumStates() int

	// NumActions and AppendRow are as in [Explicit].
	NumActions(s int) int
	AppendRow(dst []Entry, s, a int) (row []Entry, cost float64)

	// RelativeError is as in [Inexact]; 0 where numbers are as they are meant.
	RelativeError() float64
}

// Improve makes one sweep over a part of a model with values h, one for each number that
// its rows name. It writes
//
//	r(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·h(j) } − h(s)
//
// to residual, and the action that attains it to policy, one for each state of the part.
// An action that is in policy before stays where no other is better by more than
// rounding. Costs are minimised, whatever the Sense.
//
// The bounds are on T h − h in the states of the part: the least lower and the greatest
// upper bound of parts that together are the model enclose its optimal gain (Odoni 1969;
// Puterman 1994, Theorem 8.5.5), whatever the values are and wherever they come from, and
// the policies together cost no more than that upper bound. Rows are computed in
// double-double, and bounds are moved outward by what rounding does.
func (LongRunAverage) Improve(part Part, h Vector, policy []int32, residual []float64) (lower, upper float64) {
	return improve(bound.Lister{Lister: part, Inexact: part.RelativeError()}, h, policy, residual)
}

// Improve is [LongRunAverage.Improve] with β·p in place of p, but for its bounds: the
// least lower and the greatest upper bound of parts that together are the model enclose
// v*(s) − v(s) in every state, for its optimal values v* (MacQueen 1966), and
// v^π(s) − v(s) is no more than the upper bound for the policies together.
func (d Discounted) Improve(part Part, v Vector, policy []int32, residual []float64) (lower, upper float64) {
	by := d.factor()
	model := bound.Lister{Lister: part, Inexact: part.RelativeError(), Discount: by}
	lower, upper = improve(model, v, policy, residual)
	return discounted.Shift(lower, upper, by)
}

// improve sweeps over all states of the model, and returns bounds on what it finds.
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
