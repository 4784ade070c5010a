package revisit

// The adaptive schedule of Apache Nutch.

import (
	"container/heap"
	"fmt"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// NutchSettings are those of Apache Nutch that say when a page is fetched again. The name in
// Nutch's configuration stands behind each.
type NutchSettings struct {
	Default time.Duration // interval of a page that is new: db.fetch.interval.default
	Longest time.Duration // after which every page is fetched again: db.fetch.interval.max

	IncreaseRate float64       // db.fetch.schedule.adaptive.inc_rate
	DecreaseRate float64       // db.fetch.schedule.adaptive.dec_rate
	Min          time.Duration // db.fetch.schedule.adaptive.min_interval
	Max          time.Duration // db.fetch.schedule.adaptive.max_interval
	SyncRate     float64       // db.fetch.schedule.adaptive.sync_delta_rate, 0 without sync_delta

	// ByScore has pages of greater weight fetched first among those that are due, as the
	// generator does with -topN and scores that are the weights. Otherwise the page comes
	// first that has been due for longest.
	ByScore bool
	// Ahead has pages fetched before they are due where none is: the generator's -adddays.
	Ahead bool
}

// NutchDefaults returns the settings that Nutch comes with.
func NutchDefaults() NutchSettings {
	const day = 24 * time.Hour
	return NutchSettings{
		Default: 30 * day, Longest: 90 * day,
		IncreaseRate: 0.4, DecreaseRate: 0.2, Min: time.Minute, Max: 365 * day, SyncRate: 0.3,
	}
}

// Scaled returns settings with all lengths of time in proportion to another interval of new
// pages.
func (s NutchSettings) Scaled(interval time.Duration) NutchSettings {
	factor := float64(interval) / float64(s.Default)
	for _, length := range []*time.Duration{&s.Default, &s.Longest, &s.Min, &s.Max} {
		*length = time.Duration(float64(*length) * factor)
	}
	return s
}

// Nutch fetches pages as Apache Nutch does with its AdaptiveFetchSchedule: the interval of a
// page grows by a rate each time that the page is found unmodified, shrinks by another each
// time that it is found modified, and the next fetch is moved towards the time of the last
// change. [NewNutch] makes one.
//
// The rule is that of Nutch's sources, version 1.23-SNAPSHOT of July 2026:
// AdaptiveFetchSchedule.setFetchSchedule; AbstractFetchSchedule for pages that are gone or
// could not be fetched, and for those whose fetch lies too far ahead; CrawlDbReducer for what
// these are told. What Nutch does once for a list of pages, every day for example, this does
// for each page by itself, which is never later.
type Nutch struct {
	settings NutchSettings

	mu      sync.Mutex
	index   map[string]*nutchPage
	waiting nutchHeap // by the time at which they are due
	due     nutchHeap // by rank
}

// nutchPage is what Nutch keeps in a CrawlDatum.
type nutchPage struct {
	Page
	number    int
	fetch     time.Time // when it is due
	interval  time.Duration
	modified  time.Time // last fetch that found it modified; zero: unknown
	signature bool      // there is a copy to compare with
	retries   int
	out       bool
}

// NewNutch returns a chooser that follows Nutch's rule.
func NewNutch(settings NutchSettings) *Nutch {
	earlier := func(a, b *nutchPage) bool {
		if !a.fetch.Equal(b.fetch) {
			return a.fetch.Before(b.fetch)
		}
		return a.number < b.number
	}
	rank := earlier
	if settings.ByScore {
		rank = func(a, b *nutchPage) bool {
			if a.weight() != b.weight() {
				return a.weight() > b.weight()
			}
			return earlier(a, b)
		}
	}
	return &Nutch{
		settings: settings, index: map[string]*nutchPage{},
		waiting: nutchHeap{less: earlier}, due: nutchHeap{less: rank},
	}
}

// Add makes pages known: they are due at once.
func (n *Nutch) Add(now time.Time, pages ...Page) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range pages {
		if n.index[p.ID] == nil {
			known := &nutchPage{Page: p, number: len(n.index), fetch: now, interval: n.settings.Default}
			n.index[p.ID] = known
			heap.Push(&n.waiting, known)
		}
	}
	return nil
}

// Next returns the page to fetch now.
func (n *Nutch) Next(now time.Time) (id string, wait time.Duration, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.waiting.Len() > 0 && !n.waiting.pages[0].fetch.After(now) {
		heap.Push(&n.due, heap.Pop(&n.waiting))
	}
	from := &n.due
	switch {
	case n.due.Len() > 0:
	case n.waiting.Len() == 0:
		return "", never, nil
	case !n.settings.Ahead:
		return "", n.waiting.pages[0].fetch.Sub(now), nil
	default:
		from = &n.waiting
	}
	p := heap.Pop(from).(*nutchPage)
	p.out = true
	return p.ID, 0, nil
}

// Fetched says what came of a fetch.
func (n *Nutch) Fetched(id string, at time.Time, outcome store.Outcome) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.index[id]
	if p == nil || !p.out {
		return fmt.Errorf("page %s has not been given out", id)
	}
	p.out = false
	s := n.settings
	const retryAfter, mostRetries = 24 * time.Hour, 3
	switch outcome {
	case store.Failed:
		p.fetch = at.Add(retryAfter)
		if p.retries++; p.retries >= mostRetries {
			p.setGone(s, at)
		}
	case store.Gone:
		p.setGone(s, at)
	default:
		p.set(s, at, outcome)
	}
	// No fetch lies further ahead than the longest interval: it is made at once instead.
	if p.fetch.Sub(at) > s.Longest {
		if p.interval > s.Longest {
			p.interval = longestKept(s)
		}
		p.fetch = at
	}
	heap.Push(&n.waiting, p)
	return nil
}

// longestKept is the interval that replaces those that are too long.
func longestKept(s NutchSettings) time.Duration { return s.Longest * 9 / 10 }

// setGone is for pages that are gone: they are tried again ever more rarely.
func (p *nutchPage) setGone(s NutchSettings, at time.Time) {
	if longer := p.interval * 3 / 2; longer < s.Longest {
		p.interval = longer
	} else {
		p.interval = longestKept(s)
	}
	p.fetch = at.Add(p.interval)
}

// set is for pages that have been fetched.
func (p *nutchPage) set(s NutchSettings, at time.Time, outcome store.Outcome) {
	p.retries = 0
	if p.modified.IsZero() {
		p.modified = at
	}
	switch {
	case !p.signature || outcome == store.Found: // there is nothing to compare with
	case outcome == store.Changed:
		p.interval = scale(p.interval, 1-s.DecreaseRate)
		p.modified = at
	case outcome == store.Unchanged:
		p.interval = scale(p.interval, 1+s.IncreaseRate)
	}
	p.signature = true
	from := at
	if s.SyncRate > 0 {
		since := at.Sub(p.modified)
		p.interval = max(p.interval, since)
		// Nutch divides whole numbers where the shift would be longer than Max: it is 0 then.
		if shift := scale(since, s.SyncRate); shift <= s.Max {
			from = at.Add(-shift)
		}
	}
	p.interval = min(max(p.interval, s.Min), s.Max)
	p.fetch = from.Add(p.interval)
	if p.interval > s.Longest { // its copy may be deleted by the next fetch, which forgets it
		p.interval, p.signature, p.modified = longestKept(s), false, time.Time{}
	}
}

func scale(d time.Duration, factor float64) time.Duration {
	return time.Duration(float64(d) * factor)
}

// Close does nothing.
func (n *Nutch) Close() error { return nil }

// A nutchHeap is a heap for package heap.
type nutchHeap struct {
	pages []*nutchPage
	less  func(a, b *nutchPage) bool
}

func (h *nutchHeap) Len() int           { return len(h.pages) }
func (h *nutchHeap) Less(i, j int) bool { return h.less(h.pages[i], h.pages[j]) }
func (h *nutchHeap) Swap(i, j int)      { h.pages[i], h.pages[j] = h.pages[j], h.pages[i] }

// Push implements [heap.Interface].
func (h *nutchHeap) Push(x any) { h.pages = append(h.pages, x.(*nutchPage)) }

// Pop implements [heap.Interface].
func (h *nutchHeap) Pop() any {
	last := len(h.pages) - 1
	p := h.pages[last]
	h.pages = h.pages[:last]
	return p
}
