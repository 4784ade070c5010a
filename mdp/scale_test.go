package mdp_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Values near 0 of costs that may cancel converge by their scale, whose proof holds in fractions: h ≤ |c| + β·P·h
// under the policy, with the probability of staying that the others leave.
func TestScaleOfValuesNearZero(t *testing.T) {
	scaled := 0
	trials(t, 60, func(t *testing.T, random *rand.Rand) {
		const n = 150
		table := buildTable(t, func(b *mdp.TableBuilder) {
			for s := range n {
				b.AddState()
				for range 1 + random.IntN(20)/19 {
					if random.IntN(3) == 0 && s > 0 {
						b.AddAction(float64(random.IntN(3) - 1))
					} else {
						b.AddAction(0)
					}
					p := []float64{0.5, random.Float64()}[random.IntN(2)]
					b.AddTransition(max(s-1-random.IntN(9), 0), p)
					b.AddTransition([]int{s, max(s-1, 0), min(s+1, n-1)}[random.IntN(3)], 1-p)
				}
			}
		})
		discount, criterion := 1.0, mdp.Criterion(mdp.TotalCost{Target: []int32{0}})
		if i := random.IntN(4); i > 0 {
			discount = []float64{0.5, 0.9, 0.99}[i-1]
			criterion = mdp.Discounted{Discount: discount}
		}
		settings := mdp.Settings{Tolerance: []float64{1e-3, 1e-6, 1e-12}[random.IntN(3)]}
		result, err := mdp.Solve(context.Background(), table, criterion, settings)
		require.NoError(t, err)
		if result.Proof().Scale == nil {
			return
		}
		scaled++
		h := result.Proof().Scale.Value
		at := func(s int) *big.Rat { return new(big.Rat).Add(rational(h.High[s]), rational(h.Low[s])) }
		for s := range n {
			if discount == 1 && s == 0 {
				assert.Zero(t, result.Scale(s))
				continue
			}
			row, cost := table.AppendRow(nil, s, int(result.Policy[s]))
			sum := rational(cost)
			sum.Abs(sum)
			for _, e := range row {
				change := new(big.Rat).Sub(at(int(e.State)), at(s))
				sum.Add(sum, change.Mul(change, new(big.Rat).Mul(rational(e.Probability), rational(discount))))
			}
			level := new(big.Rat).Sub(big.NewRat(1, 1), rational(discount))
			assert.GreaterOrEqual(t, sum.Cmp(level.Mul(level, at(s))), 0, "state %d", s)
			assert.LessOrEqual(t, rational(result.Scale(s)).Cmp(at(s)), 0, "state %d", s)
		}
	})
	assert.Positive(t, scaled)
}
