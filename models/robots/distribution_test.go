package robots_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// distributionTolerance is 10⁻¹⁵ for each of some hundred states, or terms of a sum.
const distributionTolerance = 1e-13

// requireMargins compares what follows from the distribution by definition with what is
// measured otherwise. Where all robots are alike that has the loss rate.
func requireMargins(t *testing.T, p robots.Parameters, m robots.Measures) {
	t.Helper()
	sum, empty, lost, active, pages := 0.0, 0.0, 0.0, 0.0, 0.0
	for r, shares := range m.Distribution {
		require.Len(t, shares, p.Buffer+1)
		empty += shares[0]
		lost += p.ClassList()[0].ArrivalRate * float64(r) * shares[p.Buffer]
		for q, share := range shares {
			sum += share
			active += float64(r) * share
			pages += float64(q) * share
		}
	}
	assert.InEpsilon(t, 1, sum, distributionTolerance)
	assert.InDelta(t, m.Starvation, empty, distributionTolerance)
	assert.InDelta(t, m.RobotsMean, active, distributionTolerance*(1+m.RobotsMean))
	assert.InDelta(t, m.PagesMean, pages, distributionTolerance*(1+m.PagesMean))
	if len(p.ClassList()) == 1 {
		assert.InDelta(t, m.LossRate, lost, distributionTolerance*(1+m.LossRate))
	}
}

func TestDistributionHasTheMeasures(t *testing.T) {
	cases := testFleets(t)
	cases["figure 6"] = figure6
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			best, err := robots.Solve(context.Background(), p, mdp.Settings{})
			require.NoError(t, err)
			all := 0
			for _, class := range p.ClassList() {
				all += class.Robots
			}
			require.Len(t, best.Measures.Distribution, all+1)
			requireMargins(t, p, *best.Measures)
		})
	}
}

// With n robots for ever the queue is M/G/1/K.
func TestDistributionOfFixedNumber(t *testing.T) {
	type law interface{ Probability(i int) float64 }
	requireOneRow := func(t *testing.T, p robots.Parameters, n int, want law, mix ...int) {
		t.Helper()
		policy, err := robots.NewStaticPolicy(p, mix...)
		require.NoError(t, err)
		for r, shares := range measure(t, policy).Distribution {
			for q, share := range shares {
				if r != n {
					require.Zero(t, share)
					continue
				}
				assert.InEpsilon(t, want.Probability(q), share, distributionTolerance)
			}
		}
	}
	for _, p := range testParameters() {
		for _, n := range []int{1, p.Robots} {
			requireOneRow(t, p, n, queue.MM1K{ArrivalRate: float64(n) * p.ArrivalRate, ServiceRate: p.ServiceRate, Buffer: p.Buffer}, n)
		}
	}
	fleets := testFleets(t)
	requireOneRow(t, fleets["erlang"], 4, queue.NewMG1K(4*0.3, fleets["erlang"].Service, 4), 4)
	requireOneRow(t, fleets["three"], 3, queue.NewMG1K(0.2+2*0.3, fleets["three"].Service, 2), 1, 2, 0)
}
