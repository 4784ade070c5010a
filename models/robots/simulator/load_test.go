package simulator

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

func loaded(gamma float64) robots.Parameters {
	return robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: gamma}
}

// TestLoads follows loads through their times.
func TestLoads(t *testing.T) {
	for name, load := range map[string]Load{
		"jump": JumpLoad(3, 100), "drift": DriftLoad(3, 100), "cycle": CycleLoad(3, 100),
		"both": JumpLoad(2, 50).Times(CycleLoad(1.5, 70)),
	} {
		least, greatest, steps := math.Inf(1), 0.0, 0
		for at := 0.0; at < 1000; steps++ {
			f, until := load(at)
			require.Greater(t, until, at, name)
			least, greatest = min(least, f), max(greatest, f)
			at = until
		}
		assert.InEpsilon(t, 3, greatest, 1e-2, name) // steps miss the top
		if name == "cycle" || name == "both" {
			assert.InEpsilon(t, map[string]float64{"cycle": 1. / 3, "both": 1 / 1.5}[name], least, 1e-2, name)
		} else {
			assert.Equal(t, 1.0, least, name)
		}
		assert.Less(t, steps, 1100)
	}
	factors, at := map[float64]bool{}, 0.0
	for cycle := CycleLoad(1.3, 0.7); at < 1000; {
		var f float64
		f, at = cycle(at)
		factors[f] = true
	}
	assert.LessOrEqual(t, len(factors), loadSteps, "each costs a solve of the Benchmark")
	f, _ := DriftLoad(4, 100)(50)
	assert.InEpsilon(t, 2, f, 1e-12)
}

// TestLoadOnFixedRobots compares what a fixed number of robots costs while the load jumps,
// simulated, with the closed form before and after.
func TestLoadOnFixedRobots(t *testing.T) {
	p := loaded(1.4)
	policy, err := robots.NewStaticPolicy(p, 10)
	require.NoError(t, err)
	load := func(at float64) (float64, float64) {
		if at < 20_000 {
			return 0.8, 20_000
		}
		return 2, math.Inf(1)
	}
	s := Simulation{Horizon: 40_000, Batches: 2, Replications: 40, Confidence: 0.9999, Seed: 3, Load: load}
	found, err := s.Run(context.Background(), policy)
	require.NoError(t, err)
	require.Len(t, found.Course, 2)
	for i, factor := range []float64{0.8, 2} {
		q := p
		q.ArrivalRate *= factor
		want, err := q.EvaluateStatic(10)
		require.NoError(t, err)
		assert.True(t, found.Course[i].Gain.Contains(want.Cost), "%v, %v", found.Course[i].Gain, want.Cost)
	}
	b, err := s.Benchmark(context.Background(), p)
	require.NoError(t, err)
	for i, factor := range []float64{0.8, 2} {
		q := p
		q.ArrivalRate *= factor
		want, err := q.EvaluateStatic(b.Robots)
		require.NoError(t, err)
		assert.InEpsilon(t, want.Cost, b.Fixed[i], 1e-12)
		costs, err := knownCosts(context.Background(), q, 1)
		require.NoError(t, err)
		assert.InEpsilon(t, costs[0], b.Optimum[i], 1e-6)
	}
}

// afterJump returns the relative excess over the optimum of the policy that is in force a
// time after λ has been multiplied by a factor, evaluated exactly at the new rates, for
// each of some seeds.
func afterJump(t *testing.T, p robots.Parameters, factor, warmUp, later float64, seeds int) []float64 {
	t.Helper()
	changed := p
	changed.ArrivalRate *= factor
	best, err := knownCosts(t.Context(), changed, 1)
	require.NoError(t, err)
	policy, err := robots.NewStaticPolicy(p, 1)
	require.NoError(t, err)
	settings := controller.AdaptiveSettings{Synchronous: true, Plans: new(controller.Plans)}
	excess := make([]float64, seeds)
	failures := make([]error, seeds)
	parallel.For(2, seeds, func(seed int) {
		excess[seed], failures[seed] = func() (float64, error) {
			r := replicationOf(t, policy, rand.New(rand.NewPCG(uint64(seed), 9)), Simulation{WarmUp: warmUp, Load: JumpLoad(factor, 1e-9)})
			own := settings
			own.Now = func() float64 { return r.clock }
			a, err := controller.NewAdaptive(t.Context(), p, own)
			if err != nil {
				return 0, err
			}
			r.adaptive = a
			if err := r.advance(t.Context(), warmUp+later); err != nil {
				return 0, err
			}
			inForce, err := robots.NewPolicy(changed, a.Belief().Policy.Decisions)
			if err != nil {
				return 0, err
			}
			m, err := robots.Measure(t.Context(), inForce)
			return m.Gain/best[0] - 1, err
		}()
	})
	for _, err := range failures {
		require.NoError(t, err)
	}
	return excess
}

var jumpSeeds = flag.Int("jump-seeds", 20, "replications of each jump of the rates")

// TestAdaptiveAfterAJump has λ jump by a factor of 2, up and down, and wants the policy in
// force to be within 5 % of the optimum when 200 mean times of a delivery, at the new rate,
// have passed.
func TestAdaptiveAfterAJump(t *testing.T) {
	seeds := *jumpSeeds
	if testing.Short() {
		seeds = 5
	}
	for _, gamma := range []float64{1, 1.4, 2} {
		for _, factor := range []float64{2, 0.5} {
			p := loaded(gamma)
			excess := afterJump(t, p, factor, 3000, 200/(p.ArrivalRate*factor), seeds)
			slices.Sort(excess)
			within, mean := 0, 0.0
			for _, x := range excess {
				if x <= 0.05 {
					within++
				}
				mean += x / float64(seeds)
			}
			t.Logf("γ = %v, factor %v: mean %.5f, median %.5f, 95 %% %.5f, 99 %% %.5f, most %.5f, within 5 %%: %d of %d", gamma, factor,
				mean, excess[seeds/2], excess[seeds*95/100], excess[seeds*99/100], excess[seeds-1], within, seeds)
			require.GreaterOrEqual(t, excess[0], -1e-5, "nothing is better than the optimum")
			assert.GreaterOrEqual(t, within, (seeds*99+99)/100-1, "γ = %v, factor %v", gamma, factor)
		}
	}
}

// TestAdaptiveRegret compares what a crawler that learns costs with those that know: on
// loads that jump, drift and have a cycle it costs little more than the optimum at the rates of
// the moment, and less than any fixed number of robots.
func TestAdaptiveRegret(t *testing.T) {
	if testing.Short() {
		t.Skip("80 long simulations, which other tests have in short")
	}
	p := loaded(1.4)
	for name, test := range map[string]struct {
		load Load
		most float64 // regret, relative to the optimum
	}{
		"constant": {nil, 0.02},
		"jumps":    {JumpLoad(2, 5000).Times(JumpLoad(0.25, 10_000)), 0.06},
		"drift":    {DriftLoad(2.5, 15_000), 0.06},
		"cycle":    {CycleLoad(1.6, 10_000), 0.06},
	} {
		s := Simulation{Horizon: 20_000, WarmUp: 2000, Replications: 20, Seed: 5, Load: test.load}
		found, err := s.RunAdaptive(t.Context(), p, controller.AdaptiveSettings{})
		require.NoError(t, err)
		b, err := s.Benchmark(t.Context(), p)
		require.NoError(t, err)
		optimum, fixed := 0.0, 0.0
		for i := range b.Optimum {
			optimum += b.Optimum[i] / float64(len(b.Optimum))
			fixed += b.Fixed[i] / float64(len(b.Fixed))
		}
		gain := found.Replications.Gain
		t.Logf("%s: %.4f ± %.4f, optimum %.4f, %d robots %.4f", name, gain.Mean, gain.HalfWidth, optimum, b.Robots, fixed)
		assert.Less(t, gain.Upper(), optimum*(1+test.most), name)
		assert.Greater(t, gain.Upper(), optimum, name)
		assert.Less(t, gain.Upper(), fixed, name)
	}
}

// TestAdaptiveSameAtAnyWorkers wants the same bits from any number of workers.
func TestAdaptiveSameAtAnyWorkers(t *testing.T) {
	s := Simulation{Horizon: 2000, Replications: 6, Seed: 5, Load: JumpLoad(2, 1000), Workers: 1}
	one, err := s.RunAdaptive(t.Context(), loaded(1), controller.AdaptiveSettings{})
	require.NoError(t, err)
	s.Workers = 4
	four, err := s.RunAdaptive(t.Context(), loaded(1), controller.AdaptiveSettings{})
	require.NoError(t, err)
	assert.Equal(t, one.Replications, four.Replications)
	assert.Equal(t, one.Course, four.Course)
}

// TestAdaptiveClasses learns the rates of two classes, each from its own deliveries.
func TestAdaptiveClasses(t *testing.T) {
	truth := robots.Parameters{
		Classes: []robots.Class{{Robots: 3, ArrivalRate: 0.2}, {Robots: 2, ArrivalRate: 0.3}},
		Buffer:  4, ServiceRate: 1, StarvationWeight: 1.4, RobotCost: 0.01,
	}
	guess := truth
	guess.Classes = []robots.Class{{Robots: 3, ArrivalRate: 1}, {Robots: 2, ArrivalRate: 1}}
	policy, err := robots.NewStaticPolicy(truth, 1, 0)
	require.NoError(t, err)
	r := replicationOf(t, policy, rand.New(rand.NewPCG(1, 2)), Simulation{})
	a, err := controller.NewAdaptive(t.Context(), guess, controller.AdaptiveSettings{Synchronous: true, Now: func() float64 { return r.clock }, Confidence: 0.9999})
	require.NoError(t, err)
	r.adaptive = a
	require.NoError(t, r.advance(t.Context(), 20_000))
	belief := a.Belief()
	for c, class := range truth.Classes {
		assert.Less(t, belief.ArrivalRates[c].Lower, class.ArrivalRate)
		assert.Greater(t, belief.ArrivalRates[c].Upper, class.ArrivalRate)
		assert.InEpsilon(t, class.ArrivalRate, belief.ArrivalRates[c].Mean, 0.1)
	}
	best, err := robots.Solve(t.Context(), truth, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, best.Gain, belief.Gain, 0.1, "what the policy in force promises")
	assert.Panics(t, func() { _, _ = a.Deliver(2) })
	assert.Panics(t, func() { a.Join(2) })
}
