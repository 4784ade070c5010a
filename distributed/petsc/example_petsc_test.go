//go:build petsc

package petsc_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// lottery declares a model that lists its rows: in state s, work for a cost of 1 and move
// on, or wait at no cost. The last state wins 3 and leads to the first.
type lottery struct{ states int }

func (l lottery) NumStates() int     { return l.states }
func (l lottery) NumActions(int) int { return 2 }

func (l lottery) AppendRow(dst []mdp.Entry, s, a int) (row []mdp.Entry, cost float64) {
	switch {
	case a == 0:
		return append(dst, mdp.Entry{State: int32(s), Probability: 1}), 0
	case s == l.states-1:
		return append(dst, mdp.Entry{State: 0, Probability: 1}), -3
	}
	return append(dst, mdp.Entry{State: int32(s + 1), Probability: 1}), 1
}

// With three states a round costs 2 and wins 3: it earns 1/3 a step.
func ExampleSolve() {
	world, err := petsc.Start()
	if err != nil {
		panic(err)
	}
	defer world.Close()
	result, err := petsc.Solve(context.Background(), world, lottery{3}, mdp.LongRunAverage{}, petsc.Settings{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("cost %.4f a step, %v\n", result.Lower, result.Status)
	// Output: cost -0.3333 a step, converged
}

// A program may solve one model after another, also after an interruption.
func TestModelsOfDifferentSizes(t *testing.T) {
	world, err := petsc.Start()
	require.NoError(t, err)
	for _, n := range []int{16, 12} {
		model, err := robots.NewModel(robots.Parameters{Robots: n, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4})
		require.NoError(t, err)
		result, err := petsc.Solve(t.Context(), world, model, mdp.LongRunAverage{}, petsc.Settings{})
		require.NoError(t, err)
		require.Equal(t, mdp.Converged, result.Status)
		require.Positive(t, result.Krylov)
		ended, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		_, err = petsc.Solve(ended, world, model, mdp.LongRunAverage{}, petsc.Settings{})
		require.Error(t, err)
	}
}
