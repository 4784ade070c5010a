package mdp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// tableOfRows returns a table of the rows of each action of each state.
func tableOfRows(t *testing.T, rows [][][]mdp.Entry, cost func(s, a int) float64) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s, actions := range rows {
			b.AddState()
			for a, row := range actions {
				b.AddAction(cost(s, a))
				for _, e := range row {
					b.AddTransition(int(e.State), e.Probability)
				}
			}
		}
	})
}

func goTo(j int32, p float64) mdp.Entry { return mdp.Entry{State: j, Probability: p} }

// A start policy does not replace the one that avoids the target for ever.
func TestStartPolicyKeepsWhatIsInfinite(t *testing.T) {
	table := tableOfRows(t, [][][]mdp.Entry{{{goTo(1, 1)}, {goTo(0, 1)}}, {{goTo(1, 1)}}}, func(int, int) float64 { return 1 })
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{1}, Sense: mdp.Maximize},
		mdp.Settings{Policy: []int32{0, 0}})
	require.NoError(t, err)
	assert.True(t, math.IsInf(result.Lower, 1))
	assert.EqualValues(t, 1, result.Policy[0])
}

// A start policy that goes round in circles for ever is not started from.
func TestStartPolicyThatNeverArrives(t *testing.T) {
	rows := [][][]mdp.Entry{{{goTo(1, 1)}, {goTo(2, 1)}}, {{goTo(0, 1)}, {goTo(2, 1)}}, {{goTo(2, 1)}}}
	costs := [][]float64{{1, 3}, {1, 5}, {0}}
	table := tableOfRows(t, rows, func(s, a int) float64 { return costs[s][a] })
	for _, start := range [][]int32{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}} {
		result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{2}}, mdp.Settings{Policy: start})
		require.NoError(t, err, start)
		assert.Equal(t, []int32{1, 0, 0}, result.Policy, start)
		for s, optimum := range []float64{3, 4, 0} {
			lower, upper := result.Bounds(s)
			assert.LessOrEqual(t, lower, optimum, start)
			assert.GreaterOrEqual(t, upper, optimum, start)
			assert.InDelta(t, optimum, upper, 1e-9, start)
		}
	}
}

// Overflow is an error.
func TestTotalThatOverflows(t *testing.T) {
	rows := [][][]mdp.Entry{{{goTo(1, 1)}, {goTo(0, 1-0x1p-30), goTo(1, 0x1p-30)}}, {{goTo(1, 1)}}}
	table := tableOfRows(t, rows, func(_, a int) float64 { return []float64{1, 1e300}[a] })
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{1}, Sense: mdp.Maximize}, mdp.Settings{})
	require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
	assert.True(t, math.IsInf(result.Upper, 1))
}

// The way from 1 to 2 and back costs −2 + 1. The cycle of the proof has no inequality that
// fails, and one that is strict.
func TestCycleProvesThatATotalHasNoBound(t *testing.T) {
	rows := [][][]mdp.Entry{{{goTo(0, 1)}}, {{goTo(0, 1)}, {goTo(2, 1)}}, {{goTo(0, 1)}, {goTo(1, 1)}}}
	costs := [][]float64{{0}, {3, -2}, {3, 1}}
	table := tableOfRows(t, rows, func(s, a int) float64 { return costs[s][a] })
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{0}}, mdp.Settings{})
	require.NoError(t, err)
	for s := 1; s <= 2; s++ {
		assert.True(t, math.IsInf(result.Optimum(s), -1), "state %d", s)
	}
	cycle := result.Proof().Cycle
	require.NotNil(t, cycle)
	falls := 0.0
	for s := 1; s <= 2; s++ {
		require.EqualValues(t, 1, cycle.Policy[s], "state %d", s)
		change := costs[s][1] + cycle.Value.High[3-s] - cycle.Value.High[s]
		assert.LessOrEqual(t, change, 0.0, "state %d", s)
		falls = min(falls, change)
	}
	assert.Negative(t, falls)
}

// Bounds around a cycle of costs 1 and −1 hold.
func TestCycleOfNoMeanCost(t *testing.T) {
	rows := [][][]mdp.Entry{{{goTo(0, 1)}}, {{goTo(2, 1)}, {goTo(0, 1)}}, {{goTo(1, 1)}}, {{goTo(0, 1)}, {goTo(1, 1)}}}
	costs := [][]float64{{0}, {1, 0}, {-1}, {1, 0}}
	table := tableOfRows(t, rows, func(s, a int) float64 { return costs[s][a] })
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{0}}, mdp.Settings{})
	require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
	for s, optimum := range []float64{0, 0, -1, 0} {
		lower, upper := result.Bounds(s)
		assert.LessOrEqual(t, lower, optimum)
		assert.GreaterOrEqual(t, upper, optimum)
	}
}

// On a line with two absorbing ends, graph algorithms that remove one state
// at a time would take minutes.
func TestLongLineWithTraps(t *testing.T) {
	const n = 100_000
	rows := make([][][]mdp.Entry, n)
	for s := range rows {
		rows[s] = [][]mdp.Entry{{goTo(int32(s-1), 0.5), goTo(int32(s+1), 0.5)}}
	}
	rows[0], rows[n-1] = [][]mdp.Entry{{goTo(0, 1)}}, [][]mdp.Entry{{goTo(n-1, 1)}}
	table := tableOfRows(t, rows, func(s, _ int) float64 {
		if s == n-1 {
			return 1
		}
		return 0
	})
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, 0.25, result.Optimum((n-1)/4), 1e-4)
	total, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{0}}, mdp.Settings{})
	require.NoError(t, err)
	assert.True(t, math.IsInf(total.Optimum(1), 1))
}

// A choice that may lead to a trap is lost, and with it the states that have no
// other: from state 0 no policy reaches the target with probability 1, so from state 3 only
// the expensive path counts.
func TestLosingChoicesAreForbidden(t *testing.T) {
	rows := [][][]mdp.Entry{
		{{goTo(1, 0.5), goTo(2, 0.5)}, {goTo(0, 1)}},
		{{goTo(1, 1)}},
		{{goTo(2, 1)}},
		{{goTo(0, 0.5), goTo(1, 0.5)}, {goTo(1, 1)}},
	}
	costs := [][]float64{{1, 1}, {0}, {1}, {1, 5}}
	table := tableOfRows(t, rows, func(s, a int) float64 { return costs[s][a] })
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{1}}, mdp.Settings{})
	require.NoError(t, err)
	for s, want := range []float64{math.Inf(1), 0, math.Inf(1), 5} {
		lower, upper := result.Bounds(s)
		assert.LessOrEqual(t, lower, want, "state %d", s)
		assert.GreaterOrEqual(t, upper, want, "state %d", s)
		assert.InDelta(t, want, result.Optimum(s), 1e-9, "state %d", s)
	}
	assert.EqualValues(t, 1, result.Policy[3])
}

// A cycle that has a positive mean cost in every model that the rounded one may stand for is
// not repeated for ever, even if the margins of the proof make its cost negative.
func TestCycleOfTinyPositiveCost(t *testing.T) {
	const relativeError, exit = 1e-3, 5
	rows := [][][]mdp.Entry{{{goTo(0, 1)}}, {{goTo(2, 1)}, {goTo(0, 1)}}, {{goTo(1, 1)}}}
	for _, mean := range []float64{0.0011, 0.002, 0.0028, 0.0035, 0.01, 0.4} {
		back := -1 + 2*mean
		table := tableOfRows(t, rows, func(s, a int) float64 { return [][]float64{{0}, {1, exit}, {back}}[s][a] })
		result, err := mdp.Solve(context.Background(), knownTo{table, relativeError}, mdp.TotalCost{Target: []int32{0}}, mdp.Settings{})
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit, "the costs are not known well enough")
		for s, want := range []float64{0, exit, back + exit} {
			lower, upper := result.Bounds(s)
			assert.LessOrEqual(t, lower, want, "mean %v, state %d", mean, s)
			assert.GreaterOrEqual(t, upper, want, "mean %v, state %d", mean, s)
			assert.Less(t, upper, 1.01*exit, "mean %v, state %d", mean, s)
		}
	}
}

// The target is in the model.
func TestTargetsOutsideTheModel(t *testing.T) {
	table := tableOfRows(t, [][][]mdp.Entry{{{goTo(1, 1)}}, {{goTo(1, 1)}}}, func(int, int) float64 { return 1 })
	for _, target := range [][]int32{{-1}, {2}, {1, -1}, {1, 2}, {math.MinInt32}, {math.MaxInt32}} {
		result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: target}, mdp.Settings{})
		require.ErrorContains(t, err, fmt.Sprintf("state %d is not valid: use 0 … 1", target[len(target)-1]))
		assert.Nil(t, result)
	}
}
