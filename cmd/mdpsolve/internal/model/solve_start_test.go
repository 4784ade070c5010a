package model

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/mdp/results"
)

// Slices that are too short to do anything become longer, iterations add up to no more
// than the limit, and the file has the result of the last slice but one.
func TestSolveInSlices(t *testing.T) {
	t.Chdir(t.TempDir())
	model, err := mdpio.ReadFile(chainFile(t, 100), mdpio.Options{})
	require.NoError(t, err)
	arrays, err := model.TableArrays("cost")
	require.NoError(t, err)
	table, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	for _, limit := range []int{0, 500} {
		s := &solution{model: model, question: question{criterion: criterionAverage}, rate: 1}
		s.structure, err = structureOf(context.Background(), table)
		require.NoError(t, err)
		slices, sum, last := 0, 0, 0
		m := ui.Method{Checkpoint: "so-far"}
		m.Settings.Method, m.Settings.MaxIterations = mdp.RelativeValueIteration, limit
		m.Settings.Record = func(p mdp.Progress) error {
			assert.Equal(t, last+1, p.Iteration)
			last = p.Iteration
			return nil
		}
		err = s.solveInSlices(m, time.Nanosecond, func(settings mdp.Settings) error {
			if slices++; slices > 1 {
				before, err := results.ReadFile("so-far")
				require.NoError(t, err)
				assert.Equal(t, "time-limit", before.Status)
				assert.Equal(t, sum, before.Iterations)
				assert.Equal(t, before.Policy, settings.Policy)
				assert.Equal(t, before.Relative, settings.Values)
			}
			result, _ := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
			sum += result.Iterations
			s.keep(result, 1e-9)
			return nil
		})
		require.NoError(t, err)
		assert.Greater(t, slices, 2)
		assert.Equal(t, sum, s.result.Iterations)
		if limit == 0 {
			assert.Equal(t, mdp.Converged, s.status)
			assert.InEpsilon(t, 0.01, s.result.Value, 1e-9)
		} else {
			assert.Equal(t, mdp.IterationLimit, s.status)
			assert.Equal(t, limit, sum)
		}
	}
}
