package estimate_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// A crawl is a simulated crawler that knows nothing of its pages at first: every day it
// estimates their rates from what its visits saw, finds the best rates of visits for these,
// and makes the visits that are due.
type crawl struct {
	rates     []float64 // the truth
	histories []*estimate.History
	credit    []float64 // visits that are due
	age       []float64 // since the last visit
}

// day lets a day pass with some rates of visits, and returns the mean expected freshness.
func (c *crawl) day(t *testing.T, random *rand.Rand, visits []float64) float64 {
	fresh := 0.
	for i, rate := range c.rates {
		c.credit[i] += visits[i]
		due := math.Floor(c.credit[i])
		c.credit[i] -= due
		between := 1 / (due + 1) // visits are spread over the day
		for k := range int(due) + 1 {
			from := c.age[i]
			c.age[i] += between
			fresh += (math.Exp(-rate*from) - math.Exp(-rate*c.age[i])) / rate
			if k < int(due) {
				require.NoError(t, c.histories[i].Add(c.age[i], random.Float64() < -math.Expm1(-rate*c.age[i])))
				c.age[i] = 0
			}
		}
	}
	return fresh / float64(len(c.rates))
}

// regret returns how much less of the pages is fresh than with the true rates known, on
// average over all days and over the last half of them, for a rule that says what rate of a
// page the plan of a day rests on.
func regret(t *testing.T, pages, days int, rule func(p estimate.Prior, h *estimate.History, random *rand.Rand) float64) (all, late float64) {
	const bandwidth = 0.25 // visits a page and day
	crawls := [2]*crawl{}  // with estimates, and with the truth
	law := distuv.Gamma{Alpha: 0.5, Beta: 1, Src: rand.NewPCG(61, 1)}
	for k := range crawls {
		crawls[k] = &crawl{credit: make([]float64, pages), age: make([]float64, pages)}
	}
	for i := range pages {
		rate := max(law.Rand(), 1e-6)
		for _, c := range crawls {
			c.rates, c.histories = append(c.rates, rate), append(c.histories, &estimate.History{})
			c.credit[i] = float64(i%4) / 4
		}
	}
	best := func(changeRates []float64) []float64 {
		s, err := rates.Optimize(context.Background(), refresh.Problem{
			Pages: refresh.Pages{ChangeRates: changeRates}, Objective: refresh.FixedOrder{}, Bandwidth: bandwidth * float64(pages),
		}, rates.Settings{Workers: 1})
		require.NoError(t, err)
		return s.Rates
	}
	known := best(crawls[1].rates)
	random, draws := [2]*rand.Rand{rand.New(rand.NewPCG(62, 0)), rand.New(rand.NewPCG(62, 0))}, rand.New(rand.NewPCG(63, 0))
	var prior estimate.Prior
	var sum, lateSum [2]float64
	for day := range days {
		plan := make([]float64, pages)
		for i := range plan {
			plan[i] = bandwidth
		}
		if day >= 4 { // all pages have been visited
			if day&(day-1) == 0 {
				var err error
				prior, err = estimate.Fit(context.Background(), crawls[0].histories, 2)
				require.NoError(t, err)
			}
			for i, h := range crawls[0].histories {
				plan[i] = max(rule(prior, h, draws), 1e-9)
			}
			plan = best(plan)
		}
		for k, rates := range [][]float64{plan, known} {
			fresh := crawls[k].day(t, random[k], rates)
			sum[k] += fresh
			if day >= days/2 {
				lateSum[k] += fresh
			}
		}
	}
	return 1 - sum[0]/sum[1], 1 - lateSum[0]/lateSum[1]
}

// Rates that are drawn from the posterior lose least, in the long run, against the plan of a
// crawler that knows the truth. Plain estimates give pages up that changed at their first
// visits and never learn better; posterior means do so less often.
func TestExploration(t *testing.T) {
	const pages = 200
	if testing.Short() {
		t.Skip("a year of plans")
	}
	const days = 256
	var late []float64
	for _, rule := range []struct {
		name string
		rate func(p estimate.Prior, h *estimate.History, random *rand.Rand) float64
	}{
		{"plain estimates", func(_ estimate.Prior, h *estimate.History, _ *rand.Rand) float64 {
			e, err := h.Estimate()
			require.NoError(t, err)
			return e.Rate
		}},
		{"means", func(p estimate.Prior, h *estimate.History, _ *rand.Rand) float64 { return p.After(h).Mean }},
		{"draws", func(p estimate.Prior, h *estimate.History, random *rand.Rand) float64 {
			return p.After(h).Quantile(random.Float64())
		}},
	} {
		all, last := regret(t, pages, days, rule.rate)
		t.Logf("%s: %.2f%% less fresh than with the truth, %.2f%% in the last half of %d days", rule.name, 100*all, 100*last, days)
		late = append(late, last)
	}
	assert.Less(t, late[1], late[0])
	assert.Less(t, late[2], late[1])
	assert.Less(t, late[2], 0.015)
}
