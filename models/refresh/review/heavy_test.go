package review_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/review"
)

// heavyDay simulates pages on hosts, with change rates that have the tail of a Pareto law within each host.
// A crawler accesses each about every other day for 30 days, estimates the rates, finds the best
// access rates, and carries a day out. It returns that day, and the true share of time with up-to-date copies.
func heavyDay(t *testing.T, seed uint64, n int) (pages []review.Page, day review.Day, fresh float64) {
	r := rand.New(rand.NewPCG(seed, 42))
	const begin = 30.
	truth, last := make([]float64, n), make([]float64, n)
	histories := make([]*estimate.History, n)
	level := 0.
	for i := range n {
		if i%20 == 0 { // pages of a host
			level = math.Exp(r.NormFloat64())
		}
		truth[i] = min(150, 0.03*level*math.Pow(r.Float64(), -1/0.9))
		histories[i] = &estimate.History{}
		last[i] = 2 * r.Float64()
		for {
			gap := 2 * (0.7 + 0.6*r.Float64())
			if last[i]+gap >= begin {
				break
			}
			require.NoError(t, histories[i].Add(gap, r.Float64() < -math.Expm1(-truth[i]*gap)))
			last[i] += gap
		}
	}
	prior, err := estimate.Fit(t.Context(), histories, 1)
	require.NoError(t, err)
	pages = make([]review.Page, n)
	given := refresh.Pages{ChangeRates: make([]float64, n)}
	for i := range pages {
		mean, deviation := prior.MomentsAfter(histories[i])
		given.ChangeRates[i] = mean
		pages[i] = review.Page{ChangeRate: mean, StandardError: deviation, Weight: 1, Last: last[i]}
	}
	best, err := rates.Optimize(t.Context(), refresh.Problem{Pages: given, Objective: refresh.FixedOrder{}, Bandwidth: 0.3 * float64(n)}, rates.Settings{Workers: 1})
	require.NoError(t, err)
	for i := range pages {
		p, now := &pages[i], last[i]
		next := max(begin+r.Float64(), now+1/best.Rates[i]) // those that wait are spread over the day
		change := now + r.ExpFloat64()/truth[i]
		for {
			fresh += max(0, min(change, next, begin+1)-max(now, begin))
			if next >= begin+1 {
				break
			}
			p.Planned = append(p.Planned, next)
			p.Accesses = append(p.Accesses, review.Access{Time: next, Told: true, Changed: change <= next})
			if change <= next {
				change = next + r.ExpFloat64()/truth[i]
			}
			now, next = next, next+1/best.Rates[i]
		}
	}
	return pages, review.Day{From: begin, Until: begin + 1, Timed: true}, fresh / float64(n)
}

// Where change rates have heavy tails, the interval holds what is true: also for pages of which the day told nothing,
// which are those that are expected to change seldom, or too often to be worth an access.
func TestMeasuredIsTrueWithHeavyTails(t *testing.T) {
	days := 10
	if *longRun {
		days = 100
	}
	within, off, promised, width := 0, 0., 0., 0.
	for seed := range uint64(days) {
		pages, day, fresh := heavyDay(t, seed, 2000)
		r := day.Of(pages, day.ByChangeRate(pages, 10))
		if math.Abs(r.Measured-fresh) < 1.96*r.StandardError {
			within++
		}
		off += r.Measured - fresh
		promised += min(max(fresh, r.Promised), r.PromisedUpper) - fresh
		t.Logf("seed %d: %.2f%% to %.2f%% promised, %.2f%% ± %.2f%% measured, %.2f%% true",
			seed, 100*r.Promised, 100*r.PromisedUpper, 100*r.Measured, 196*r.StandardError, 100*fresh)
		width += r.StandardError
	}
	n := float64(days)
	t.Logf("within on %d of %d days, on average %+.2f%%; the promise is %+.2f%% off", within, days, 100*off/n, 100*promised/n)
	assert.GreaterOrEqual(t, within, days*9/10)
	assert.InDelta(t, 0, off/n, 0.005+0.01/math.Sqrt(n)) // a day has a standard error of 1%
	assert.InDelta(t, 0, promised/n, 0.002)
	assert.Less(t, width/n, 0.015)
}
