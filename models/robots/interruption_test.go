package robots_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// lengthy takes relative value iteration many thousands of sweeps.
var lengthy = robots.Parameters{Robots: 120, Buffer: 40, ArrivalRate: 1.0 / 60, ServiceRate: 1, StarvationWeight: 1.4}

// lengthyOptimum is what policy iteration makes of lengthy, once for all tests.
var lengthyOptimum *robots.Solution

func optimum(t *testing.T) *robots.Solution {
	t.Helper()
	if lengthyOptimum == nil {
		lengthyOptimum = solved(t, lengthy)
	}
	return lengthyOptimum
}

// ways are the ways to solve, none of which is done with lengthy in a hundred
// rounds.
var ways = map[string]func(context.Context, robots.Parameters, mdp.Settings) (*robots.Solution, error){
	"relative value iteration": func(ctx context.Context, p robots.Parameters, s mdp.Settings) (*robots.Solution, error) {
		s.Method = mdp.RelativeValueIteration
		return robots.Solve(ctx, p, s)
	},
	"the authors' iteration": paper.Solve,
}

// requireUsable checks that a solution which did not converge is an answer all
// the same: bounds around the optimal gain, a policy, its measures.
func requireUsable(t *testing.T, s *robots.Solution, status mdp.Status) {
	t.Helper()
	require.NotNil(t, s)
	assert.Equal(t, status, s.Status)
	assert.Equal(t, lengthy, s.Parameters)
	best := optimum(t)
	assert.LessOrEqual(t, s.Lower, best.Gain)
	assert.GreaterOrEqual(t, s.Upper, best.Gain)
	assert.LessOrEqual(t, s.Lower, s.Gain)
	assert.GreaterOrEqual(t, s.Upper, s.Gain)
	require.NotNil(t, s.Policy)
	require.NotNil(t, s.Measures)
	assert.LessOrEqual(t, s.Measures.Gain, s.Upper)
	assert.GreaterOrEqual(t, s.Measures.Gain, best.Lower)
	assert.Len(t, s.Policy.Curves()[0].Departure, lengthy.Robots+1)
}

func TestCancelledBefore(t *testing.T) {
	cause := errors.New("no more")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for name, solve := range ways {
		s, err := solve(ctx, lengthy, mdp.Settings{})
		require.ErrorIs(t, err, cause, name)
		requireUsable(t, s, mdp.Interrupted)
		assert.Zero(t, s.Iterations, name)
	}
	// Policy iteration too has an answer, of no evaluation.
	s, err := robots.Solve(ctx, lengthy, mdp.Settings{})
	require.ErrorIs(t, err, cause)
	requireUsable(t, s, mdp.Interrupted)
}

func TestCancelledDuring(t *testing.T) {
	for name, solve := range ways {
		ctx, cancel := context.WithCancel(context.Background())
		last := mdp.Progress{}
		s, err := solve(ctx, lengthy, mdp.Settings{Record: func(p mdp.Progress) error {
			last = p
			if p.Iteration == 100 {
				cancel()
			}
			return nil
		}})
		require.ErrorIs(t, err, context.Canceled, name)
		requireUsable(t, s, mdp.Interrupted)
		assert.Equal(t, 100, s.Iterations, name)
		assert.Equal(t, 100, last.Iteration, name)
		assert.LessOrEqual(t, last.Lower, last.Upper)
		assert.Greater(t, s.Elapsed, time.Duration(0))
	}
}

// A context that ends while the policy is measured interrupts the solve. There is time
// for the measures of a policy of 5,000 states all the same.
func TestCancelledWhileMeasuring(t *testing.T) {
	for name, solve := range ways {
		// The context is looked at once before each round: it ends after the last.
		ctx := countdown.New(3)
		s, err := solve(ctx, lengthy, mdp.Settings{MaxIterations: 2})
		require.ErrorIs(t, err, context.Canceled, name)
		require.NotNil(t, s, name)
		assert.Equal(t, mdp.Interrupted, s.Status, name)
		require.NotNil(t, s.Measures, name)
		assert.LessOrEqual(t, s.Measures.Gain, s.Upper, name)
		require.NotNil(t, s.Policy, name)
		assert.Len(t, s.Policy.Curves()[0].Arrival, lengthy.Robots+1, name)
		assert.Less(t, s.Lower, s.Upper, name)
	}
}

func TestLimits(t *testing.T) {
	for name, solve := range ways {
		s, err := solve(context.Background(), lengthy, mdp.Settings{MaxIterations: 30})
		require.ErrorIs(t, err, mdp.ErrIterationLimit, name)
		requireUsable(t, s, mdp.IterationLimit)
		assert.Equal(t, 30, s.Iterations, name)

		s, err = solve(context.Background(), lengthy, mdp.Settings{TimeLimit: 1})
		require.ErrorIs(t, err, mdp.ErrTimeLimit, name)
		requireUsable(t, s, mdp.TimeLimit)

		full := errors.New("disk full")
		s, err = solve(context.Background(), lengthy, mdp.Settings{Record: func(p mdp.Progress) error {
			if p.Iteration == 3 {
				return full
			}
			return nil
		}})
		require.ErrorIs(t, err, full, name)
		requireUsable(t, s, mdp.Interrupted)
		assert.Equal(t, 3, s.Iterations, name)

		// A limit does not matter to bounds that are near enough.
		s, err = solve(context.Background(), lengthy, mdp.Settings{MaxIterations: 100, Tolerance: 1e6})
		require.NoError(t, err, name)
		assert.Equal(t, mdp.Converged, s.Status, name)
	}
}

// Settings that are out of range are refused before any work is done.
func TestSettingsOutOfRange(t *testing.T) {
	for name, solve := range ways {
		t.Run(name, func(t *testing.T) {
			for _, settings := range []mdp.Settings{
				{Workers: -1},
				{MaxIterations: -1},
				{TimeLimit: -1},
				{Tolerance: math.NaN()},
				{Tolerance: -1},
				{Tolerance: math.Inf(1)},
			} {
				rounds := 0
				settings.Record = func(mdp.Progress) error { rounds++; return nil }
				s, err := solve(context.Background(), figure6, settings)
				require.ErrorContains(t, err, "Settings.", "%+v", settings)
				assert.Nil(t, s)
				assert.Zero(t, rounds)
			}
		})
	}
}

// At this size sweeps are shared; what comes out has the same bits.
func TestWorkersMakeNoDifference(t *testing.T) {
	p := robots.Parameters{Robots: 300, Buffer: 60, ArrivalRate: 1.0 / 150, ServiceRate: 1, StarvationWeight: 1.4}
	for name, settings := range map[string]mdp.Settings{
		"relative value iteration": {Method: mdp.RelativeValueIteration, MaxIterations: 100},
		"policy iteration":         {Method: mdp.PolicyIteration},
		"the authors' iteration":   {MaxIterations: 10},
	} {
		solve := robots.Solve
		if settings.Method == 0 {
			solve = paper.Solve
		}
		if testing.Short() && name == "policy iteration" {
			continue
		}
		var solutions [2]*robots.Solution
		for i, workers := range []int{1, 3} {
			settings.Workers = workers
			s, err := solve(context.Background(), p, settings)
			if !errors.Is(err, mdp.ErrIterationLimit) {
				require.NoError(t, err, name)
			}
			s.Elapsed = 0
			solutions[i] = s
		}
		assert.Equal(t, solutions[0], solutions[1], name)
		assert.Equal(t, math.Float64bits(solutions[0].Gain), math.Float64bits(solutions[1].Gain), name)
	}
}
