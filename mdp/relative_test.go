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

// naiveSweep returns h + τ·(T h − h) and the extremes of T h − h, row by row.
func naiveSweep(model mdp.Explicit, h []float64, damping float64) (next []float64, least, greatest float64) {
	next = make([]float64, len(h))
	least, greatest = math.Inf(1), math.Inf(-1)
	for s := range h {
		best := math.Inf(1)
		for a := range model.NumActions(s) {
			row, value := model.AppendRow(nil, s, a)
			for _, e := range row {
				value += e.Probability * h[e.State]
			}
			best = min(best, value)
		}
		d := best - h[s]
		next[s] = h[s] + damping*d
		least, greatest = min(least, d), max(greatest, d)
	}
	return next, least, greatest
}

func TestRelativeValueIterationAgainstNaiveSweeps(t *testing.T) {
	trials(t, 60, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, structure(random.IntN(int(structures))), plain)
		start := make([]float64, table.NumStates())
		for s := range start {
			start[s] = float64(random.IntN(20))
		}
		h := start
		const rounds = 12
		round, lower, upper := 0, math.Inf(-1), math.Inf(1)
		result, err := mdp.Solve(context.Background(), backupOnly{table}, mdp.LongRunAverage{}, mdp.Settings{ // a table might be divided
			Method:        mdp.RelativeValueIteration,
			Tolerance:     1e-300,
			MaxIterations: rounds,
			Values:        start,
			Record: func(p mdp.Progress) error {
				round++
				assert.Equal(t, round, p.Iteration)
				var least, greatest float64
				h, least, greatest = naiveSweep(table, h, 0.9)
				assert.InDelta(t, least, p.Lower, 1e-12)
				assert.InDelta(t, greatest, p.Upper, 1e-12)
				assert.GreaterOrEqual(t, p.Lower, lower-1e-12, "bounds move apart")
				assert.LessOrEqual(t, p.Upper, upper+1e-12, "bounds move apart")
				lower, upper = p.Lower, p.Upper
				return nil
			},
		})
		require.NotNil(t, result, "%v", err)
		for s := range h[:min(len(h), result.Iterations*len(h))] {
			assert.InDelta(t, h[s]-h[0], result.Bias[s], 1e-12)
		}
	})
}

// A cycle of three states has period 3. Undamped, its values would go round for ever.
func TestDampingBreaksPeriods(t *testing.T) {
	cycle := chainOf(t, [][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, []float64{6, 0, 0})
	result, err := mdp.Solve(context.Background(), cycle, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 3000})
	require.NoError(t, err)
	assert.InEpsilon(t, 2, result.Gain, 1e-9)
}

// Values of the solution make the first sweep the last.
func TestWarmStart(t *testing.T) {
	table := birthDeath(t, 50, func(int) (up, down float64) { return 0.25, 0.5 })
	arrays := tableArrays(table)
	for s := range arrays.Costs {
		arrays.Costs[s] = float64(s)
	}
	for _, rate := range []float64{0, 64} { // values are in units of cost, not of steps
		arrays.Rate = rate
		table, err := mdp.NewTable(arrays)
		require.NoError(t, err)
		settings := mdp.Settings{Method: mdp.RelativeValueIteration, Tolerance: 1e-8}
		cold, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
		require.NoError(t, err)
		assert.Greater(t, cold.Iterations, 100)
		settings.Values = cold.Bias
		warm, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
		require.NoError(t, err)
		assert.Equal(t, 1, warm.Iterations)

		swept := sweptOnce(t, table, cold.Bias, 1)
		assert.InEpsilon(t, cold.Lower, swept.Lower, 1e-8)
		assert.InEpsilon(t, cold.Upper, swept.Upper, 1e-8)
		evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: cold.Policy})
		require.NoError(t, err)
		for s, h := range cold.Bias {
			assert.InDelta(t, evaluation.Bias[s]-evaluation.Bias[0], h, 1e-5*evaluation.Bias[49])
		}
	}
}

// Where nothing costs anything the bounds are 0, of models that do not list rows, too.
func TestNoCostsWithoutRows(t *testing.T) {
	model := backupOnly{buildTable(t, func(b *mdp.TableBuilder) {
		for s := range 3 {
			b.AddState()
			for action := range 2 {
				b.AddAction(0)
				b.AddTransition((s+1)%3, 0.5)
				b.AddTransition((s+action)%3, 0.5)
			}
		}
	})}
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9}} {
		result, err := mdp.Solve(context.Background(), model, criterion, mdp.Settings{})
		require.NoError(t, err)
		for s := range 3 {
			lower, upper := result.Bounds(s)
			assert.Equal(t, [2]float64{}, [2]float64{lower, upper})
		}
	}
}
