package operate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// TestRecordParts compares the parts of the time with integrals of the costs that fall
// into them, whatever the steps.
func TestRecordParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	costs := robots.Parameters{StarvationWeight: 2, RobotCost: 0.1}
	const promised = 0.3
	r := newRecord(1, 0.7)
	type piece struct{ begin, end, rate, lump float64 }
	var pieces []piece
	for i := range 400 {
		step := random.ExpFloat64()
		if i%50 == 49 {
			step *= 100
		}
		queue, active := random.IntN(2), random.IntN(3)
		rate := 0.1*float64(active) + 2*float64(bit(queue == 0)) - promised
		begin := r.time
		r.pass(step, queue, []int{active}, costs, promised)
		p := piece{begin, r.time, rate, 0}
		if random.IntN(3) == 0 {
			r.lose()
			p.lump = 1
		}
		pieces = append(pieces, p)
		require.LessOrEqual(t, len(r.parts), mostParts)
		for j, part := range r.parts {
			begin, end, want := float64(j)*r.length, float64(j+1)*r.length, 0.0
			for _, p := range pieces {
				want += p.rate * max(0, min(p.end, end)-max(p.begin, begin))
				if begin < p.end && p.end <= end {
					want += p.lump
				}
			}
			require.InDelta(t, want, part, 1e-9*r.time, "after %d steps, part %d of %d", i+1, j, len(r.parts))
		}
	}
	assert.Greater(t, len(r.parts), mostParts/2-1)
}

// TestPerformanceInterval counts how often the interval of the regret holds what is expected of
// a crawler that has learnt its rates: next to none.
func TestPerformanceInterval(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	p := loaded(1.4)
	policy, err := robots.NewStaticPolicy(p, 1)
	require.NoError(t, err)
	tables, err := newTables(policy)
	require.NoError(t, err)
	var plans planCache
	held := 0
	const seeds = 40
	for seed := range uint64(seeds) {
		r := newReplication(tables, rand.New(rand.NewPCG(seed, 3)), Simulation{})
		a, err := newAdaptive(t.Context(), p, AdaptiveSettings{Synchronous: true, Now: func() float64 { return r.clock }}, plans.plan)
		require.NoError(t, err)
		r.adaptive = a
		require.NoError(t, r.advance(t.Context(), 10_000))
		seen := a.Performance()
		require.InEpsilon(t, 10_000, seen.Time, 1e-9)
		held += bit(seen.Regret.Contains(0))
	}
	// 38 of 40 are expected if there is no regret at all, with a standard deviation of 1.4.
	assert.GreaterOrEqual(t, held, 33)
}
