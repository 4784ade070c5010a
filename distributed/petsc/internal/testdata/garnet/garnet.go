// Package garnet draws random models for the tests of this module.
package garnet

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Table draws a model (Archibald, McKinnon and Thomas 1995): in each state the same number of
// actions, each with next states that are uniform over all states, exponential weights
// divided by their sum, and a cost that is uniform in [0, 1).
func Table(states, actions, successors int, seed uint64) *mdp.Table {
	random := rand.New(rand.NewPCG(seed, 0))
	var b mdp.TableBuilder
	for range states {
		b.AddState()
		for range actions {
			b.AddAction(random.Float64())
			row, sum := map[int]float64{}, 0.0
			for len(row) < min(successors, states) {
				j := random.IntN(states)
				sum -= row[j]
				row[j] = random.ExpFloat64()
				sum += row[j]
			}
			for _, j := range slices.Sorted(maps.Keys(row)) {
				b.AddTransition(j, row[j]/sum)
			}
		}
	}
	table, err := b.Build()
	if err != nil {
		panic(err) // rows are distributions
	}
	return table
}
