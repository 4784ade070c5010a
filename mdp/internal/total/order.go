package total

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// The order in which states are swept.

// fewSources is the share of the states with costs below which distances are those from them.
const fewSources = 0.1

// Order lists states by their distance from the goals, which are settled or cost nothing, and
// then those from which allowed choices (nil allows all) lead to none. If few states have costs,
// the distance is that from them and from goals with a value: values come from there. It returns
// the greatest distance; 0 if most states lead to none, or if costs of many states are negative, so
// that the best policies may stay away from the goals.
func Order(r *rows.Rows, before *endcomponents.Predecessors, allowed, goals []bool, values []float64) (order []int32, distance int) {
	n := r.NumStates()
	sources, count, attract := make([]bool, n), 0, true
	for s := range sources {
		first, end := r.Choices(s)
		if goals[s] {
			sources[s] = values[s] != 0
		} else {
			sources[s] = slices.ContainsFunc(r.Costs[first:end], func(c float64) bool { return c != 0 })
		}
		if sources[s] {
			count++
		}
	}
	if count == 0 || float64(count) > fewSources*float64(n) {
		sources, attract = goals, slices.Min(r.Costs) >= 0
	}
	order = make([]int32, 0, n)
	reached, policy := make([]bool, n), make([]int32, n)
	for i, from := range [][]bool{sources, goals, slices.Repeat([]bool{true}, n)} {
		for s := range int32(n) {
			if from[s] && !reached[s] {
				order = append(order, s)
				reached[s] = true
			}
		}
		found, far := before.Towards(reached, allowed, policy)
		if order = append(order, found...); i < 2 && 2*len(order) > n && attract {
			distance = max(distance, far)
		}
	}
	return order, distance
}
