package total

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// The order in which states are swept.

// isSwept reports whether a component has so many states that it is swept.
func isSwept(states []int32) bool { return len(states) >= exactStates }

// If at most this share of the states have costs, distances are measured from these states.
const fewSources = 0.1

// HasFewCosts reports whether few states have costs.
func HasFewCosts(r *rows.Rows) bool {
	count := 0
	for s := range r.NumStates() {
		if hasCosts(r, s) {
			count++
		}
	}
	return count > 0 && float64(count) <= fewSources*float64(r.NumStates())
}

// hasCosts reports whether some choice of a state costs something.
func hasCosts(r *rows.Rows, s int) bool {
	first, end := r.Choices(s)
	return slices.ContainsFunc(r.Costs[first:end], func(c float64) bool { return c != 0 })
}

// Order lists states by their distance to the goals, which are settled states or cost nothing, and
// then the states that lead to no goal. before has an edge from each state to those that may lead to it. If few states have
// costs, the distance is that to these states and to goals with a value other than 0: values come from
// there. Order also returns the greatest distance. It is 0 if at most half of the states lead to a
// goal. It is 0, too, if many states have costs and some cost is negative, since the best policies may
// then stay away from the goals.
func Order(r *rows.Rows, before *graph.Graph, goals []bool, values []float64) (order []int32, distance int) {
	n := r.NumStates()
	sources, count, attract := make([]bool, n), 0, true
	for s := range sources {
		if sources[s] = goals[s] && values[s] != 0 || !goals[s] && hasCosts(r, s); sources[s] {
			count++
		}
	}
	if count == 0 || float64(count) > fewSources*float64(n) {
		sources, attract = goals, !slices.ContainsFunc(r.Costs, func(c float64) bool { return c < 0 })
	}
	order = make([]int32, 0, n)
	reached := make([]bool, n)
	reach := func(s int32) {
		if !reached[s] {
			reached[s] = true
			order = append(order, s)
		}
	}
	at := 0
	for i, from := range [][]bool{sources, goals, slices.Repeat([]bool{true}, n)} {
		for s := range int32(n) {
			if from[s] {
				reach(s)
			}
		}
		far := 0
		for next := len(order); at < len(order); at++ {
			if at == next {
				far, next = far+1, len(order)
			}
			for _, s := range before.Next(order[at]) {
				reach(s)
			}
		}
		if i < 2 && 2*len(order) > n && attract {
			distance = max(distance, far)
		}
	}
	return order, distance
}
