package refresh

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Simulation says how to simulate. Zero values ask for the defaults.
type Simulation struct {
	// Slots is the number of accesses of a replication that are observed, after
	// a tenth as many that are not; 100,000 by default.
	Slots int

	// Replications is the number of independent runs, at least 2; 20 by default.
	Replications int

	// Seed determines all random numbers.
	Seed uint64

	// Confidence is that of the interval, between 0 and 1; 0.95 by default.
	Confidence float64

	// Workers is the number of goroutines; below 1, one for each processor. The
	// answer does not depend on it.
	Workers int
}

// The defaults of [Simulation].
const (
	DefaultSlots        = 100_000
	DefaultReplications = 20
	DefaultConfidence   = 0.95
)

// Simulated is the outcome of a [Simulation]: an estimate of Σ c_i·r_i.
type Simulated struct {
	Mean      float64    // of the replications
	HalfWidth float64    // of the confidence interval (Student's t)
	Settings  Simulation // those that were used, defaults filled in
}

// Run estimates the cost of a sequence of accesses by playing it: access times are
// drawn from the law, and after each access the time until the page changes is
// drawn. The crawler is never idle. Each replication gets its sequence from the
// function, with a source of randomness of its own, and starts with all pages up to
// date. A page that is never accessed counts as out of date.
//
// The error says what is wrong with the pages, the settings or the sequence (a
// page that does not exist, or an end that comes too early), or is that of ctx.
func (s Simulation) Run(ctx context.Context, pages Pages, law queue.Law, sequence func(random *rand.Rand) iter.Seq[int]) (*Simulated, error) {
	if sequence == nil {
		panic("refresh: nil sequence")
	}
	if err := pages.Validate(); err != nil {
		return nil, err
	}
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	sampler, err := samplerOf(law)
	if err != nil {
		return nil, err
	}
	costs, faults := make([]float64, s.Replications), make([]error, s.Replications)
	parallel.For(s.Workers, s.Replications, func(replication int) {
		random := rand.New(rand.NewPCG(s.Seed, uint64(replication)))
		r := replay{pages: pages, sampler: sampler, random: random, warmup: s.Slots / 10, slots: s.Slots}
		costs[replication], faults[replication] = r.play(ctx, sequence(random))
	})
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	mean, halfWidth := confidence.Mean(costs, s.Confidence)
	return &Simulated{mean, halfWidth, s}, nil
}

// withDefaults fills in the defaults and checks the settings.
func (s Simulation) withDefaults() (Simulation, error) {
	if s.Workers < 1 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	s.Slots = cmp.Or(s.Slots, DefaultSlots)
	s.Replications = cmp.Or(s.Replications, DefaultReplications)
	s.Confidence = cmp.Or(s.Confidence, DefaultConfidence)
	switch {
	case s.Slots < 1:
		return s, invalid("Slots", s.Slots, "1 or more")
	case s.Replications < 2:
		return s, invalid("Replications", s.Replications, "2 or more")
	case !(s.Confidence > 0 && s.Confidence < 1):
		return s, invalid("Confidence", s.Confidence, "a number between 0 and 1")
	}
	return s, nil
}

// samplerOf returns the law itself where it can be drawn from, else what package
// queue has for it.
func samplerOf(law queue.Law) (queue.Sampler, error) {
	if sampler, ok := law.(queue.Sampler); ok {
		return sampler, nil
	}
	sampler, err := queue.NewSampler(law)
	if err != nil {
		return nil, fmt.Errorf("refresh: law of access times: %w", err)
	}
	return sampler, nil
}

// replay is one replication.
type replay struct {
	pages         Pages
	sampler       queue.Sampler
	random        *rand.Rand
	warmup, slots int

	begin float64   // time from which on is observed
	since []float64 // when the page became, or will become, out of date
	stale []float64 // time out of date that was observed
	seen  []bool    // accessed at all
}

// checkEvery is the number of slots after which the context is asked.
const checkEvery = 1 << 14

func (r *replay) play(ctx context.Context, sequence iter.Seq[int]) (cost float64, err error) {
	n := r.pages.Len()
	r.since, r.stale, r.seen = make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range n {
		r.since[i] = r.nextChange(i, 0)
	}
	now, slot := 0.0, 0
	for page := range sequence {
		if page < 0 || page >= n {
			return 0, fmt.Errorf("refresh: page %d in slot %d is not valid: use pages 0 to %d", page, slot+1, n-1)
		}
		if slot%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if slot == r.warmup {
			r.begin = now
			clear(r.stale)
		}
		now += r.sampler.Draw(r.random)
		r.observe(page, now)
		r.since[page], r.seen[page] = r.nextChange(page, now), true
		if slot++; slot == r.warmup+r.slots {
			break
		}
	}
	if slot < r.warmup+r.slots {
		return 0, fmt.Errorf("refresh: the sequence ends after %d slots: give at least %d", slot, r.warmup+r.slots)
	}
	total := doubledouble.Accumulator{}
	for i := range n {
		r.observe(i, now)
		share := r.stale[i] / (now - r.begin)
		if !r.seen[i] && r.pages.ChangeRates[i] > 0 {
			share = 1
		}
		total.Add(r.pages.Weight(i) * share)
	}
	return total.Sum(), nil
}

// observe adds the time that a page was out of date up to now.
func (r *replay) observe(page int, now float64) {
	if from := max(r.begin, r.since[page]); from < now {
		r.stale[page] += now - from
	}
}

func (r *replay) nextChange(page int, now float64) float64 {
	if r.pages.ChangeRates[page] == 0 {
		return math.Inf(1)
	}
	return now + r.random.ExpFloat64()/r.pages.ChangeRates[page]
}
