package mdp_test

import (
	"context"
	"fmt"
	"maps"
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
		least, greatest := extremes(exact.optimalGains())

		solve := func(name string, model mdp.Model, method mdp.Method) *mdp.Result {
			settings := mdp.Settings{Method: method, Tolerance: tolerance, MaxRounds: 3000}
			result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, settings)
			label := fmt.Sprintf("%s, %v, %v, tolerance %g", name, structure, scale, tolerance)
			require.NotNil(t, result, "%s: %v", label, err)
			assertHonest(t, label, result, err, settings)
			assert.LessOrEqual(t, rational(result.Lower).Cmp(least), 0,
				"%s: lower bound %v above the optimal gain %v", label, result.Lower, float(least))
			assert.GreaterOrEqual(t, rational(result.Upper).Cmp(greatest), 0,
				"%s: upper bound %v below the optimal gain %v", label, result.Upper, float(greatest))
			_, worst := extremes(exact.chain(result.Policy).gains())
			assert.LessOrEqual(t, worst.Cmp(rational(result.Upper)), 0,
				"%s: the policy costs %v, more than %v", label, float(worst), result.Upper)
			statuses[fmt.Sprintf("%s: %v, %v: %v", name, structure, scale, result.Status)]++
			return result
		}
		solve("table, value iteration", table, mdp.RelativeValueIteration{})
		solve("backup only, value iteration", backupOnly{table}, mdp.RelativeValueIteration{})
		solve("backup only, chosen", backupOnly{table}, nil)
		solve("table, chosen", table, nil)
		if exact.communicating() {
			solve("table, policy iteration", table, mdp.PolicyIteration{})
			return
		}
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration{}})
		require.ErrorIs(t, err, mdp.ErrUnsupported)
		assert.Nil(t, result)
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}

// assertHonest checks what ties bounds, gain, status and error together.
func assertHonest(t *testing.T, label string, result *mdp.Result, err error, settings mdp.Settings) {
	t.Helper()
	assert.LessOrEqual(t, result.Lower, result.Gain, label)
	assert.LessOrEqual(t, result.Gain, result.Upper, label)
	met := settings.Met(result.Lower, result.Upper)
	switch result.Status {
	case mdp.Converged:
		require.NoError(t, err, label)
		assert.True(t, met, "%s: converged with bounds %v and %v", label, result.Lower, result.Upper)
	case mdp.IterationLimit:
		require.ErrorIs(t, err, mdp.ErrIterationLimit, label)
		assert.Equal(t, settings.MaxRounds, result.Rounds, label)
		assert.False(t, met, label)
	case mdp.PrecisionLimit:
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit, label)
		assert.False(t, met, label)
	default:
		assert.Fail(t, "unexpected status", "%s: %v, %v", label, result.Status, err)
	}
}
