package sequence_test

// A month of plans made anew each morning, while pages join and leave.

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// month is a crawl of some weeks: rates are found anew each morning, for the pages of the
// day, and a plan made of them.
type month struct {
	crawled []crawled
	present []int // of crawled
	plan    func(m *month, q *sequence.Queue, rates []float64, now float64) *sequence.Queue
}

// crawled is a page, and what has become of it.
type crawled struct {
	changeRate, weight float64
	fetched            float64 // last; NaN for never
	share              float64 // rate × time
	accesses           float64
	most, least        float64 // share − accesses
	fresh              float64 // weight × time with a fresh copy
}

func (c *crawled) fetch(now float64) {
	if !math.IsNaN(c.fetched) {
		c.fresh -= c.weight * math.Expm1(-c.changeRate*(now-c.fetched)) / c.changeRate
	}
	c.fetched = now
}

// run plays the crawl and returns the fresh weight on average.
func (m *month) run(t *testing.T, seed uint64, pages, days int, churn, spread float64) float64 {
	r := rand.New(rand.NewPCG(seed, 14))
	join := func() {
		m.present = append(m.present, len(m.crawled))
		m.crawled = append(m.crawled, crawled{
			changeRate: 0.1 * math.Exp(1.5*r.NormFloat64()), weight: math.Exp(spread * r.NormFloat64()), fetched: math.NaN(),
		})
	}
	for range pages {
		join()
	}
	bandwidth := float64(pages) / 7
	var q *sequence.Queue
	slot := 0.0
	for day := range days {
		morning := float64(day)
		if day > 0 {
			for range int(churn * float64(pages)) {
				at := r.IntN(len(m.present))
				q.Remove(m.present[at])
				m.crawled[m.present[at]].fetch(morning)
				m.present[at] = m.present[len(m.present)-1]
				m.present = m.present[:len(m.present)-1]
			}
			for range int(churn * float64(pages)) {
				join()
			}
		}
		problem := refresh.Problem{Objective: refresh.FixedOrder{}, Bandwidth: bandwidth}
		for _, page := range m.present {
			problem.Pages.ChangeRates = append(problem.Pages.ChangeRates, m.crawled[page].changeRate)
			problem.Pages.Weights = append(problem.Pages.Weights, m.crawled[page].weight)
		}
		solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
		require.NoError(t, err)
		q = m.plan(m, q, solution.Rates, morning)
		for ; slot+1 <= (morning+1)*bandwidth; slot++ {
			now := (slot + 1) / bandwidth
			page := q.Next(now)
			require.GreaterOrEqual(t, page, 0, "slot %v is empty", slot+1)
			c := &m.crawled[page]
			lag := c.share + (now-morning)*q.Visit(page).Rate - c.accesses
			c.most, c.least = max(c.most, lag), min(c.least, lag-1)
			c.accesses++
			c.fetch(now)
		}
		for i, page := range m.present {
			c := &m.crawled[page]
			c.share += solution.Rates[i]
			c.most = max(c.most, c.share-c.accesses)
		}
	}
	fresh := 0.0
	for _, page := range m.present {
		m.crawled[page].fetch(float64(days))
	}
	for _, c := range m.crawled {
		fresh += c.fresh
	}
	return fresh / float64(days)
}

// worst returns the greatest |rate × time − accesses| of any page at any time, and the
// number of pages that were due twice or more and never fetched.
func (m *month) worst() (lag float64, never int) {
	for _, c := range m.crawled {
		lag = max(lag, c.most, -c.least)
		if c.accesses == 0 && c.share >= 2 {
			never++
		}
	}
	return lag, never
}

// Two ways to go on in the morning: one queue that is told what has changed, and a new one
// from the last fetches of the pages.
func uninterrupted(m *month, q *sequence.Queue, rates []float64, now float64) *sequence.Queue {
	if q == nil {
		q = sequence.NewQueue()
	}
	for i, page := range m.present {
		if q.Has(page) {
			q.SetRate(page, rates[i], now)
		} else {
			q.Join(page, 0, rates[i], now)
		}
	}
	return q
}

func remade(m *month, _ *sequence.Queue, rates []float64, now float64) *sequence.Queue {
	bandwidth := 0.0
	for _, rate := range rates {
		bandwidth += rate
	}
	past := sequence.Past{Rates: make([]float64, len(rates)), Accessed: make([]float64, len(rates)), Spacings: make([]refresh.Spacing, len(rates))}
	for i, page := range m.present {
		c := &m.crawled[page]
		past.Rates[i], past.Accessed[i] = rates[i]/bandwidth, (c.fetched-now)*bandwidth
		if rates[i] > 0 {
			z := c.changeRate / rates[i]
			past.Spacings[i] = refresh.SpacingOf(-math.Expm1(-z) / z)
		}
	}
	q := sequence.NewQueue()
	visits, _ := past.Visits(int64(bandwidth))
	for i, v := range visits {
		if v.Rate > 0 {
			v.Rate, v.Due = v.Rate*bandwidth, now+v.Due/bandwidth
		}
		q.Put(m.present[i], v)
	}
	return q
}

func TestMonthOfPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("a month of plans, in one thread")
	}
	pages := 7_000
	if flag.Lookup("refresh.long").Value.String() == "true" {
		pages = 100_000
	}
	for _, churn := range []float64{0, 0.02} {
		for _, spread := range []float64{0, 2} { // of weights: with 2, the greatest rate is 100 times the mean
			one, anew := &month{plan: uninterrupted}, &month{plan: remade}
			const days = 30
			fresh := one.run(t, 1, pages, days, churn, spread)
			freshNew := anew.run(t, 1, pages, days, churn, spread)
			assert.Greater(t, freshNew, fresh*0.999)
			lag, never := one.worst()
			assert.Zero(t, never)
			assert.LessOrEqual(t, lag, 1+1e-9)
			lagNew, _ := anew.worst()
			t.Logf("churn %v, weights e^(%v·normal): fresh %.6g uninterrupted, %.6g remade; worst lag %.4f and %.4f", churn, spread, fresh, freshNew, lag, lagNew)
		}
	}
}

// Without delays no slot is empty, whatever the price makes of intervals: where an access to any
// page gains nearly all there is to gain, where more pages join than there are slots, and in
// slots after those that the plan was made for. Of equal pages
// none waits for the others.
func TestGoingOnFillsAllSlots(t *testing.T) {
	const pages = 50
	for _, freshness := range []float64{0, 0.5, 0.1, 1.0 / 12, 0.06, 0.03, 0.01, 1e-9} {
		for _, joining := range []int{0, 1, 20, 49, 50} {
			for _, slots := range []int64{1, 10, 75, 1000} {
				past := sequence.Past{}
				for page := range pages {
					past.Rates = append(past.Rates, 1.0/pages)
					past.Spacings = append(past.Spacings, refresh.SpacingOf(freshness))
					past.Accessed = append(past.Accessed, -float64(pages-page)/2)
					if page < joining {
						past.Accessed[page] = math.NaN()
					}
				}
				visits, outlook := past.Visits(slots)
				assert.LessOrEqual(t, int64(outlook.First), slots)
				assert.LessOrEqual(t, outlook.First+outlook.Waiting, joining)
				plan, err := sequence.NewPlan(visits, nil)
				require.NoError(t, err)
				seen := map[int]bool{}
				for slot := int64(1); slot <= slots+3*pages; slot++ {
					page := plan.Next()
					require.GreaterOrEqual(t, page, 0, "freshness %v, %d join: slot %d of %d", freshness, joining, slot, slots)
					seen[page] = true
				}
				assert.Len(t, seen, pages, "freshness %v, %d join, %d slots", freshness, joining, slots)
			}
		}
	}
}

// Equal pages are worth the same: those never accessed share the slots that there are, and all of
// them have been accessed once before any is accessed again.
func TestEqualPagesJoin(t *testing.T) {
	const pages, slots = 100, 10
	past := sequence.Past{Rates: make([]float64, pages), Accessed: make([]float64, pages), Spacings: make([]refresh.Spacing, pages)}
	for _, freshness := range []float64{0, 0.3, 0.9} {
		for page := range pages {
			past.Rates[page], past.Accessed[page], past.Spacings[page] = 1.0/pages, math.NaN(), refresh.SpacingOf(freshness)
		}
		for day := range 30 {
			visits, _ := past.Visits(slots)
			plan, err := sequence.NewPlan(visits, nil)
			require.NoError(t, err)
			for slot := range slots {
				page := plan.Next()
				since := -past.Accessed[page] + float64(slot)
				require.Equal(t, day < 10, math.IsNaN(since), "day %d", day)
				if day >= 10 {
					require.GreaterOrEqual(t, since, float64(pages-slots), "day %d", day)
				}
				past.Accessed[page] = float64(slot + 1)
			}
			for page := range pages {
				past.Accessed[page] -= slots
			}
		}
	}
}
