package interval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
	"github.com/mdpsolve/mdpsolve/queue"
)

// around returns ranges whose middles are the rates of p, up to rounding, and whose ends
// are a share away from them.
func around(p robots.Parameters, share float64) interval.Rates {
	return interval.Rates{
		Arrival: interval.Range{Low: p.ArrivalRate * (1 - share), High: p.ArrivalRate * (1 + share)},
		Service: interval.Range{Low: p.ServiceRate * (1 - share), High: p.ServiceRate * (1 + share)},
	}
}

// TestPoints takes ranges of width 0: the answer is that of robots.Solve, policy and
// gain to the bit, and its bounds contain the gain.
func TestPoints(t *testing.T) {
	for _, p := range []robots.Parameters{
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1},
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4},
		{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 2},
		{Robots: 3, Buffer: 2, ArrivalRate: 7, ServiceRate: 1. / 3, StarvationWeight: 1e-3},
		{Robots: 30, Buffer: 20, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 17. / 15},
		{Robots: 8, Buffer: 6, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 2, HoldingCost: 0.01, RobotCost: 0.02, ActivationCost: 0.1},
	} {
		want, err := robots.Solve(context.Background(), p, mdp.Settings{})
		require.NoError(t, err)
		got, err := interval.Solve(context.Background(), p, around(p, 0), mdp.Settings{})
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, got.Status)
		if p.IsPlain() { // the gain of a variant is the middle of the bounds
			assert.Equal(t, want.Gain, got.Gain)
		}
		assert.Equal(t, want.Measures.Gain, got.Measures.Gain)
		assert.Equal(t, want.Measures.Distribution, got.Measures.Distribution)
		assert.InEpsilon(t, want.Measures.ActivationRate, got.Measures.ActivationRate, 1e-14)
		assert.True(t, got.Lower <= want.Measures.Gain && want.Measures.Gain <= got.Upper)
		for state, decisions := range want.Policy.Queues(0, want.Parameters.Buffer+1) {
			require.Equal(t, decisions, got.Policy.Decisions(state), "%+v", state)
		}
		arrival, service := got.Nature.Rates(1, 1)
		assert.Equal(t, [2]float64{p.ArrivalRate, p.ServiceRate}, [2]float64{arrival, service})

		worst, err := interval.EvaluateWorst(context.Background(), want.Policy, around(p, 0), mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, want.Measures.Gain, worst.Gain, 1e-9)
	}
}

// TestWider widens the ranges step by step: the worst case never gets cheaper, and that of
// the best policy for the middle never costs less than that of the policy found.
func TestWider(t *testing.T) {
	p := figure7
	last := 0.0
	for _, share := range []float64{0, 0.01, 0.05, 0.1, 0.3, 0.9} {
		s, err := interval.Solve(context.Background(), p, around(p, share), mdp.Settings{})
		require.NoError(t, err)
		assert.Greater(t, s.Lower, last)
		last = s.Lower
		c, err := s.Compare(context.Background(), mdp.Settings{})
		require.NoError(t, err)
		assert.GreaterOrEqual(t, c.Worst.Upper, s.Lower)
		assert.GreaterOrEqual(t, c.Cost, c.Optimum.Lower)
		assert.LessOrEqual(t, c.Cost, s.Upper, "the middle is in the ranges")

		own, err := interval.EvaluateWorst(context.Background(), s.Policy, around(p, share), mdp.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, s.Gain, own.Gain, 1e-9, "the worst case of the policy found is the answer")
	}
}

// TestConstantRates draws constant rates from the ranges: the policy costs no more than
// the bound.
func TestConstantRates(t *testing.T) {
	rates := around(figure7, 0.3)
	s, err := interval.Solve(context.Background(), figure7, rates, mdp.Settings{})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		p := figure7
		p.ArrivalRate = rates.Arrival.Low + random.Float64()*(rates.Arrival.High-rates.Arrival.Low)
		p.ServiceRate = rates.Service.Low + random.Float64()*(rates.Service.High-rates.Service.Low)
		policy, err := robots.NewPolicy(p, s.Policy.Decisions)
		require.NoError(t, err)
		m, err := robots.Measure(context.Background(), policy)
		require.NoError(t, err)
		assert.Less(t, m.Gain, s.Upper)
	}
}

func TestRefusals(t *testing.T) {
	good := around(figure7, 0.1)
	for name, test := range map[string]struct {
		change func(p *robots.Parameters, r *interval.Rates)
		expect string
	}{
		"turned":  {func(_ *robots.Parameters, r *interval.Rates) { r.Arrival.Low = 1 }, "Rates.Arrival"},
		"NaN":     {func(_ *robots.Parameters, r *interval.Rates) { r.Service.Low = math.NaN() }, "Rates.Service"},
		"zero":    {func(_ *robots.Parameters, r *interval.Rates) { r.Arrival.Low = 0 }, "ArrivalRate"},
		"outside": {func(p *robots.Parameters, _ *interval.Rates) { p.ServiceRate = 2 }, "ServiceRate 2 is not valid: use from 0.9 to 1.1, the range"},
		"classes": {func(p *robots.Parameters, _ *interval.Rates) {
			p.Classes, p.Robots = []robots.Class{{Robots: 16, ArrivalRate: 0.1}}, 0
		}, "Classes"},
		"service": {func(p *robots.Parameters, _ *interval.Rates) { p.Service, _ = queue.NewErlang(2, 1) }, "Service"},
		"buffer":  {func(p *robots.Parameters, _ *interval.Rates) { p.Buffer = 1 }, "Buffer"},
	} {
		t.Run(name, func(t *testing.T) {
			p, r := figure7, good
			test.change(&p, &r)
			s, err := interval.Solve(context.Background(), p, r, mdp.Settings{})
			assert.Nil(t, s)
			assert.ErrorContains(t, err, test.expect)
		})
	}
	random, err := robots.NewStaticPolicy(figure7, 10)
	require.NoError(t, err)
	random, err = random.WithChance(robots.Chance{State: robots.State{Queue: 3, Active: []int{10}}, Event: robots.Arrival, Probability: 0.5})
	require.NoError(t, err)
	_, err = interval.EvaluateWorst(context.Background(), random, good, mdp.Settings{})
	assert.ErrorContains(t, err, "randomised")
	assert.Panics(t, func() { new(interval.Nature).Rates(0, 1) })
}
