package mdp

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// stoppingChain is the chain of a policy that in each step may stop, else goes on
// as the model does. Its equations (I − (1−s)·P)·x = b are solved in the form
//
//	(I − P + s/(1−s)·I)·x = b/(1−s),
//
// in which P does not depend on the probability s of stopping.
type stoppingChain struct {
	chain  *graph.Chain
	policy []int32
	excess float64 // s/(1−s)
}

// follow makes it the chain of a policy.
func (c *stoppingChain) follow(model Explicit, policy []int32, stop float64, sweeper *sweeper) {
	if c.chain == nil || !slices.Equal(c.policy, policy) {
		c.policy = append(c.policy[:0], policy...)
		c.chain = listRows(model, policy, sweeper)
	}
	c.excess = stop / (1 - stop)
}

// listRows returns the chain of a policy made block by block.
func listRows(model Explicit, policy []int32, sweeper *sweeper) *graph.Chain {
	c := &graph.Chain{Graph: graph.Graph{Start: make([]int, model.NumStates()+1)}}
	parts := make([]graph.Chain, len(sweeper.least))
	sweeper.blocks(func(block, lo, hi int) {
		p := &parts[block]
		var row []Entry
		for s := lo; s < hi; s++ {
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
	sweeper.blocks(func(block, lo, hi int) {
		copy(c.Columns[first[block]:], parts[block].Columns)
		copy(c.Probabilities[first[block]:], parts[block].Probabilities)
		for s := lo; s < hi; s++ {
			c.Start[s+1] += first[block]
		}
	})
	return c
}

// countTransitions counts the entries of all rows.
func countTransitions(model Explicit) int {
	if table, ok := tableOf(model); ok {
		return table.NumTransitions()
	}
	count := 0
	var row []Entry
	for s := range model.NumStates() {
		for a := range model.NumActions(s) {
			row, _ = model.AppendRow(row[:0], s, a)
			count += len(row)
		}
	}
	return count
}
