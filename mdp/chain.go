package mdp

import "fmt"

// chain is the Markov chain that a policy makes of a model: the off-diagonal
// part of its transition matrix, and its costs.
type chain struct {
	graph
	probabilities []float64 // of the edges of graph
	costs         []float64
}

// newChain lists the rows of the policy.
func newChain(model Explicit, policy []int32) *chain {
	n := model.NumStates()
	c := &chain{graph: graph{start: make([]int, 1, n+1)}, costs: make([]float64, n)}
	var row []Entry
	for s := range n {
		row, c.costs[s] = model.AppendRow(row[:0], s, int(policy[s]))
		for _, e := range row {
			if int(e.State) != s && e.Probability > 0 {
				c.columns = append(c.columns, e.State)
				c.probabilities = append(c.probabilities, e.Probability)
			}
		}
		c.start = append(c.start, len(c.columns))
	}
	return c
}

// row returns the off-diagonal successors of s with their probabilities.
func (c *chain) row(s int32) ([]int32, []float64) {
	lo, hi := c.start[s], c.start[s+1]
	return c.columns[lo:hi], c.probabilities[lo:hi]
}

// checkPolicy returns an error unless the policy names an action of each state.
func checkPolicy(model Explicit, policy []int32) error {
	if len(policy) != model.NumStates() {
		return fmt.Errorf("mdp: policy of length %d found; %d, the number of states, is allowed", len(policy), model.NumStates())
	}
	for s, a := range policy {
		if n := model.NumActions(s); a < 0 || int(a) >= n {
			return fmt.Errorf("mdp: policy: action %d of state %d found; 0 … %d are allowed", a, s, n-1)
		}
	}
	return nil
}
