package store

// What is kept in memory: the best rates, and the queue of what is due.

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/models/refresh/live"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// memory is made from the file, and changes after it.
type memory struct {
	settings Settings
	hosts    []host // by number, which is also that of their group in the queue; groups of hosts, too
	hostOf   map[string]int32
	groupOf  map[string]int32
	pages    []place // by number
	rates    *live.Set
	queue    *sequence.Queue // pages by number, groups are hosts and theirs
	leases   map[uint32]lease
	leaseEnd float64  // no lease ends before
	stale    []uint32 // pages whose rate in the queue is to be found again
	ratedAt  float64  // multiplier of the rates in the queue when all of them were found
	ratedSum float64  // their sum then; NaN: not all are found yet
	// leasedRate is the sum of the rates of the pages that are out.
	leasedRate float64
	beliefs
	counts Counts
}

// A place is what is kept in memory of a page.
type place struct {
	tried float64 // time of the last visit; 0: none
	left  float32 // intervals from then on until the page is due
	rated int32   // index in the set of rates, or unrated
	host  int32   // number of its host, or nowhere
	stale bool    // is in memory.stale
	// No two visits have shown whether the page changes.
	unknown bool
}

const (
	unrated = -1 // the page is gone, or there is none
	nowhere = -1 // there is no page
)

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
	if s.rates, err = s.settings.newSet(); err != nil {
		return err
	}
	if err := s.loadPrior(tx); err != nil {
		return err
	}
	s.queue, s.leases = sequence.NewQueue(), map[uint32]lease{}
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
		if err := r.decode(value); err != nil {
			return err
		}
		s.seen += r.log.History().Accesses()
		s.replace(number, &r)
	}
	s.updateUnknown()
	return nil
}

// replace takes up what a page's record says now.
func (s *Store) replace(number uint32, r *record) {
	for int(number) >= len(s.pages) {
		s.pages = append(s.pages, place{rated: unrated, host: nowhere})
	}
	s.leave(number)
	p := &s.pages[number]
	p.host, p.left = s.hostNumber(r.Host), float32(r.left)
	if r.tried != 0 {
		p.tried = days(r.tried)
		s.hostTried(p.host, p.tried)
	}
	changeRate := r.changeRate
	if changeRate == 0 {
		p.unknown, changeRate = true, s.unknownRate()
	}
	if r.last != Gone {
		rated, err := s.rates.Add(live.Page{ChangeRate: changeRate, Weight: r.Weight, Host: s.hosts[p.host].rated})
		if err != nil {
			panic(fmt.Sprintf("store: numbers that were checked: %v", err))
		}
		p.rated = int32(rated)
		s.markStale(number)
	}
	s.count(p, 1)
}

// leave forgets a page.
func (s *Store) leave(number uint32) {
	p := &s.pages[number]
	if p.host == nowhere {
		return
	}
	s.count(p, -1)
	s.endLease(number)
	if p.rated != unrated {
		if err := s.rates.Remove(int(p.rated)); err != nil {
			panic(fmt.Sprintf("store: the set of rates and the store differ: %v", err))
		}
	}
	if s.queue.Has(int(number)) {
		s.queue.Remove(int(number))
	}
	*p = place{rated: unrated, host: nowhere, stale: p.stale}
}

// count counts a page, sign times.
func (s *Store) count(p *place, sign int) {
	h := &s.hosts[p.host]
	s.counts.Pages += sign
	h.pages += sign
	if p.rated == unrated {
		s.counts.Gone += sign
		h.gone += sign
	} else if p.tried == 0 {
		s.counts.Unvisited += sign
	}
}

// markStale has the rate of a page found again before the queue is asked.
func (s *Store) markStale(number uint32) {
	if p := &s.pages[number]; !p.stale {
		p.stale = true
		s.stale = append(s.stale, number)
	}
}

// rate returns the best rate of a page.
func (s *Store) rate(ctx context.Context, number uint32) (float64, error) {
	if s.pages[number].rated == unrated {
		return 0, nil
	}
	return s.rates.Rate(ctx, int(s.pages[number].rated))
}

// staleness is by how much, relative to themselves, the multiplier and the sum of the rates
// in the queue may move before the rates of all pages in the queue are found again.
const staleness = 0.01

// bringQueueUpToDate gives the pages of the queue their present rates: those that have
// changed themselves, and all once the multiplier has moved, or the sum of their rates.
// Many pages may be just about worth a visit, such as all that have changed at every visit:
// their rates move with next to no change of the multiplier, and the queue would give out
// fewer pages, or more, than the bandwidth.
func (s *Store) bringQueueUpToDate(ctx context.Context, now float64) error {
	s.updateUnknown()
	multiplier, err := s.rates.Multiplier(ctx)
	if err != nil {
		return err
	}
	if math.Abs(multiplier-s.ratedAt) > staleness*s.ratedAt {
		s.markAllStale(multiplier)
	}
	if err := s.enqueueStale(ctx, now); err != nil {
		return err
	}
	if sum := s.queue.Rate() + s.leasedRate; math.Abs(sum-s.ratedSum) > staleness*s.ratedSum {
		s.markAllStale(multiplier)
		if err := s.enqueueStale(ctx, now); err != nil {
			return err
		}
	}
	if math.IsNaN(s.ratedSum) {
		s.ratedSum = s.queue.Rate() + s.leasedRate
	}
	return nil
}

// markAllStale has the rates of all pages found again, which may take more than one call if
// they are interrupted.
func (s *Store) markAllStale(multiplier float64) {
	for number := range s.pages {
		if s.pages[number].rated != unrated {
			s.markStale(uint32(number))
		}
	}
	s.ratedAt, s.ratedSum = multiplier, math.NaN()
}

// enqueueStale puts the pages whose rates are to be found again into the queue.
func (s *Store) enqueueStale(ctx context.Context, now float64) error {
	for i, number := range s.stale {
		if i%1024 == 0 && ctx.Err() != nil {
			s.stale = s.stale[i:]
			return ctx.Err()
		}
		s.pages[number].stale = false
		if s.pages[number].rated == unrated {
			continue
		}
		rate, err := s.rate(ctx, number)
		if err != nil {
			return err
		}
		s.enqueue(number, rate, now)
	}
	s.stale = s.stale[:0]
	return nil
}

// enqueue puts a page into the queue at a rate.
func (s *Store) enqueue(number uint32, rate, now float64) {
	p := &s.pages[number]
	switch {
	case s.isLeased(number):
	case p.tried == 0 && !s.queue.Has(int(number)):
		// A page has to be visited once before anything is known of it.
		some := s.settings.Bandwidth / float64(10*s.counts.Pages)
		s.queue.Join(int(number), int(p.host), max(rate, some), now)
	case p.tried == 0:
	case s.queue.Has(int(number)):
		s.queue.SetRate(int(number), rate, now)
	default:
		visit := sequence.Visit{Group: int(p.host), Rate: rate, Due: float64(p.left)}
		if rate > 0 {
			visit.Due = p.tried + visit.Due/rate
		}
		s.queue.Put(int(number), visit)
	}
}

// configure takes up new settings.
func (s *Store) configure(settings Settings) {
	if err := s.rates.SetBandwidth(settings.Bandwidth); err != nil {
		panic(fmt.Sprintf("store: settings that were checked: %v", err))
	}
	s.settings = settings
	for number := range s.hosts {
		s.applyDelay(number)
	}
}
