package store

// What is due, and who has it.

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
)

// A Request says which pages a crawler wants to visit next.
type Request struct {
	// Now is the time; the zero time stands for that of the clock.
	Now time.Time
	// Most is the greatest number of pages, and MostOfHost that of one host; 0 stands for
	// no bound of the latter. A host with a delay gives one page at a time all the same.
	Most, MostOfHost int
	// MostHosts is the greatest number of different hosts that the pages may have; 0 stands for no
	// bound. The hosts are those of the earliest deadlines. Pages without a host together count as
	// one host, of which no more come once there are MostHosts. Pages then come host by host.
	MostHosts int
	// Host, if it is not "", restricts the list to its pages.
	Host string
	// Lease is how long the pages are out: a page of which no visit is recorded until
	// then is handed out again. 0 stands for 10 minutes. Leases do not outlive the Store.
	Lease time.Duration
}

const defaultLease = 10 * time.Minute

// Due hands out pages that are due for a visit: pages that were never visited; pages whose last
// visit was an interval of 1/rate ago; pages that their last visit has not found, when
// [limits.Retries] say so; and announced pages. Those that are visited no more often than their
// greatest interval demands come first, then those with the earliest deadlines; the
// deadline of a page is one interval after it became due (see [sequence.Queue]). Visits of one host
// are not closer together than its delay. Pages are out until [Store.Record] records a visit of
// them, or their lease ends. There may be fewer than are wanted, or none; [Store.Next] says when
// there can be more.
//
// After changes that have moved all rates by a percent or so it takes a look at all
// pages: a second or two for a million, which ctx can end.
func (s *Store) Due(ctx context.Context, r Request) ([]Page, error) {
	if r.Lease <= 0 {
		r.Lease = defaultLease
	}
	if err := s.Learn(ctx); err != nil {
		return nil, err
	}
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	numbers, err := s.handOut(ctx, r)
	if err != nil {
		return nil, err
	}
	pages := make([]Page, 0, len(numbers))
	err = s.view(func(tx *bbolt.Tx) error {
		records := tableOf(tx, pagesBucket)
		for _, number := range numbers {
			var r record
			if found, err := r.read(records, number); err != nil {
				return err
			} else if !found {
				continue // it was removed meanwhile
			}
			pages = append(pages, r.Page)
		}
		return nil
	})
	return pages, err
}

// handOut takes pages from the queue.
func (s *Store) handOut(ctx context.Context, r Request) ([]uint32, error) {
	now := days(r.Now.UnixNano())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLeases(now)
	if err := s.bringQueueUpToDate(ctx, now); err != nil {
		return nil, err
	}
	group := int32(0)
	if r.Host != "" {
		var known bool
		if group, known = s.hostOf[urlhost.Canonical(r.Host)]; !known {
			return nil, nil
		}
	}
	until := now + days(int64(r.Lease))
	var numbers []uint32
	given := map[int32]int{}
	held := map[int32]float64{} // hosts that have given all they may, and when they are ready
	takeOf := func(group int32) bool {
		page := s.queue.NextOf(int(group), now)
		if page < 0 {
			return false
		}
		number := uint32(page)
		s.leases[number] = until
		s.leaseEnd = min(s.leaseEnd, until)
		s.queue.Remove(page)
		numbers = append(numbers, number)
		host := s.pages[number].host
		s.hosts[host].handedOut++
		s.hostTried(host, now)
		if given[host]++; given[host] == r.MostOfHost && host != 0 {
			held[host] = s.queue.Ready(int(host))
			s.queue.SetReady(int(host), math.Inf(1))
		}
		return true
	}
	mayTake := func() bool { return len(numbers) < r.Most }
	for mayTake() && (r.MostHosts == 0 || len(given) < r.MostHosts) && takeOf(group) {
	}
	for _, host := range slices.Sorted(maps.Keys(given)) { // where no other may be added
		for host != 0 && mayTake() && takeOf(host) {
		}
	}
	for host, ready := range held {
		s.queue.SetReady(int(host), ready)
	}
	return numbers, nil
}

func (s *Store) isLeased(number uint32) bool {
	_, leased := s.leases[number]
	return leased
}

// endLeases puts the pages whose leases have ended back into the queue.
func (s *Store) endLeases(now float64) {
	if now < s.leaseEnd {
		return
	}
	s.leaseEnd = math.Inf(1)
	var ended []uint32
	for number, until := range s.leases {
		if until <= now {
			ended = append(ended, number)
		} else {
			s.leaseEnd = min(s.leaseEnd, until)
		}
	}
	slices.Sort(ended)
	for _, number := range ended {
		s.endLease(number)
		s.markStale(number)
	}
}

// endLease ends that of a page, if it has one.
func (s *Store) endLease(number uint32) {
	if s.isLeased(number) {
		delete(s.leases, number)
		s.hosts[s.pages[number].host].handedOut--
	}
}

// Backlog counts the pages that are due and not handed out, those never visited among them, and how
// many of these are overdue by more than their interval.
func (s *Store) Backlog(now time.Time) (due, overdue int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.solve(context.Background()); err != nil {
		return 0, 0, err
	}
	at := days(now.UnixNano())
	for number := range s.pages {
		p := &s.pages[number]
		if p.host == nowhere || s.leases[uint32(number)] > at {
			continue
		}
		rate := s.pace(number)
		switch {
		case p.tried == 0 || p.announced:
			due++
		case (at-p.since)*rate >= 2:
			overdue++
			due++
		case (at-p.since)*rate >= 1:
			due++
		}
	}
	return due, overdue, nil
}

// Next returns the time from which on [Store.Due] can have a page, the zero time where
// it never will as things are. Changes of the store can make it earlier.
func (s *Store) Next() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.stale) > 0 {
		return time.Now()
	}
	next := min(s.queue.When(), s.leaseEnd)
	if math.IsInf(next, 1) {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds(next)).UTC()
}
