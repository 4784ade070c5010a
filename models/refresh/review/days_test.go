package review_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/review"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// daily is the store as an operator uses it who asks once a day: in the morning it records the log of the
// day before, and plans the next day. It reviews each day.
type daily struct {
	kept
	m       *month
	plan    []store.Planned
	pages   []review.Page // of the store, in the morning; nil before the first
	pageOf  map[int]int   // the pages of URLs
	morning float64
	results []review.Result
	truths  []float64 // share of time for which copies of the pages were up to date
}

func (d *daily) due(now float64, _ int) (urls []int) {
	if day := math.Floor(now); d.pages == nil || day > d.morning {
		d.review(day)
		d.begin(day)
	}
	const half = 0.5 / looks
	for len(d.plan) > 0 && d.plan[0].Time.Before(timeOf(now+half)) {
		urls = append(urls, d.urls[d.plan[0].ID])
		d.plan = d.plan[1:]
	}
	return urls
}

// begin plans a day, of which it notes the pages.
func (d *daily) begin(day float64) {
	d.record(day)
	d.morning = day
	week := new(store.Week)
	for hour := range week {
		week[hour] = d.m.bandwidth
	}
	var err error
	d.plan, err = d.store.Plan(d.t.Context(), store.Batch{
		Request: store.Request{Now: timeOf(day), Most: int(d.m.bandwidth)}, Until: timeOf(day + 1), Week: week,
	})
	require.NoError(d.t, err)
	d.pages, d.pageOf = []review.Page{}, map[int]int{}
	for page, err := range d.store.Pages("") {
		require.NoError(d.t, err)
		if page.Outcome == store.Gone && page.Visits > 0 {
			continue
		}
		url := d.urls[page.ID]
		last := d.m.contents[d.m.contentOf[url]].copied // of a page that has moved, too
		d.pageOf[url] = len(d.pages)
		d.pages = append(d.pages, review.Page{ChangeRate: page.ChangeRate, StandardError: page.StandardError, Weight: 1, Last: last})
	}
	for _, access := range d.plan {
		p := &d.pages[d.pageOf[d.urls[access.ID]]]
		p.Planned = append(p.Planned, day+access.Time.Sub(timeOf(day)).Hours()/24)
	}
}

func (d *daily) took(url int, now float64, found store.Outcome) {
	d.kept.took(url, now, found)
	if i, known := d.pageOf[url]; known {
		d.pages[i].Accesses = append(d.pages[i].Accesses, review.Access{
			Time: now, Failed: found == store.Failed, Gone: found == store.Gone,
			Told: found == store.Changed || found == store.Unchanged, Changed: found == store.Changed,
		})
	}
}

// review reviews the day that ends.
func (d *daily) review(end float64) {
	if d.pages == nil {
		return
	}
	day := review.Day{From: d.morning, Until: end, Timed: true, Failing: failing}
	day.Going = day.Gone(d.pages)
	d.results = append(d.results, day.Of(d.pages, day.ByChangeRate(d.pages, 10)))
	fresh, all := 0., 0.
	for i, c := range d.m.contents {
		d.m.pass(c, d.m.passed[i], end)
		d.m.passed[i] = end
		if _, known := d.pageOf[c.urlToday]; known {
			fresh += c.freshToday
			all += c.today
		}
		c.freshToday, c.today, c.urlToday = 0, 0, c.url
	}
	d.truths = append(d.truths, fresh/all)
}

// In the month that has failures, pages that are gone, new and moved, and changes by day, what the plan of a
// morning promises meets the interval of what the log of its day shows: on 28 of 30 days, once the store
// has learned for two weeks. The freshness itself, which no log tells, is near both.
func TestMonthOfPromises(t *testing.T) {
	const learning = 14
	pages := 2000
	if *longRun {
		pages = 50_000
	}
	m := newMonth(42, pages)
	m.days = learning + 31 // the last day is not reviewed
	d := &daily{kept: *keptBy(t, m.bandwidth), m: m}
	m.crawl(d)
	within := 0
	var promised, upper, measured, truth float64
	for i, r := range d.results[learning:] {
		off := (r.Measured - min(max(r.Measured, r.Promised), r.PromisedUpper)) / r.StandardError
		if math.Abs(off) < 1.96 {
			within++
		}
		promised, upper, measured, truth = promised+r.Promised, upper+r.PromisedUpper, measured+r.Measured, truth+d.truths[learning+i]
		t.Logf("day %d: %.2f%% to %.2f%% promised, %.2f%% ± %.2f%% measured, %.2f%% true, %d accesses, %d failed",
			learning+i, 100*r.Promised, 100*r.PromisedUpper, 100*r.Measured, 196*r.StandardError, 100*d.truths[learning+i], r.Accesses, r.Failed)
	}
	days := len(d.results) - learning
	share := 100 / float64(days)
	t.Logf("%d pages: within on %d of %d days; on average %.2f%% to %.2f%% promised, %.2f%% measured, %.2f%% true",
		pages, within, days, share*promised, share*upper, share*measured, share*truth)
	assert.Equal(t, 30, days)
	assert.GreaterOrEqual(t, within, 28)
	assert.InDelta(t, share*truth, share*measured, 0.5)
}
