package rates

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

var longRun = flag.Bool("refresh.long", false, "run tests at full length: many pages")

// Few passes do also where there are so many pages that the multiplier is always
// on a flank.
func TestPassesWithManyPages(t *testing.T) {
	n := 100_000
	if *longRun {
		n = 1_000_000
	}
	law := must(queue.NewExponential(1e-6))
	for _, seed := range []uint64{1, 2, 3} {
		r := rand.New(rand.NewPCG(seed, 0))
		pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
		for i := range n {
			pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
		}
		for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.NewCoffman(law), refresh.Random{}, refresh.Age{}, refresh.Harmonic{}} {
			s := solve(t, refresh.Problem{Pages: pages, Objective: objective, Bandwidth: float64(n) / 10})
			assert.LessOrEqual(t, s.Passes, 8, "%v, seed %d", objective, seed)
		}
	}
}

// coarse is an objective whose slopes have a few digits only, which is all that is
// asked of them.
type coarse struct{ refresh.Objective }

func (c coarse) Demand(rates, slopes []float64, pages refresh.Pages, multiplier float64) {
	c.Objective.Demand(rates, slopes, pages, multiplier)
	for i := range slopes {
		slopes[i] *= 1 + 1e-3*math.Sin(1e6*pages.ChangeRates[i])
	}
}

func TestCoarseSlopes(t *testing.T) {
	for _, n := range []int{10, 1000, 100_000} {
		r := rand.New(rand.NewPCG(4, 0))
		pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
		for i := range n {
			pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
		}
		for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}} {
			p := refresh.Problem{Pages: pages, Objective: objective, Bandwidth: float64(n) / 10}
			want := solve(t, p)
			p.Objective = coarse{objective}
			got := solve(t, p)
			require.InEpsilon(t, want.Value, got.Value, 1e-13)
			require.LessOrEqual(t, got.Passes, 30, fmt.Sprint(objective, n))
			for i, rate := range want.Rates {
				require.InDelta(t, rate, got.Rates[i], 1e-9*max(rate, p.Bandwidth/float64(n)), "%v, page %d of %d", objective, i, n)
			}
		}
	}
}

// Hosts with caps, some of which matter, beside flanks everywhere: optimal, and the
// same bits at any number of workers.
func TestSteepPagesOfHosts(t *testing.T) {
	const n = 60_000
	for _, seed := range []uint64{1, 2} {
		r := rand.New(rand.NewPCG(seed, 1))
		p := refresh.Problem{
			Pages:     refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)},
			Bandwidth: n / 10, Hosts: make([]int32, n), HostCaps: make([]float64, 40),
		}
		for i := range n {
			p.Pages.ChangeRates[i], p.Pages.Weights[i] = r.Float64(), r.ExpFloat64()
			p.Hosts[i] = int32(r.IntN(len(p.HostCaps)))
		}
		for h := range p.HostCaps {
			p.HostCaps[h] = 1.5 * n / 10 / 40 * r.ExpFloat64()
		}
		p.HostCaps[0] = math.Inf(1)
		for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Discrete{}, refresh.Random{}} {
			p.Objective = objective
			want := solve(t, p)
			requireOptimal(t, p, want, "%v, seed %d", objective, seed)
			for _, workers := range []int{1, 2, 5} {
				got, err := Optimize(context.Background(), p, Settings{Workers: workers})
				require.NoError(t, err)
				got.Elapsed = want.Elapsed
				require.Equal(t, want, got, "%v, %d workers", objective, workers)
			}
		}
	}
}

// A solve that is interrupted after any pass says so and keeps to the limits.
func TestInterruptedOnAFlank(t *testing.T) {
	const n = 50_000
	r := rand.New(rand.NewPCG(1, 2))
	pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
	}
	for after := range 6 {
		ctx := countdown.New(after)
		s, err := Optimize(ctx, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: n / 10}, Settings{})
		if err == nil {
			continue
		}
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, s.Used, n/10*(1+1e-12))
		require.GreaterOrEqual(t, s.Bound, s.Value)
	}
}
