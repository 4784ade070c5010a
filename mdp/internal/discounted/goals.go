package discounted

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
)

// farGoal is the least distance of a state from the goals at which these are far.
const farGoal = 20

// TowardsGoals returns the states by their distance from absorbing states, or from the costs if
// these are few; nil if there are none, or if none is far from the states that lead there.
func TowardsGoals(r *rows.Rows) []int32 {
	n := r.NumStates()
	goals, values := make([]bool, n), make([]float64, n)
	for s := range n {
		first, end := r.Choices(s)
		if next := r.Columns[r.RowStart[first]:r.RowStart[end]]; len(next) == int(end-first) {
			goals[s] = !slices.ContainsFunc(next, func(j int32) bool { return int(j) != s })
			values[s] = slices.Min(r.Costs[first:end])
		}
	}
	if !slices.Contains(goals, true) {
		return nil
	}
	order, distance := total.Order(r, endcomponents.NewPredecessors(r), nil, goals, values)
	if distance < farGoal {
		return nil
	}
	return order
}
