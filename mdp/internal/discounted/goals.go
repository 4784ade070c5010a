package discounted

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Goals count as far if some state is at a distance of farGoal or more from them.
const farGoal = 20

// Order is an order of the states of a model in which [Ending] lists them, for sweeps.
type Order struct {
	States []int32 // nil for the order of the model

	// Component is the strongly connected component of each state in that order, and of the end, by the
	// numbers of [graph.Graph.Components], of which there are Components; nil if they are still to be found.
	Component  []int32
	Components int
}

// Of returns the elements of x, by state of the model, in the order.
func (o *Order) Of(x []int32) []int32 {
	if o.States == nil {
		return slices.Clone(x)
	}
	return vector.Gather(x, o.States)
}

// Restore puts the bounds and the policy of a problem in the order of the model.
func (o *Order) Restore(p *total.Problem) {
	if o.States == nil {
		return
	}
	before := make([]float64, len(o.States))
	for _, x := range [][]float64{p.Lower.High, p.Lower.Low, p.Upper.High, p.Upper.Low} {
		copy(before, x)
		vector.Scatter(x, before, o.States)
	}
	vector.Scatter(p.Policy, slices.Clone(p.Policy[:len(o.States)]), o.States)
}

// TowardsGoals returns the states by their distance from absorbing states or, if few states
// have costs, from these: see [total.Order]. It returns nil if there are no such states, or if the greatest distance is less
// than farGoal. If no component is large enough for sweeps, the order is that of the model.
func TowardsGoals(r *rows.Rows) *Order {
	n := r.NumStates()
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
	order := &Order{States: states}
	count, component := g.Components()
	if !slices.ContainsFunc(graph.Members(component, count), total.IsSwept) {
		order.States = nil
	}
	order.Component, order.Components = append(order.Of(component), 0), count
	return order
}
