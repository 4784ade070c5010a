package revisit

// Pages fetched at rates in given proportions: uniform, proportional, and best where the
// change rates are known.

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// Rates fetches pages at rates in given proportions, however many fetches there are: in the
// order of [sequence.Queue], where the unit of time is that from one fetch to the next and
// the rates are divided by their sum. It never waits while there are pages, and does not
// fetch a page again that is gone. [NewUniform], [NewProportional] and [NewKnowing] make one.
type Rates struct {
	rule rule

	mu    sync.Mutex
	index map[string]int
	pages []page
	queue *sequence.Queue
	work  float64 // time of the queue: a fetch takes 1/(sum of the rates)
	seen  int64   // fetches that told whether their page had changed
}

// A page is what is known of one.
type page struct {
	Page
	log  estimate.AccessLog
	gone bool
	out  bool           // given out
	next sequence.Visit // of a page that is out
}

// A rule says at which rates pages are fetched.
type rule interface {
	// rate returns that of the page with an index.
	rate(i int, p *page) float64
	// renew reports whether those of all pages have become others.
	renew(now time.Time, seen int64, pages []page) (bool, error)
}

func newRates(r rule) *Rates {
	return &Rates{rule: r, index: map[string]int{}, queue: sequence.NewQueue()}
}

// NewUniform returns a chooser that fetches all pages equally often, one after the other.
func NewUniform() *Rates { return newRates(uniform{}) }

type uniform struct{}

func (uniform) rate(int, *page) float64                      { return 1 }
func (uniform) renew(time.Time, int64, []page) (bool, error) { return false, nil }

// NewProportional returns a chooser that fetches a page twice as often as another if it
// changes twice as often. Change rates are estimated as by a [store.Store]: the mean of what is
// known of a page after its fetches, with a prior that is fitted to all pages each time there
// are twice as many fetches.
func NewProportional() *Rates {
	return newRates(&proportional{prior: estimate.Prior{Shape: 1, Rate: 1}})
}

type proportional struct {
	prior estimate.Prior
	seen  int64 // when the prior was fitted
}

func (r *proportional) rate(_ int, p *page) float64 {
	const least = 1e-6 // a change in some 3,000 years
	return max(r.prior.After(p.log.History()).Mean, least)
}

func (r *proportional) renew(_ time.Time, seen int64, pages []page) (bool, error) {
	const fewest = 100
	if seen < fewest+2*r.seen {
		return false, nil
	}
	histories := make([]*estimate.History, len(pages))
	for i := range pages {
		histories[i] = pages[i].log.History()
	}
	prior, err := estimate.Fit(context.Background(), histories, 0)
	r.prior, r.seen = prior, seen
	return err == nil, err
}

// NewKnowing returns a chooser that knows how often each page changes, in changes per day,
// and fetches pages at the rates that are best for the share of the weight that is up to date
// at so many fetches a day, those of [refresh.Optimize]. It finds them again once a day where
// pages have come or gone.
func NewKnowing(bandwidth float64, changeRate func(id string) float64) *Rates {
	return newRates(&knowing{bandwidth: bandwidth, changeRate: changeRate})
}

type knowing struct {
	bandwidth  float64
	changeRate func(id string) float64
	rates      []float64
	solved     time.Time
	pages      int // that were there then
}

func (r *knowing) rate(i int, _ *page) float64 {
	if i < len(r.rates) {
		return r.rates[i]
	}
	return r.bandwidth / float64(i+1) // until rates are found again
}

func (r *knowing) renew(now time.Time, _ int64, pages []page) (bool, error) {
	const often = 24 * time.Hour
	if r.rates != nil && now.Sub(r.solved) < often {
		return false, nil
	}
	present := refresh.Pages{}
	var indices []int
	for i := range pages {
		if !pages[i].gone {
			present.ChangeRates = append(present.ChangeRates, r.changeRate(pages[i].ID))
			present.Weights = append(present.Weights, pages[i].weight())
			indices = append(indices, i)
		}
	}
	r.solved = now
	if len(indices) == r.pages {
		return false, nil
	}
	problem := refresh.Problem{Pages: present, Objective: refresh.FixedOrder{}, Bandwidth: r.bandwidth}
	best, err := refresh.Optimize(context.Background(), problem, refresh.Settings{})
	if err != nil {
		return false, err
	}
	r.rates, r.pages = make([]float64, len(pages)), len(indices)
	for k, i := range indices {
		r.rates[i] = best.Rates[k]
	}
	return true, nil
}

// Add makes pages known.
func (c *Rates) Add(now time.Time, pages ...Page) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range pages {
		if _, known := c.index[p.ID]; known {
			continue
		}
		i := len(c.pages)
		c.index[p.ID] = i
		c.pages = append(c.pages, page{Page: p})
		c.queue.Join(i, 0, c.rule.rate(i, &c.pages[i]), c.work)
	}
	return c.renew(now)
}

// renew changes all rates where the rule has others.
func (c *Rates) renew(now time.Time) error {
	changed, err := c.rule.renew(now, c.seen, c.pages)
	if err != nil || !changed {
		return err
	}
	for i := range c.pages {
		if c.queue.Has(i) {
			c.queue.SetRate(i, c.rule.rate(i, &c.pages[i]), c.work)
		}
	}
	return nil
}

// Next returns the page to fetch now.
func (c *Rates) Next(time.Time) (id string, wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rate := c.queue.Rate()
	i := c.queue.Next(c.work)
	if i < 0 {
		if math.IsInf(c.queue.When(), 1) {
			return "", never, nil
		}
		c.work = c.queue.When()
		i = c.queue.Next(c.work)
	}
	p := &c.pages[i]
	p.out, p.next = true, c.queue.Visit(i)
	c.queue.Remove(i)
	c.work += 1 / rate
	return p.ID, 0, nil
}

// Fetched says what came of a fetch.
func (c *Rates) Fetched(id string, at time.Time, outcome store.Outcome) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, known := c.index[id]
	if !known || !c.pages[i].out {
		return fmt.Errorf("page %s has not been given out", id)
	}
	p := &c.pages[i]
	p.out = false
	before := p.log.History().Accesses()
	if err := p.see(days(at), outcome); err != nil {
		return err
	}
	if !p.gone {
		c.queue.Put(i, p.next)
		c.queue.SetRate(i, c.rule.rate(i, p), c.work)
	}
	c.seen += p.log.History().Accesses() - before
	return c.renew(at)
}

// see takes up what a fetch at a time in days has shown.
func (p *page) see(at float64, outcome store.Outcome) error {
	switch outcome {
	case store.Failed:
		return p.log.Fail(at)
	case store.Gone:
		p.gone = true
		return p.log.Leave(at)
	case store.Found:
		return p.log.Find(at)
	}
	return p.log.Observe(at, outcome == store.Changed)
}

// Close does nothing.
func (c *Rates) Close() error { return nil }
