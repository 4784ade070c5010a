package mdp_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// discounted returns the model with one more state, in which the process ends,
// in each step with the probability that the discount leaves.
func (m *exactModel) discounted(discount float64) *exactModel {
	n := len(m.rows)
	beta := rational(discount)
	d := &exactModel{rows: make([][][]*big.Rat, n+1), costs: append(slices.Clone(m.costs), zeros(1))}
	for s, rows := range m.rows {
		for _, row := range rows {
			scaled := zeros(n + 1)
			scaled[n].Sub(big.NewRat(1, 1), beta)
			for j, p := range row {
				scaled[j].Mul(p, beta)
			}
			d.rows[s] = append(d.rows[s], scaled)
		}
	}
	d.rows[n] = [][]*big.Rat{zeros(n + 1)}
	d.rows[n][0][n].SetInt64(1)
	return d
}

// Every method for discounted costs, in both senses, against all policies in
// exact arithmetic.
func TestDiscountedAgainstAllPoliciesExactly(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		structure := structure(random.IntN(int(structures)))
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		discount := []float64{0.1, 0.5, 0.9, 0.99, 1 - 0x1p-20}[random.IntN(5)]
		exact := newExactModel(table).discounted(discount)
		end := make([]bool, len(exact.rows))
		end[len(end)-1] = true
		best := map[mdp.Sense][]*big.Rat{}
		best[mdp.Minimize], _ = exact.leastTotals(end)
		best[mdp.Maximize] = exact.greatestTotals(end)
		for _, method := range []mdp.Method{0, mdp.PolicyIteration, mdp.ValueIteration, mdp.ModifiedPolicyIteration} {
			for sense, optimum := range best {
				settings := mdp.Settings{Method: method, MaxIterations: 3000}
				result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: discount, Sense: sense}, settings)
				label := fmt.Sprintf("%v, %v, %v, %v, %v", method, structure, scale, discount, sense)
				require.NotNil(t, result, "%s: %v", label, err)
				require.Equal(t, err == nil, result.Status == mdp.Converged, label)
				achieved := exact.chain(append(slices.Clone(result.Policy), 0)).total(end)
				if sense == mdp.Maximize {
					for s := range result.Policy {
						lower, _ := result.Bounds(s)
						require.LessOrEqual(t, compare(lower, achieved[s]), 0, "%s: the policy earns %v in state %d", label, achieved[s], s)
					}
					achieved = optimum // the upper bound is on the optimum alone
				}
				assertEncloses(t, label, result, optimum[:table.NumStates()], achieved)
				statuses[fmt.Sprintf("%v: %v", method, result.Status)]++
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}
