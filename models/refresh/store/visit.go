package store

// Visits, and what comes of them.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// An Outcome is the result of a visit.
type Outcome = estimate.Outcome

// The outcomes. A visit that was [Denied], that [Failed], or whose page is [Gone], has not found the
// page: it is visited again when [limits.Retries] say so.
const (
	Failed    = estimate.Failed
	Found     = estimate.Found
	Unchanged = estimate.Unchanged
	Changed   = estimate.Changed
	Gone      = estimate.Gone
	Denied    = estimate.Denied
)

// A Visit is a visit of a page that has taken place.
type Visit struct {
	// ID of the page.
	ID string
	// Time of the visit, later than the last one of the page by a microsecond or more.
	Time time.Time
	// Outcome of the visit. With a Digest, it makes no difference whether it is Found, Changed or
	// Unchanged: the digest tells whether the page has changed.
	Outcome Outcome
	// Digest of what the visit found, such as a hash or an entity tag; nil for none. The page has
	// changed if the visit before had another digest.
	Digest []byte
	// Note replaces that of the page. Nil leaves it as it is.
	Note []byte
	// Target is the ID that the page has moved to for good, or "". The page leaves the store, and
	// the visit counts as one of the target. So do later visits of the page that name this target.
	// Unless the target has visits of its own, it takes over the page's history, weight and intervals.
	Target string
	// Final says that the page is not to be visited again until [Store.Put] brings it back.
	Final bool
}

// Validate returns why there can be no such visit of any page, or nil.
func (v Visit) Validate() error {
	switch {
	case !v.Outcome.IsValid():
		return fmt.Errorf("%v is not an outcome", v.Outcome)
	case !v.Time.Equal(time.Unix(0, v.Time.UnixNano())):
		return fmt.Errorf("time %v: use the years 1678 to 2262", v.Time)
	}
	return nil
}

// A VisitError says why a visit was not recorded.
type VisitError struct {
	Index int    // of the visit
	ID    string // of its page
	Err   error  // ErrNoPage, ErrNotLater, or what is not allowed
}

// Error returns the message.
func (e *VisitError) Error() string {
	return fmt.Sprintf("visit %d, of page %s: %v", e.Index+1, wording.Quote(e.ID), e.Err)
}

// Unwrap returns Err.
func (e *VisitError) Unwrap() error { return e.Err }

// VisitErrors say of some visits, by index, why they were not recorded.
type VisitErrors []*VisitError

// Error returns the first message, and how many more there are.
func (e VisitErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v, and %d more", e[0], len(e)-1)
}

// Unwrap returns the errors.
func (e VisitErrors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// Record records visits, and returns when they are on disk. Many visits in one call, or
// calls from many goroutines, share an fsync; one call after the other with one visit
// each waits for as many of them.
//
// Visits that cannot be recorded are left out. The error then is a [VisitErrors],
// and the others are recorded. Any other error says that none is.
func (s *Store) Record(visits ...Visit) error { return s.RecordAt(time.Now(), visits...) }

// RecordAt is [Store.Record] where now is the present. The last visit of a page may be later than
// now, because its time was wrong or the clock has been set back. A visit up to now then takes its
// place, and like a first visit it says nothing about changes.
func (s *Store) RecordAt(now time.Time, visits ...Visit) error {
	var refused VisitErrors
	err := s.write(func(c *change) error {
		refused = nil
		pages, err := c.visited(visits)
		if err != nil {
			return err
		}
		var changed []*visited
		for i, visit := range visits {
			page, why, err := s.move(c, pages, &visit, days(now.UnixNano()))
			if err != nil {
				return err
			}
			if why == nil {
				why = s.record(c, page, visit, days(now.UnixNano()))
			}
			if page.ID != c.normal(visit.ID) && errors.Is(why, ErrNotLater) {
				why = nil // the target has been visited since
			}
			if why != nil {
				refused = append(refused, &VisitError{i, visit.ID, why})
			} else if !page.changed {
				page.changed = true
				changed = append(changed, page)
			}
		}
		slices.SortFunc(changed, byNumber)
		for _, page := range changed {
			if !page.known {
				continue // it has moved since
			}
			s.estimate(&page.record)
			if err := c.replace(page.number, &page.record); err != nil {
				return err
			}
			c.then(func() {
				s.seen += page.log.History().Accesses() - page.accesses
				s.replace(page.number, &page.record)
			})
		}
		return nil
	})
	if err == nil && len(refused) > 0 {
		return refused
	}
	return err
}

// visited is a page that is visited, perhaps several times, in one write.
type visited struct {
	record
	known    bool
	number   uint32
	accesses int64 // visits that told whether the page had changed, before the write
	changed  bool
}

// byNumber orders pages as they are on disk: a write of many touches each part of it once.
func byNumber(a, b *visited) int { return cmp.Compare(a.number, b.number) }

// visited reads the pages of visits, by their IDs.
func (c *change) visited(visits []Visit) (map[string]*visited, error) {
	pages := make(map[string]*visited, len(visits))
	var ids []string
	for _, visit := range visits {
		if id := c.normal(visit.ID); pages[id] == nil {
			pages[id] = new(visited)
			ids = append(ids, id)
		}
	}
	slices.Sort(ids) // as they are on disk
	found := make([]*visited, len(ids))
	for i, id := range ids {
		found[i] = pages[id]
		if err := found[i].find(c, id); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, byNumber)
	for _, page := range found {
		if err := page.read(c); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// find looks up the number of a page.
func (v *visited) find(c *change, id string) (err error) {
	v.number, v.known, err = c.find(id)
	return err
}

// read reads the record of a page that is known.
func (v *visited) read(c *change) error {
	if !v.known {
		return nil
	}
	err := c.read(v.number, &v.record)
	v.accesses = v.log.History().Accesses()
	return err
}

// allows returns why a visit of a page is not allowed, or nil.
func (s *Store) allows(page *visited, visit *Visit, now float64) (refused error) {
	if !page.known {
		return ErrNoPage
	}
	if refused := visit.Validate(); refused != nil {
		return refused
	}
	at := days(visit.Time.UnixNano())
	if page.tried != 0 && at <= s.lastVisit(page.number, days(page.tried), at, now) { // days are exact to a microsecond
		return ErrNotLater
	}
	return nil
}

// record records a visit of a page, or returns why it is not allowed.
func (s *Store) record(c *change, page *visited, visit Visit, now float64) (refused error) {
	if refused := s.allows(page, &visit, now); refused != nil {
		return refused
	}
	at := visit.Time.UnixNano()
	page.log.Forget(days(at))
	before, digest := page.fingerprint(), visit.Digest
	if s.isCopy(c, page, before, &visit) {
		visit.Outcome = Gone
	}
	changes := page.log.History().Changes()
	if refused := page.log.Take(days(at), visit.Outcome, digest); refused != nil {
		return refused
	}
	if digest != nil && !visit.Outcome.IsFailure() && visit.Outcome != Gone {
		visit.Outcome = Unchanged
		if page.log.History().Changes() > changes {
			visit.Outcome = Changed
		}
	}
	if after := page.fingerprint(); after != before {
		c.copies[before]--
		c.copies[after]++
	}
	page.failed(visit.Outcome, visit.Final)
	page.tried, page.last, page.announced = at, visit.Outcome, false
	page.count++
	if visit.Note != nil {
		page.Note = visit.Note
	}
	return nil
}

// isCopy reports whether a visit has found a digest that many pages of the host have.
func (s *Store) isCopy(c *change, page *visited, before uint32, visit *Visit) bool {
	if visit.Outcome.IsFailure() || visit.Outcome == Gone {
		return false
	}
	found := before // where nothing has changed
	switch {
	case visit.Digest != nil:
		found = fingerprintOf(page.Host, estimate.HashOf(visit.Digest), true)
	case visit.Outcome != Unchanged:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	others := s.copies[found] + c.copies[found]
	if found == before {
		others--
	}
	return found != 0 && s.retries.Copies != limits.Never && int(others)+1 >= s.retries.Copies
}

// move returns the page of a visit: its target, if it has moved. pages are those of the write so
// far, which it adds to.
func (s *Store) move(c *change, pages map[string]*visited, visit *Visit, now float64) (page *visited, refused, err error) {
	find := func(id string) (*visited, error) {
		id = c.normal(id)
		page := pages[id]
		if page == nil {
			page = new(visited)
			if err := cmp.Or(page.find(c, id), page.read(c)); err != nil {
				return nil, err
			}
			pages[id] = page
		}
		return page, nil
	}
	page, err = find(visit.ID)
	if err != nil || visit.Target == "" || c.normal(visit.Target) == c.normal(visit.ID) {
		return page, nil, err
	}
	if !page.known { // it has moved already, and the log still names it
		if target, err := find(visit.Target); err != nil || target.known {
			visit.ID = visit.Target
			return target, nil, err
		}
		return page, nil, nil
	}
	if refused := s.allows(page, visit, now); refused != nil {
		return page, refused, nil
	}
	moved := page.Page
	moved.ID, moved.Host = c.normal(visit.Target), ""
	if moved, refused = moved.withDefaults(); refused != nil {
		return page, refused, nil
	}
	target, err := find(moved.ID)
	if err != nil {
		return page, nil, err
	}
	if err := c.ids.remove([]byte(page.ID)); err != nil {
		return page, nil, err
	}
	page.known = false
	if !target.known {
		*target = *page
		target.Page, target.known, target.changed = moved, true, false
		return target, nil, c.ids.put([]byte(moved.ID), key(page.number))
	}
	if target.count == 0 {
		heir := page.record
		heir.Page, heir.added = target.Page, target.added
		heir.Weight, heir.Intervals = page.Weight, page.Intervals
		target.record, target.accesses = heir, page.accesses
	}
	number := page.number
	c.free = append(c.free, number)
	c.then(func() {
		s.leave(number)
		s.rates.remove(number)
	})
	return target, nil, c.pages.remove(key(number))
}

// lastVisit returns the time of the last visit of a page, tried, which the next visit has to be later
// than. A time in the future does not count: see [Store.RecordAt].
func (s *Store) lastVisit(number uint32, tried, at, now float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(number) < len(s.pages) {
		if p := &s.pages[number]; p.tried == tried && p.since < tried {
			return p.since // as a request has shown
		}
	}
	if present := now + clocksDiffer; tried > present && at <= present {
		return math.Inf(-1)
	}
	return tried
}
