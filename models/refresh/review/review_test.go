package review_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/models/refresh/review"
)

var longRun = flag.Bool("refresh.long", false, "run tests at full length: simulated days of many pages")

// world simulates pages that change, and a crawler, event by event. It knows nothing of formulas.
type world struct {
	r       *rand.Rand
	rates   []float64 // true change rates
	every   []float64 // intervals between accesses
	change  []float64 // time of the next change
	next    []float64 // time of the next access
	last    []float64
	stale   []bool
	failing float64 // share of accesses that fail
	late    float64 // mean delay of an access
}

func newWorld(seed uint64, n int) *world {
	w := &world{
		r: rand.New(rand.NewPCG(seed, 1)), rates: make([]float64, n), every: make([]float64, n), change: make([]float64, n),
		next: make([]float64, n), last: make([]float64, n), stale: make([]bool, n),
	}
	for i := range n {
		w.rates[i] = math.Exp(1.5 * w.r.NormFloat64()) // heavy-tailed
		w.every[i] = 0.3 + 2*w.r.Float64()
		w.change[i] = w.r.ExpFloat64() / w.rates[i]
		w.next[i] = w.r.Float64() * w.every[i]
		w.last[i] = math.NaN()
	}
	return w
}

// day simulates a day. It returns the pages as an operator who believes in given rates sees them,
// and the true share of time with up-to-date copies.
func (w *world) day(from, until float64, believed []float64) (pages []review.Page, fresh float64) {
	pages = make([]review.Page, len(w.rates))
	for i := range pages {
		p := &pages[i]
		*p = review.Page{ChangeRate: believed[i], Weight: 1, Last: w.last[i]}
		for at := w.next[i]; at < until; at += w.every[i] {
			p.Planned = append(p.Planned, at)
		}
		now := from
		pass := func(to float64) { // lets time pass, with changes
			for w.change[i] <= to {
				if !w.stale[i] && !math.IsNaN(w.last[i]) {
					fresh += w.change[i] - now
				}
				now, w.stale[i] = w.change[i], true
				w.change[i] += w.r.ExpFloat64() / w.rates[i]
			}
			if !w.stale[i] && !math.IsNaN(w.last[i]) {
				fresh += to - now
			}
			now = to
		}
		for ; w.next[i] < until; w.next[i] += w.every[i] {
			at := min(w.next[i]+w.late*w.r.ExpFloat64()*w.every[i], w.next[i]+0.9*w.every[i])
			if at >= until {
				continue // it falls out
			}
			pass(at)
			if w.r.Float64() < w.failing {
				p.Accesses = append(p.Accesses, review.Access{Time: at, Failed: true})
				continue
			}
			p.Accesses = append(p.Accesses, review.Access{Time: at, Told: !math.IsNaN(w.last[i]), Changed: w.stale[i]})
			w.stale[i], w.last[i] = false, at
		}
		pass(until)
	}
	return pages, fresh / float64(len(pages)) / (until - from)
}

// If all goes by plan, what was promised is within the interval of what is measured on 28 of 30 days or
// more. If not, what was expected of the accesses made is within it on 26 days or more; with intervals of
// 95%, fewer happen by chance once in 64 runs, and the seed is fixed.
func TestPromisesAreMeasured(t *testing.T) {
	pages := 5000
	if *longRun {
		pages = 50_000
	}
	for _, trouble := range []bool{false, true} {
		w := newWorld(42, pages)
		if trouble {
			w.failing, w.late = 0.1, 0.1
		}
		w.day(0, 5, w.rates)
		fewest := 28
		if trouble {
			fewest = 26
		}
		within, sum, squares := 0, 0.0, 0.0
		for day := range 30 {
			from := 5 + float64(day)
			d := review.Day{From: from, Until: from + 1, Timed: true}
			seen, fresh := w.day(from, from+1, w.rates)
			r := d.Of(seen, d.ByChangeRate(seen, 10))
			promise := r.Promised
			if trouble {
				promise = r.Expected
				assert.Greater(t, r.Promised-r.Made, 2*r.StandardError)
				assert.Greater(t, r.Made-r.Expected, r.StandardError)
			} else {
				assert.InDelta(t, r.Expected, r.Promised, 1e-12)
			}
			off := (r.Measured - promise) / r.StandardError
			if math.Abs(off) < 1.96 {
				within++
			}
			sum += off
			squares += off * off
			// The true freshness has chance of its own, in what is not seen.
			assert.InDelta(t, fresh, r.Measured, 5*r.StandardError)
		}
		assert.GreaterOrEqual(t, within, fewest, "trouble %v", trouble)
		// Neither off to one side, nor with errors that are too small or too large.
		assert.InDelta(t, 0, sum/30, 4/math.Sqrt(30))
		assert.InDelta(t, 1, squares/30, 4*math.Sqrt(2./30))
		t.Logf("%d pages, trouble %v: within on %d of 30 days, mean square %.2f", pages, trouble, within, squares/30)
	}
}

// Where change rates are wrong, the measured freshness is the true one, and the factor says so.
func TestWrongRatesAreSeen(t *testing.T) {
	for _, factor := range []float64{0.25, 0.5, 2, 5} {
		w := newWorld(7, 5000)
		believed := slices.Clone(w.rates)
		for i := range believed {
			believed[i] /= factor
		}
		w.day(0, 5, believed)
		seen, fresh := w.day(5, 6, believed)
		d := review.Day{From: 5, Until: 6, Timed: true}
		r := d.Of(seen, d.ByChangeRate(seen, 10))
		assert.Greater(t, math.Abs(r.Promised-r.Measured), 10*r.StandardError)
		assert.InDelta(t, fresh, r.Measured, 4*r.StandardError, "factor %v", factor)
		assert.InDelta(t, 0, math.Log(r.Factor/factor)/r.FactorError, 4)
	}
}

// Freshness by formulas is that of a sum over small steps of time.
func TestFresh(t *testing.T) {
	for _, test := range []struct {
		rate, last float64
		times      []float64
	}{{2, -0.5, []float64{0.25, 0.7}}, {0.1, math.NaN(), []float64{0.3}}, {0, -9, nil}, {3, math.NaN(), nil}, {5, 0, []float64{1}}} {
		const steps = 100_000
		sum, since, next := 0.0, test.last, 0
		for k := range steps {
			at := (float64(k) + 0.5) / steps
			for next < len(test.times) && test.times[next] <= at {
				since = test.times[next]
				next++
			}
			if !math.IsNaN(since) {
				sum += math.Exp(-test.rate*(at-since)) / steps
			}
		}
		page := review.Page{ChangeRate: test.rate, Last: test.last}
		assert.InDelta(t, sum, page.Fresh(test.times, 0, 0, 1), 1e-8)
	}
}

// Change rates with a gamma law and accesses that may fail, beside draws of both.
func TestFreshOfEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const draws, failing = 400_000, 0.2
	for _, page := range []review.Page{
		{ChangeRate: 2, StandardError: 1.5, Last: -0.5, Rate: 2},
		{ChangeRate: 1, StandardError: 1, Last: math.NaN(), Rate: 0.5}, // shape 1, at which a formula has a limit
		{ChangeRate: 0.7, StandardError: 1e-9, Last: -2, Rate: 1},
	} {
		times := []float64{0.25, 0.7}
		shape := page.ChangeRate * page.ChangeRate / page.StandardError / page.StandardError
		gamma := distuv.Gamma{Alpha: shape, Beta: shape / page.ChangeRate, Src: r}
		planned, steady := 0., 0.
		for range draws {
			rate := page.ChangeRate
			if shape < 1e6 {
				rate = gamma.Rand()
			}
			change, begin := page.Last+r.ExpFloat64()/rate, 0.
			for _, at := range []float64{times[0], times[1], 1} {
				if !math.IsNaN(change) {
					planned += max(0, min(change, at)-begin)
				}
				if begin = at; r.Float64() >= failing {
					change = at + r.ExpFloat64()/rate
				}
			}
			made := 0.
			for r.Float64() < failing {
				made -= 1 / page.Rate
			}
			steady += min(max(0, made+r.ExpFloat64()/rate), 1/page.Rate) * page.Rate
		}
		assert.InDelta(t, planned/draws, page.Fresh(times, failing, 0, 1), 0.003)
		assert.InDelta(t, steady/draws, page.Steady(failing), 0.003)
	}
}

func TestOddDays(t *testing.T) {
	d := review.Day{From: 0, Until: 1}
	r := d.Of(nil, nil)
	assert.Zero(t, r.Measured)
	// Nothing told: the measured freshness is the expected one.
	r = d.Of([]review.Page{{ChangeRate: 1, Weight: 1, Last: -1, Rate: 1, Accesses: []review.Access{{Time: 0.5}}}}, nil)
	assert.Equal(t, r.Expected, r.Measured)
	assert.True(t, math.IsInf(r.StandardError, 1))
	assert.True(t, math.IsInf(r.FactorError, 1))
	assert.InDelta(t, 1-math.Exp(-1), r.Promised, 1e-15)
	// A change of a page that is given to never change is told, and corrects no rate.
	r = d.Of([]review.Page{{Weight: 1, Last: 0, Accesses: []review.Access{{Time: 0.5, Told: true, Changed: true}}}}, nil)
	assert.Equal(t, []int{1, 1}, []int{r.Told, r.Changed})
	assert.Equal(t, 0.75, r.Measured) // half of the first half
	assert.True(t, math.IsInf(r.FactorError, 1))
	// A page that is gone counts no further; one that never changes is always up to date.
	r = d.Of([]review.Page{
		{ChangeRate: 1, Weight: 1, Last: 0, Accesses: []review.Access{{Time: 0.25, Gone: true}}},
		{ChangeRate: 0, Weight: 1, Last: -1, Accesses: []review.Access{{Time: 0.5, Told: true}}},
	}, nil)
	require.InDelta(t, (1-math.Exp(-0.25)+1)/1.25, r.Measured, 1e-12)
	// All changed, or none: factors stay finite.
	for _, changed := range []bool{false, true} {
		var pages []review.Page
		for range 50 {
			pages = append(pages, review.Page{ChangeRate: 1, Weight: 1, Last: -1, Accesses: []review.Access{{Time: 0.5, Told: true, Changed: changed}}})
		}
		r = d.Of(pages, nil)
		assert.False(t, math.IsInf(r.Factor, 0))
		assert.Equal(t, changed, r.Factor > 1)
		assert.False(t, math.IsNaN(r.StandardError))
	}
}
