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
		moves := evaluate.NewChain(team, model, policy).Chain
		c.moves = &moves
	}
	c.excess = stop / (1 - stop)
}

// NumTransitions returns the number of transitions to other states.
func (c *Chain) NumTransitions() int { return len(c.moves.Columns) }

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
