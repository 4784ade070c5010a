package answer_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// randomSteps draws a policy for each step, which is randomised in some states and steps.
func randomSteps(random *rand.Rand, m *modelfile.Model, steps int) (p mdp.Policy) {
	for range steps {
		step := mdp.Policy{Start: []int32{0}}
		for s := range m.NumStates() {
			n := int32(m.NumActions(s))
			if a := random.Int32N(n); n == 1 || random.IntN(2) == 0 {
				step.Actions, step.Probabilities = append(step.Actions, a), append(step.Probabilities, big.NewRat(1, 1))
			} else {
				x := big.NewRat(1+random.Int64N(6), 7)
				step.Actions = append(step.Actions, a, (a+1)%n)
				step.Probabilities = append(step.Probabilities, x, new(big.Rat).Sub(big.NewRat(1, 1), x))
			}
			step.Start = append(step.Start, int32(len(step.Actions)))
		}
		p.Steps = append(p.Steps, step)
	}
	return p
}

// TestRandomisedSteps evaluates policies that are randomised and change from step to step, and
// compares the values with the recursion of their definition in fractions, and with simulations.
func TestRandomisedSteps(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 37))
		m, q := randomMDP(random), randomHorizon(random)
		if q.Steps() < 2 {
			continue
		}
		p := randomSteps(random, m, q.Steps())
		f, err := answer.Follow(m, &p, q.On)
		require.NoError(t, err, "seed %d", seed)
		want := make([]*big.Rat, m.NumStates())
		for s := range want {
			want[s] = new(big.Rat)
			if f.Ending.Len() > 0 {
				want[s] = f.Ending.Rationals()[s]
			}
		}
		rewards, err := m.ExpectedRewards(f.Reward)
		require.NoError(t, err)
		costs, probabilities := rewards.Rationals(), m.Values.Rationals()
		for step := q.Steps() - 1; step >= 0; step-- {
			now := make([]*big.Rat, len(want))
			for s := range now {
				now[s] = new(big.Rat)
				own := p.Steps[step]
				for i := own.Start[s]; i < own.Start[s+1]; i++ {
					k, value := m.StateStart[s]+own.Actions[i], new(big.Rat)
					for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
						value.Add(value, new(big.Rat).Mul(probabilities[e], want[m.Columns[e]]))
					}
					value.Add(value.Mul(value, q.DiscountFactor()), costs[k])
					now[s].Add(now[s], value.Mul(value, own.Probabilities[i]))
				}
			}
			want = now
		}
		for _, exactly := range []bool{false, true} {
			found, err := answer.Evaluate(t.Context(), f, answer.Settings{Exactly: exactly})
			require.NoError(t, err, "seed %d", seed)
			r := found.Result
			for s, x := range want {
				lower, upper := new(big.Rat).SetFloat64(r.Lower[s]), new(big.Rat).SetFloat64(r.Upper[s])
				assert.True(t, lower.Cmp(x) <= 0 && x.Cmp(upper) <= 0, "seed %d, state %d: %s is not in [%v, %v]", seed, s, x, r.Lower[s], r.Upper[s])
				if exactly {
					assert.Zero(t, x.Cmp(r.Exact[s]), "seed %d, state %d", seed, s)
				}
			}
			report, err := certificate.Check(t.Context(), m, r, certificate.Options{Policy: &p})
			require.NoError(t, err, "seed %d", seed)
			assert.Equal(t, certificate.Holds, report.Verdict(), "seed %d", seed)
			for _, list := range [][]float64{r.Values, r.Lower, r.Upper} { // a false claim
				list[0]++
			}
			r.Value, r.Exact = r.Values[r.Initial], nil
			report, err = certificate.Check(t.Context(), m, r, certificate.Options{Policy: &p})
			require.NoError(t, err, "seed %d", seed)
			assert.Equal(t, certificate.Refuted, report.Verdict(), "seed %d", seed)
		}
		drawn, err := answer.Simulate(t.Context(), f, simulate.Settings{Replications: 300, Seed: seed, Confidence: 1 - 1e-6})
		require.NoError(t, err)
		_, lower, upper := drawn.Estimate()
		value, _ := want[m.Initial[0]].Float64()
		assert.True(t, lower-1e-9 <= value && value <= upper+1e-9, "seed %d: %v is not in [%v, %v]", seed, value, lower, upper)
	}
}
