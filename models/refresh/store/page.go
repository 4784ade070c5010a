package store

// Pages: how they join, leave and are looked up.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// A Page is what its owner says of it.
type Page struct {
	// ID names the page, as a rule its URL: 1 to 32,000 bytes.
	ID string
	// Host that the page belongs to. "" stands for that of ID, if ID is a URL. A page
	// without a host waits for none. A.example, a.example and a.example. are one host,
	// here and wherever a host is named; a store calls it a.example.
	Host string
	// Weight says how much a visit of the page is worth, as in [refresh.Pages]. 0 stands
	// for 1.
	Weight float64
	// Intervals limit how often the page is visited: see [Settings].
	Intervals limits.Intervals
	// Note is kept with the page, for the caller alone.
	Note []byte
	// ChangeRate is a first guess of the number of changes per day, which counts until two visits
	// tell more; 0 for none. It is not kept with the page.
	ChangeRate float64
}

// The greatest lengths of an ID and of the name of a host, in bytes.
const longestID, longestHost = 32_000, 1000

// withDefaults fills in what may be left out, or says what is wrong with the page.
func (p Page) withDefaults() (Page, error) {
	if p.Host == "" {
		if host, ok := urlhost.Of([]byte(p.ID)); ok {
			p.Host = string(host)
		}
	}
	p.Host = urlhost.Canonical(p.Host)
	if p.Weight == 0 {
		p.Weight = 1
	}
	switch {
	case p.ID == "" || len(p.ID) > longestID:
		return p, fmt.Errorf("store: an ID of %d bytes: use 1 to %d", len(p.ID), longestID)
	case len(p.Host) > longestHost:
		return p, fmt.Errorf("store: page %s: a host of %d bytes: use at most %d", wording.Quote(p.ID), len(p.Host), longestHost)
	case !(p.Weight >= refresh.LeastNumber && p.Weight <= refresh.GreatestNumber):
		return p, fmt.Errorf("store: page %s: weight: %s", wording.Quote(p.ID), wording.Invalid(p.Weight, "a number from 1e-100 to 1e100"))
	}
	if p.ChangeRate != 0 && !(p.ChangeRate >= refresh.LeastNumber && p.ChangeRate <= refresh.GreatestNumber) {
		return p, fmt.Errorf("store: page %s: change rate: %s", wording.Quote(p.ID), wording.Invalid(p.ChangeRate, "0, for none, or a number from 1e-100 to 1e100"))
	}
	if err := p.Intervals.Validate(); err != nil {
		return p, fmt.Errorf("store: page %s: %w", wording.Quote(p.ID), err)
	}
	return p, nil
}

// Validate returns why a page cannot be in a store, or nil.
func (p Page) Validate() error {
	_, err := p.withDefaults()
	return err
}

// A Status is what the store knows of a page.
type Status struct {
	Page
	// Added is the time at which the page was added.
	Added time.Time
	// Visited is the time of the last visit, the zero time if there was none; Outcome
	// is its outcome.
	Visited time.Time
	Outcome Outcome
	// Visits counts all visits; Seen those that told whether the page had changed, and
	// Changes those of them that saw a change.
	Visits, Seen, Changes int64
	// ChangeRate is the estimated number of changes per day, StandardError that of it, and Rate the
	// best number of visits per day. All are 0 for a page that is gone.
	ChangeRate, StandardError, Rate float64
}

// Put adds pages. Pages that are already in the store get the new host, weight, intervals and note, and
// keep their history. A page that was gone is visited again. If one of the pages is not valid, no page
// is added, and the error names it.
func (s *Store) Put(pages ...Page) error {
	_, err := s.add(pages, true)
	return err
}

// Add adds those of the pages that are not in the store, and returns how many. Others
// stay as they are. If one of the pages is not valid, no page is added, and the error
// names it.
func (s *Store) Add(pages ...Page) (added int, err error) { return s.add(pages, false) }

func (s *Store) add(pages []Page, replace bool) (added int, err error) {
	complete := make([]Page, len(pages))
	for i, page := range pages {
		page.ID = s.normal(page.ID)
		if complete[i], err = page.withDefaults(); err != nil {
			return 0, err
		}
	}
	now := time.Now().UnixNano()
	err = s.write(func(c *change) error {
		joined := map[string]uint32{} // the numbers of pages that were not there
		for _, page := range complete {
			number, known := joined[page.ID]
			var err error
			if !known {
				if number, known, err = c.find(page.ID); err != nil {
					return err
				}
			}
			if known && !replace {
				continue
			}
			r, put := record{Page: page, added: now}, c.replace
			if known {
				if err := c.read(number, &r); err != nil {
					return err
				}
				r.Page = page
				if r.last == Gone || r.failures == final {
					r.last, r.failures = Found, 0
				}
			} else {
				number, put = c.number(), c.add
				joined[page.ID] = number
			}
			if page.ChangeRate > 0 && r.log.History().Accesses() == 0 {
				s.guess(&r, page.ChangeRate)
			}
			if err := put(number, &r); err != nil {
				return err
			}
			c.then(func() { s.replace(number, &r) })
		}
		added = len(joined)
		// In order: bbolt divides a page that has become too large only at the end, and moves all that
		// comes after a key which is put into it.
		for _, id := range slices.Sorted(maps.Keys(joined)) {
			if err := c.ids.add([]byte(id), key(joined[id])); err != nil {
				return err
			}
		}
		return nil
	})
	return added, err
}

// An Announcement is what others say of a page: when it has last changed, as a sitemap says, or how
// much it is worth.
type Announcement struct {
	ID       string
	Modified time.Time // the zero time for none
	Weight   float64   // replaces that of the page; 0 for none
}

// Announce makes pages due at once that have changed since their last visit, and gives pages new
// weights. A change later than now does not count. It returns how many pages have become due, and how
// many have got a weight. IDs of no page are ignored.
func (s *Store) Announce(now time.Time, announcements ...Announcement) (due, weighted int, err error) {
	for _, a := range announcements {
		if err := (Page{ID: a.ID, Weight: a.Weight}).Validate(); err != nil {
			return 0, 0, err
		}
	}
	err = s.write(func(c *change) error {
		due, weighted = 0, 0
		for _, a := range announcements {
			number, known, err := c.find(a.ID)
			if err != nil {
				return err
			}
			if !known {
				continue
			}
			var r record
			if err := c.read(number, &r); err != nil {
				return err
			}
			isNew := r.tried != 0 && !r.announced && r.failures != final && !a.Modified.After(now) && a.Modified.After(time.Unix(0, r.tried))
			if !isNew && a.Weight == 0 {
				continue
			}
			if isNew {
				r.announced = true
				due++
			}
			if a.Weight != 0 {
				r.Weight = a.Weight
				weighted++
			}
			if err := c.replace(number, &r); err != nil {
				return err
			}
			c.then(func() { s.replace(number, &r) })
		}
		return nil
	})
	return due, weighted, err
}

// normal returns an ID as the store keeps it.
func (s *Store) normal(id string) string {
	if s.settings.NormalURLs { // as they were when the store was made
		return urlhost.Normal(id)
	}
	return id
}

// Remove removes pages and their history from the store, and returns how
// many there were.
func (s *Store) Remove(ids ...string) (removed int, err error) {
	err = s.write(func(c *change) error {
		removed = 0
		for _, id := range ids {
			number, known, err := c.find(id)
			if err != nil {
				return err
			}
			if !known {
				continue
			}
			removed++
			if err := errors.Join(c.ids.remove([]byte(c.normal(id))), c.pages.remove(key(number))); err != nil {
				return err
			}
			c.free = append(c.free, number)
			c.then(func() {
				s.leave(number)
				s.rates.remove(number)
			})
		}
		return nil
	})
	return removed, err
}

// Page returns the status of a page, or [ErrNoPage].
func (s *Store) Page(id string) (Status, error) {
	var status Status
	err := s.view(func(tx *bbolt.Tx) error {
		number, known, err := numberOf(tableOf(tx, idsBucket), s.normal(id))
		if err != nil {
			return err
		}
		if !known {
			return ErrNoPage
		}
		var r record
		if found, err := r.read(tableOf(tx, pagesBucket), number); err != nil || !found {
			return errors.Join(err, errDamaged)
		}
		status, err = s.status(number, &r)
		return err
	})
	return status, err
}

// Pages goes through the pages of a host, or of all hosts for "". Pages that come or go
// meanwhile may be among them or not. Rates are the best ones for all that was recorded
// before: a second or so for a million pages, if anything has changed since they were found.
// An error is the last thing it yields.
func (s *Store) Pages(host string) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		if err := s.solveAnew(); err != nil {
			yield(Status{}, err)
			return
		}
		host := urlhost.Canonical(host)
		for next, more := uint32(0), true; more; next++ {
			// Whoever is yielded to may be slow, and writes wait for a transaction that
			// reads as soon as the file has to grow.
			var r record
			var status Status
			err := s.view(func(tx *bbolt.Tx) error {
				number, value := tx.Bucket(pagesBucket).Cursor().Seek(key(next))
				if more = number != nil; !more {
					return nil
				}
				next = binary.BigEndian.Uint32(number)
				err := r.decode(number, value)
				if err == nil {
					status, err = s.status(next, &r)
				}
				return err
			})
			if err != nil {
				yield(Status{}, err)
				return
			}
			if more && (host == "" || r.Host == host) && !yield(status, nil) {
				return
			}
		}
	}
}

// status returns the status of a page with a record.
func (s *Store) status(number uint32, r *record) (Status, error) {
	history := r.log.History()
	status := Status{
		Page: r.Page, Added: time.Unix(0, r.added).UTC(), Outcome: r.last,
		Visits: int64(r.count), Seen: history.Accesses(), Changes: history.Changes(),
	}
	if r.tried != 0 {
		status.Visited = time.Unix(0, r.tried).UTC()
	}
	if r.last == Gone {
		return status, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(number) >= len(s.pages) || !s.pages[number].isRated() {
		return status, nil // it has just come, or gone
	}
	var err error
	status.Rate, err = s.rate(context.Background(), number)
	status.ChangeRate = s.rates.changeRates[number]
	mean, deviation := s.present().MomentsAfter(history)
	status.StandardError = status.ChangeRate * deviation / mean // the mean may be another one, of a first guess
	return status, err
}

// days returns a time in nanoseconds in days, the store's unit of time.
func days(nanoseconds int64) float64 { return float64(nanoseconds) / float64(24*time.Hour) }

// nanoseconds is the inverse of days, without what does not fit.
func nanoseconds(days float64) int64 {
	const most = float64(math.MaxInt64 / (24 * int64(time.Hour)))
	return int64(min(max(days, -most), most) * float64(24*time.Hour))
}

// find returns the number of a page.
func (c *change) find(id string) (number uint32, known bool, err error) {
	return numberOf(c.ids, c.normal(id))
}

func numberOf(ids table, id string) (number uint32, known bool, err error) {
	value, err := ids.get([]byte(id))
	if err != nil || value == nil {
		return 0, false, err
	}
	if len(value) != 4 {
		return 0, false, errDamaged
	}
	return binary.BigEndian.Uint32(value), true, nil
}

// read reads the record of a page.
func (c *change) read(number uint32, r *record) error {
	found, err := r.read(c.pages, number)
	if err == nil && !found {
		err = errDamaged
	}
	return err
}

// eachPage calls take with the record of each page.
func (c *change) eachPage(take func(number uint32, r *record)) error {
	return c.pages.bucket.ForEach(func(key, sealed []byte) error {
		var r record
		if err := r.decode(key, sealed); err != nil {
			return err
		}
		take(binary.BigEndian.Uint32(key), &r)
		return nil
	})
}

// replace writes the record of a page that has one, and add that of a page which has none.
func (c *change) replace(number uint32, r *record) error { return r.write(c.pages.replace, number) }
func (c *change) add(number uint32, r *record) error     { return r.write(c.pages.add, number) }

// write hands the record to a method of a table.
func (r *record) write(to func(key, value []byte) error, number uint32) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	return to(key(number), data)
}
