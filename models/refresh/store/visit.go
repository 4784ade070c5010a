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
		for i, visit := range visits {
			why, err := s.record(c, visit, days(now.UnixNano()))
			if err != nil {
				return err
			}
			if why != nil {
				refused = append(refused, &VisitError{i, visit.ID, why})
			}
		}
		return nil
	})
	if err == nil && len(refused) > 0 {
		return refused
	}
	return err
}

// record records a visit. It returns why the visit is not allowed, or an error of the
// disk.
func (s *Store) record(c *change, visit Visit, now float64) (refused, err error) {
	if refused := visit.Validate(); refused != nil {
		return refused, nil
	}
	number, known, err := c.find(visit.ID)
	if err != nil {
		return nil, err
	}
	if !known {
		return ErrNoPage, nil
	}
	var r record
	if err := c.read(number, &r); err != nil {
		return nil, err
	}
	at := visit.Time.UnixNano()
	if r.tried != 0 && days(at) <= s.lastVisit(number, days(r.tried), days(at), now) { // days are exact to a microsecond
		return ErrNotLater, nil
	}
	r.log.Forget(days(at))
	accesses, changes := r.log.History().Accesses(), r.log.History().Changes()
	if refused := r.log.Take(days(at), visit.Outcome, visit.Digest); refused != nil {
		return refused, nil
	}
	if visit.Digest != nil && visit.Outcome != Failed && visit.Outcome != Gone {
		visit.Outcome = Unchanged
		if r.log.History().Changes() > changes {
			visit.Outcome = Changed
		}
	}
	r.changeRate = s.changeRate(&r)
	r.tried, r.last = at, visit.Outcome
	r.count++
	if visit.Note != nil {
		r.Note = visit.Note
	}
	c.then(func() {
		s.seen += r.log.History().Accesses() - accesses
		s.replace(number, &r)
	})
	return nil, c.put(number, &r)
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
