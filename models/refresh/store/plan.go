package store

// Batches: what to access in the hours to come, and when.

import (
	"context"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// A Planned access is one of a batch.
type Planned struct {
	Page
	Time time.Time // from which on the access may take place, to a millisecond
}

// A Batch says what accesses are planned.
type Batch struct {
	// Request has Now, Most, MostOfHost and Host; the rest of it does not count.
	Request
	// Until is the end of the batch: pages that become due before then are in it, too, and a
	// page may be in it several times. At the zero time only pages that are due now are in it, each
	// once, and their times go on for as long as the delays of hosts take.
	Until time.Time
	// Week says how many accesses are made; nil stands for as many as delays allow. With it pages
	// may come up to half an interval early, but not before their least one, so that the hours
	// of a high bandwidth are used: the accesses over a week are then as many as the rates say.
	Week *Week
}

// Plan returns the accesses of a batch in the order of their times. Of the pages that are due when an
// access can take place, those that are accessed no more often than their greatest interval demands come
// first, then the one with the earliest deadline. No two of a host, or of a registered
// domain, are nearer to each other than its delay. Plan changes nothing: pages stay due
// until visits are recorded. Errors are those of [Store.Due].
func (s *Store) Plan(ctx context.Context, b Batch) ([]Planned, error) {
	if err := s.Learn(ctx); err != nil {
		return nil, err
	}
	if b.Now.IsZero() {
		b.Now = time.Now()
	}
	numbers, times, err := s.plan(ctx, b)
	if err != nil {
		return nil, err
	}
	planned := make([]Planned, 0, len(numbers))
	err = s.view(func(tx *bbolt.Tx) error {
		records := tableOf(tx, pagesBucket)
		for i, number := range numbers {
			var r record
			if found, err := r.read(records, uint32(number)); err != nil {
				return err
			} else if found { // else it was removed meanwhile
				planned = append(planned, Planned{r.Page, time.Unix(0, nanoseconds(times[i])).UTC().Round(time.Millisecond)})
			}
		}
		return nil
	})
	return planned, err
}

// plan finds the numbers of the pages, and the times in days.
func (s *Store) plan(ctx context.Context, b Batch) (numbers []int, times []float64, err error) {
	now := days(b.Now.UnixNano())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLeases(now)
	if err := s.bringQueueUpToDate(ctx, now); err != nil {
		return nil, nil, err
	}
	of := int32(nowhere)
	if b.Host != "" {
		var known bool
		if of, known = s.hostOf[urlhost.Canonical(b.Host)]; !known {
			return nil, nil, nil
		}
	}
	end, once := math.Inf(1), b.Until.IsZero()
	if !once {
		end = days(b.Until.UnixNano())
	}
	early := b.Week != nil && !once
	queue := s.planQueue(of, now, once, early)
	given := map[int32]int{}
	for at := now; at <= end && len(numbers) < b.Most; {
		if len(numbers)%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if b.Week != nil {
			at = b.Week.After(at, 0)
		}
		page := queue.Next(at)
		if page < 0 {
			next := queue.When()
			if math.IsInf(next, 1) {
				break
			}
			at = max(next, math.Nextafter(at, end))
			continue
		}
		p := &s.pages[page]
		numbers, times = append(numbers, page), append(times, at)
		if once || p.tried == 0 || p.failures > 0 || s.rates.of[page] == 0 { // what comes after a failure is open
			queue.Remove(page)
		} else {
			queue.Put(page, s.visitAfter(page, at, early))
		}
		if given[p.host]++; given[p.host] == b.MostOfHost && p.host != 0 {
			queue.SetReady(int(p.host), math.Inf(1))
		}
		if b.Week != nil {
			at = b.Week.After(at, 1)
		}
	}
	return numbers, times, nil
}

// visitAfter returns when to visit a page after a visit: one interval later, or at once if the page was
// announced. The queue gives out a page from the time v.Due − 1/v.Rate on.
func (s *Store) visitAfter(page int, visited float64, early bool) sequence.Visit {
	p := &s.pages[page]
	v := sequence.Visit{Group: int(p.host), Rate: s.pace(page), Urgent: s.isUrgent(page)}
	if v.Rate == 0 {
		return v
	}
	interval := 1 / v.Rate
	if p.announced {
		v.Due = visited + interval
		return v
	}
	if !early || p.failures > 0 {
		// So that, in spite of rounding, the page is due for a request just one interval after the visit.
		const rounding = 1e-9
		v.Due = visited + (2-rounding)*interval
		return v
	}
	sooner := interval / 2
	if v.Urgent {
		sooner = interval / 8
	}
	if s.rates.greatest != nil {
		sooner = min(sooner, interval-1/s.rates.greatest[page])
	}
	v.Due = visited + interval
	v.Rate = 1 / max(sooner, interval*1e-6)
	return v
}

// isUrgent reports whether a page is accessed no more often than its greatest interval demands. If it waited
// until others that are late have had their turn, its interval would become longer than that.
func (s *Store) isUrgent(page int) bool {
	const rounding = 1e-9
	return s.rates.least != nil && s.rates.of[page] > 0 && s.rates.of[page] <= s.rates.least[page]*(1+rounding)
}

// planQueue returns a queue like that of the store, with the pages of one host or of all. Pages that are due
// later are in it only if they are wanted.
func (s *Store) planQueue(host int32, now float64, onlyDue, early bool) *sequence.Queue {
	queue := sequence.NewQueue()
	for number := range s.hosts {
		if h := &s.hosts[number]; number != 0 {
			queue.AddGroup(int(h.group), days(int64(s.delay(h))))
			queue.SetReady(number, s.queue.Ready(number))
		}
	}
	for number := range s.pages {
		p := &s.pages[number]
		if !s.queue.Has(number) || host != nowhere && p.host != host {
			continue
		}
		v := s.queue.Visit(number)
		if onlyDue && (v.Rate == 0 || !v.First && v.Due-1/v.Rate > now) {
			continue
		}
		if early && !v.First {
			v = s.visitAfter(number, p.since, early)
		}
		queue.Put(number, v)
	}
	return queue
}

// A Week is a bandwidth by hour, in accesses per day: that of the hours of Monday, Tuesday and so on,
// in UTC.
type Week [7 * 24]float64

// EvenWeek returns a week with the same bandwidth, in accesses per day, in all hours.
func EvenWeek(bandwidth float64) *Week {
	w := new(Week)
	for hour := range w {
		w[hour] = bandwidth
	}
	return w
}

// Mean returns the mean bandwidth.
func (w *Week) Mean() float64 {
	sum := 0.0
	for _, bandwidth := range w {
		sum += bandwidth
	}
	return sum / float64(len(w))
}

// hourOfWeek returns which hour a time in days since 1970 is in; it was a Thursday.
func hourOfWeek(at float64) int {
	const thursday = 3 * 24
	return int(math.Mod(math.Floor(at*24)+thursday, 7*24))
}

// After returns when some accesses after a time are done, both in days since 1970: +Inf if they never
// are. With none, it is the first time from then on at which accesses are made.
func (w *Week) After(at, accesses float64) float64 {
	for range 8 * 7 * 24 { // a single access may take more than a week
		bandwidth := w[hourOfWeek(at)]
		end := (math.Floor(at*24) + 1) / 24
		if end <= at {
			end = at + 1./24 // the hour is over but for rounding
		}
		if room := bandwidth * (end - at); bandwidth > 0 && accesses <= room {
			return at + accesses/bandwidth
		} else if bandwidth > 0 {
			accesses -= room
		}
		at = end
	}
	return math.Inf(1)
}
