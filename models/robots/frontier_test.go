package robots_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// TestFrontierIsTheOptimum: at any weight the least line of the points is the
// optimal gain of a solve of its own, and it is that of the point whose range
// the weight is in.
func TestFrontierIsTheOptimum(t *testing.T) {
	fleets := testFleets(t)
	fleets["paper"] = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}
	for name, f := range fleets {
		t.Run(name, func(t *testing.T) {
			const from, to = 0.05, 20
			frontier, err := robots.NewFrontier(context.Background(), f, robots.FrontierSettings{From: from, To: to})
			require.NoError(t, err)
			points := frontier.Points
			t.Logf("%d points, %d solves", len(points), frontier.Solves)
			assert.Zero(t, frontier.Gap)
			assert.LessOrEqual(t, frontier.Solves, 2*len(points)+1)
			assert.Equal(t, from, points[0].From)
			assert.Equal(t, 20.0, points[len(points)-1].To)
			for i := 1; i < len(points); i++ {
				require.Equal(t, points[i-1].To, points[i].From)
				require.Less(t, points[i].From, points[i].To)
				require.Less(t, points[i].Measures.Starvation, points[i-1].Measures.Starvation)
				require.Greater(t, points[i].OtherCosts, points[i-1].OtherCosts)
			}
			for weight := from; weight <= to; weight *= 1.37 {
				f.StarvationWeight = weight
				s, err := robots.Solve(context.Background(), f, mdp.Settings{})
				require.NoError(t, err)
				least := math.Inf(1)
				for _, p := range points {
					cost := weight*p.Measures.Starvation + p.OtherCosts
					least = min(least, cost)
					if p.From <= weight && weight <= p.To {
						assert.InEpsilon(t, s.Gain, cost, 1e-10, "γ=%v", weight)
					}
				}
				assert.InEpsilon(t, s.Gain, least, 1e-10, "γ=%v", weight)
			}
		})
	}
}

// assertGap checks that at no weight of a range something is better than the
// policies of a frontier by more than its gap.
func assertGap(t *testing.T, f robots.Parameters, frontier *robots.Frontier, from, to float64) {
	t.Helper()
	for weight := from; weight <= to; weight *= 1.5 {
		f.StarvationWeight = weight
		s, err := robots.Solve(context.Background(), f, mdp.Settings{})
		require.NoError(t, err)
		least := math.Inf(1)
		for _, p := range frontier.Points {
			least = min(least, weight*p.Measures.Starvation+p.OtherCosts)
		}
		assert.LessOrEqual(t, 1-s.Gain/least, frontier.Gap+1e-12, "γ=%v with %d policies", weight, len(frontier.Points))
	}
}

// TestFrontierLimit: with few points the gap is what is missed at most.
func TestFrontierLimit(t *testing.T) {
	f := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}
	previous := 1.0
	for _, most := range []int{2, 4, 8, 16} {
		frontier, err := robots.NewFrontier(context.Background(), f, robots.FrontierSettings{From: 0.1, To: 10, MaxPoints: most})
		require.NoError(t, err)
		require.Len(t, frontier.Points, most)
		assert.Positive(t, frontier.Gap)
		assert.Less(t, frontier.Gap, previous)
		previous = frontier.Gap
		assertGap(t, f, frontier, 0.1, 10)
	}
}

// A search that is cancelled returns what it has: as many policies as were found,
// and a gap that holds.
func TestFrontierOfAnInterruptedSearch(t *testing.T) {
	f := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}
	const from, to = 0.1, 10
	for last := 1; last <= 20; last++ {
		ctx, cancel := context.WithCancel(context.Background())
		solves := 0
		settings := robots.FrontierSettings{From: from, To: to, Solve: mdp.Settings{Method: mdp.PolicyIteration, Record: func(p mdp.Progress) error {
			if p.Iteration == 1 {
				solves++
			}
			if solves > last {
				cancel()
			}
			return nil
		}}}
		frontier, err := robots.NewFrontier(ctx, f, settings)
		require.ErrorIs(t, err, context.Canceled)
		require.NotNil(t, frontier)
		assert.LessOrEqual(t, len(frontier.Points), last)
		assert.Greater(t, len(frontier.Points), last/2)
		assert.Equal(t, from, frontier.Points[0].From)
		assert.EqualValues(t, to, frontier.Points[len(frontier.Points)-1].To)
		assertGap(t, f, frontier, from, to)
	}
}

func TestFrontierErrors(t *testing.T) {
	f := robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 1, ServiceRate: 1}
	for field, settings := range map[string]robots.FrontierSettings{
		"From 0":      {To: 1},
		"To 1":        {From: 1, To: 1},
		"To +Inf":     {From: 1, To: math.Inf(1)},
		"MaxPoints 1": {From: 1, To: 2, MaxPoints: 1},
	} {
		_, err := robots.NewFrontier(context.Background(), f, settings)
		assert.ErrorContains(t, err, "robots: "+field)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := robots.NewFrontier(ctx, f, robots.FrontierSettings{From: 1, To: 2})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = robots.NewFrontier(context.Background(), f, robots.FrontierSettings{From: 1, To: 2, Solve: mdp.Settings{MaxIterations: 1, Method: mdp.RelativeValueIteration}})
	assert.ErrorIs(t, err, mdp.ErrIterationLimit)
}

// TestFrontierOfOnePolicy has costs beside which starvation does not count: what is best at
// both ends of the range differs in nothing but rounding, and is one policy.
func TestFrontierOfOnePolicy(t *testing.T) {
	p := robots.Parameters{
		Robots: 8, ArrivalRate: 0.1765197276632096, Buffer: 8, ServiceRate: 0.021152929721013545,
		Service: mustLaw(t, "erlang:5", 0.021152929721013545), RobotCost: 0.0015659994259280968,
	}
	frontier, err := robots.NewFrontier(context.Background(), p, robots.FrontierSettings{From: 0.0014065905330350012, To: 0.011166684533156246})
	require.NoError(t, err)
	assert.Len(t, frontier.Points, 1)
}

// TestFrontierWherePoliciesTie has a breakpoint at which no solve comes to its end.
func TestFrontierWherePoliciesTie(t *testing.T) {
	p := robots.Parameters{Robots: 175, Buffer: 55, ArrivalRate: 0.04388333229396366, ServiceRate: 0.39264100146576875}
	frontier, err := robots.NewFrontier(context.Background(), p, robots.FrontierSettings{From: 0.4215830485191436, To: 0.44})
	require.NoError(t, err)
	require.Len(t, frontier.Points, 2)
	assert.Zero(t, frontier.Gap)
	p.StarvationWeight = frontier.Points[0].To * (1 + 1e-6)
	next, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, frontier.Points[1].Measures.Starvation, next.Measures.Starvation, 1e-9)
}
