package rates

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

func TestSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	n := 20_000 // three blocks
	if *longRun {
		n = 60_000
	}
	law := must(queue.NewExponential(1e-3))
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.NewCoffmanRandomized(law)} {
		p := refresh.Problem{Pages: randomPages(r, n, 6, false), Objective: objective, Bandwidth: 700}
		for _, hosts := range []bool{false, true} {
			if hosts {
				p.Hosts, p.HostCaps = make([]int32, n), make([]float64, 999)
				for i := range n {
					p.Hosts[i] = int32(float64(len(p.HostCaps)) * math.Pow(r.Float64(), 4))
				}
				for h := range p.HostCaps {
					p.HostCaps[h] = r.ExpFloat64()
				}
			}
			var want *Solution
			for _, workers := range []int{1, 2, 3, 8} {
				s, err := Optimize(context.Background(), p, Settings{Workers: workers})
				require.NoError(t, err)
				requireOptimal(t, p, s)
				s.Elapsed = 0
				if want == nil {
					want = s
				}
				require.Equal(t, want, s, "%v, %d workers", objective, workers)
			}
		}
	}
}

// Edge cases.
func TestEdges(t *testing.T) {
	one := refresh.Pages{ChangeRates: []float64{3}}
	law := must(queue.NewErlang(2, 0.1))
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.NewCoffman(law), refresh.NewCoffmanRandomized(law)} {
		_, fastest := (&refresh.Problem{Objective: objective}).Limits()
		for _, bandwidth := range []float64{1e-12, 1e-3, 1, 1e3, 1e12} {
			p := refresh.Problem{Pages: one, Objective: objective, Bandwidth: bandwidth}
			s := solve(t, p)
			requireOptimal(t, p, s, "%v %v", objective, bandwidth)
			assert.InEpsilon(t, min(fastest, bandwidth), s.Rates[0], 1e-12)
			if bandwidth > fastest {
				assert.Zero(t, s.Multiplier)
			}
		}
		// Ties share the bandwidth.
		p := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{2, 2, 2, 2}}, Objective: objective, Bandwidth: 1e-6}
		s := solve(t, p)
		requireOptimal(t, p, s)
		assert.InDeltaSlice(t, []float64{2.5e-7, 2.5e-7, 2.5e-7, 2.5e-7}, s.Rates, 1e-18)

		// Nothing to gain, and nothing at all.
		p.Pages = refresh.Pages{ChangeRates: []float64{0, 1, 0}, Weights: []float64{1, 0, 0}}
		s = solve(t, p)
		assert.Equal(t, []float64{0, 0, 0}, s.Rates)
		assert.Zero(t, s.Multiplier)
		p.Pages = refresh.Pages{}
		s = solve(t, p)
		assert.Empty(t, s.Rates)
		p.Hosts = []int32{}
		assert.Empty(t, solve(t, p).Rates)
		p.Hosts = nil

		// Twelve orders of magnitude.
		p.Pages = refresh.Pages{ChangeRates: []float64{1e-6, 1e-3, 1, 1e3, 1e6}, Weights: []float64{1e6, 1, 1e-6, 1e3, 1e-6}}
		for _, bandwidth := range []float64{1e-9, 1, 1e9} {
			p.Bandwidth = bandwidth
			requireOptimal(t, p, solve(t, p), "%v %v", objective, bandwidth)
		}
	}
	// Pages that change in every slot: a linear value.
	p := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{1, 1, 0.5}, Weights: []float64{2, 2, 1}}, Objective: refresh.Discrete{}, Bandwidth: 1}
	s := solve(t, p)
	requireOptimal(t, p, s)
	assert.InDeltaSlice(t, []float64{0.5, 0.5, 0}, s.Rates, 1e-12)
	p.Bandwidth = 5
	s = solve(t, p)
	assert.Equal(t, []float64{1, 1, 1}, s.Rates)
	assert.Zero(t, s.Multiplier)
}

func TestCaps(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{1, 2, 3, 4, 5}}
	// A cap that does not matter, one that does, one of nothing.
	p := refresh.Problem{
		Pages: pages, Objective: refresh.Age{}, Bandwidth: 5,
		Hosts: []int32{0, 0, 1, 1, 2}, HostCaps: []float64{100, 1, 2},
	}
	s := solve(t, p)
	requireOptimal(t, p, s)
	assert.InEpsilon(t, 1, s.Rates[2]+s.Rates[3], 1e-12)
	assert.Equal(t, s.Multiplier, s.HostMultipliers[0])
	assert.Greater(t, s.HostMultipliers[1], s.Multiplier)
	alone := solve(t, refresh.Problem{Pages: pages.Slice(2, 4), Objective: refresh.Age{}, Bandwidth: 1})
	assert.InDeltaSlice(t, alone.Rates, s.Rates[2:4], 1e-12)
	p.Objective, p.HostCaps[1] = refresh.FixedOrder{}, 0
	s = solve(t, p)
	requireOptimal(t, p, s)
	assert.Zero(t, s.Rates[2]+s.Rates[3])

	// Caps that all bind leave bandwidth over.
	p.HostCaps = []float64{1, 1, 1}
	s = solve(t, p)
	requireOptimal(t, p, s)
	assert.InEpsilon(t, 3, s.Used, 1e-12)
	assert.Zero(t, s.Multiplier)
}

func TestGuessesAndSpaceOfTheCaller(t *testing.T) {
	p := refresh.Problem{Pages: syntheticPages(50_000, 1), Objective: refresh.FixedOrder{}, Bandwidth: 3000}
	want := solve(t, p)
	rates := make([]float64, 50_000)
	for _, guess := range []float64{want.Multiplier, 1e-9, 1e9} {
		s, err := Optimize(context.Background(), p, Settings{Rates: rates, Multiplier: guess})
		require.NoError(t, err)
		requireOptimal(t, p, s)
		assert.Same(t, &rates[0], &s.Rates[0])
		assert.InEpsilon(t, want.Multiplier, s.Multiplier, 1e-12)
		if guess == want.Multiplier {
			assert.LessOrEqual(t, s.Passes, 4, "one at the guess, one on an interval, and the last")
		}
	}
}

// counted ends a context after some questions.
type counted struct {
	refresh.Objective
	left   *int
	cancel func()
}

func (c counted) Demand(rates, slopes []float64, pages refresh.Pages, multiplier float64) {
	if *c.left--; *c.left == 0 {
		c.cancel()
	}
	c.Objective.Demand(rates, slopes, pages, multiplier)
}

func TestInterruption(t *testing.T) {
	pages := syntheticPages(3000, 2)
	hosts := make([]int32, 3000)
	for i := range hosts {
		hosts[i] = int32(i % 7)
	}
	optimum := solve(t, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: 300, Hosts: hosts, HostCaps: []float64{9, 80, 1, 80, 20, 80, 80}})
	for calls := range 60 {
		ctx, cancel := context.WithCancel(context.Background())
		left := calls
		if calls == 0 {
			cancel()
		}
		p := refresh.Problem{
			Pages: pages, Objective: counted{refresh.FixedOrder{}, &left, cancel}, Bandwidth: 300,
			Hosts: hosts, HostCaps: []float64{9, 80, 1, 80, 20, 80, 80},
		}
		s, err := Optimize(ctx, p, Settings{Workers: 1})
		cancel()
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, s.Used, 300*(1+1e-12))
		sums := make([]float64, 7)
		for i, rate := range s.Rates {
			sums[hosts[i]] += rate
		}
		for h, sum := range sums {
			require.LessOrEqual(t, sum, p.HostCaps[h]*(1+1e-12))
		}
		require.LessOrEqual(t, s.Value, optimum.Bound)
		require.GreaterOrEqual(t, s.Bound, optimum.Value*(1-1e-14), "calls %d", calls)
	}
}

// The multiplier lies where one page is all but given up: on a flank on which
// its demand falls from a thirtieth of its change rate to nothing within 10⁻¹³.
func TestMultiplierOnASteepFlank(t *testing.T) {
	pages := syntheticPages(20_000, 3)
	for k := range 8 {
		for _, distance := range []float64{1e-9, 1e-12, 1e-14} {
			multiplier := pages.Weights[k] / pages.ChangeRates[k] * (1 - distance)
			rates, slopes := make([]float64, pages.Len()), make([]float64, pages.Len())
			refresh.FixedOrder{}.Demand(rates, slopes, pages, multiplier)
			sum := doubledouble.Accumulator{}
			sum.AddAll(rates)
			p := refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: sum.Sum()}
			s := solve(t, p)
			requireOptimal(t, p, s)
			assert.InEpsilon(t, multiplier, s.Multiplier, 1e-13)
			assert.LessOrEqual(t, s.Passes, 24)
		}
	}
}
