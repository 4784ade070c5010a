// Package evaluate evaluates policies: it solves the equations of the policy's Markov
// chain by elimination without subtractions or, if that takes too long, component by
// component and by a Krylov method.
package evaluate

import (
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Chain is the Markov chain of a policy on a model, with its costs.
type Chain struct {
	graph.Chain
	Costs []float64
}

// NewChain lists the rows of the policy.
func NewChain(model rows.Lister, policy []int32) *Chain {
	c := &Chain{*graph.NewChain(len(policy)), make([]float64, len(policy))}
	var row []rows.Entry
	for s, a := range policy {
		row, c.Costs[s] = model.AppendRow(row[:0], s, int(a))
		for _, e := range row {
			if int(e.State) != s && e.Probability > 0 {
				c.Add(e.State, e.Probability)
			}
		}
		c.EndState()
	}
	return c
}

// Ending returns the absorbing chain whose exit is from the last state, which has no
// transitions.
func (c *Chain) Ending() Absorbing {
	exit := make([]float64, c.NumStates())
	exit[len(exit)-1] = 1
	return Absorbing{&c.Chain, exit}
}

// Seen holds hashes of 64 bits (FNV-1a over words) of the policies that policy iteration
// has seen. In exact arithmetic no policy comes twice: each is better than the one
// before, in its gain or in the values of transient states.
type Seen map[uint64]bool

// Add adds a policy and reports whether it has been seen.
func (s Seen) Add(policy []int32) (again bool) {
	hash := uint64(14695981039346656037)
	for _, a := range policy {
		hash = (hash ^ uint64(a)) * 1099511628211
	}
	again = s[hash]
	s[hash] = true
	return again
}
