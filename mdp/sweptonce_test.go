package mdp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Any values give bounds that hold, and a policy that keeps the upper bound.
func TestAnyValuesBound(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale(random.IntN(int(scales))))
		exact := newExactModel(table)
		least, greatest := extremes(exact.optimalGains())
		values := make([]float64, table.NumStates())
		for s := range values {
			values[s] = random.NormFloat64() * math.Pow(10, 20*random.Float64()-10)
		}
		for _, model := range []mdp.Model{table, backupOnly{table}} {
			swept := sweptOnce(t, model, values, 1)
			assert.LessOrEqual(t, rational(swept.Lower).Cmp(least), 0)
			assert.GreaterOrEqual(t, rational(swept.Upper).Cmp(greatest), 0)
			_, worst := extremes(exact.chain(swept.Policy).gains())
			assert.LessOrEqual(t, worst.Cmp(rational(swept.Upper)), 0)
		}
	})
}

// sweptOnce returns the result of one sweep over values: Solve, ended before its first
// iteration.
func sweptOnce(t *testing.T, model mdp.Model, values []float64, workers int) *mdp.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if table, ok := model.(*mdp.Table); ok {
		model = rounded{table, 0} // no Table, which might be divided
	}
	settings := mdp.Settings{Method: mdp.RelativeValueIteration, Values: values, Workers: workers, Tolerance: 1e-15} // which only bounds in double-double may meet
	result, err := mdp.Solve(ctx, model, mdp.LongRunAverage{}, settings)
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, result)
	return result
}

func TestBadStartValuesAreRefused(t *testing.T) {
	table := chainOf(t, [][]float64{{0, 1}, {1, 0}}, []float64{1, 2})
	for _, values := range [][]float64{{}, {1}, {1, 2, 3}, {math.NaN(), 0}, {math.Inf(1), 0}} {
		for _, model := range []mdp.Model{table, backupOnly{table}} {
			_, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{Values: values})
			require.ErrorContains(t, err, "Values")
		}
	}
}

// rounded is a table of rounded numbers, with a relative error.
type rounded struct {
	*mdp.Table
	err float64
}

func (r rounded) RelativeError() float64 { return r.err }

// Bounds on an approximate model hold for the model before rounding: here one whose
// costs and probabilities off the diagonal differ by up to a thousandth.
func TestBoundsOfInexactModels(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		scale := []scale{plain, signed, spread}[random.IntN(3)]
		table := randomTable(t, random, communicating, scale)
		exact := newExactModel(table)
		const bound = 1e-3
		for s := range exact.rows {
			for a, row := range exact.rows[s] {
				for _, x := range append(row, exact.costs[s][a]) {
					x.Mul(x, rational(1+bound*0.99*(2*random.Float64()-1)))
				}
			}
		}
		least, greatest := extremes(exact.optimalGains())
		result, err := mdp.Solve(context.Background(), rounded{table, bound}, mdp.LongRunAverage{},
			mdp.Settings{Method: mdp.PolicyIteration, Tolerance: 1e-2})
		require.NotNil(t, result, "%v", err)
		assert.LessOrEqual(t, rational(result.Lower).Cmp(least), 0)
		assert.GreaterOrEqual(t, rational(result.Upper).Cmp(greatest), 0)
	})
}

// empty is a faulty implementation.
type empty struct{ *mdp.Table }

func (empty) NumStates() int { return 0 }

func TestModelsWithoutStatesAreRefused(t *testing.T) {
	table := chainOf(t, [][]float64{{1}}, []float64{1})
	for _, model := range []mdp.Model{empty{table}, backupOnly{empty{table}}} {
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
		require.Error(t, err)
		assert.Nil(t, result)
	}
}
