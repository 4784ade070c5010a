package mdp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// cutAt is a table that is swept in other blocks than its own.
type cutAt struct {
	*mdp.Table
	cuts []int
}

func (c cutAt) Blocks() []int { return c.cuts }

// Cuts do not change the result, for blocks of any size: two states that stay at cost
// 1/3 a step, and two at 1/3000.
func TestResultsDoNotDependOnBlocks(t *testing.T) {
	rows := [][][]mdp.Entry{{{goTo(0, 1)}}, {{goTo(1, 1)}}, {{goTo(2, 1)}}, {{goTo(3, 1)}}}
	table := tableOfRows(t, rows, func(s, _ int) float64 { return []float64{1, 1e-3, 1, 1e-3}[s] / 3 })
	for _, method := range []mdp.Method{mdp.ValueIteration, mdp.ModifiedPolicyIteration, mdp.InexactPolicyIteration} {
		for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
			solve := func(cuts ...int) *mdp.Result {
				result, err := mdp.Solve(context.Background(), cutAt{table, cuts}, mdp.Discounted{Discount: 0.9, Sense: sense}, mdp.Settings{Method: method})
				assert.NotNil(t, result, "%v: %v", method, err)
				result.Elapsed = 0
				return result
			}
			whole := solve(0, 4)
			for s, cost := range []float64{1, 1e-3, 1, 1e-3} {
				assert.InDelta(t, cost/3/(1-0.9), whole.Optimum(s), 1e-8)
			}
			assert.Equal(t, whole, solve(0, 1, 2, 3, 4), "%v, %v", method, sense)
			assert.Equal(t, whole, solve(0, 1, 4), "%v, %v", method, sense)
		}
	}
}
