package freshness

import (
	"bytes"
	"context"
	"image/png"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// With all pages fetched once a month on average, Cho and Garcia-Molina (ACM Transactions on
// Database Systems 28, 2003) print these for the classes of change rates: freshness 0.57 uniform,
// 0.12 in proportion to the change rates and 0.62 at best; ages in days of 5.6, 400 and 4.3.
// They print two digits; 0.1287 for 0.12 is theirs.
func TestPublishedFigures(t *testing.T) {
	const pages, bandwidth = 100, 100. / 30
	law := site.ChoGarciaMolina(1)
	list := refresh.Pages{}
	rates := map[string][]float64{"uniform": nil, "proportional": nil}
	for i := range pages {
		rate := law.Quantile((float64(i) + 0.5) / pages)
		list.ChangeRates = append(list.ChangeRates, rate)
		rates["uniform"] = append(rates["uniform"], bandwidth/pages)
		rates["proportional"] = append(rates["proportional"], bandwidth/pages*rate/law.Mean())
	}
	for _, test := range []struct {
		objective                   refresh.Objective
		uniform, proportional, best float64
		tolerance                   float64 // of what is printed, relative
	}{
		{refresh.FixedOrder{}, 0.57, 0.12, 0.62, 0.08},
		{refresh.Age{}, 5.6, 400, 4.3, 0.02},
	} {
		mean := func(rates []float64) float64 {
			values, marginals := make([]float64, pages), make([]float64, pages)
			test.objective.Measure(values, marginals, list, rates)
			sum := 0.0
			for _, v := range values {
				sum += v / pages
			}
			return sum
		}
		best, err := refresh.Optimize(t.Context(), refresh.Problem{Pages: list, Objective: test.objective, Bandwidth: bandwidth}, refresh.Settings{})
		require.NoError(t, err)
		assert.InEpsilon(t, test.uniform, mean(rates["uniform"]), test.tolerance)
		assert.InEpsilon(t, test.proportional, mean(rates["proportional"]), test.tolerance)
		assert.InEpsilon(t, test.best, mean(best.Rates), test.tolerance)
	}
}

// A score is what looking at all pages every hour gives, in a world in which pages come and go
// and fetches fail.
func TestScore(t *testing.T) {
	s := Scenario{Pages: 20, Days: 60, Every: 5, Lifetime: 30, Failures: 0.1, Weighted: true}
	w := NewWorld(s, 7)
	looks := &looker{Chooser: revisit.NewUniform(), world: w, copied: map[int]float64{}}
	score, err := Play(t.Context(), w, looks)
	require.NoError(t, err)
	looks.lookUntil(s.Days)
	assert.InEpsilon(t, looks.fresh/looks.weight, score.Fresh, 0.01, "an hour is 1/120 of the time between two fetches")
	assert.InEpsilon(t, looks.age/looks.weight, score.Age, 0.01)
	assert.Positive(t, score.Failed)
	assert.Positive(t, score.Gone)
	assert.Equal(t, int(s.Days*s.Bandwidth()), score.Fetches+score.Idle)
}

// A world is the same for the same seed, and always has as many pages.
func TestWorld(t *testing.T) {
	s := Scenario{Pages: 50, Days: 100, Every: 5, Lifetime: 20}
	w := NewWorld(s, 3)
	assert.Equal(t, w, NewWorld(s, 3))
	assert.NotEqual(t, w, NewWorld(s, 4))
	for _, day := range []float64{0, 33.3, 99} {
		present := 0
		for _, p := range w.pages {
			if p.born <= day && day < p.dies {
				present++
			}
		}
		assert.Equal(t, s.Pages, present)
	}
}

// Pages that are all fetched every 30 days are as fresh as the formula has it, from the second
// month on, and with rates known about as fresh as they can be.
func TestClosedForm(t *testing.T) {
	s := Scenario{Pages: 100, Days: 720, Every: 30}
	play := func(seed uint64, rule string) Score {
		w := NewWorld(s, seed)
		for _, r := range Rules(s) {
			if r.Name == rule {
				score, err := playRule(t.Context(), w, r)
				require.NoError(t, err)
				return score
			}
		}
		t.Fatalf("no rule %s", rule)
		return Score{}
	}
	var uniform, known float64
	const worlds = 10
	for seed := range uint64(worlds) {
		uniform += play(seed, "uniform").Late / worlds
		known += play(seed, "rates known").Late / worlds
	}
	want := 0.0
	for _, class := range changeRates {
		want += class.Share * -math.Expm1(-class.Value*s.Every) / (class.Value * s.Every)
	}
	// The standard deviation of the mean is 0.002: that of a page's share over a year is some
	// 0.1, and there are 1,000.
	assert.InDelta(t, want, uniform, 0.01)
	assert.InDelta(t, 0.616, known, 0.015, "the best is 0.616, see TestPublishedFigures")
}

// What the guide shows, in short: the store has more up to date than the other rules that know
// as little, less than who knows the rates, and nobody surpasses the bound.
func TestCompare(t *testing.T) {
	s := Scenarios(50, 200)[1]
	c, err := Compare(t.Context(), s, 3, func(int, int) {})
	require.NoError(t, err)
	results := map[string]Result{}
	for _, r := range c.Rules {
		results[r.Name] = r
		assert.Less(t, r.Fresh, c.Bound, r.Name)
	}
	for _, name := range []string{"uniform", "proportional", "Nutch"} {
		assert.Positive(t, results[name].Ahead-results[name].AheadError, name)
	}
	assert.Positive(t, results["Nutch scaled"].Ahead)
	assert.Less(t, results["store for age"].Age, results["uniform"].Age)
	assert.Zero(t, results["store"].Idle, "the bandwidth is used")
	var picture bytes.Buffer
	require.NoError(t, Draw(&picture, ".png", []Comparison{c, c, c}))
	_, err = png.Decode(&picture)
	require.NoError(t, err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c, err = Compare(ended, s, 3, func(int, int) {})
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, c.Runs)
}

// An interruption leaves the worlds that all rules have crawled.
func TestCompareInterrupted(t *testing.T) {
	s := Scenarios(20, 60)[0]
	whole, err := Compare(t.Context(), s, 2, func(int, int) {})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	rules := len(whole.Rules)
	c, err := Compare(ctx, s, 1000, func(done, _ int) {
		if done == 3*rules {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	// Crawls end in any order, but no more are under way than there are goroutines.
	assert.Less(t, c.Runs, 1000)
	assert.GreaterOrEqual(t, c.Runs, 3-runtime.GOMAXPROCS(0))
	if c.Runs == 2 {
		assert.Equal(t, whole, c)
	}
}

// The same bits, whatever runs beside what.
func TestCompareAgain(t *testing.T) {
	s := Scenarios(20, 60)[3]
	first, err := Compare(t.Context(), s, 2, func(int, int) {})
	require.NoError(t, err)
	second, err := Compare(t.Context(), s, 2, func(int, int) {})
	require.NoError(t, err)
	assert.Equal(t, first, second)
}
