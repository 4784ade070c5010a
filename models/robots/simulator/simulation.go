// This file holds simulations: their settings, replications and estimates.

package simulator

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/replicate"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Defaults of [Simulation].
const (
	DefaultReplications = 10
	DefaultBatches      = 20
	DefaultConfidence   = 0.95
	// DefaultWarmUp is the length of the warm-up as a share of the horizon.
	DefaultWarmUp = 0.1
)

// Simulation has the settings of a simulation. Horizon must be set; other zero values stand
// for the defaults.
type Simulation struct {
	// Horizon is the time measured in each replication, in the unit of the rates.
	Horizon float64

	// WarmUp is the time before the horizon, which is not measured. In this time, the effect of
	// the initial state fades: an empty queue, and one active robot of the first class. 0 stands
	// for DefaultWarmUp times Horizon.
	WarmUp float64

	// Replications is the number of independent runs.
	Replications int

	// Batches is the number of parts of equal length into which the horizon of
	// each replication is divided.
	Batches int

	// Seed is the random seed: equal seeds give equal results, to the bit.
	Seed uint64

	// Confidence is the confidence of the intervals, between 0 and 1.
	Confidence float64

	// Workers is the number of goroutines that share the replications; 0 stands
	// for GOMAXPROCS. Results do not depend on it.
	Workers int

	// Law is the law of the service times; its mean may differ from that of the parameters. Trace,
	// if not nil, has recorded times in its place. They are played back in order, which keeps their
	// dependence: each replication starts at a random one and wraps around. Both need a policy that
	// does not depend on phases. If both are nil, the law is that of the parameters.
	Law   queue.Law
	Trace []float64

	// Load changes the arrival rates over time. Its time 0 is the end of the warm-up, which has the
	// rates of time 0. nil stands for constant rates. A policy does not see the load.
	Load Load

	// Done, where not nil, is called after each replication, by several goroutines
	// at once.
	Done func()
}

func invalid(field string, value any, allowed string) error {
	return &robots.ParameterError{Field: field, Value: value, Allowed: allowed}
}

// withDefaults checks the settings and fills in the defaults.
func (s Simulation) withDefaults() (Simulation, error) {
	s.WarmUp = cmp.Or(s.WarmUp, DefaultWarmUp*s.Horizon)
	s.Replications = cmp.Or(s.Replications, DefaultReplications)
	s.Batches = cmp.Or(s.Batches, DefaultBatches)
	s.Confidence = cmp.Or(s.Confidence, DefaultConfidence)
	s.Workers = cmp.Or(s.Workers, runtime.GOMAXPROCS(0))
	switch {
	case !(s.Horizon > 0) || math.IsInf(s.Horizon, 1):
		return s, invalid("Horizon", s.Horizon, "a positive finite number")
	case !(s.WarmUp >= 0) || math.IsInf(s.WarmUp, 1):
		return s, invalid("WarmUp", s.WarmUp, "a finite number of 0 or more")
	case s.Replications < 1:
		return s, invalid("Replications", s.Replications, "at least 1")
	case s.Batches < 1:
		return s, invalid("Batches", s.Batches, "at least 1")
	case !(s.Confidence > 0 && s.Confidence < 1):
		return s, invalid("Confidence", s.Confidence, "a number between 0 and 1")
	case s.Workers < 1:
		return s, invalid("Workers", s.Workers, "at least 1")
	}
	for i, time := range s.Trace {
		if !(time >= 0) || math.IsInf(time, 1) {
			return s, invalid(fmt.Sprintf("Trace[%d]", i), time, "a finite number of 0 or more")
		}
	}
	if s.Trace != nil && !slices.ContainsFunc(s.Trace, func(time float64) bool { return time > 0 }) {
		return s, invalid("Trace", fmt.Sprintf("a list of %d, none above 0", len(s.Trace)), "a list with a number above 0")
	}
	return s, nil
}

// Simulated is the outcome of a [Simulation].
type Simulated struct {
	// Replications are estimates from independent replications, each of which
	// counts as one observation. With one replication there are no intervals
	// (half widths are NaN).
	Replications Estimates

	// Batches are estimates from the batches of all replications: nearly
	// independent where a batch is much longer than the queue's memory.
	Batches Estimates

	// Course has estimates for each batch in the order of time, one observation per replication.
	Course []Estimates

	// Events are the arrivals and departures, those of the warm-up included.
	Events int64

	// Settings are the settings used, with the defaults.
	Settings Simulation

	// Elapsed is the time taken.
	Elapsed time.Duration
}

// Run simulates the queue under a policy, event by event, and estimates its long-run behaviour.
// Errors are a [*robots.ParameterError] for settings out of range, or for a Law or Trace with a
// policy that depends on phases; a drawn service time that is negative or not finite; and that of
// the context. The last comes with the outcome of the replications before the first that did not
// end, nil if there are none.
//
// Replication i draws from a generator of its own (PCG), seeded by the i-th pair
// of numbers from the generator of the seed.
func (s Simulation) Run(ctx context.Context, policy *robots.Policy) (*Simulated, error) {
	begin := time.Now()
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if (s.Law != nil || s.Trace != nil) && policy.Phases() > 1 {
		return nil, invalid("Law", "a law or a trace", fmt.Sprintf("nil for a policy that depends on %d phases of the service", policy.Phases()))
	}
	return s.run(ctx, begin, policy, nil)
}

// RunAdaptive simulates a [controller.Adaptive]. Each replication begins with the rates of the
// parameters as its first guess, an empty queue and one active robot. With a [Load], the warm-up has
// the rates of time 0. RunAdaptive sets Now, Synchronous and Plans of the settings. Otherwise it is
// like Run, with the errors of [controller.NewAdaptive] added.
//
// Each policy is computed once for all replications, and from scratch, so that equal seeds give
// equal results.
func (s Simulation) RunAdaptive(ctx context.Context, p robots.Parameters, settings controller.AdaptiveSettings) (*Simulated, error) {
	begin := time.Now()
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	settings.Plans, settings.Synchronous = new(controller.Plans), true
	if _, err := controller.NewAdaptive(ctx, p, settings); err != nil {
		return nil, err
	}
	var all []int // the policy is not used
	for _, class := range p.ClassList() {
		all = append(all, class.Robots)
	}
	policy, err := robots.NewStaticPolicy(p, all...)
	if err != nil {
		return nil, err
	}
	return s.run(ctx, begin, policy, func(r *replication) (*controller.Adaptive, error) {
		own := settings
		own.Now = func() float64 { return r.clock }
		return controller.NewAdaptive(ctx, p, own)
	})
}

// run is Run and RunAdaptive with settings that are checked.
func (s Simulation) run(ctx context.Context, begin time.Time, policy *robots.Policy, adaptive func(r *replication) (*controller.Adaptive, error)) (*Simulated, error) {
	p := policy.Parameters()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, err
	}
	runs, end := replicate.Run(ctx, s.Replications, s.Workers, s.Seed, func(random *rand.Rand) (r *replication, err error) {
		r = newReplication(policy, service, random, s)
		if adaptive != nil {
			if r.adaptive, err = adaptive(r); err != nil {
				return r, err
			}
		}
		return r, r.run(ctx, s)
	}, s.Done)
	if len(runs) == 0 {
		return nil, end
	}
	s.Replications = len(runs)
	outcome := &Simulated{Settings: s}
	var whole, parts []robots.Measures
	for _, run := range runs {
		outcome.Events += run.events
		parts = append(parts, run.batches...)
		whole = append(whole, mean(p, run.batches))
	}
	outcome.Replications = estimate(whole, s.Confidence)
	for batch := range s.Batches {
		for i, run := range runs {
			whole[i] = run.batches[batch]
		}
		outcome.Course = append(outcome.Course, estimate(whole, s.Confidence))
	}
	outcome.Batches = estimate(parts, s.Confidence)
	outcome.Elapsed = time.Since(begin)
	return outcome, end
}

// mean returns the mean of measures over parts of equal length.
func mean(p robots.Parameters, parts []robots.Measures) robots.Measures {
	var m robots.Measures
	for _, part := range parts {
		for i, x := range averages(&part) {
			*averages(&m)[i] += *x / float64(len(parts))
		}
	}
	m.Gain = p.Cost(m)
	return m
}
