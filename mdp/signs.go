package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
)

// signs are what the graph and the signs of costs say of values for certain: from
// where no negative cost can come by any choice no value is below 0, and from where
// no positive one comes by the policy that of the policy is not above 0. So values
// that are 0, which no bound with a tolerance around them shows to be, are known
// exactly.
type signs struct{ notBelow, notAbove []bool }

// signsOf looks at all costs, and at those of a policy.
func signsOf(model Explicit, policy []int32) signs {
	all := graphOf(model)
	before := endcomponents.NewPredecessors(all)
	n := model.NumStates()
	reach := func(counts func(s, a int, cost float64) bool, allowed []bool) []bool {
		may := make([]bool, n)
		var row []Entry
		for s := range n {
			for a := 0; a < model.NumActions(s) && !may[s]; a++ {
				var cost float64
				row, cost = model.AppendRow(row[:0], s, a)
				may[s] = counts(s, a, cost)
			}
		}
		before.Towards(may, allowed, make([]int32, n))
		for s := range may {
			may[s] = !may[s]
		}
		return may
	}
	followed := make([]bool, all.NumChoices())
	for s, a := range policy {
		followed[all.StateStart[s]+a] = true
	}
	return signs{
		notBelow: reach(func(_, _ int, cost float64) bool { return cost < 0 }, nil),
		notAbove: reach(func(s, a int, cost float64) bool { return cost > 0 && int32(a) == policy[s] }, followed),
	}
}

// signedBounds are bounds moved to 0 where a sign is known. They are as good a
// proof: with L ≤ c + β·P·L for all choices, max(L, 0) satisfies that too on states
// that lead to no negative cost; and likewise upward.
type signedBounds struct {
	bounds
	signs
}

func (b signedBounds) of(s int) (lower, upper float64) {
	lower, upper = b.bounds.of(s)
	if b.notBelow[s] {
		lower = max(lower, 0)
	}
	if b.notAbove[s] {
		upper = min(upper, 0)
	}
	return lower, upper
}

func (b signedBounds) witnesses() (lower, upper Witness) {
	lower, upper = b.bounds.witnesses()
	lower.Value.raise(b.notBelow, 1)
	upper.Value.raise(b.notAbove, -1)
	return lower, upper
}

// raise sets the numbers whose sign is not that of a direction to 0, where that is
// so for certain.
func (v Vector) raise(certain []bool, direction float64) {
	for s, is := range certain {
		if is && !math.Signbit(-direction*v.High[s]) && v.High[s] != 0 {
			v.High[s], v.Low[s] = 0, 0
		}
	}
}
