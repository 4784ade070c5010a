package mdp_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

type (
	queueProblem = mdp.ContinuousProblem[int, string]
	queueEvents  = []mdp.Event[int]
)

// lossQueue is M/M/1/K, in which each customer who is turned away costs 1.
func lossQueue(lambda, mu float64, k int) queueProblem {
	return queueProblem{
		Start:   []int{0},
		Actions: func(dst []string, _ int) []string { return append(dst, "serve") },
		Events: func(dst queueEvents, n int, _ string) queueEvents {
			if n < k {
				dst = append(dst, mdp.Event[int]{State: n + 1, Rate: lambda})
			} else {
				dst = append(dst, mdp.Event[int]{State: n, Rate: lambda, Cost: 1})
			}
			if n > 0 {
				dst = append(dst, mdp.Event[int]{State: n - 1, Rate: mu})
			}
			return dst
		},
	}
}

// The rate of loss is λ·(1 − ρ)·ρ^K/(1 − ρ^(K+1)).
func TestUniformizeAgainstTheLossFormula(t *testing.T) {
	for _, test := range []struct {
		lambda, mu float64
		k          int
	}{{1, 2, 1}, {1, 2, 5}, {3, 1, 4}, {0.3, 7, 20}, {1e-6, 1e6, 3}} {
		rho := test.lambda / test.mu
		want := test.lambda * (1 - rho) * math.Pow(rho, float64(test.k)) / (1 - math.Pow(rho, float64(test.k+1)))
		for _, factor := range []float64{0, 1, 1.5, 10} { // of the least rate; 0 lets Uniformize find it
			least := test.lambda + test.mu
			if test.k == 1 {
				least = max(test.lambda, test.mu) // no state has both
			}
			problem, err := lossQueue(test.lambda, test.mu, test.k).Uniformize(context.Background(), factor*least)
			require.NoError(t, err)
			model, err := problem.Compile(context.Background())
			require.NoError(t, err)
			if factor <= 1 {
				assert.InEpsilon(t, least, model.Rate(), 1e-15)
			}
			evaluation, err := mdp.LongRun(context.Background(), model, mdp.Policy{Actions: make([]int32, model.NumStates())})
			require.NoError(t, err)
			assert.InEpsilon(t, want, evaluation.Gain[0], 1e-12)
		}
	}
}

// Bias is in units of cost: it does not depend on the rate either.
func TestBiasDoesNotDependOnTheRate(t *testing.T) {
	bias := func(factor float64) []float64 {
		problem, err := lossQueue(1, 2, 6).Uniformize(context.Background(), factor*3)
		require.NoError(t, err)
		model, err := problem.Compile(context.Background())
		require.NoError(t, err)
		evaluation, err := mdp.LongRun(context.Background(), model, mdp.Policy{Actions: make([]int32, 7)})
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
	_, err := lossQueue(1, 2, 5).Uniformize(context.Background(), 2.5)
	require.ErrorIs(t, err, mdp.ErrRate)
	var fault *mdp.ModelError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, [2]string{"1", "serve"}, [2]string{fault.State, fault.Action})
	assert.ErrorContains(t, err, "events leave the state at rate 3: use a uniformization rate of at least that, not 2.5")
}

func TestUniformizeRefusesBadRates(t *testing.T) {
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := lossQueue(1, 2, 5).Uniformize(context.Background(), rate)
		assert.ErrorIs(t, err, mdp.ErrRate, rate)
		for _, given := range []float64{0, 3} {
			var fault *mdp.ModelError
			_, err := lossQueue(1, rate, 5).Uniformize(context.Background(), given)
			require.ErrorIs(t, err, mdp.ErrRate, "event rate %v, rate %v", rate, given)
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, [2]string{"1", "serve"}, [2]string{fault.State, fault.Action})
		}
	}
}

// Cost rates and lump costs add up, an event of rate 0 never occurs, and a
// state that is never left needs no rate.
func TestUniformizeCosts(t *testing.T) {
	problem, err := queueProblem{
		Start:    []int{0},
		Actions:  func(dst []string, _ int) []string { return append(dst, "stay") },
		CostRate: func(int, string) float64 { return 5 },
		Events: func(dst queueEvents, _ int, _ string) queueEvents {
			return append(dst, mdp.Event[int]{State: 0, Rate: 3, Cost: 2}, mdp.Event[int]{State: 1})
		},
	}.Uniformize(context.Background(), 0)
	require.NoError(t, err)
	model, err := problem.Compile(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 1, model.NumStates())
	assert.Equal(t, 1.0, model.Rate())
	_, cost := model.AppendRow(nil, 0, 0)
	assert.Equal(t, 11.0, cost)
}

func TestUniformizeStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errEnough)
	_, err := lossQueue(1, 2, 5).Uniformize(ctx, 0)
	assert.ErrorIs(t, err, errEnough)
}

func TestUniformizeWithoutFunctionsPanics(t *testing.T) {
	assert.Panics(t, func() { _, _ = queueProblem{}.Uniformize(context.Background(), 1) })
}
