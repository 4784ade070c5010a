package store

// What is believed of change rates: the prior, and pages of which nothing is known.

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// beliefs are what is supposed of pages before they have shown much.
type beliefs struct {
	prior    fittedPrior
	learning bool    // a prior is being fitted
	seen     int64   // visits that told whether their page had changed
	unknown  float64 // change rate of pages of which nothing is known, as of the last solve
}

// fittedPrior is what stands on disk of a prior.
type fittedPrior struct {
	estimate.Prior
	Seen  int64 // visits that there were when it was fitted; 0: there is none
	Plain bool  `json:",omitempty"` // as none could be fitted
}

// priorKey is the key of the prior, beside the settings.
var priorKey = []byte("prior")

func (s *Store) loadPrior(tx *bbolt.Tx) error {
	text, err := tableOf(tx, settingsBucket).get(priorKey)
	if err != nil || text == nil {
		return err
	}
	return json.Unmarshal(text, &s.prior)
}

// The rates per day within which change rates are kept: a change in three thousand years,
// and ten in a millisecond.
const leastChangeRate, greatestChangeRate = 1e-6, 1e9

func within(changeRate float64) float64 {
	return min(max(changeRate, leastChangeRate), greatestChangeRate)
}

// present returns the prior that holds now. Before one is fitted, pages are taken to
// change as often as they are visited on average, so that all get visits whatever the
// unit in which they change.
func (s *Store) present() estimate.Prior {
	if s.prior.Seen > 0 {
		return s.prior.Prior
	}
	return estimate.Prior{Shape: 1, Rate: float64(max(s.counts.Pages, 1)) / s.settings.Bandwidth}
}

// setChangeRate changes that of a page in memory.
func (s *Store) setChangeRate(number uint32, changeRate float64) {
	if !s.pages[number].isRated() {
		return
	}
	s.rates.set(number, changeRate, s.rates.weights[number], s.pages[number].host)
	s.markStale(number)
}

// changeRate returns the change rate of a page as its visits show it: the mean of what is
// known after them, 0 if they show nothing.
func (s *Store) changeRate(r *record) float64 {
	history := r.log.History()
	if history.Accesses() == 0 {
		return 0
	}
	s.mu.Lock()
	prior := s.present()
	s.mu.Unlock()
	return within(prior.After(history).Mean)
}

// fittedPages is the number of pages that a prior is fitted to: enough for 3% of its
// mean, in a second or so.
const fittedPages = 2000

// Learn fits the prior to all pages, by [estimate.Fit], once there are twice as many
// visits as when that was done before, and estimates all change rates anew if it has
// become another one: half a minute for a million pages, which ctx can end. [Store.Due]
// does so by itself. Where no prior can be fitted a plain one serves: see [Store.Plain].
func (s *Store) Learn(ctx context.Context) error {
	const fewest = 100
	s.mu.Lock()
	before, seen := s.prior, s.seen
	due := !s.learning && seen >= fewest+2*before.Seen
	s.learning = s.learning || due
	s.mu.Unlock()
	if !due {
		return nil
	}
	fitted, err := s.fit(ctx)
	plain := errors.Is(err, estimate.ErrPlain)
	if err == nil || plain {
		err = s.adopt(ctx, before, fittedPrior{fitted, seen, plain})
	}
	s.mu.Lock()
	s.learning = false
	if err != nil {
		s.prior = before
	}
	s.mu.Unlock()
	if errors.Is(err, estimate.ErrNoHistory) {
		return nil
	}
	return err
}

// Plain reports whether the store uses a plain prior, as none could be fitted to the visits: see
// [estimate.ErrPlain].
func (s *Store) Plain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prior.Plain
}

// adopt makes a prior the one that the store uses, and gives all pages their rates by it. The
// prior is written to disk last: a program that stops before that fits it anew.
func (s *Store) adopt(ctx context.Context, before, fitted fittedPrior) error {
	const alike = 0.1
	near := func(x, y float64) bool { return math.Abs(x-y) <= alike*y }
	same := before.Seen > 0 && near(fitted.Shape, before.Shape) && near(fitted.Rate, before.Rate)
	if same {
		fitted.Prior = before.Prior
	}
	s.mu.Lock()
	if s.prior = fitted; !same {
		s.rates.forget()
	}
	pages := uint32(len(s.pages))
	s.mu.Unlock()
	const atATime = 1 << 12 // in a transaction, for which others wait
	for first := uint32(0); first < pages && !same; first += atATime {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.estimateAnew(first, min(first+atATime, pages)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(fitted)
	if err != nil || s.db.IsReadOnly() {
		return err
	}
	return s.write(func(c *change) error { return c.settings.put(priorKey, text) })
}

// estimateAnew gives the pages from first up to end the change rates that their visits
// show by the present prior.
func (s *Store) estimateAnew(first, end uint32) error {
	return s.write(func(c *change) error {
		for number := first; number < end; number++ {
			var r record
			if found, err := r.read(c.pages, number); err != nil {
				return err
			} else if !found {
				continue // there is no such page any more
			}
			if r.changeRate = s.changeRate(&r); r.changeRate == 0 {
				continue
			}
			if !s.db.IsReadOnly() {
				if err := c.put(number, &r); err != nil {
					return err
				}
			}
			c.then(func() { s.setChangeRate(number, r.changeRate) })
		}
		return nil
	})
}

// fit fits a prior to pages at even distances, of those that are not gone.
func (s *Store) fit(ctx context.Context) (estimate.Prior, error) {
	s.mu.Lock()
	var numbers []uint32
	for number := range s.pages {
		if p := &s.pages[number]; p.isRated() && !p.unknown {
			numbers = append(numbers, uint32(number))
		}
	}
	s.mu.Unlock()
	var histories []*estimate.History
	err := s.view(func(tx *bbolt.Tx) error {
		records := tableOf(tx, pagesBucket)
		wanted := min(len(numbers), fittedPages)
		for i := range wanted {
			r := new(record)
			if found, err := r.read(records, numbers[i*len(numbers)/wanted]); err != nil {
				return err
			} else if !found {
				continue // it was removed meanwhile
			}
			histories = append(histories, r.log.History())
		}
		return nil
	})
	if err != nil {
		return estimate.Prior{}, err
	}
	return estimate.Fit(ctx, histories, 0)
}
