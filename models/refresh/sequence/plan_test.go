package sequence

// Tests of plans: what delays cost.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomPlan returns visits whose rates sum to load, of groups in up to three levels.
func randomPlan(r *rand.Rand, pages, groups int, load float64) ([]Visit, []Group) {
	list := make([]Group, groups)
	for group := range list {
		list[group] = Group{Parent: r.IntN(group+1) - 1, Delay: float64(r.IntN(4*groups)) / 2}
	}
	visits, sum := make([]Visit, pages), 0.0
	for page := range visits {
		visits[page] = Visit{Group: r.IntN(groups + 1), Rate: r.ExpFloat64()}
		if page > 0 && r.IntN(9) == 0 {
			visits[page].Rate = 0
		}
		sum += visits[page].Rate
	}
	for page := range visits {
		v := &visits[page]
		v.Due = 1
		if v.Rate *= load / sum; v.Rate > 0 {
			v.Due = (2*r.Float64() - 0.5) / v.Rate
		}
	}
	return visits, list
}

// A delay that is longer than all time leaves a host without accesses.
func TestPlanOfRatesNextToNothing(t *testing.T) {
	visits := []Visit{{Group: 1, Rate: 0.5, Due: 2}, {Rate: 0.5, Due: 2}}
	groups := []Group{{Parent: -1, Delay: 1e305}}
	cut, lost := FitDelays(visits, groups)
	assert.Equal(t, []int{0}, cut)
	assert.InDelta(t, 0.5, lost, 1e-15)
	p, err := NewPlan(visits, groups)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 1, 1, 1}, AppendSlots(nil, p, 5), "the other page gets all slots")
}

// What is left of the interval of a page without a rate stays as it is where the others of
// its group are cut.
func TestFitDelaysLeavesPagesWithoutARate(t *testing.T) {
	visits := []Visit{{Group: 1, Rate: 0.5, Due: 2}, {Group: 1, Due: 0.25}}
	cut, _ := FitDelays(visits, []Group{{Parent: -1, Delay: 10}})
	require.Equal(t, []int{0}, cut)
	assert.Equal(t, []Visit{{Group: 1, Rate: 0.1, Due: 10}, {Group: 1, Due: 0.25}}, visits)
}

// The rates that are left fit under all delays, and their sum is the greatest possible:
// by duality the least, over sets of groups, of what these allow and the rates of the pages
// in none of them.
func TestFitDelaysLosesTheLeast(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		visits, groups := randomPlan(r, 1+r.IntN(20), r.IntN(7), 1)
		before := append([]Visit(nil), visits...)
		cut, lost := FitDelays(visits, groups)
		require.Equal(t, len(cut) > 0, lost > 0)
		left := 0.0
		sums := make([]float64, len(groups))
		for page, v := range visits {
			left += v.Rate
			require.GreaterOrEqual(t, before[page].Rate, v.Rate)
			require.InDelta(t, before[page].Due*before[page].Rate, v.Due*v.Rate, 1e-12, "what has passed of its interval")
			for group := v.Group - 1; group >= 0; group = groups[group].Parent {
				sums[group] += v.Rate
			}
		}
		allowed := func(group int) float64 { return 1 / math.Max(1, math.Ceil(groups[group].Delay)) }
		for group, sum := range sums {
			require.LessOrEqual(t, sum, allowed(group)*(1+1e-9), "seed %d, group %d", seed, group)
		}
		most := math.Inf(1)
		for set := range 1 << len(groups) {
			sum := 0.0
			for group := range groups {
				if set>>group&1 == 1 {
					sum += allowed(group)
				}
			}
			for _, v := range before {
				inside := false
				for group := v.Group - 1; group >= 0; group = groups[group].Parent {
					inside = inside || set>>group&1 == 1
				}
				if !inside {
					sum += v.Rate
				}
			}
			most = min(most, sum)
		}
		require.InDelta(t, most, left, 1e-9, "seed %d", seed)
		require.InDelta(t, 1-most, lost, 1e-9, "seed %d", seed)
	}
}

// Plans for delays that can be kept lose no access: a plan in which half of the bandwidth
// is free of them, and the other half is of hosts at nine tenths of what they allow.
func TestPlanWithDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("a million slots, in one thread")
	}
	hosts, slots := 500, 1_000_000
	if *longRun {
		hosts, slots = 5_000, 10_000_000
	}
	r := rand.New(rand.NewPCG(3, 9))
	pages := 20 * hosts
	visits, sums, sum := make([]Visit, pages), make([]float64, hosts), 0.0
	for page := range visits {
		// Hosts of very different sizes.
		host := int(float64(hosts) * math.Pow(r.Float64(), 2))
		visits[page] = Visit{Group: host + 1, Rate: r.ExpFloat64(), First: true}
		sums[host] += visits[page].Rate
		sum += visits[page].Rate
	}
	groups := make([]Group, hosts)
	for host := range groups {
		groups[host].Parent = -1
		if host%2 == 0 && sums[host] > 0 {
			groups[host].Delay = math.Floor(0.9 * sum / sums[host])
		}
	}
	for page := range visits {
		v := &visits[page]
		v.Rate /= sum
		v.Due = 1 / v.Rate
	}
	cut, lost := FitDelays(visits, groups)
	require.Empty(t, cut)
	require.Zero(t, lost)
	p, err := NewPlan(visits, groups)
	require.NoError(t, err)

	// A page changes once in an interval, on average. Its copy is fresh for the time
	// Δ·(1 − e^{−τ/Δ}) after an access, τ to the next; even intervals are the best.
	last, before, fresh, empty := make([]float64, hosts), make([]float64, pages), 0.0, 0
	warm := float64(slots) / 4
	bound := float64(pages) * -math.Expm1(-1) * (float64(slots) - warm)
	for slot := 1.0; slot <= float64(slots); slot++ {
		page := p.Next()
		if page < 0 {
			empty++
			continue
		}
		v := &visits[page]
		host := v.Group - 1
		if last[host] > 0 && slot-last[host] < groups[host].Delay {
			t.Fatalf("slot %v: host %d has been accessed in slot %v", slot, host, last[host])
		}
		last[host] = slot
		if from := max(warm, before[page]); before[page] > 0 && slot > warm {
			fresh += (math.Exp(-(from-before[page])*v.Rate) - math.Exp(-(slot-before[page])*v.Rate)) / v.Rate
		}
		before[page] = slot
	}
	for page, v := range visits {
		from := max(warm, before[page])
		fresh += (math.Exp(-(from-before[page])*v.Rate) - math.Exp(-(float64(slots)-before[page])*v.Rate)) / v.Rate
	}
	t.Logf("%d slots, %d of them empty; fresh %.4f of the bound", slots, empty, fresh/bound)
	assert.Greater(t, fresh, 0.99*bound)
	assert.LessOrEqual(t, fresh, bound*1.001)
	assert.Less(t, empty, slots/1000)
}

// A host accessed in the last slot before the plan waits for its delay, and so does the domain
// that it belongs to; the latest access counts.
func TestAccessedBeforeThePlan(t *testing.T) {
	groups := []Group{{Parent: -1, Delay: 2}, {Parent: 0, Delay: 5}, {Parent: -1, Delay: 3}}
	Accessed(groups, 1, -1)
	Accessed(groups, 1, -30)
	Accessed(groups, -1, 0)
	assert.InDelta(t, 1, groups[0].Ready, 1e-9)
	assert.InDelta(t, 4, groups[1].Ready, 1e-9)
	assert.Zero(t, groups[2].Ready)
	visits := NewVisits([]float64{1, 1, 2})
	assert.Equal(t, []Visit{{Rate: 0.25, Due: 4}, {Rate: 0.25, Due: 4}, {Rate: 0.5, Due: 2}}, visits)
	for page := range visits {
		visits[page].Group, visits[page].Due = page+1, 1 // the domain itself, its host, another host
	}
	p, err := NewPlan(visits, groups)
	require.NoError(t, err)
	// The host may be accessed from slot 4 on; the domain, accessed in slot 3, from slot 5 on.
	assert.Equal(t, []int{0, 2, 0, -1, 1}, AppendSlots(nil, p, 5))
}
