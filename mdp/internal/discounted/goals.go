package discounted

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
)

// Goals count as far if some state is at a distance of farGoal or more from them.
const farGoal = 20

// Components of up to smallComponent states are solved one after another in less time than all by sweeps, if
// the discount factor is longDiscount or more and states have fewTransitions or fewer on the mean. Single states
// always are.
const (
	smallComponent = 16
	longDiscount   = 0.9
	fewTransitions = 16
)

// Order is an order of the states of a model for sweeps, nil for no sweeps, with the strongly connected component of each
// state, by the numbers of graph.Components, of which there are Components; nil if they are still to
// be found.
type Order struct {
	States, Component []int32
	Components        int
}

// TowardsGoals returns the states by their distance from absorbing states or, if few states
// have costs, from these: see [total.Order]. It returns nil if there are no such states, or if the greatest distance is less
// than farGoal. If all components are small, they need no order: it returns only these.
func TowardsGoals(r *rows.Rows, discount float64) *Order {
	n, most := r.NumStates(), 1
	if discount >= longDiscount && len(r.Columns) <= fewTransitions*n {
		most = smallComponent
	}
	if count, component, _ := r.Graph(nil).SmallComponents(make([]bool, n), most); component != nil {
		return &Order{nil, component, count}
	}
	goals, values := make([]bool, n), make([]float64, n)
	for s := range n {
		first, end := r.Choices(s)
		if next := r.Columns[r.RowStart[first]:r.RowStart[end]]; len(next) == int(end-first) {
			goals[s] = !slices.ContainsFunc(next, func(j int32) bool { return int(j) != s })
			values[s] = slices.Min(r.Costs[first:end])
		}
	}
	// Where many states have costs, goals repel if some are negative: see [total.Order].
	isNegative := func(c float64) bool { return c < 0 }
	if (!slices.Contains(goals, true) || slices.ContainsFunc(r.Costs, isNegative)) && !total.HasFewCosts(r) {
		return nil
	}
	g := r.Graph(nil).Distinct()
	states, distance := total.Order(r, g.Reverse(), goals, values)
	if distance < farGoal {
		return nil
	}
	count, component := g.Components()
	return &Order{states, component, count}
}
