package robots_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// TestBestStaticAgainstAllMixes tries every mix of random fleets.
func TestBestStaticAgainstAllMixes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	laws := []string{"exponential", "erlang:3", "deterministic", "hyperexponential:0.2@4,0.8@0.5", "gamma:0.3"}
	for trial := range 60 {
		f := robots.Parameters{
			Buffer: 2 + random.IntN(12), ServiceRate: math.Exp(random.NormFloat64()),
			StarvationWeight: math.Exp(2 * random.NormFloat64()),
		}
		if trial%2 == 1 {
			f.HoldingCost, f.RobotCost = 0.1*random.ExpFloat64(), 0.05*random.ExpFloat64()
		}
		f.Service = mustLaw(t, laws[trial%len(laws)], f.ServiceRate)
		for range 1 + random.IntN(3) {
			f.Classes = append(f.Classes, robots.Class{1 + random.IntN(9), math.Exp(random.NormFloat64() - 1.5)})
		}
		best, err := f.BestStatic(context.Background(), robots.Limit{})
		require.NoError(t, err)
		least := math.Inf(1)
		for _, fixed := range allMixes(t, f) {
			least = min(least, fixed.Cost)
		}
		assert.InEpsilon(t, least, best.Cost, 1e-14, "%+v", f)
	}
}

// allMixes returns what each mix of a fleet does.
func allMixes(t *testing.T, f robots.Parameters) (mixes []robots.StaticMix) {
	var try func(mix []int)
	try = func(mix []int) {
		if c := len(mix); c < len(f.Classes) {
			for n := range f.Classes[c].Robots + 1 {
				try(append(mix, n))
			}
			return
		}
		if slices.Max(mix) > 0 {
			fixed, err := f.EvaluateStatic(mix...)
			require.NoError(t, err)
			mixes = append(mixes, fixed)
		}
	}
	try(nil)
	return mixes
}

// TestBestStaticWithinAgainstAllMixes tries every mix of random fleets, for limits between
// what two of them do.
func TestBestStaticWithinAgainstAllMixes(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	laws := []string{"exponential", "erlang:3", "deterministic", "hyperexponential:0.2@4,0.8@0.5", "gamma:0.3"}
	none := 0
	for trial := range 90 {
		f := robots.Parameters{Buffer: 2 + random.IntN(12), ServiceRate: math.Exp(random.NormFloat64()), StarvationWeight: 1}
		f.Service = mustLaw(t, laws[trial%len(laws)], f.ServiceRate)
		for range 1 + random.IntN(3) {
			f.Classes = append(f.Classes, robots.Class{1 + random.IntN(9), math.Exp(random.NormFloat64() - 1.5)})
		}
		mixes := allMixes(t, f)
		share := func(m robots.StaticMix) float64 { return m.LossRate / m.ArrivalRate }
		losses := func(m robots.StaticMix) float64 { return m.LossRate }
		starvation := func(m robots.StaticMix) float64 { return m.Starvation }
		for _, limit := range []struct {
			on, minimised func(robots.StaticMix) float64
			most          func(float64) robots.Limit
		}{
			{losses, starvation, func(most float64) robots.Limit { return robots.Limit{LossRate: most} }},
			{share, starvation, func(most float64) robots.Limit { return robots.Limit{LossShare: most} }},
			{starvation, losses, func(most float64) robots.Limit { return robots.Limit{Starvation: most} }},
		} {
			// The limit is a little above or below what one mix does.
			most := limit.on(mixes[random.IntN(len(mixes))]) * (1 + 1e-3*float64(2*random.IntN(2)-1))
			if most >= 1 {
				continue
			}
			least := math.Inf(1)
			for _, mix := range mixes {
				if limit.on(mix) <= most {
					least = min(least, limit.minimised(mix))
				}
			}
			got, err := f.BestStatic(context.Background(), limit.most(most))
			require.NoError(t, err)
			if math.IsInf(least, 1) {
				assert.Nil(t, got)
				none++
				continue
			}
			require.NotNil(t, got, "%+v", f)
			assert.InEpsilon(t, least, limit.minimised(*got), 1e-12, "%+v", f)
		}
	}
	assert.Greater(t, none, 5, "limits that no mix keeps to")
	_, err := robots.Parameters{}.BestStatic(context.Background(), robots.Limit{LossRate: 1})
	assert.Error(t, err)
	_, err = figure6.BestStatic(context.Background(), robots.Limit{LossRate: 1, Starvation: 0.5})
	assert.Error(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = figure6.BestStatic(ctx, robots.Limit{LossRate: 1})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestBestStaticIsThatOfPackageStatic(t *testing.T) {
	for _, law := range []string{"exponential", "erlang:2"} {
		f := robots.Parameters{Robots: 100, Buffer: 10, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.2}
		f.Service = mustLaw(t, law, 1)
		s := static.Parameters{ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.2, Buffer: 10, Service: f.Service}
		want, err := s.Optimize()
		require.NoError(t, err)
		got, err := f.BestStatic(context.Background(), robots.Limit{})
		require.NoError(t, err)
		assert.Equal(t, []int{want.Robots}, got.Robots)
		assert.InEpsilon(t, want.Cost, got.Cost, 1e-14)
	}
}

// TestStaticPolicies: the decision process under a static policy is the queue
// with as many robots, and no better than the optimum.
func TestStaticPolicies(t *testing.T) {
	for name, f := range testFleets(t) {
		best, err := f.BestStatic(context.Background(), robots.Limit{})
		require.NoError(t, err)
		policy, err := robots.NewStaticPolicy(f, best.Robots...)
		require.NoError(t, err)
		m, err := robots.Measure(context.Background(), policy)
		require.NoError(t, err)
		assert.InEpsilon(t, best.Cost, m.Gain, 1e-12, name)
		optimal, err := robots.Solve(context.Background(), f, mdp.Settings{})
		require.NoError(t, err)
		assert.LessOrEqual(t, optimal.Lower, best.Cost)
	}
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	policy, err := robots.NewStaticPolicy(p, 10)
	require.NoError(t, err)
	m, err := robots.Measure(context.Background(), policy)
	require.NoError(t, err)
	assert.InEpsilon(t, 0.4, m.Gain, 1e-13) // Table 1: C_s of λ = 0.1, K = 5, γ = 1.4
	assert.Equal(t, [2]int{10, 10}, [2]int{m.RobotsMin, m.RobotsMax})
}

func TestStaticErrors(t *testing.T) {
	f := testFleets(t)["mixed"]
	for _, mix := range [][]int{nil, {1}, {0, 0}, {4, 0}, {1, -1}} {
		_, err := f.EvaluateStatic(mix...)
		assert.Error(t, err)
		_, err = robots.NewStaticPolicy(f, mix...)
		assert.Error(t, err)
	}
	_, err := robots.NewStaticPolicy(robots.Parameters{Robots: 3, Buffer: 3, ArrivalRate: 0.2, ServiceRate: 0.8, StarvationWeight: 2}, 4)
	assert.EqualError(t, err, "robots: Robots[0] 4 is not valid: use from 0 to 3")
	f.Classes = []robots.Class{{5000, 1}, {5000, 1}}
	_, err = f.BestStatic(context.Background(), robots.Limit{})
	assert.ErrorIs(t, err, mdp.ErrTooLarge)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f.Classes = []robots.Class{{50, 1}}
	_, err = f.BestStatic(ctx, robots.Limit{})
	assert.ErrorIs(t, err, context.Canceled)
	f.Classes = nil
	_, err = f.BestStatic(ctx, robots.Limit{})
	assert.Error(t, err)
}
