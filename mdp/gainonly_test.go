package mdp_test

// Relative values that are not asked for, and digits beyond float64.

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A fair gambler with s of 100 reaches 100, where each step earns 1, with probability s/100.
func TestGainOnly(t *testing.T) {
	const goal = 100
	var builder mdp.TableBuilder
	for s := range goal + 1 {
		builder.AddState()
		builder.AddAction(float64(s / goal))
		if s == 0 || s == goal {
			builder.AddTransition(s, 1)
			continue
		}
		builder.AddTransition(s-1, 0.5)
		builder.AddTransition(s+1, 0.5)
	}
	table, err := builder.Build()
	require.NoError(t, err)
	for _, gainOnly := range []bool{false, true} {
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{Sense: mdp.Maximize, GainOnly: gainOnly}, mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, gainOnly, result.Bias == nil)
		for s := range goal + 1 {
			assert.InDelta(t, float64(s)/goal, result.Optimum(s), 1e-12)
		}
	}
}

// On a cycle of n steps of which the first costs 1, the value after s steps is β^(n−s)/(1−β^n), or
// 1/(1−β^n) for s = 0. Sweeps in float64 know it to within some 2⁻⁵³/(1−β), 10⁻¹⁰.
func TestStepsBeyondFloat64(t *testing.T) {
	const n, leave, tolerance = 100, 1e-6, 1e-13
	var builder mdp.TableBuilder
	for s := range n {
		builder.AddState()
		builder.AddAction(float64(1 - min(s, 1)))
		builder.AddTransition((s+1)%n, 1)
	}
	table, err := builder.Build()
	require.NoError(t, err)
	criterion := mdp.Discounted{Discount: 1 - leave, Complement: leave}
	result, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.InexactPolicyIteration, Tolerance: tolerance})
	require.NoError(t, err)
	for s := range n {
		steps := float64((n - s) % n)
		want := math.Exp(steps*math.Log1p(-leave)) / -math.Expm1(n*math.Log1p(-leave))
		lower, upper := result.Bounds(s)
		assert.LessOrEqual(t, lower, want*(1+1e-14), "state %d", s)
		assert.GreaterOrEqual(t, upper, want*(1-1e-14), "state %d", s)
	}
}
