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

// inexactMethods are inexact policy iteration itself, and its steps from the
// start with each way to evaluate.
var inexactMethods = []mdp.Method{mdp.InexactPolicyIteration, mdp.Stepping, mdp.SteppingIterative}

// What is promised holds on every model, against the gains of all policies in
// exact arithmetic.
func TestInexactAverageAgainstAllPoliciesExactly(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		structure := structure(random.IntN(int(structures)))
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		exact := newExactModel(table)
		gains := exact.optimalGains()
		for _, method := range inexactMethods {
			label := fmt.Sprintf("%T%+v, %v, %v", method, method, structure, scale)
			settings := mdp.Settings{Method: method, MaxIterations: 300}
			result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
			require.NotNil(t, result, "%s: %v", label, err)
			assertHonest(t, label, result, err, settings)
			assertEncloses(t, label, result, gains, exact.chain(result.Policy).gains())
			chosen, _ := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{MaxIterations: 300})
			if result.Status != mdp.Converged && chosen.Status == mdp.Converged {
				t.Log(t.Name(), label, result.Status, result.Iterations, result.Lower, result.Upper, gains, table.NumStates())
			}
			statuses[fmt.Sprintf("%s: %v", label, result.Status)]++
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}

// The same for discounted costs.
func TestInexactDiscountedAgainstAllPoliciesExactly(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		structure := structure(random.IntN(int(structures)))
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		discount := []float64{0.1, 0.9, 0.9999, 1 - 0x1p-20}[random.IntN(4)]
		exact := newExactModel(table).discounted(discount)
		end := make([]bool, len(exact.rows))
		end[len(end)-1] = true
		best := map[mdp.Sense][]*big.Rat{}
		best[mdp.Minimize], _ = exact.leastTotals(end)
		best[mdp.Maximize] = exact.greatestTotals(end)
		for _, method := range inexactMethods {
			for sense, optimum := range best {
				label := fmt.Sprintf("%T, %v, %v, %v, %v", method, structure, scale, discount, sense)
				settings := mdp.Settings{Method: method, MaxIterations: 300}
				result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: discount, Sense: sense}, settings)
				require.NotNil(t, result, "%s: %v", label, err)
				require.Equal(t, err == nil, result.Status == mdp.Converged, label)
				for s, want := range optimum[:table.NumStates()] {
					lower, upper := result.Bounds(s)
					require.LessOrEqual(t, compare(lower, want), 0, label)
					require.GreaterOrEqual(t, compare(upper, want), 0, label)
				}
				statuses[fmt.Sprintf("%T, %v: %v", method, discount, result.Status)]++
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}
