package uncertain

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// What can be reached where nature may choose probabilities of 0.

// Reaching returns the states from which the target is reached with probability 1, and an order of the
// states, see [graph.Choices.Reaching]. controller and nature say whether each of them wants to reach
// the target. policy holds the only action of each state; nil for all. actions are for a controller
// that does not want to reach the target: in states from which it is not reached with probability 1,
// they avoid it.
func (r *Rows) Reaching(target []bool, policy []int32, controller, nature bool) (states []bool, order, actions []int32) {
	owner, actions := make([]int32, 0, r.NumChoices()), make([]int32, r.NumStates())
	for s := range r.NumStates() {
		owner = append(owner, slices.Repeat([]int32{int32(s)}, r.NumActions(s))...)
	}
	states, order = graph.NewChoices(r.NumStates(), owner, r.Next).Reaching(target, func(s int32, within, met []bool) bool {
		first, end := r.Choices(int(s))
		if policy != nil {
			first += policy[s]
			end = first + 1
		}
		for k := first; k < end; k++ {
			if r.hits(k, nature, within, met) == controller {
				actions[s] = k - r.StateStart[s] // the last time, met has all that a choice of s leads to
				return controller
			}
		}
		return !controller
	})
	return states, order, actions
}

// hits reports whether choice k leads only to states marked in within, and with a positive probability
// to one marked in met: for some probabilities that nature may choose if nature is true, otherwise for
// all of them.
func (r *Rows) hits(k int32, nature bool, within, met []bool) bool {
	var parts [16]float64
	slack, leaves, meets := expansion(parts[:0]).add(1), false, false
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		slack = slack.add(-r.Probabilities[e])
	}
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		if r.Probabilities[e] > 0 || slack.sign() > 0 && r.High[e] > 0 {
			leaves, meets = leaves || !within[r.Columns[e]], meets || met[r.Columns[e]]
		}
	}
	if nature {
		return meets && r.canAvoid(k, within, false)
	}
	return !leaves && !r.canAvoid(k, met, true)
}

// canAvoid reports whether nature can give the probability 0 to all states whose mark equals
// avoided.
func (r *Rows) canAvoid(k int32, marks []bool, avoided bool) bool {
	var parts [16]float64
	left, added, avoids := expansion(parts[:0]).add(1), 0.0, false
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		switch {
		case marks[r.Columns[e]] == avoided:
			if r.Probabilities[e] > 0 {
				return false
			}
			avoids = avoids || r.High[e] > 0
		case e < r.additions(k):
			left = left.add(-r.High[e])
		default:
			added = r.High[e]
		}
	}
	return !avoids || left.add(-added).sign() <= 0
}
