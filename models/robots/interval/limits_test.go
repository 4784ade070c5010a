package interval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// TestEarlyEnds ends a solve in every way: what is returned has the status, and bounds that
// contain the answer.
func TestEarlyEnds(t *testing.T) {
	p := robots.Parameters{Robots: 30, Buffer: 20, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.4}
	rates := around(p, 0.2)
	full, err := interval.Solve(context.Background(), p, rates, mdp.Settings{})
	require.NoError(t, err)
	require.Greater(t, full.Rounds, 2)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	enough := errors.New("enough")
	later := func(iterations int) func(mdp.Progress) error {
		return func(mdp.Progress) error {
			if iterations--; iterations < 0 {
				return enough
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		ctx      context.Context
		settings mdp.Settings
		status   mdp.Status
		err      error
	}{
		"interrupted before it begins": {ended, mdp.Settings{}, mdp.Interrupted, context.Canceled},
		"stopped in the first round":   {context.Background(), mdp.Settings{Method: mdp.RelativeValueIteration, Record: later(5)}, mdp.Interrupted, enough},
		"stopped in a later round":     {context.Background(), mdp.Settings{Record: later(full.Iterations - 1)}, mdp.Interrupted, enough},
		"no time":                      {context.Background(), mdp.Settings{TimeLimit: time.Nanosecond}, mdp.TimeLimit, mdp.ErrTimeLimit},
		"sweeps":                       {context.Background(), mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 20}, mdp.IterationLimit, mdp.ErrIterationLimit},
		"one evaluation":               {context.Background(), mdp.Settings{MaxIterations: 1}, mdp.IterationLimit, mdp.ErrIterationLimit},
		"evaluations":                  {context.Background(), mdp.Settings{MaxIterations: full.Iterations - 1}, mdp.IterationLimit, mdp.ErrIterationLimit},
		"precision":                    {context.Background(), mdp.Settings{Tolerance: 1e-17}, mdp.PrecisionLimit, mdp.ErrPrecisionLimit},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := interval.Solve(test.ctx, p, rates, test.settings)
			require.ErrorIs(t, err, test.err)
			require.NotNil(t, s)
			assert.Equal(t, test.status, s.Status)
			assert.LessOrEqual(t, s.Lower, full.Upper)
			assert.GreaterOrEqual(t, s.Upper, full.Lower)
			assert.True(t, s.Lower <= s.Gain && s.Gain <= s.Upper)
			worst, err := interval.EvaluateWorst(context.Background(), s.Policy, rates, mdp.Settings{})
			require.NoError(t, err)
			assert.LessOrEqual(t, worst.Lower, s.Upper, "the policy keeps to the bound")
		})
	}
	_, err = interval.Solve(context.Background(), p, rates, mdp.Settings{Tolerance: -1})
	require.ErrorContains(t, err, "Tolerance")
	_, err = full.Compare(ended, mdp.Settings{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestEarlyEndsOfDearRobots ends a solve whose policy so far has active robots that cost
// far more than starvation: it keeps to the bound, too.
func TestEarlyEndsOfDearRobots(t *testing.T) {
	p := robots.Parameters{Robots: 3, Buffer: 20, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1, RobotCost: 300}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := interval.Solve(ended, p, around(p, 0.2), mdp.Settings{Method: mdp.RelativeValueIteration})
	require.ErrorIs(t, err, context.Canceled)
	worst, err := interval.EvaluateWorst(context.Background(), s.Policy, s.Rates, mdp.Settings{})
	require.NoError(t, err)
	require.Greater(t, worst.Lower, p.StarvationWeight)
	assert.LessOrEqual(t, worst.Lower, s.Upper)
}

// TestWorkers solves with one worker and with several: the same bits.
func TestWorkers(t *testing.T) {
	p := robots.Parameters{Robots: 120, Buffer: 80, ArrivalRate: 0.012, ServiceRate: 1, StarvationWeight: 1}
	if testing.Short() {
		p.Robots, p.Buffer, p.ArrivalRate = 30, 20, 0.05
	}
	rates := around(p, 0.05)
	one, err := interval.Solve(context.Background(), p, rates, mdp.Settings{Workers: 1})
	require.NoError(t, err)
	several, err := interval.Solve(context.Background(), p, rates, mdp.Settings{Workers: 5})
	require.NoError(t, err)
	one.Elapsed, several.Elapsed = 0, 0
	assert.Equal(t, one, several)
}

// TestToleranceOfRounds solves each round as closely as the answer needs: the tolerance 0 stands
// for the default, and a coarse one takes fewer sweeps, a fine one more.
func TestToleranceOfRounds(t *testing.T) {
	p := robots.Parameters{Robots: 6, Buffer: 4, ArrivalRate: 0.3, ServiceRate: 1, StarvationWeight: 1.4}
	var solutions []*interval.Solution
	for _, tolerance := range []float64{0, mdp.DefaultTolerance, 1e-3, 1e-12} {
		s, err := interval.Solve(context.Background(), p, around(p, 0.2), mdp.Settings{Method: mdp.RelativeValueIteration, Tolerance: tolerance})
		require.NoError(t, err)
		s.Elapsed = 0
		solutions = append(solutions, s)
	}
	assert.Equal(t, solutions[1], solutions[0])
	assert.Less(t, solutions[2].Iterations, solutions[0].Iterations)
	assert.Greater(t, solutions[3].Iterations, solutions[0].Iterations)
}

// TestTinyGain has bounds that are as close, relative to a cost of 10⁻⁸, as to any other.
func TestTinyGain(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 states")
	}
	p := robots.Parameters{Robots: 200, Buffer: 100, ArrivalRate: 0.01, ServiceRate: 1, StarvationWeight: 1.4}
	s, err := interval.Solve(context.Background(), p, around(p, 0.1), mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, s.Status)
	assert.InEpsilon(t, 4.99277e-8, s.Gain, 1e-5)
	worst, err := interval.EvaluateWorst(context.Background(), s.Policy, around(p, 0.1), mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, s.Gain, worst.Gain, 1e-9)
}

// TestWideRanges has ranges over factors of 10⁵ and more, in which the queue may be in one
// of two places and hardly ever get to the other. Exact evaluation has to do, in a few
// iterations, and finds what it finds where it is asked for.
func TestWideRanges(t *testing.T) {
	for _, c := range []struct {
		robots, buffer   int
		gamma            float64
		arrival, service interval.Range
	}{
		{8, 13, 1.12, interval.Range{Low: 1.96, High: 4.6256e6}, interval.Range{Low: 16.5, High: 3.894e7}},
		{5, 20, 16.6, interval.Range{Low: 1.34, High: 376540}, interval.Range{Low: 0.229, High: 64349}},
		{5, 20, 0.0897, interval.Range{Low: 672, High: 6.9216e9}, interval.Range{Low: 0.197, High: 2.0291e6}},
	} {
		p := robots.Parameters{
			Robots: c.robots, Buffer: c.buffer, ArrivalRate: c.arrival.Middle(), ServiceRate: c.service.Middle(), StarvationWeight: c.gamma,
		}
		rates := interval.Rates{Arrival: c.arrival, Service: c.service}
		s, err := interval.Solve(context.Background(), p, rates, mdp.Settings{MaxIterations: 1000})
		require.NoError(t, err)
		assert.Equal(t, mdp.PolicyIteration.String(), s.Method)
		worst, err := interval.EvaluateWorst(context.Background(), s.Policy, rates, mdp.Settings{MaxIterations: 1000})
		require.NoError(t, err)
		assert.InEpsilon(t, s.Gain, worst.Gain, 1e-9)
	}
}
