package mdp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A cost of 10⁶ in a state that is entered with probability ε = 2⁻²⁰ from three
// states of n, and left for each of them with 1/3. The others move by one of four
// permutations, of which one keeps the three where they are and lends them ε. So all n
// states are visited equally often, the rare one 3ε times as often as one of them, and
// the mean cost is 10⁶·3ε/(n+3ε), for numbers as they are or rounded.
func TestAverageOfARareEvent(t *testing.T) {
	const n, rare, epsilon = 20_000, 20_000, 0x1p-20
	random := rand.New(rand.NewPCG(1, 1))
	moves := [4][]int{}
	for i := range moves {
		moves[i] = random.Perm(n)
	}
	for s := range 3 { // the first permutation keeps 0, 1 and 2
		for j, to := range moves[0] {
			if to == s {
				moves[0][j], moves[0][s] = moves[0][s], s
				break
			}
		}
	}
	table := buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n {
			b.AddState()
			b.AddAction(0)
			for i := range moves {
				p := 0.25
				if i == 0 && s < 3 {
					p -= epsilon
					b.AddTransition(rare, epsilon)
				}
				b.AddTransition(moves[i][s], p)
			}
		}
		b.AddState()
		b.AddAction(1e6)
		for s := range 3 {
			b.AddTransition(s, 1.0/3)
		}
	})
	for name, model := range map[string]mdp.Model{"exact": table, "rounded": mdp.Rounded{Table: table}} {
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
		require.NoError(t, err, name)
		assert.InEpsilon(t, 1e6*3*epsilon/(n+3*epsilon), result.Gain, 1e-10, name)
		assert.LessOrEqual(t, result.Upper-result.Lower, 1e-9*result.Lower, name)
		assert.Contains(t, result.Method, "inexact", "elimination is too much")
	}
}
