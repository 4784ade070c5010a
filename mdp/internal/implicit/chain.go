// Package implicit takes implicit steps of value iteration: it solves the equations
// of a policy's chain that stops in each step with some probability, by elimination
// or by a Krylov method.
package implicit

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Chain is the chain of a policy that stops in each step with a probability s, and
// else goes on as the model does. Its equations (I − (1−s)·P)·x = b are solved in
// the form
//
//	(I − P + s/(1−s)·I)·x = b/(1−s),
//
// in which P does not depend on s. The zero value is of no policy.
type Chain struct {
	Policy []int32
	moves  *graph.Chain // P without its diagonal
	excess float64      // s/(1−s)
}

// Follow makes it the chain of a policy that stops with a probability.
func (c *Chain) Follow(team *parallel.Team, model rows.Lister, policy []int32, stop float64) {
	if c.moves == nil || !slices.Equal(c.Policy, policy) {
		c.Policy = append(c.Policy[:0], policy...)
		c.moves = listMoves(team, model, policy)
	}
	c.excess = stop / (1 - stop)
}

// NumTransitions returns the number of transitions to other states.
func (c *Chain) NumTransitions() int { return len(c.moves.Columns) }

// listMoves returns the chain of a policy, listed block by block.
func listMoves(team *parallel.Team, model rows.Lister, policy []int32) *graph.Chain {
	cuts := parallel.Cuts(model.NumStates(), rows.BlockStates)
	c := &graph.Chain{Graph: graph.Graph{Start: make([]int, model.NumStates()+1)}}
	parts := make([]graph.Chain, len(cuts)-1)
	team.For(len(parts), func(block int) {
		p := &parts[block]
		var row []rows.Entry
		for s := cuts[block]; s < cuts[block+1]; s++ {
			row, _ = model.AppendRow(row[:0], s, int(policy[s]))
			for _, e := range row {
				if int(e.State) != s && e.Probability > 0 {
					p.Add(e.State, e.Probability)
				}
			}
			c.Start[s+1] = len(p.Columns)
		}
	})
	first := make([]int, len(parts)+1) // edge of each block
	for i := range parts {
		first[i+1] = first[i] + len(parts[i].Columns)
	}
	c.Columns, c.Probabilities = make([]int32, first[len(parts)]), make([]float64, first[len(parts)])
	team.For(len(parts), func(block int) {
		copy(c.Columns[first[block]:], parts[block].Columns)
		copy(c.Probabilities[first[block]:], parts[block].Probabilities)
		for s := cuts[block]; s < cuts[block+1]; s++ {
			c.Start[s+1] += first[block]
		}
	})
	return c
}

// ending returns the chain with one more state, in which it stops.
func (c *Chain) ending() *evaluate.Chain {
	n := c.moves.NumStates()
	e := &evaluate.Chain{Chain: *graph.NewChain(n + 1)}
	e.Columns = make([]int32, 0, len(c.moves.Columns)+n)
	e.Probabilities = make([]float64, 0, len(c.moves.Columns)+n)
	for s := range int32(n) {
		columns, probabilities := c.moves.Row(s)
		for i, j := range columns {
			e.Add(j, probabilities[i])
		}
		e.Add(int32(n), c.excess)
		e.EndState()
	}
	e.EndState()
	return e
}
