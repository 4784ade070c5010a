// Package evaluate says what a policy costs: it solves the evaluation equations of
// the policy's Markov chain, by elimination without subtractions or, where that is
// too much, component by component and by GMRES.
package evaluate

import (
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Chain is the Markov chain that a policy makes of a model, and its costs.
type Chain struct {
	graph.Chain
	Costs []float64
}

// NewChain lists the rows of the policy.
func NewChain(model rows.Lister, policy []int32) *Chain {
	n := model.NumStates()
	c := &Chain{Chain: *graph.NewChain(n), Costs: make([]float64, n)}
	var row []rows.Entry
	for s := range n {
		row, c.Costs[s] = model.AppendRow(row[:0], s, int(policy[s]))
		for _, e := range row {
			if int(e.State) != s && e.Probability > 0 {
				c.Add(e.State, e.Probability)
			}
		}
		c.EndState()
	}
	return c
}
