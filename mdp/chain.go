package mdp

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// chain is the Markov chain that a policy makes of a model, and its costs.
type chain struct {
	graph.Chain
	costs []float64
}

// newChain lists the rows of the policy.
func newChain(model Explicit, policy []int32) *chain {
	n := model.NumStates()
	c := &chain{Chain: *graph.NewChain(n), costs: make([]float64, n)}
	var row []Entry
	for s := range n {
		row, c.costs[s] = model.AppendRow(row[:0], s, int(policy[s]))
		for _, e := range row {
			if int(e.State) != s && e.Probability > 0 {
				c.Add(e.State, e.Probability)
			}
		}
		c.EndState()
	}
	return c
}

// checkPolicy returns an error unless the policy names an action of each state.
func checkPolicy(model Explicit, policy []int32) error {
	if len(policy) != model.NumStates() {
		return fmt.Errorf("mdp: a policy of length %d is not valid: the model has %d states", len(policy), model.NumStates())
	}
	for s, a := range policy {
		if n := model.NumActions(s); a < 0 || int(a) >= n {
			return fmt.Errorf("mdp: policy: action %d of state %d is not valid: use 0 … %d", a, s, n-1)
		}
	}
	return nil
}
