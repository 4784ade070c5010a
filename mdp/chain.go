package mdp

import (
	"fmt"
	"slices"
)

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

// entering returns the chain with every transition turned around; costs are
// left out.
func (c *chain) entering() *chain {
	n := c.numStates()
	start := make([]int, n+1)
	for _, j := range c.columns {
		start[j+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	e := &chain{graph: graph{start: start, columns: make([]int32, len(c.columns))}, probabilities: make([]float64, len(c.columns))}
	fill := slices.Clone(start[:n])
	for s := range int32(n) {
		columns, probabilities := c.row(s)
		for i, j := range columns {
			e.columns[fill[j]], e.probabilities[fill[j]] = s, probabilities[i]
			fill[j]++
		}
	}
	return e
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
