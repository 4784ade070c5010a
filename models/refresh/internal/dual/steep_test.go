package refresh

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/queue"
)

// beginningAt returns the weight with which a page begins to be accessed at a
// multiplier.
func beginningAt(objective Objective, changeRate, multiplier float64) float64 {
	if _, ok := objective.(Discrete); ok {
		return multiplier / changeRate * changeRate * changeRate
	}
	return multiplier * changeRate
}

// Pages that begin to be accessed within 10⁻¹ … 10⁻¹⁷ of the multiplier, on either
// side, have in a set that lives, after any change, the rates of a full solve, and
// in a solve that begins with a guess those of one that does not.
func TestLiveSetEqualsFullSolvesWherePagesAreGivenUp(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	ctx := context.Background()
	law := must(queue.NewExponential(1e-3))
	for _, test := range []struct{ pages, sets int }{{5, 400}, {20, 400}, {300, 60}, {block + 2000, 3}} {
		sets := test.sets
		if !*longRun {
			sets = (sets + 9) / 10
		}
		for _, objective := range []Objective{FixedOrder{}, NewCoffman(law), Random{}, NewCoffmanRandomized(law), Discrete{}, Age{}} {
			r := rand.New(rand.NewPCG(seed, uint64(test.pages)))
			worst, passes := 0.0, 0
			for range sets {
				set := liveSetOf(t, objective, r, test.pages)
				mean := set.Bandwidth() / float64(test.pages)
				for range 4 {
					pushToTheEdge(t, set, r)
					p := Problem{Pages: set.pages, Objective: objective, Bandwidth: set.Bandwidth()}
					full := solve(t, p)
					passes = max(passes, full.Passes)
					guessed, err := Optimize(ctx, p, Settings{Multiplier: full.Multiplier * (1 + 0.01*r.NormFloat64())})
					require.NoError(t, err)
					for page, want := range full.Rates {
						got, err := set.Rate(ctx, page)
						require.NoError(t, err)
						allowed := 1e-9 * max(want, mean)
						if again := guessed.Rates[page]; !(math.Abs(got-want) <= allowed && math.Abs(again-want) <= allowed) {
							t.Fatalf("%v, page %d of %d: %v in the set, %v with a guess, %v in full", objective, page, test.pages, got, again, want)
						}
						worst = max(worst, math.Abs(got-want)/max(want, mean))
					}
				}
			}
			t.Logf("%v, %d pages: rates differ by %.2g, %d passes", objective, test.pages, worst, passes)
		}
	}
}

func liveSetOf(t *testing.T, objective Objective, r *rand.Rand, pages int) *LiveSet {
	t.Helper()
	set, err := NewLiveSet(objective, float64(pages)/10, 1)
	require.NoError(t, err)
	for range pages {
		_, err := set.Add(r.Float64(), r.Float64())
		require.NoError(t, err)
	}
	return set
}

// pushToTheEdge makes some pages begin to be accessed near the multiplier.
func pushToTheEdge(t *testing.T, set *LiveSet, r *rand.Rand) {
	t.Helper()
	multiplier, err := set.Multiplier(context.Background())
	require.NoError(t, err)
	for range 1 + r.IntN(8) {
		page := r.IntN(set.Len())
		changeRate := set.pages.ChangeRates[page]
		if _, ok := set.objective.(Discrete); ok && r.IntN(2) == 0 {
			changeRate = 1 - math.Pow(10, -17*r.Float64()) // all or nothing, or nearly
		}
		distance := math.Pow(10, -1-16*r.Float64()) * float64(1-2*r.IntN(2))
		weight := beginningAt(set.objective, changeRate, multiplier) * (1 + distance)
		require.NoError(t, set.Update(page, changeRate, weight))
	}
	if r.IntN(3) == 0 {
		require.NoError(t, set.SetBandwidth(set.Bandwidth()*(1+1e-3*(r.Float64()-0.5))))
	}
}

// On an interval, the steep pages and the cubic have the demand of all pages, in
// which everything below the rounding of a multiplier is nothing.
func TestReducedDemandIsTheDemandOfAll(t *testing.T) {
	const n = 50_000
	r := rand.New(rand.NewPCG(8, 0))
	pages := Pages{make([]float64, n), make([]float64, n)}
	for i := range n {
		pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
	}
	team := parallel.NewTeam(2)
	defer team.Close()
	for _, objective := range []Objective{FixedOrder{}, Discrete{}, Random{}} {
		p := Problem{Pages: pages, Objective: objective, Bandwidth: n / 10}
		best := solve(t, p)
		for _, half := range []float64{1e-3, 1e-4, 1e-6} {
			s := newSolver(newOptimizer(&p, team))
			s.whole = newSearch(p.Bandwidth)
			reduced := s.reduce(best.Multiplier*(1-half), best.Multiplier*(1+half))
			require.NotNil(t, reduced)
			require.Less(t, reduced.steep.Len(), n/4)
			for range 50 {
				multiplier := best.Multiplier * (1 + half*(2*r.Float64()-1))
				got := reduced.at(multiplier)
				want := s.demandAt(multiplier)
				require.InDelta(t, want.sum.below(p.Bandwidth), got.residual, (4e-15+1e-9*half)*p.Bandwidth, "%v, half %v", objective, half)
				require.InEpsilon(t, want.slope, got.slope, 1e-6)
			}
		}
	}
}

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
		pages := Pages{make([]float64, n), make([]float64, n)}
		for i := range n {
			pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
		}
		for _, objective := range []Objective{FixedOrder{}, NewCoffman(law), Random{}, Age{}} {
			s := solve(t, Problem{Pages: pages, Objective: objective, Bandwidth: float64(n) / 10})
			assert.LessOrEqual(t, s.Passes, 7, "%v, seed %d", objective, seed)
		}
	}
}

// coarse is an objective whose slopes have a few digits only, which is all that is
// asked of them.
type coarse struct{ Objective }

func (c coarse) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	c.Objective.Demand(rates, slopes, pages, multiplier)
	for i := range slopes {
		slopes[i] *= 1 + 1e-3*math.Sin(1e6*pages.ChangeRates[i])
	}
}

func TestCoarseSlopes(t *testing.T) {
	for _, n := range []int{10, 1000, 100_000} {
		r := rand.New(rand.NewPCG(4, 0))
		pages := Pages{make([]float64, n), make([]float64, n)}
		for i := range n {
			pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
		}
		for _, objective := range []Objective{FixedOrder{}, Random{}, Age{}} {
			p := Problem{Pages: pages, Objective: objective, Bandwidth: float64(n) / 10}
			want := solve(t, p)
			p.Objective = coarse{objective}
			got := solve(t, p)
			require.Equal(t, mdp.Converged, got.Status)
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
		p := Problem{
			Pages:     Pages{make([]float64, n), make([]float64, n)},
			Bandwidth: n / 10, Hosts: make([]int32, n), HostCaps: make([]float64, 40),
		}
		for i := range n {
			p.ChangeRates[i], p.Weights[i] = r.Float64(), r.ExpFloat64()
			p.Hosts[i] = int32(r.IntN(len(p.HostCaps)))
		}
		for h := range p.HostCaps {
			p.HostCaps[h] = 1.5 * n / 10 / 40 * r.ExpFloat64()
		}
		p.HostCaps[0] = math.Inf(1)
		for _, objective := range []Objective{FixedOrder{}, Discrete{}, Random{}} {
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
	pages := Pages{make([]float64, n), make([]float64, n)}
	for i := range n {
		pages.ChangeRates[i], pages.Weights[i] = r.Float64(), r.ExpFloat64()
	}
	for after := range 6 {
		ctx := countdown.New(after)
		s, err := Optimize(ctx, Problem{Pages: pages, Objective: FixedOrder{}, Bandwidth: n / 10}, Settings{})
		if err == nil {
			require.Equal(t, mdp.Converged, s.Status)
			continue
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, mdp.Interrupted, s.Status)
		require.LessOrEqual(t, s.Used, n/10*(1+1e-12))
		require.GreaterOrEqual(t, s.Bound, s.Value)
	}
}
