package refresh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

func evaluate(t *testing.T, pages Pages, law queue.Law, cycle []int) *Evaluation {
	t.Helper()
	e, err := NewEvaluator(pages, law)
	require.NoError(t, err)
	for _, page := range cycle {
		require.NoError(t, e.Access(page))
	}
	return e.Cycle()
}

func randomCycle(r *rand.Rand, pages, slots int) []int {
	cycle := make([]int, slots)
	for i := range cycle {
		cycle[i] = r.IntN(pages)
	}
	return cycle
}

// naiveObsolescence is Lemma 3.1 and equation (3) of Coffman, Liu and Weber,
// gap by gap.
func naiveObsolescence(mu float64, law queue.Law, cycle []int, page int) float64 {
	var places []int
	for slot, accessed := range cycle {
		if accessed == page {
			places = append(places, slot)
		}
	}
	if len(places) == 0 {
		return 1
	}
	sum := 0.0
	for k, place := range places {
		next := places[(k+1)%len(places)]
		d := float64(next - place)
		if d <= 0 {
			d += float64(len(cycle))
		}
		sum += d*law.Mean() - (1-math.Pow(law.Laplace(mu), d))/mu
	}
	return sum / (float64(len(cycle)) * law.Mean())
}

func TestEvaluatorAgainstTheFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	pages := Pages{ChangeRates: []float64{0.5, 1, 3, 0.1, 0.7, 20}, Weights: []float64{1, 2, 0.5, 3, 1, 1}}
	for _, law := range accessLaws(0.4) {
		for _, slots := range []int{1, 2, 17, 400} {
			cycle := randomCycle(r, 5, slots) // page 5 is never accessed
			got := evaluate(t, pages, law, cycle)
			cost := 0.0
			for i, mu := range pages.ChangeRates {
				want := naiveObsolescence(mu, law, cycle, i)
				assert.InDelta(t, want, got.Obsolescence[i], 1e-13, "%v page %d", law, i)
				cost += pages.Weight(i) * want
				assert.GreaterOrEqual(t, got.Obsolescence[i], LeastObsolescence(law, mu, float64(got.Accesses[i])/float64(slots))*(1-1e-14))
			}
			assert.InEpsilon(t, cost, got.Cost, 1e-13)
			assert.LessOrEqual(t, got.Bound, got.Cost*(1+1e-14))
			assert.EqualValues(t, slots, got.Slots)

			turned := evaluate(t, pages, law, append(slices.Clone(cycle[slots/3:]), cycle[:slots/3]...))
			assert.InEpsilon(t, got.Cost, turned.Cost, 1e-14, "where a cycle begins does not matter")
			twice := evaluate(t, pages, law, append(slices.Clone(cycle), cycle...))
			assert.InEpsilon(t, got.Cost, twice.Cost, 1e-14)
		}
	}
	assert.Equal(t, 10.5-0.0, evaluate(t, Pages{ChangeRates: []float64{1, 2}, Weights: []float64{10, 0.5}}, accessLaws(1)[0], nil).Cost)
	e, err := NewEvaluator(pages, accessLaws(1)[0])
	require.NoError(t, err)
	assert.ErrorContains(t, e.Access(6), "page 6 in slot 1 is not valid: use pages 0 to 5")
	_, err = NewEvaluator(Pages{ChangeRates: []float64{-1}}, accessLaws(1)[0])
	assert.Error(t, err)
}

// Obsolescences far below 1 keep their digits: with d slots between accesses
// and a constant access time x, r = 1 − (1−e^{−μdx})/(μdx).
func TestTinyObsolescence(t *testing.T) {
	constant, exponential := must(queue.NewDeterministic(0.5)), must(queue.NewExponential(0.5))
	for _, mu := range []float64{1e-3, 1e-9, 1e-14} {
		got := evaluate(t, Pages{ChangeRates: []float64{mu, mu}}, constant, []int{0, 1, 0})
		y := wide(mu * 0.5)
		mean := wide(0)
		for _, d := range []float64{1, 2} { // Σ (d − (1−e^{−dy})/y) / 3
			mean = plus(mean, minus(wide(d), over(minus(wide(1), bigExp(times(wide(-d), y))), y)))
		}
		assert.InEpsilon(t, near(over(mean, wide(3))), got.Obsolescence[0], 1e-14, "μ=%v", mu)

		// h = 1/(1+y): d − (1 − (1+y)^{−d})/y
		got = evaluate(t, Pages{ChangeRates: []float64{mu, mu}}, exponential, []int{0, 1, 0})
		inverse := over(wide(1), plus(wide(1), y))
		mean = plus(minus(wide(1), over(minus(wide(1), inverse), y)), minus(wide(2), over(minus(wide(1), times(inverse, inverse)), y)))
		assert.InEpsilon(t, near(over(mean, wide(3))), got.Obsolescence[0], 1e-14, "μ=%v", mu)

		for _, law := range accessLaws(0.5) {
			f := 0.25
			assert.InEpsilon(t, mu*0.5/2*(1/f-1+1+law.Variance()/0.25), LeastObsolescence(law, mu, f), 3*mu*100+1e-12, "%v", law)
		}
	}
}

// Theorem 3.1 of Coffman, Liu and Weber: a smaller access time, in the
// increasing convex order, never makes a page staler, whatever the sequence.
func TestSmallerAccessTimesNeverHurt(t *testing.T) {
	ladders := [][]queue.Law{
		{ // one mean, more and more variable
			must(queue.NewDeterministic(0.3)), must(queue.NewErlang(20, 0.3)), must(queue.NewErlang(3, 0.3)),
			must(queue.NewExponential(0.3)), must(queue.NewGamma(0.5, 0.3)), must(queue.NewGamma(0.1, 0.3)),
		},
		{
			must(queue.NewDeterministic(0.3)), must(queue.NewUniform(0.2, 0.4)), must(queue.NewUniform(0.1, 0.5)),
			must(queue.NewUniform(0, 0.6)), must(queue.NewUniform(0, 0.7)), must(queue.NewExponential(0.36)),
		},
		{
			must(queue.NewExponential(0.3)), must(queue.NewHyperexponential([]float64{1, 1}, []float64{1, 2}, 0.3)),
			must(queue.NewHyperexponential([]float64{1, 1}, []float64{1, 9}, 0.3)),
			must(queue.NewHyperexponential([]float64{1, 1}, []float64{1, 9}, 0.31)),
		},
	}
	r := rand.New(rand.NewPCG(6, 0))
	for range 40 {
		pages := Pages{ChangeRates: make([]float64, 6), Weights: nil}
		for i := range pages.ChangeRates {
			pages.ChangeRates[i] = math.Pow(10, 3*(r.Float64()-0.7))
		}
		cycle := randomCycle(r, 6, 1+r.IntN(60))
		for _, laws := range ladders {
			var before []float64
			for _, law := range laws {
				now := evaluate(t, pages, law, cycle).Obsolescence
				for i := range before {
					require.GreaterOrEqual(t, now[i], before[i]*(1-1e-13), "%v", law)
				}
				before = now
			}
		}
	}
}

func TestClosedFormsOutsideTheirDomain(t *testing.T) {
	law := must(queue.NewExponential(1))
	for _, f := range []func(queue.Law, float64, float64) float64{LeastObsolescence, RandomizedObsolescence} {
		assert.Zero(t, f(law, 0, 0.5))
		assert.Zero(t, f(law, 0, 0))
		assert.Equal(t, 1.0, f(law, 2, 0))
		for _, bad := range [][2]float64{{-1, 0.5}, {math.Inf(1), 0.5}, {math.NaN(), 0.5}, {1, -0.1}, {1, 1.1}, {1, math.NaN()}} {
			assert.True(t, math.IsNaN(f(law, bad[0], bad[1])), bad)
		}
	}
	// Lemma 4.1 as printed.
	h, f, mu := law.Laplace(2), 0.3, 2.0
	assert.InEpsilon(t, 1-f/mu+f/mu*f*h/(1-h+f*h), RandomizedObsolescence(law, mu, f), 1e-14)
	assert.InEpsilon(t, 1-f/mu*(1-math.Pow(h, 1/f)), LeastObsolescence(law, mu, f), 1e-14)

	// A page that is given every slot is drawn in every slot: both formulas are
	// 1 − (1 − h)/μ, for an access time that is 1 always.
	for _, mu := range []float64{0.1, 0.5, 1, 2, 30} {
		want := 1 + math.Expm1(-mu)/mu
		assert.InEpsilon(t, want, LeastObsolescence(must(queue.NewDeterministic(1)), mu, 1), 1e-14)
		assert.InEpsilon(t, want, RandomizedObsolescence(must(queue.NewDeterministic(1)), mu, 1), 1e-14)
	}

	// Theorem 4.1 as printed, pages that change often.
	assert.InEpsilon(t, 35-35.0/36, RandomizedProportionalBound([]float64{30, 5}, 1, law), 1e-14)
	assert.InEpsilon(t, 4999, RandomizedProportionalBound([]float64{5000}, 1, must(queue.NewDeterministic(1))), 1e-14)

	// Pages that change more often than e^{−μE[X]} has room for, and one that
	// does so rarely that its square has none.
	constant := must(queue.NewDeterministic(1))
	assert.InEpsilon(t, 2*(5002-1), ProportionalBound([]float64{5000, 2}, 2, constant), 1e-14)
	assert.InEpsilon(t, 1-1/5000.0, GoldenRatioLimit(Pages{ChangeRates: []float64{5000}}, []float64{1}, constant), 1e-14)
	for _, mu := range []float64{5000, 1, 0.3, 1e-3, 1e-100} {
		for _, law := range []queue.Law{must(queue.NewErlang(2, 0.7)), must(queue.NewHyperexponential([]float64{1, 1e-3}, []float64{1, 300}, 1e-80))} {
			assert.Equal(t, 1.0, LeastObsolescence(law, mu, 0), "%v %v", law, mu)
			assert.Equal(t, 1.0, RandomizedObsolescence(law, mu, 0), "%v %v", law, mu)
		}
	}
	// Access times of which nearly all are short: A is small and μE[X] is not.
	shape, mean := 1e-5, 1e4
	odds := math.Expm1(shape * math.Log1p(mean/shape))
	assert.InEpsilon(t, 1-odds/(1+odds)/mean, RandomizedProportionalBound([]float64{1}, 1, must(queue.NewGamma(shape, mean))), 1e-14)

	pages := Pages{ChangeRates: []float64{1, 2}}
	assert.Panics(t, func() { GoldenRatioLimit(pages, []float64{1}, law) })
	for _, bad := range [][]float64{{-1, 2}, {math.NaN(), 1}, {0, 0}, {math.Inf(1), 1}} {
		assert.True(t, math.IsNaN(GoldenRatioLimit(pages, bad, law)), bad)
	}
	assert.True(t, math.IsNaN(GoldenRatioLimit(Pages{ChangeRates: []float64{-1, 2}}, []float64{1, 1}, law)))
	for _, bound := range []func([]float64, float64, queue.Law) float64{ProportionalBound, RandomizedProportionalBound} {
		assert.True(t, math.IsNaN(bound([]float64{1, -1}, 1, law)))
		assert.Zero(t, bound(nil, 1, law))
	}
}

// play draws access times and changes, and returns the mean of Σ w·(share of time out of
// date) over runs of a sequence of accesses, with its standard error.
func play(r *rand.Rand, pages Pages, law queue.Law, next func(slot int) (page int)) (mean, standardError float64) {
	const runs, slots = 12, 20_000
	sum, squares := 0.0, 0.0
	for range runs {
		begin, now, cost := 0.0, 0.0, 0.0
		changes := make([]float64, pages.Len()) // when each page is out of date from
		for i, mu := range pages.ChangeRates {
			changes[i] = r.ExpFloat64() / mu // never for 0
		}
		stale := func(i int) float64 { return pages.Weight(i) * max(0, now-max(begin, changes[i])) }
		for slot := range slots + slots/10 {
			if slot == slots/10 { // what is seen before does not count
				begin, cost = now, 0
			}
			page := next(slot)
			now += law.Draw(r)
			cost += stale(page)
			changes[page] = now + r.ExpFloat64()/pages.ChangeRates[page]
		}
		for i := range changes {
			cost += stale(i)
		}
		cost /= now - begin
		sum += cost
		squares += cost * cost
	}
	mean = sum / runs
	return mean, math.Sqrt((squares/runs - mean*mean) / (runs - 1))
}

// What a cycle of accesses costs, and one drawn at random, played.
func TestPlayedAgainstExactCosts(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	pages := Pages{ChangeRates: []float64{0.5, 1, 3, 0.02, 0}, Weights: []float64{1, 2, 0.5, 3, 1}}
	cycle := []int{0, 1, 2, 1, 0, 1, 4} // page 3 never
	frequencies := []float64{0.3, 0.4, 0.2, 0.1, 0}
	for _, law := range accessLaws(0.4) {
		exact := evaluate(t, pages, law, cycle).Cost
		played, standardError := play(r, pages, law, func(slot int) int { return cycle[slot%len(cycle)] })
		assert.InDelta(t, exact, played, 5*standardError, "%v", law)
		assert.Less(t, standardError, 0.01*exact)

		exact = 0
		for i, mu := range pages.ChangeRates {
			exact += pages.Weight(i) * RandomizedObsolescence(law, mu, frequencies[i])
		}
		played, standardError = play(r, pages, law, func(int) int {
			u, page := r.Float64(), 0
			for u > frequencies[page] && page < 3 {
				u -= frequencies[page]
				page++
			}
			return page
		})
		assert.InDelta(t, exact, played, 5*standardError, "%v", law)
		assert.Less(t, standardError, 0.01*exact)
	}
}
