package rates

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireOptimal checks a solution against the problem alone: that its rates
// keep to all limits, that its value is theirs, that the conditions of Karush,
// Kuhn and Tucker hold to 1e-12, and that the bound is within 1e-12.
func requireOptimal(t *testing.T, p refresh.Problem, s *Solution, label ...any) {
	t.Helper()
	n := p.Pages.Len()
	require.Len(t, s.Rates, n)
	values, marginals := make([]float64, n), make([]float64, n)
	p.Objective.Measure(values, marginals, p.Pages, s.Rates)
	_, fastest := p.Limits()
	used, value, size := 0.0, 0.0, 0.0
	hosts := make([]float64, len(p.HostCaps))
	for i, rate := range s.Rates {
		if !(rate >= 0 && rate <= fastest) || math.IsInf(rate, 1) { // not require: there are many pages
			require.Fail(t, fmt.Sprintf("page %d: rate %v outside 0 … %v", i, rate, fastest), label...)
		}
		price := s.Multiplier
		if p.Hosts != nil {
			price = s.HostMultipliers[p.Hosts[i]]
			hosts[p.Hosts[i]] += rate
		}
		if rate > 0 && !(marginals[i] >= price*(1-1e-12)) || rate < fastest && !(marginals[i] <= price*(1+1e-12)) {
			require.Fail(t, fmt.Sprintf("page %d: marginal value %v, price %v", i, marginals[i], price), label...)
		}
		used += rate
		value += values[i]
		size += math.Abs(values[i])
	}
	require.LessOrEqual(t, used, p.Bandwidth*(1+1e-12), label...)
	require.InDelta(t, used, s.Used, 1e-12*used, label...)
	if s.Multiplier > 0 {
		require.GreaterOrEqual(t, used, p.Bandwidth*(1-1e-12), label...)
	}
	for h, sum := range hosts {
		require.LessOrEqual(t, sum, p.HostCaps[h]*(1+1e-12), label...)
		require.GreaterOrEqual(t, s.HostMultipliers[h], s.Multiplier*(1-1e-12), label...)
		if s.HostMultipliers[h] > s.Multiplier*(1+1e-12) {
			require.GreaterOrEqual(t, sum, p.HostCaps[h]*(1-1e-12), label...)
		}
	}
	require.InDelta(t, value, s.Value, 1e-12*size, label...)
	gap := s.Bound - s.Value
	if p.Objective.Minimizes() {
		gap = -gap
	}
	require.GreaterOrEqual(t, gap, 0.0, label...)
	require.LessOrEqual(t, gap, 1e-12*math.Abs(s.Value), label...)
	require.LessOrEqual(t, s.Residual, 1e-12, label...)
}

func TestConditionsOfOptimality(t *testing.T) {
	const seed = 20180508
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	trials := 3000
	if testing.Short() {
		trials = 300
	}
	for trial := range trials {
		mean := math.Pow(10, 4*(r.Float64()-0.5))
		all := objectives(mean)
		objective := all[r.IntN(len(all))]
		n := 1 + r.IntN(1+r.IntN(300))
		p := randomProblem(r, objective, n, []float64{1, 4, 12}[r.IntN(3)])
		s := solve(t, p)
		requireOptimal(t, p, s, "trial %d: %v, %d pages, R=%v", trial, objective, n, p.Bandwidth)
		again := p
		reversed := append([]float64(nil), s.Rates...)
		require.Equal(t, reversed, solve(t, again).Rates, "the same problem, the same bits")
	}
}

// Five pages with Δ = 1 … 5, equal weights and R = 5. The numbers of SPEC were computed
// with general-purpose solvers, those of fixed order with 300 bits, as in
// TestFixedOrderAgainstBigFloats of package refresh.
func TestFivePages(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{1, 2, 3, 4, 5}}
	for _, test := range []struct {
		objective refresh.Objective
		rates     []float64
		within    float64
		mean      float64
	}{
		{refresh.FixedOrder{}, []float64{1.149892273477155558, 1.3584119474124398658, 1.3538353179221662966, 1.1378604611882382796, 0}, 1e-14, 0.373889},
		{refresh.Age{}, []float64{0.83487, 0.96792, 1.03352, 1.07061, 1.09307}, 6e-6, 0.250335},
	} {
		p := refresh.Problem{Pages: pages, Objective: test.objective, Bandwidth: 5}
		s := solve(t, p)
		requireOptimal(t, p, s)
		assert.InDeltaSlice(t, test.rates, s.Rates, test.within)
		assert.InDelta(t, test.mean, s.Value/5, 5e-7)
		if test.objective == (refresh.FixedOrder{}) {
			assert.InEpsilon(t, 0.2164318261015028525, s.Multiplier, 1e-15)
		}
	}
}
