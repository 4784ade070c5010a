package interval_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// simulate plays the queue for some time under a policy, with rates that depend on the
// state, and returns what it costs per unit of time.
func simulate(random *rand.Rand, p robots.Parameters, policy *robots.Policy, rates func(queue, active int) (arrival, service float64), horizon float64) float64 {
	const warmUp = 1000
	queue, active, now, cost := 0, 1, -float64(warmUp), 0.0
	for now < horizon {
		arrival, service := rates(queue, active)
		arrival *= float64(active)
		if queue == 0 {
			service = 0
		}
		until := now + random.ExpFloat64()/(arrival+service)
		if queue == 0 {
			cost += p.StarvationWeight * max(0, min(until, horizon)-max(now, 0))
		}
		now = until
		if random.Float64()*(arrival+service) < service {
			if (policy.Decisions(robots.State{Queue: queue, Active: []int{active}}).Activate == 0) && active < p.Robots {
				active++
			}
			queue--
			continue
		}
		if queue == p.Buffer && now > 0 && now < horizon {
			cost++
		}
		if !policy.Decisions(robots.State{Queue: queue, Active: []int{active}}).Reactivate.Has(0) {
			active--
		}
		queue = min(queue+1, p.Buffer)
	}
	return cost / horizon
}

// TestAttained simulates the policies found with the rates of nature: the worst case
// lies in the confidence intervals. Rates drawn anew at every event from the ranges cost
// less.
func TestAttained(t *testing.T) {
	const (
		runs, horizon = 20, 100_000
		confidence    = 0.999
	)
	for _, p := range []robots.Parameters{
		figure7,
		{Robots: 6, Buffer: 8, ArrivalRate: 0.3, ServiceRate: 1, StarvationWeight: 3},
	} {
		rates := around(p, 0.2)
		s, err := interval.Solve(context.Background(), p, rates, mdp.Settings{})
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(11, 12))
		var worst, other []float64
		for range runs {
			worst = append(worst, simulate(random, p, s.Policy, s.Nature.Rates, horizon))
			other = append(other, simulate(random, p, s.Policy, func(int, int) (arrival, service float64) {
				return rates.Arrival.Low + random.Float64()*(rates.Arrival.High-rates.Arrival.Low),
					rates.Service.Low + random.Float64()*(rates.Service.High-rates.Service.Low)
			}, horizon))
		}
		mean, deviation := stat.MeanStdDev(worst, nil)
		half := distuv.StudentsT{Sigma: 1, Nu: runs - 1}.Quantile((1+confidence)/2) * deviation / math.Sqrt(runs)
		t.Logf("%.5f ± %.5f, and %.5f was promised; at random rates %.5f", mean, half, s.Gain, stat.Mean(other, nil))
		assert.InDelta(t, s.Gain, mean, half)
		assert.Less(t, half, 0.02*mean, "a test of nothing")
		assert.Less(t, stat.Mean(other, nil), s.Gain*0.95)
	}
}
