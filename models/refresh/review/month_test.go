package review_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// A rule says when URLs are fetched again. URLs have numbers, times are in days.
type rule interface {
	add(url int, now float64)
	due(now float64, most int) []int
	took(url int, now float64, found store.Outcome)
}

// byDate is a rule that gives each URL its next date, from what was found; +Inf for never again. The
// longest overdue comes first.
type byDate struct {
	next  func(url int, now float64, found store.Outcome) float64
	queue dates
}

type date struct {
	at  float64
	url int
}

type dates []date

func (d *dates) Len() int           { return len(*d) }
func (d *dates) Less(i, j int) bool { return (*d)[i].at < (*d)[j].at }
func (d *dates) Swap(i, j int)      { (*d)[i], (*d)[j] = (*d)[j], (*d)[i] }
func (d *dates) Push(x any)         { *d = append(*d, x.(date)) }
func (d *dates) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

func (b *byDate) add(url int, now float64) { heap.Push(&b.queue, date{now, url}) }

func (b *byDate) due(now float64, most int) (urls []int) {
	for len(urls) < most && len(b.queue) > 0 && b.queue[0].at <= now {
		urls = append(urls, heap.Pop(&b.queue).(date).url)
	}
	return urls
}

func (b *byDate) took(url int, now float64, found store.Outcome) {
	if next := b.next(url, now, found); !math.IsInf(next, 1) {
		heap.Push(&b.queue, date{next, url})
	}
}

const minute, second = 1. / (24 * 60), 1. / (24 * 60 * 60) // in days

// nutch is AdaptiveFetchSchedule of Apache Nutch 1.20 (org.apache.nutch.crawl, with AbstractFetchSchedule for
// failures and pages that are gone), with the settings of nutch-default.xml, but for the first interval:
// a day in place of 30.
func nutch() *byDate {
	const (
		increase, decrease, sync = 0.4, 0.2, 0.3
		least, greatest          = 60 * second, 365
		greatestOfGone           = 90
	)
	type state struct{ interval, modified float64 }
	states := map[int]*state{}
	return &byDate{next: func(url int, now float64, found store.Outcome) float64 {
		s := states[url]
		if s == nil {
			s = &state{1, now}
			states[url] = s
		}
		switch found {
		case store.Failed:
			return now + 1
		case store.Gone:
			if s.interval *= 1.5; s.interval >= greatestOfGone {
				s.interval = 0.9 * greatestOfGone
			}
			return now + s.interval
		case store.Changed:
			s.interval *= 1 - decrease
			s.modified = now
		case store.Unchanged:
			s.interval *= 1 + increase
		}
		delta := now - s.modified
		s.interval = min(max(s.interval, delta, least), greatest)
		return now - sync*delta + s.interval
	}}
}

// stormCrawler is AdaptiveScheduler of StormCrawler 2.4 (com.digitalpebble.stormcrawler.persistence, with
// DefaultScheduler for the first fetch, failures and pages that are gone), with its defaults. Intervals
// are whole minutes.
func stormCrawler() *byDate {
	const first, least, greatest, failed, rate = 1440, 60, 14 * 1440, 120, 0.5
	intervals := map[int]int{} // of URLs with a signature
	return &byDate{next: func(url int, now float64, found store.Outcome) float64 {
		interval, known := intervals[url]
		switch {
		case found == store.Failed:
			delete(intervals, url) // the signature, too
			return now + failed*minute
		case found == store.Gone:
			return math.Inf(1)
		case !known:
			interval = first
		case found == store.Changed:
			interval = int((1-rate)*float64(interval) + rate*least)
		default:
			interval = min(int(float64(interval)*(1+rate)), greatest)
		}
		intervals[url] = interval
		return now + float64(interval)*minute
	}}
}

// inTurn has each URL fetched after all others.
func inTurn() *byDate {
	return &byDate{next: func(_ int, now float64, found store.Outcome) float64 {
		if found == store.Gone {
			return math.Inf(1)
		}
		return now
	}}
}

// inProportion has each URL fetched in proportion to its change rate, which it knows.
func inProportion(m *month) *byDate {
	sum := 0.
	for _, c := range m.contents[:m.atFirst] {
		sum += c.rate
	}
	return &byDate{next: func(url int, now float64, found store.Outcome) float64 {
		if found == store.Gone {
			return math.Inf(1)
		}
		return now + sum/m.bandwidth/m.contents[m.contentOf[url]].rate
	}}
}

// kept is the store, which learns the change rates from what it records.
type kept struct {
	t     *testing.T
	store *store.Store
	urls  map[string]int
	waits []store.Page
	taken []store.Visit
}

func keptBy(t *testing.T, bandwidth float64) *kept {
	s, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), store.Settings{Bandwidth: bandwidth})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &kept{t: t, store: s, urls: map[string]int{}}
}

func idOf(url int) string { return fmt.Sprintf("https://h%d.example/%d", url%3000, url) }

func timeOf(day float64) time.Time {
	return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(day * float64(24*time.Hour)))
}

func (k *kept) add(url int, _ float64) {
	k.urls[idOf(url)] = url
	k.waits = append(k.waits, store.Page{ID: idOf(url)})
}

func (k *kept) took(url int, now float64, found store.Outcome) {
	k.taken = append(k.taken, store.Visit{ID: idOf(url), Time: timeOf(now), Outcome: found})
}

// record tells the store what is new.
func (k *kept) record(now float64) {
	require.NoError(k.t, k.store.RecordAt(timeOf(now), k.taken...))
	_, err := k.store.Add(k.waits...)
	require.NoError(k.t, err)
	k.taken, k.waits = k.taken[:0], k.waits[:0]
}

func (k *kept) due(now float64, most int) (urls []int) {
	k.record(now)
	pages, err := k.store.Due(k.t.Context(), store.Request{Now: timeOf(now), Most: most})
	require.NoError(k.t, err)
	for _, page := range pages {
		urls = append(urls, k.urls[page.ID])
	}
	return urls
}

// A content changes, moves to other URLs, and ends.
type content struct {
	rate              float64 // changes per day, on average over a day
	change, moves     float64 // when it does so next
	begins, ends      float64
	url               int
	copied, stale     float64 // when the copy was made, NaN before; when it became out of date, +Inf if it is not
	fresh, weight     float64 // days with a copy that is up to date, and of all, in the second half
	longest           float64 // time with one that is not
	sinceLastFetch    bool    // it has changed since it was fetched
	freshToday, today float64 // days with a copy that is up to date, and of all, since the morning
	urlToday          int     // in the morning
}

// A month is one of a crawler: pages on 3,000 hosts, most changes by day, some accesses that fail, pages
// that come, go and move.
type month struct {
	r                  *rand.Rand
	days, bandwidth    float64
	atFirst            int
	contents           []*content
	contentOf          []int     // of a URL
	passed             []float64 // up to when each content has been passed
	accesses, unneeded int       // in the second half: all, and those that found what was there before, or a page that is gone
}

// nextChange returns the next change after a time: there are nine times as many at noon as at midnight.
func (m *month) nextChange(c *content, at float64) float64 {
	const swing = 0.8
	for {
		at += m.r.ExpFloat64() / (c.rate * (1 + swing))
		if m.r.Float64()*(1+swing) < 1-swing*math.Cos(2*math.Pi*at) {
			return at
		}
	}
}

func newMonth(seed uint64, pages int) *month {
	m := &month{r: rand.New(rand.NewPCG(seed, 30)), days: 30, bandwidth: float64(pages) / 2, atFirst: pages}
	daily := pages / 100 // that begin, and about as many that end
	for i := range pages + 29*daily {
		c := &content{rate: 0.1 * math.Exp(1.5*m.r.NormFloat64()), url: i, copied: math.NaN()}
		if i >= pages {
			c.begins = 1 + float64((i-pages)/daily)
		}
		c.ends = c.begins + 100*m.r.ExpFloat64()
		c.moves = c.begins + 300*m.r.ExpFloat64()
		c.change = m.nextChange(c, c.begins)
		m.contents, m.contentOf = append(m.contents, c), append(m.contentOf, i)
	}
	return m
}

// pass lets time go on for a content until it is looked at.
func (m *month) pass(c *content, from, to float64) {
	half, end := m.days/2, min(to, c.ends)
	for ; c.change <= end; c.change = m.nextChange(c, c.change) {
		c.stale = min(c.stale, c.change)
		c.sinceLastFetch = true
	}
	if from := max(from, c.begins); end > from {
		c.today += end - from
		if !math.IsNaN(c.copied) {
			c.freshToday += max(0, min(c.stale, end)-from)
		}
	}
	if from = max(from, half, c.begins); end > from {
		c.weight += end - from
		if !math.IsNaN(c.copied) {
			c.fresh += max(0, min(c.stale, end)-from)
			c.longest = max(c.longest, end-c.stale)
		} else {
			c.longest = max(c.longest, end-c.begins)
		}
	}
}

// A crawler looks for what is due so many times a day, and that share of its accesses fails.
const looks, failing = 48, 0.03

// crawl has a rule crawl for a month. It returns the freshness in the second half, and the longest time
// for which a copy was out of date.
func (m *month) crawl(by rule) (fresh, longest float64) {
	m.passed = make([]float64, len(m.contents))
	for _, c := range m.contents {
		c.urlToday = c.url
	}
	joined := 0
	for look := range int(m.days) * looks {
		now := (float64(look) + 0.5) / looks
		for ; joined < len(m.contents) && m.contents[joined].begins <= now; joined++ {
			by.add(joined, now)
		}
		for _, url := range by.due(now, int(m.bandwidth/looks)) {
			i := m.contentOf[url]
			c := m.contents[i]
			m.pass(c, m.passed[i], now)
			m.passed[i] = now
			found := store.Unchanged
			switch {
			case m.r.Float64() < failing:
				found = store.Failed
			case now >= c.ends || url != c.url:
				found = store.Gone
			case now >= c.moves: // the answer names the new URL
				found = store.Gone
				c.url, c.moves = len(m.contentOf), now+300*m.r.ExpFloat64()
				m.contentOf = append(m.contentOf, i)
				by.add(c.url, now)
			case math.IsNaN(c.copied):
				found = store.Found
			case c.sinceLastFetch:
				found = store.Changed
			}
			by.took(url, now, found)
			if now > m.days/2 {
				m.accesses++
				if found == store.Unchanged || found == store.Gone {
					m.unneeded++
				}
			}
			if found != store.Failed && found != store.Gone {
				c.copied, c.stale, c.sinceLastFetch = now, math.Inf(1), false
			}
		}
	}
	weight := 0.
	for i, c := range m.contents {
		m.pass(c, m.passed[i], m.days)
		fresh += c.fresh
		weight += c.weight
		longest = max(longest, c.longest)
	}
	return fresh / weight, longest
}

// The store, which has to learn everything, keeps more pages fresh than the adaptive rules of other
// crawlers, than visits in turn, and than visits in proportion to known change rates, in the same month with
// the same bandwidth.
func TestMonthBesideOtherRules(t *testing.T) {
	pages := 2000
	if *longRun {
		pages = 50_000
	}
	const seed = 42
	rules := []struct {
		name string
		of   func(m *month) rule
	}{
		{"store", func(m *month) rule { return keptBy(t, m.bandwidth) }},
		{"Nutch's AdaptiveFetchSchedule", func(*month) rule { return nutch() }},
		{"StormCrawler's AdaptiveScheduler", func(*month) rule { return stormCrawler() }},
		{"in turn", func(*month) rule { return inTurn() }},
		{"in proportion to known rates", func(m *month) rule { return inProportion(m) }},
	}
	best := 0.
	for i, by := range rules {
		m := newMonth(seed, pages)
		fresh, longest := m.crawl(by.of(m))
		t.Logf("%-33s %.2f%% fresh, %d accesses, %.1f%% useless, a copy out of date for at most %.1f days",
			by.name, 100*fresh, m.accesses, 100*float64(m.unneeded)/float64(m.accesses), longest)
		if i == 0 {
			best = fresh
			assert.LessOrEqual(t, float64(m.accesses), m.bandwidth*m.days/2)
		} else {
			assert.Greater(t, best, fresh, by.name)
		}
	}
}
