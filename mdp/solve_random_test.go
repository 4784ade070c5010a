package mdp_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// What Solve promises holds on every model, against the gains of all policies
// in exact arithmetic.
func TestSolveAgainstAllPoliciesExactly(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		structure := structure(random.IntN(int(structures)))
		scale := scale(random.IntN(int(scales)))
		tolerance := []float64{0, 1e-6, 1e-12}[random.IntN(3)]
		table := randomTable(t, random, structure, scale)
		exact := newExactModel(table)
		gains := exact.optimalGains()

		solve := func(name string, model mdp.Model, method mdp.Method) *mdp.Result {
			settings := mdp.Settings{Method: method, Tolerance: tolerance, MaxIterations: 3000}
			result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
			label := fmt.Sprintf("%s, %v, %v, tolerance %g", name, structure, scale, tolerance)
			require.NotNil(t, result, "%s: %v", label, err)
			assertHonest(t, label, result, err, settings)
			assertEncloses(t, label, result, gains, exact.chain(result.Policy).gains())
			statuses[fmt.Sprintf("%s: %v, %v: %v", name, structure, scale, result.Status)]++
			return result
		}
		solve("table, value iteration", table, mdp.RelativeValueIteration)
		solve("backup only, value iteration", backupOnly{table}, mdp.RelativeValueIteration)
		solve("backup only, chosen", backupOnly{table}, 0)
		solve("table, chosen", table, 0)
		solve("table, policy iteration", table, mdp.PolicyIteration)
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}

// assertEncloses checks that the bounds of each state hold for its exact optimum,
// and for what the policy achieves; nil is +Inf.
func assertEncloses(t *testing.T, label string, result *mdp.Result, optimum, achieved []*big.Rat) {
	t.Helper()
	for s := range optimum {
		assertStateEncloses(t, label, result, s, optimum[s], achieved[s])
	}
}

// compare compares x with y, nil being +Inf.
func compare(x float64, y *big.Rat) int {
	switch {
	case y == nil && math.IsInf(x, 1):
		return 0
	case y == nil || math.IsInf(x, -1):
		return -1
	case math.IsInf(x, 1):
		return 1
	}
	return rational(x).Cmp(y)
}

// assertHonest checks that bounds, gain, status and error agree.
func assertHonest(t *testing.T, label string, result *mdp.Result, err error, settings mdp.Settings) {
	t.Helper()
	assert.LessOrEqual(t, result.Lower, result.Gain, label)
	assert.LessOrEqual(t, result.Gain, result.Upper, label)
	met := true
	if settings.Tolerance == 0 {
		settings.Tolerance = mdp.DefaultTolerance
	}
	for s := range result.Policy {
		lower, upper := result.Bounds(s)
		met = met && mdp.Within(lower, upper, result.Scale(s), settings.Tolerance)
	}
	switch result.Status {
	case mdp.Converged:
		require.NoError(t, err, label)
		assert.True(t, met, "%s: converged with bounds %v and %v", label, result.Lower, result.Upper)
	case mdp.IterationLimit:
		require.ErrorIs(t, err, mdp.ErrIterationLimit, label)
		assert.GreaterOrEqual(t, result.Iterations, settings.MaxIterations, label)
		assert.False(t, met, label)
	case mdp.PrecisionLimit:
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit, label)
		assert.False(t, met, label)
	default:
		assert.Fail(t, "unexpected status", "%s: %v, %v", label, result.Status, err)
	}
}
