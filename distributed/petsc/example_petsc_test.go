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

// lottery is a declaration whose rows can be asked for one by one: work in state s for a
// cost of 1 and move on, or wait there for nothing; at the end 3 are won, and all begins again.
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

// With three states a round costs 2 and wins 3: worth 1/3 a step. With four it is worth
// nothing, and one may as well wait.
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

// A program may solve one model after the other, also where the one before was interrupted.
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
