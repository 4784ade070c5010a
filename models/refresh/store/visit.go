package store

// Visits, and what comes of them.

import (
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// An Outcome is the result of a visit.
type Outcome = estimate.Outcome

// The outcomes. A page that is [Gone] is not visited again, unless [Store.Put] brings it back.
const (
	Failed    = estimate.Failed
	Found     = estimate.Found
	Unchanged = estimate.Unchanged
	Changed   = estimate.Changed
	Gone      = estimate.Gone
)

// A Visit is a visit of a page that has taken place.
type Visit struct {
	// ID of the page.
	ID string
	// Time of the visit, later than the last one of the page by a microsecond or more.
	Time time.Time
	// Outcome of the visit. With a Digest, Found, Changed and Unchanged say the same:
	// whether the page has changed is found from the digest.
	Outcome Outcome
	// Digest of what the visit found, such as a hash or an entity tag, if that is to tell
	// whether the page has changed: it has if the digest is another one than that of the
	// visit before. Nil for none.
	Digest []byte
	// Note replaces that of the page. Nil leaves it as it is.
	Note []byte
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

// RecordAt is [Store.Record] where now is the present. The last visit of a page may lie after
// it, because its time was wrong or the clock has been set back. It then keeps out no visit up to
// now: that one takes its place, and says as little of changes as a first one.
func (s *Store) RecordAt(now time.Time, visits ...Visit) error {
	var refused VisitErrors
	err := s.write(func(c *change) error {
		refused = nil
		pages := map[string]*visited{}
		var changed []*visited // in the order of their first visits
		for i, visit := range visits {
			page := pages[visit.ID]
			if page == nil {
				page = new(visited)
				if err := page.read(c, visit.ID); err != nil {
					return err
				}
				pages[visit.ID] = page
			}
			if why := s.record(page, visit, days(now.UnixNano())); why != nil {
				refused = append(refused, &VisitError{i, visit.ID, why})
			} else if page.count == page.before+1 {
				changed = append(changed, page)
			}
		}
		for _, page := range changed {
			s.estimate(&page.record)
			if err := c.put(page.number, &page.record); err != nil {
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
	before   uint64 // visits of any outcome,
	accesses int64  // and those that told whether the page had changed, before the write
}

func (v *visited) read(c *change, id string) (err error) {
	if v.number, v.known, err = c.find(id); err == nil && v.known {
		err = c.read(v.number, &v.record)
	}
	v.before, v.accesses = v.count, v.log.History().Accesses()
	return err
}

// record records a visit of a page, or returns why it is not allowed.
func (s *Store) record(page *visited, visit Visit, now float64) (refused error) {
	if !page.known {
		return ErrNoPage
	}
	if refused := visit.Validate(); refused != nil {
		return refused
	}
	at := visit.Time.UnixNano()
	if page.tried != 0 && days(at) <= s.lastVisit(page.number, days(page.tried), days(at), now) { // days are exact to a microsecond
		return ErrNotLater
	}
	page.log.Forget(days(at))
	changes := page.log.History().Changes()
	if refused := page.log.Take(days(at), visit.Outcome, visit.Digest); refused != nil {
		return refused
	}
	if visit.Digest != nil && visit.Outcome != Failed && visit.Outcome != Gone {
		visit.Outcome = Unchanged
		if page.log.History().Changes() > changes {
			visit.Outcome = Changed
		}
	}
	page.tried, page.last = at, visit.Outcome
	page.count++
	if visit.Note != nil {
		page.Note = visit.Note
	}
	return nil
}

// lastVisit returns before what a visit of a page at a time is not allowed: the time tried of its
// last visit, unless that was in the future.
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
