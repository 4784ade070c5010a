package store

// What is kept in memory: the best rates, and the queue of what is due.

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// memory is made from the file, and changes after it.
type memory struct {
	settings Settings
	rules    limits.Rules   // of the settings
	retries  limits.Retries // of the settings, and what they leave open
	hosts    []host         // by number, which is also that of their group in the queue; groups of hosts, too
	hostOf   map[string]int32
	groupOf  map[string]int32
	pages    []place // by number
	rates    rates
	queue    *sequence.Queue    // pages by number, groups are hosts and theirs
	leases   map[uint32]float64 // of pages that are handed out, and when they end
	leaseEnd float64            // no lease ends before
	stale    []uint32           // pages whose rate in the queue may be an old one
	latest   float64            // time of the latest visit, and of the latest request
	asked    bool               // there was a request
	copies   map[uint32]int32   // pages by the fingerprints of their digests
	beliefs
	counts Counts
}

// A place is what is kept in memory of a page.
type place struct {
	tried     float64 // time of the last visit; 0: none
	since     float64 // that time, or an earlier one where it turned out to be in the future
	host      int32   // number of its host, or nowhere
	print     uint32  // fingerprint of its digest
	stale     bool    // is in memory.stale
	gone      bool    // it does not exist any more
	unknown   bool    // no two visits have shown whether the page changes
	unguessed bool    // nor is there a first guess
	announced bool    // a change is known, so that the page is due at once
	failures  uint8   // visits in a row that have not found the page
	last      Outcome // of the last visit
}

// nowhere is the host of a number that no page has.
const nowhere = -1

// isRated reports whether a page has a rate: others are accessed at most to see if they are back.
func (p *place) isRated() bool { return p.host != nowhere && !p.gone }

// Counts are those of a whole store.
type Counts struct {
	// Pages in the store, Unvisited ones among them, and ones that are Gone.
	Pages, Unvisited, Gone int
	// HandedOut counts the pages that [Store.Due] has handed out and of which no visit
	// has been recorded since.
	HandedOut int
}

// Counts returns how many pages there are.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	counts.HandedOut = len(s.leases)
	return counts
}

// load makes the memory of a file.
func (s *Store) load(ctx context.Context, tx *bbolt.Tx) error {
	for _, bucket := range [][]byte{settingsBucket, hostsBucket, idsBucket, pagesBucket} {
		if tx.Bucket(bucket) == nil {
			return fmt.Errorf("the file is not a store: it has no %s", bucket)
		}
	}
	var err error
	if s.settings, err = loadSettings(tx); err != nil {
		return err
	}
	if s.rates.objective, err = s.settings.objective(); err != nil {
		return err
	}
	if err := s.loadPrior(tx); err != nil {
		return err
	}
	s.rules, s.retries = s.settings.limits(), s.settings.Retries.WithDefaults()
	s.copies = map[uint32]int32{}
	s.queue, s.leases = sequence.NewQueue(), map[uint32]float64{}
	s.leaseEnd = math.Inf(1)
	if err := s.loadHosts(tx); err != nil {
		return err
	}
	cursor := tx.Bucket(pagesBucket).Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		number := binary.BigEndian.Uint32(key)
		if number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for ; s.next < number; s.next++ {
			s.free = append(s.free, s.next)
		}
		s.next = number + 1
		var r record
		if err := r.decode(key, value); err != nil {
			return err
		}
		s.seen += r.log.History().Accesses()
		if err := s.estimated(tx, number, &r); err != nil {
			return err
		}
		s.replace(number, &r)
	}
	return nil
}

// replace brings the memory of a page up to date with its record.
func (s *Store) replace(number uint32, r *record) {
	for int(number) >= len(s.pages) {
		s.pages = append(s.pages, place{host: nowhere})
		s.rates.grow()
	}
	s.leave(number)
	p := &s.pages[number]
	p.host, p.gone = s.hostNumber(r.Host), r.last == Gone
	if r.tried != 0 {
		p.tried = days(r.tried)
		p.since = p.tried
		s.latest = max(s.latest, p.tried)
		s.hostTried(p.host, p.tried)
	}
	p.print, p.announced, p.failures, p.last = r.fingerprint(), r.announced, r.failures, r.last
	s.countCopy(p.print, 1)
	changeRate := r.changeRate
	p.unknown, p.unguessed = r.log.History().Accesses() == 0, changeRate == 0
	if p.unguessed {
		changeRate = s.unknown
	}
	if p.gone {
		s.rates.remove(number)
	} else {
		s.rates.limit(number, s.rules.Complete(r.Intervals, []byte(r.ID), nil))
		s.rates.set(number, changeRate, r.Weight, p.host)
	}
	s.markStale(number)
	s.count(p, 1)
}

// leave forgets a page; its rate stays until rates.remove.
func (s *Store) leave(number uint32) {
	p := &s.pages[number]
	if p.host == nowhere {
		return
	}
	s.count(p, -1)
	s.countCopy(p.print, -1)
	s.endLease(number)
	if s.queue.Has(int(number)) {
		s.queue.Remove(int(number))
	}
	*p = place{host: nowhere, stale: p.stale}
}

// count counts a page, sign times.
func (s *Store) count(p *place, sign int) {
	h := &s.hosts[p.host]
	s.counts.Pages += sign
	h.pages += sign
	if p.gone {
		s.counts.Gone += sign
		h.gone += sign
	} else if p.tried == 0 {
		s.counts.Unvisited += sign
	}
}

// markStale notes a page whose rate may have changed: before the queue is asked, it will take up the
// present one.
func (s *Store) markStale(number uint32) {
	if p := &s.pages[number]; !p.stale {
		p.stale = true
		s.stale = append(s.stale, number)
	}
}

// rate returns the best rate of a page, 0 of one that is gone.
func (s *Store) rate(ctx context.Context, number uint32) (float64, error) {
	if err := s.solve(ctx); err != nil {
		return 0, err
	}
	return s.rates.of[number], nil
}

// solve finds all rates anew if that is due.
func (s *Store) solve(ctx context.Context) error {
	if !s.rates.areDue() {
		return nil
	}
	return s.solveAll(ctx)
}

// solveAnew finds all rates anew where anything has changed.
func (s *Store) solveAnew() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rates.last != nil && s.rates.moved == 0 {
		return nil
	}
	return s.solveAll(context.Background())
}

// solveAll finds all rates anew, and has the queue take them up. Pages of which nothing is known
// change at the mean rate of the prior.
func (s *Store) solveAll(ctx context.Context) error {
	s.unknown = within(s.present().Mean())
	for number := range s.pages {
		if p := &s.pages[number]; p.unguessed && p.isRated() {
			s.rates.changeRates[number] = s.unknown
		}
	}
	caps := make([]float64, len(s.hosts))
	for number := range s.hosts {
		caps[number] = math.Inf(1)
		if h := &s.hosts[number]; h.group != 0 {
			caps[number] = 1 / days(int64(s.delay(h)))
		}
	}
	if err := s.rates.solve(ctx, s.settings.Bandwidth, caps); err != nil {
		return err
	}
	s.markAllStale()
	return nil
}

// markAllStale is markStale for all pages.
func (s *Store) markAllStale() {
	for number := range s.pages {
		if s.pages[number].host != nowhere {
			s.markStale(uint32(number))
		}
	}
}

// bringQueueUpToDate gives the pages of the queue their present rates. Where ctx ends it, a
// later call goes on.
func (s *Store) bringQueueUpToDate(ctx context.Context, now float64) error {
	if err := s.solve(ctx); err != nil {
		return err
	}
	s.setClock(now)
	for i, number := range s.stale {
		if i%1024 == 0 && ctx.Err() != nil {
			s.stale = s.stale[i:]
			return ctx.Err()
		}
		p := &s.pages[number]
		if p.stale = false; p.host != nowhere {
			s.enqueue(number, now)
		}
	}
	s.stale = s.stale[:0]
	return nil
}

// enqueue puts a page into the queue.
func (s *Store) enqueue(number uint32, now float64) {
	p := &s.pages[number]
	switch {
	case s.isLeased(number):
	case p.tried == 0 && !s.queue.Has(int(number)):
		s.queue.Join(int(number), int(p.host), s.pace(int(number)), now)
	case p.tried == 0:
	default:
		s.queue.Put(int(number), s.visitAfter(int(number), p.since, false))
	}
}

// clocksDiffer is how far a visit may be in the future, in days, before its time is taken for
// wrong: requests that overtake each other do not tell the time in order.
const clocksDiffer = 1. / (24 * 60 * 60)

// setClock sets the time of a request. If it is before the latest visit, the time of that visit was
// wrong, or the clock has been set back. Pages visited later than now then count as visited now. There
// is an exception at the first request after the store was opened: a page whose last visit is further
// ahead than a day, and than its interval, is due, and does not hold back its host. Otherwise the
// page would wait anew whenever the store is opened.
func (s *Store) setClock(now float64) {
	if s.latest > now+clocksDiffer {
		s.queue = sequence.NewQueue() // the time of a queue does not run backwards
		for number := range s.hosts {
			if h := &s.hosts[number]; number != 0 {
				if h.tried > now {
					h.tried = now
					if !s.asked {
						h.tried = 0 // until its pages say more
					}
				}
				s.queue.AddGroup(int(h.group), 0)
				s.applyDelay(number)
			}
		}
		for number := range s.pages {
			p := &s.pages[number]
			if p.since > now {
				interval := 1 / s.pace(number)
				if p.since = now; !s.asked && p.tried > now+max(1, interval) {
					p.since = now - interval
				}
			}
			if p.tried != 0 {
				s.hostTried(p.host, p.since)
			}
		}
		for number, until := range s.leases {
			s.leases[number] = min(until, now+days(int64(defaultLease)))
		}
		s.leaseEnd = min(s.leaseEnd, now+days(int64(defaultLease)))
		s.markAllStale()
		s.latest = now
	}
	s.latest, s.asked = max(s.latest, now), true
}

// configure takes up new settings.
func (s *Store) configure(settings Settings) {
	s.settings, s.rules, s.retries = settings, settings.limits(), settings.Retries.WithDefaults()
	for number := range s.hosts {
		s.applyDelay(number)
	}
	s.rates.forget()
}
