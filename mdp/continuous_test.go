package mdp_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// lossQueue is M/M/1/K, in which each customer who is turned away costs 1, uniformized
// at a rate.
func lossQueue(lambda, mu float64, k int, rate float64) (*mdp.Table, error) {
	b := mdp.TableBuilder{Rate: rate}
	for range k + 1 {
		n := b.AddState()
		b.AddAction(0)
		b.AddEvent(min(n+1, k), lambda)
		if n == k {
			b.AddCost(lambda)
		}
		if n > 0 {
			b.AddEvent(n-1, mu)
		}
	}
	return b.Build()
}

// The rate of loss is λ·(1 − ρ)·ρ^K/(1 − ρ^(K+1)), at any uniformization rate.
func TestEventsAgainstTheLossFormula(t *testing.T) {
	for _, test := range []struct {
		lambda, mu float64
		k          int
	}{{1, 2, 1}, {1, 2, 5}, {3, 1, 4}, {0.3, 7, 20}, {1e-6, 1e6, 3}} {
		rho := test.lambda / test.mu
		want := test.lambda * (1 - rho) * math.Pow(rho, float64(test.k)) / (1 - math.Pow(rho, float64(test.k+1)))
		for _, factor := range []float64{1, 1.5, 10} {
			least := test.lambda + test.mu
			if test.k == 1 {
				least = max(test.lambda, test.mu) // no state has both
			}
			model, err := lossQueue(test.lambda, test.mu, test.k, factor*least)
			require.NoError(t, err)
			evaluation, err := mdp.Evaluate(context.Background(), model, make([]int32, model.NumStates()))
			require.NoError(t, err)
			assert.InEpsilon(t, want, evaluation.Gain[0], 1e-12)
		}
	}
}

// Bias is in units of cost: it does not depend on the rate either.
func TestBiasDoesNotDependOnTheRate(t *testing.T) {
	bias := func(factor float64) []float64 {
		model, err := lossQueue(1, 2, 6, factor*3)
		require.NoError(t, err)
		evaluation, err := mdp.Evaluate(context.Background(), model, make([]int32, 7))
		require.NoError(t, err)
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
		require.NoError(t, err)
		for s, h := range result.Bias {
			assert.InDelta(t, evaluation.Bias[s]-evaluation.Bias[0], h, 1e-9)
		}
		return evaluation.Bias
	}
	assert.InDeltaSlice(t, bias(1), bias(8), 1e-13)
}

func TestUniformizationRateTooSmall(t *testing.T) {
	_, err := lossQueue(1, 2, 5, 2.5)
	require.ErrorIs(t, err, mdp.ErrRate)
	var fault *mdp.ModelError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, [2]string{"1", "0"}, [2]string{fault.State, fault.Action})
	assert.ErrorContains(t, err, "rate 3, more than the uniformization rate 2.5")
}
