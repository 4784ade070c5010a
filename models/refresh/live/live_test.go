package live

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

var longRun = flag.Bool("refresh.long", false, "run tests at full length: pages that are given up")

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func solve(t *testing.T, p refresh.Problem) *refresh.Solution {
	t.Helper()
	solution, err := refresh.Optimize(context.Background(), p, refresh.Settings{})
	require.NoError(t, err)
	return solution
}

// A set that lives has at any time the rates of a full solve.
func TestRatesEqualFullSolves(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	steps := 1500
	if testing.Short() {
		steps = 200
	}
	ctx := context.Background()
	law := must(queue.NewExponential(1e-3))
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.Discrete{}, refresh.NewCoffman(law), refresh.NewCoffmanRandomized(law)} {
		r := rand.New(rand.NewPCG(seed, 0))
		set, err := NewSet(objective, 40, 2)
		require.NoError(t, err)
		number := func() float64 {
			switch r.IntN(12) {
			case 0:
				return 0
			case 1:
				return 0.5
			}
			return r.Float64()
		}
		present := []int{}
		for step := range steps {
			switch action := r.IntN(20); {
			case len(present) < 100 || action < 4:
				page, err := set.Add(Page{ChangeRate: number(), Weight: number()})
				require.NoError(t, err)
				present = append(present, page)
			case action < 7:
				k := r.IntN(len(present))
				require.NoError(t, set.Remove(present[k]))
				present[k] = present[len(present)-1]
				present = present[:len(present)-1]
			case action == 7:
				require.NoError(t, set.SetBandwidth(set.Bandwidth()*(0.9+0.2*r.Float64())))
			default: // drift
				page := present[r.IntN(len(present))]
				require.NoError(t, set.Update(page, Page{ChangeRate: set.pages.ChangeRates[page] * (0.99 + 0.01*r.Float64()), Weight: set.pages.Weights[page]}))
			}
			if step%7 != 0 {
				continue
			}
			p := refresh.Problem{Pages: set.pages, Objective: objective, Bandwidth: set.Bandwidth()}
			full, err := refresh.Optimize(ctx, p, refresh.Settings{Workers: 1})
			require.NoError(t, err)
			multiplier, err := set.Multiplier(ctx)
			require.NoError(t, err)
			require.InDelta(t, full.Multiplier, multiplier, 1e-12*full.Multiplier, "%v, step %d", objective, step)
			for page, want := range full.Rates {
				got, err := set.Rate(ctx, page)
				require.NoError(t, err)
				require.InDelta(t, want, got, 1e-9*max(want, set.Bandwidth()/float64(len(present))), "%v, step %d", objective, step)
			}
		}
		t.Logf("%v: %d pages, %d rebuilds in %d steps", objective, len(present), set.Rebuilds(), steps)
	}
}

// Pages that ask for many orders of magnitude more than there is, and leave before
// anybody has looked, do not spoil the sums of the others.
func TestSetForgetsWhatHasLeft(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(4, 0))
	pages := refresh.Pages{ChangeRates: []float64{1, 2, 3}, Weights: []float64{1, 1, 1}}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}} {
		want := solve(t, refresh.Problem{Pages: pages, Objective: objective, Bandwidth: 5})
		for range 200 {
			set, err := NewSet(objective, 5, 1)
			require.NoError(t, err)
			for i := range pages.Len() {
				_, err := set.Add(Page{ChangeRate: pages.ChangeRates[i], Weight: pages.Weight(i)})
				require.NoError(t, err)
			}
			_, err = set.Multiplier(ctx)
			require.NoError(t, err)
			greatest := 100 * r.Float64()
			for range 5 {
				_, err := set.Add(Page{ChangeRate: r.Float64(), Weight: math.Pow(10, greatest*r.Float64())})
				require.NoError(t, err)
			}
			for page := 3; page < 8; page++ {
				require.NoError(t, set.Remove(page))
			}
			for page, rate := range want.Rates {
				got, err := set.Rate(ctx, page)
				require.NoError(t, err)
				require.InEpsilon(t, rate, got, 1e-12, "%v", objective)
			}
		}
	}
}

func TestSetOfFewPages(t *testing.T) {
	ctx := context.Background()
	set, err := NewSet(refresh.FixedOrder{}, 5, 1)
	require.NoError(t, err)
	multiplier, err := set.Multiplier(ctx)
	require.NoError(t, err)
	assert.Zero(t, multiplier)

	for i := range 5 {
		page, err := set.Add(Page{ChangeRate: float64(i + 1), Weight: 1})
		require.NoError(t, err)
		assert.Equal(t, i, page)
	}
	for page, want := range []float64{1.14989, 1.35841, 1.35384, 1.13786, 0} {
		rate, err := set.Rate(ctx, page)
		require.NoError(t, err)
		assert.InDelta(t, want, rate, 6e-6)
	}
	require.NoError(t, set.Remove(2))
	rate, err := set.Rate(ctx, 2)
	require.NoError(t, err)
	assert.Zero(t, rate)
	for _, page := range []int{-1, 2, 5} {
		assert.Error(t, set.Remove(page))
		assert.Error(t, set.Update(page, Page{ChangeRate: 1, Weight: 1}))
	}
	page, err := set.Add(Page{ChangeRate: 3, Weight: 1})
	require.NoError(t, err)
	assert.Equal(t, 2, page, "the free index")
	rate, err = set.Rate(ctx, 2)
	require.NoError(t, err)
	assert.InDelta(t, 1.35384, rate, 6e-6)

	_, err = set.Add(Page{ChangeRate: -1, Weight: 1})
	var fault *refresh.PageError
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, refresh.PageError{Page: 5, Field: "ChangeRates", Value: -1, Allowed: "0 or a number from 1e-100 to 1e+100"}, *fault)
	assert.Equal(t, 5, set.Len())
	assert.Error(t, set.SetBandwidth(math.NaN()))
	_, err = set.Rate(ctx, 9)
	assert.Error(t, err)
}

// beginningAt returns the weight with which a page begins to be accessed at a
// multiplier.
func beginningAt(objective refresh.Objective, changeRate, multiplier float64) float64 {
	if _, ok := objective.(refresh.Discrete); ok {
		return multiplier / changeRate * changeRate * changeRate
	}
	return multiplier * changeRate
}

// Pages that begin to be accessed within 10⁻¹ … 10⁻¹⁷ of the multiplier, on either
// side, have in a set that lives, after any change, the rates of a full solve, and
// in a solve that begins with a guess those of one that does not.
func TestRatesEqualFullSolvesWherePagesAreGivenUp(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	ctx := context.Background()
	law := must(queue.NewExponential(1e-3))
	for _, test := range []struct{ pages, sets int }{{5, 400}, {20, 400}, {300, 60}, {10_000, 3}} {
		sets := test.sets
		if !*longRun {
			sets = (sets + 9) / 10
		}
		for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.NewCoffman(law), refresh.Random{}, refresh.NewCoffmanRandomized(law), refresh.Discrete{}, refresh.Age{}, refresh.Harmonic{}} {
			r := rand.New(rand.NewPCG(seed, uint64(test.pages)))
			worst, passes := 0.0, 0
			for range sets {
				set := liveSetOf(t, objective, r, test.pages)
				mean := set.Bandwidth() / float64(test.pages)
				for range 4 {
					pushToTheEdge(t, set, r)
					p := refresh.Problem{Pages: set.pages, Objective: objective, Bandwidth: set.Bandwidth()}
					full := solve(t, p)
					passes = max(passes, full.Passes)
					guessed, err := refresh.Optimize(ctx, p, refresh.Settings{Multiplier: full.Multiplier * (1 + 0.01*r.NormFloat64())})
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

func liveSetOf(t *testing.T, objective refresh.Objective, r *rand.Rand, pages int) *Set {
	t.Helper()
	set, err := NewSet(objective, float64(pages)/10, 1)
	require.NoError(t, err)
	for range pages {
		_, err := set.Add(Page{ChangeRate: r.Float64(), Weight: r.Float64()})
		require.NoError(t, err)
	}
	return set
}

// pushToTheEdge makes some pages begin to be accessed near the multiplier.
func pushToTheEdge(t *testing.T, set *Set, r *rand.Rand) {
	t.Helper()
	multiplier, err := set.Multiplier(context.Background())
	require.NoError(t, err)
	for range 1 + r.IntN(8) {
		page := r.IntN(set.Len())
		changeRate := set.pages.ChangeRates[page]
		if _, ok := set.objective.(refresh.Discrete); ok && r.IntN(2) == 0 {
			changeRate = 1 - math.Pow(10, -17*r.Float64()) // all or nothing, or nearly
		}
		distance := math.Pow(10, -1-16*r.Float64()) * float64(1-2*r.IntN(2))
		weight := beginningAt(set.objective, changeRate, multiplier) * (1 + distance)
		require.NoError(t, set.Update(page, Page{ChangeRate: changeRate, Weight: weight}))
	}
	if r.IntN(3) == 0 {
		require.NoError(t, set.SetBandwidth(set.Bandwidth()*(1+1e-3*(r.Float64()-0.5))))
	}
}
