package store

// What is believed of change rates: the prior, and pages of which nothing is known.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"runtime"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
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

// mean returns the mean of the prior, which records name to say by which prior they were estimated; 0
// for none.
func (p fittedPrior) mean() float64 {
	if p.Seen == 0 {
		return 0
	}
	return p.Mean()
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

// setChangeRate changes the change rate of a page in memory.
func (s *Store) setChangeRate(number uint32, changeRate float64) {
	if !s.pages[number].isRated() {
		return
	}
	s.rates.set(number, changeRate, s.rates.weights[number], s.pages[number].host)
	s.markStale(number)
}

// estimate gives a record the change rate that its visits show by the present prior: the mean of
// what is known after them. It stays 0 if they show nothing.
func (s *Store) estimate(r *record) {
	if history := r.log.History(); history.Accesses() > 0 {
		s.mu.Lock()
		prior, by := s.present(), s.prior.mean()
		s.mu.Unlock()
		r.changeRate, r.by = within(prior.MeanAfter(history)), by
	}
}

// guess gives a record a first guess of its change rate. The record names the present prior, as if
// that had given the guess: otherwise [Store.estimated] would replace it by the rate of a page that
// had the same number before.
func (s *Store) guess(r *record, changeRate float64) {
	s.mu.Lock()
	r.by = s.prior.mean()
	s.mu.Unlock()
	r.changeRate = within(changeRate)
}

// fittedPages is the number of pages that a prior is fitted to: enough for 3% of its
// mean, in a second or so.
const fittedPages = 2000

// Learn fits the prior, by [estimate.Fit], to a sample of the pages. It does nothing unless there
// are enough visits that told whether their page had changed: 100, and twice as many as at the
// last fit on top. If the new prior is another one it also estimates all change rates anew, which
// takes some seconds for a million pages; ctx can end it. [Store.Due] calls Learn by itself. Where
// no prior can be fitted a plain one serves: see [Store.Plain].
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

// adopt makes a prior the one that the store uses, and estimates the rates of all pages by it. It
// writes these rates beside the prior, not into the records, which would take a hundred times as
// long. So older records still have the rate by an earlier prior: see [Store.estimated].
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
	var parts [][]float64
	for first := uint32(0); first < pages && !same; first += pagesOfPart {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := s.estimateAnew(first, min(first+pagesOfPart, pages))
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	text, err := json.Marshal(fitted)
	if err != nil || s.db.IsReadOnly() {
		return err
	}
	return s.write(func(c *change) error {
		for i, part := range parts {
			data, err := binary.Append(nil, binary.LittleEndian, append([]float64{fitted.mean()}, part...))
			if err == nil {
				err = c.settings.put(partKey(uint32(i)*pagesOfPart), data)
			}
			if err != nil {
				return err
			}
		}
		return c.settings.put(priorKey, text)
	})
}

// pagesOfPart is the number of pages whose change rates are estimated anew at a time, while writes
// wait. Their rates are one value on disk.
const pagesOfPart = 1 << 12

func partKey(first uint32) []byte { return append([]byte("rates"), key(first)...) }

// estimated corrects the change rate of a record if an earlier prior has given it. It takes the rate
// that [Store.adopt] has written, or, where there is none, estimates it again.
func (s *Store) estimated(tx *bbolt.Tx, number uint32, r *record) error {
	if by := s.prior.mean(); r.by != by && r.changeRate != 0 {
		data, err := tableOf(tx, settingsBucket).get(partKey(number - number%pagesOfPart))
		if err != nil {
			return err
		}
		float := func(i uint32) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
		if i := 1 + number%pagesOfPart; len(data) >= 8*int(i+1) && float(0) == by && float(i) > 0 {
			r.changeRate = float(i)
		} else {
			s.estimate(r)
		}
	}
	return nil
}

// estimateAnew gives the pages from first up to end the change rates that their visits
// show by the present prior, and returns them: 0 where they show nothing.
func (s *Store) estimateAnew(first, end uint32) ([]float64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	records := make([]record, end-first)
	err := s.view(func(tx *bbolt.Tx) error {
		pages := tableOf(tx, pagesBucket)
		for i := range records {
			if _, err := records[i].read(pages, first+uint32(i)); err != nil { // or there is no such page any more
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	const block = 256
	cuts := parallel.Cuts(len(records), block)
	parallel.For(runtime.GOMAXPROCS(0), len(cuts)-1, func(b int) {
		for i := cuts[b]; i < cuts[b+1]; i++ {
			s.estimate(&records[i])
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	rates := make([]float64, len(records))
	for i := range records {
		if rates[i] = records[i].changeRate; rates[i] != 0 {
			s.setChangeRate(first+uint32(i), rates[i])
		}
	}
	return rates, nil
}

// fit fits a prior to fittedPages pages at most, evenly spaced among those that are not gone.
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
