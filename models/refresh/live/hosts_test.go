package live

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// problemOf returns the problem that a set solves, for a full solve.
func problemOf(s *Set) refresh.Problem {
	p := refresh.Problem{
		Pages: s.pages, Objective: s.objective, Bandwidth: s.bandwidth,
		Least: s.least, Greatest: s.greatest,
	}
	if s.hostOf != nil {
		p.Hosts, p.HostCaps = s.hostOf, []float64{math.Inf(1)}
		for _, h := range s.hosts[1:] {
			p.HostCaps = append(p.HostCaps, h.most)
		}
	}
	return p
}

// requireFullSolve compares the rates and multipliers of a set with those of a full solve.
func requireFullSolve(t *testing.T, s *Set, tolerance float64) {
	t.Helper()
	ctx := context.Background()
	full, want := refresh.Optimize(ctx, problemOf(s), refresh.Settings{Workers: 1})
	multiplier, err := s.Multiplier(ctx)
	if errors.Is(want, refresh.ErrPrecision) {
		return // and what it promises does not hold
	}
	if want != nil {
		var infeasible *refresh.InfeasibleError
		require.ErrorAs(t, want, &infeasible)
		require.ErrorAs(t, err, &infeasible)
		return
	}
	require.NoError(t, err)
	require.InDelta(t, full.Multiplier, multiplier, 1e-6*full.Multiplier, "nearly all pages may be at bounds")
	mean := s.bandwidth / float64(s.Len()-len(s.free))
	for page, want := range full.Rates {
		got, err := s.Rate(ctx, page)
		require.NoError(t, err)
		if math.Abs(want-got) > tolerance*max(want, mean) {
			t.Fatalf("page %d, %+v: %v in the set, %v in full", page, s.Page(page), got, want)
		}
	}
	for number := 1; number < len(s.hosts); number++ {
		got, err := s.HostMultiplier(ctx, number)
		require.NoError(t, err)
		if s.hosts[number].most > 0 {
			require.InEpsilon(t, 1+full.HostMultipliers[number], 1+got, 1e-6, "host %d", number)
		}
	}
}

// history changes a set at random: its pages, their bounds and hosts, the caps and the
// bandwidth.
type history struct {
	set     *Set
	random  *rand.Rand
	present []int
	spread  float64 // of caps around what their hosts would ask for
	edge    bool    // some caps are within rounding of what their hosts ask for
}

func (h *history) page() Page {
	r := h.random
	p := Page{ChangeRate: r.Float64(), Weight: r.ExpFloat64()}
	switch r.IntN(10) {
	case 0:
		p.Weight = 0
	case 1:
		p.ChangeRate = 0.5
	case 2:
		p.Least = 0.002 * r.Float64()
	case 3:
		p.Greatest = r.Float64()
	case 4:
		p.Least, p.Greatest = 0.01, 0.01+0.1*r.Float64()
	}
	if n := len(h.set.hosts); r.IntN(3) > 0 {
		p.Host = int(float64(n) * r.Float64() * r.Float64()) // some hosts are large
	}
	return p
}

func (h *history) hostCap() float64 {
	r := h.random
	switch r.IntN(12) {
	case 0:
		return math.Inf(1)
	case 1:
		return 0.5
	}
	return 0.2 * math.Exp(h.spread*r.NormFloat64())
}

func (h *history) step(t *testing.T) {
	t.Helper()
	r, set := h.random, h.set
	switch action := r.IntN(40); {
	case action < 10:
		page, err := set.Add(h.page())
		require.NoError(t, err)
		h.present = append(h.present, page)
	case action < 18 && len(h.present) > 1:
		k := r.IntN(len(h.present))
		require.NoError(t, set.Remove(h.present[k]))
		h.present[k] = h.present[len(h.present)-1]
		h.present = h.present[:len(h.present)-1]
	case action == 18:
		require.NoError(t, set.SetBandwidth(set.Bandwidth()*(0.9+0.2*r.Float64())))
	case action == 19 && len(set.hosts) > 1:
		require.NoError(t, set.SetHostCap(1+r.IntN(len(set.hosts)-1), h.hostCap()))
	case action == 20 && len(set.hosts) < 60:
		_, err := set.AddHost(h.hostCap())
		require.NoError(t, err)
	case action == 21 && len(h.present) > 0 && h.edge:
		page := h.present[r.IntN(len(h.present))]
		if number := set.Page(page).Host; number > 0 {
			sum := 0.0
			for _, other := range set.hosts[number].pages {
				rate, err := set.Rate(context.Background(), int(other))
				if err != nil {
					return
				}
				sum += rate
			}
			if sum > 0 {
				require.NoError(t, set.SetHostCap(number, sum*(1+math.Pow(10, -16*r.Float64())*(2*r.Float64()-1))))
			}
		}
	case action < 30 && len(h.present) > 0: // drift
		page := h.present[r.IntN(len(h.present))]
		p := set.Page(page)
		p.ChangeRate *= 0.99 + 0.01*r.Float64()
		require.NoError(t, set.Update(page, p))
	case len(h.present) > 0:
		require.NoError(t, set.Update(h.present[r.IntN(len(h.present))], h.page()))
	}
}

// A set with bounds and hosts has at any time the rates of a full solve.
func TestRatesWithBoundsAndHostsEqualFullSolves(t *testing.T) {
	sets, steps := 16, 200
	if *longRun {
		sets, steps = 200, 1500
	}
	if testing.Short() {
		sets = 4
	}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.Discrete{}} {
		rebuilds, solves := 0, 0
		for seed := range uint64(sets) {
			t.Logf("%v, seed %d", objective, seed)
			r := rand.New(rand.NewPCG(seed, 77))
			size := []int{3, 60, 700, 3000}[seed/2%4]
			set := must(NewSet(objective, 0.1*float64(size), 2))
			h := &history{set: set, random: r, spread: 3 * r.Float64(), edge: seed%2 == 1}
			for range 1 + size/30 {
				_, err := set.AddHost(h.hostCap())
				require.NoError(t, err)
			}
			for range size {
				page, err := set.Add(h.page())
				require.NoError(t, err)
				h.present = append(h.present, page)
			}
			for step := range steps {
				h.step(t)
				if step%max(1, size/40) == 0 {
					solves++
					tolerance := 1e-9
					if h.edge { // a full solve decides which hosts are capped before its last step
						tolerance = 1e-7
					}
					requireFullSolve(t, set, tolerance)
				}
			}
			rebuilds += set.Rebuilds()
		}
		t.Logf("%v: %d rebuilds in %d solves", objective, rebuilds, solves)
	}
}

func TestBoundsThatDoNotFit(t *testing.T) {
	ctx := context.Background()
	set := must(NewSet(refresh.FixedOrder{}, 5, 1))
	host := must(set.AddHost(1))
	first := must(set.Add(Page{ChangeRate: 1, Weight: 1, Least: 0.75, Host: host}))
	second := must(set.Add(Page{ChangeRate: 1, Weight: 1, Least: 0.75, Host: host}))
	_, err := set.Rate(ctx, first)
	infeasible, ok := errors.AsType[*refresh.InfeasibleError](err)
	require.True(t, ok)
	assert.Equal(t, refresh.InfeasibleError{Host: host, Least: 1.5, Allowed: 1}, *infeasible)

	require.NoError(t, set.Update(second, Page{ChangeRate: 1, Weight: 1, Least: 0.25, Host: host}))
	assert.Equal(t, 0.75, must(set.Rate(ctx, first)), "nothing is left above the least rates")
	assert.Equal(t, 0.25, must(set.Rate(ctx, second)))
	assert.Greater(t, must(set.HostMultiplier(ctx, host)), must(set.Multiplier(ctx)))

	third := must(set.Add(Page{ChangeRate: 1, Weight: 1, Least: 6}))
	_, err = set.Rate(ctx, third)
	infeasible, ok = errors.AsType[*refresh.InfeasibleError](err)
	require.True(t, ok)
	assert.Equal(t, -1, infeasible.Host)
	require.NoError(t, set.Remove(third))
	assert.Equal(t, 0.75, must(set.Rate(ctx, first)))

	_, err = set.Add(Page{ChangeRate: 1, Weight: 1, Host: 2})
	assert.EqualError(t, err, "live: there is no host 2")
	_, err = set.AddHost(-1)
	assert.Error(t, err)
	assert.Error(t, set.SetHostCap(0, 1))
	_, err = set.HostMultiplier(ctx, 7)
	assert.Error(t, err)
	_, err = set.Add(Page{ChangeRate: 1, Weight: 1, Least: 2, Greatest: 1})
	assert.Error(t, err)
	assert.Equal(t, Page{ChangeRate: 1, Weight: 1, Least: 0.25, Host: host}, set.Page(second))
	assert.Equal(t, Page{}, set.Page(third))
}

// Where all pages have a greatest rate, or hosts a cap, and there is bandwidth to spare,
// changes take no pass over the pages.
func TestPlentyIsKept(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(8, 0))
	set := must(NewSet(refresh.Random{}, 1000, 1))
	host := must(set.AddHost(7))
	for i := range 1000 {
		p := Page{ChangeRate: r.Float64(), Weight: 1, Greatest: r.Float64()}
		if i%2 == 0 {
			p.Host, p.Greatest = host, 0
		}
		must(set.Add(p))
	}
	for range 50 {
		assert.Zero(t, must(set.Multiplier(ctx)))
		require.NoError(t, set.Update(1+2*r.IntN(500), Page{ChangeRate: r.Float64(), Weight: 1, Greatest: r.Float64()}))
		requireFullSolve(t, set, 1e-9)
	}
	assert.Equal(t, 1, set.Rebuilds())
}
