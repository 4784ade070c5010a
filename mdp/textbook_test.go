package mdp_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// choice is an action of a textbook model: dense probabilities, and rewards of
// the transitions or, if there is only one number, of the step.
type choice struct{ probabilities, rewards []float64 }

func (c choice) cost() float64 {
	if len(c.rewards) == 1 {
		return -c.rewards[0]
	}
	sum := 0.0
	for j, p := range c.probabilities {
		sum -= p * c.rewards[j]
	}
	return sum
}

func textbook(t *testing.T, states ...[]choice) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for _, choices := range states {
			b.AddState()
			for _, c := range choices {
				b.AddAction(c.cost())
				for j, p := range c.probabilities {
					b.AddTransition(j, p)
				}
			}
		}
	})
}

func solveBoth(t *testing.T, table *mdp.Table, gain float64, policy []int32) {
	t.Helper()
	for _, method := range bothMethods {
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: method})
		require.NoError(t, err)
		assert.InEpsilon(t, gain, result.Gain, 1e-9, method)
		assert.Equal(t, policy, result.Policy, method)
	}
}

// Howard (1960), chapter 4: to advertise and to do research, at 2 a week.
func TestToymaker(t *testing.T) {
	solveBoth(t, textbook(t,
		[]choice{{[]float64{0.5, 0.5}, []float64{9, 3}}, {[]float64{0.8, 0.2}, []float64{4, 4}}},
		[]choice{{[]float64{0.4, 0.6}, []float64{3, -7}}, {[]float64{0.7, 0.3}, []float64{1, -19}}},
	), -2, []int32{1, 1})
}

// Howard (1960), chapter 4: in each of three towns the driver goes to the
// stand (the second action), at 13.34 a trip.
func TestTaxicab(t *testing.T) {
	table := textbook(t,
		[]choice{
			{[]float64{1. / 2, 1. / 4, 1. / 4}, []float64{10, 4, 8}},
			{[]float64{1. / 16, 3. / 4, 3. / 16}, []float64{8, 2, 4}},
			{[]float64{1. / 4, 1. / 8, 5. / 8}, []float64{4, 6, 4}},
		},
		[]choice{
			{[]float64{1. / 2, 0, 1. / 2}, []float64{14, 0, 18}},
			{[]float64{1. / 16, 7. / 8, 1. / 16}, []float64{8, 16, 8}},
		},
		[]choice{
			{[]float64{1. / 4, 1. / 4, 1. / 2}, []float64{10, 2, 8}},
			{[]float64{1. / 8, 3. / 4, 1. / 8}, []float64{6, 4, 2}},
			{[]float64{3. / 4, 1. / 16, 3. / 16}, []float64{4, 0, 8}},
		},
	)
	gains := newExactModel(table).optimalGains()
	assert.Equal(t, "-1588/119", gains[0].RatString())
	solveBoth(t, table, -1588./119, []int32{1, 1, 1})
}

// Puterman (1994), Figure 3.1.1: every policy ends up in state 1, which earns
// −1 a step. The model is unichain and not communicating.
func TestTwoStatesThatEndInOne(t *testing.T) {
	table := textbook(t,
		[]choice{{[]float64{0.5, 0.5}, []float64{5}}, {[]float64{0, 1}, []float64{10}}},
		[]choice{{[]float64{0, 1}, []float64{-1}}},
	)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, "policy iteration", result.Method)
	assert.NotEmpty(t, result.Reason)
	assert.InEpsilon(t, 1, result.Gain, 1e-9)
	// h = c − g + P·h with h(1) = 0: −5 − 1 + h(0)/2 = −12 beats −10 − 1 = −11.
	assert.InDelta(t, 12, result.Bias[1], 1e-6)
	assert.Equal(t, []int32{0, 0}, result.Policy)

	_, err = mdp.Solve(context.Background(), backupOnly{table}, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
}

// assertGainOfPolicy compares the result with the exact gain of its policy.
func assertGainOfPolicy(t *testing.T, table *mdp.Table, result *mdp.Result, tolerance float64) {
	t.Helper()
	gain := newExactModel(table).chain(result.Policy).gains()[0]
	difference := float(new(big.Rat).Sub(rational(result.Gain), gain))
	assert.LessOrEqual(t, max(difference, -difference), tolerance*float(gain))
	assert.LessOrEqual(t, gain.Cmp(rational(result.Upper)), 0)
	assert.GreaterOrEqual(t, gain.Cmp(rational(result.Lower)), 0)
}
