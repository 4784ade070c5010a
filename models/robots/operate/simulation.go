package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Defaults of [SimulationSettings].
const (
	DefaultReplications = 10
	DefaultBatches      = 20
	DefaultConfidence   = 0.95
	// DefaultWarmUp is the share of the horizon that goes before it.
	DefaultWarmUp = 0.1
)

// SimulationSettings say how to simulate. Horizon must be set; the zero values
// of all else ask for the defaults.
type SimulationSettings struct {
	// Horizon is the time that is measured in each replication.
	Horizon float64

	// WarmUp is the time before it, in which the beginning, an empty queue and
	// one active robot (of the first class), is forgotten; 0 stands for
	// DefaultWarmUp of the Horizon.
	WarmUp float64

	// Replications is the number of independent runs.
	Replications int

	// Batches is the number of parts of equal length into which the horizon of
	// each replication is divided.
	Batches int

	// Seed makes the randomness: equal seeds give equal results, to the bit.
	Seed uint64

	// Confidence is that of the intervals, between 0 and 1.
	Confidence float64

	// Workers is the number of goroutines that share the replications; 0 stands
	// for GOMAXPROCS. Results do not depend on it.
	Workers int

	// Services makes the service times of a replication; nil stands for the law
	// of the fleet. Other ones need a policy that does not look at phases.
	Services Services
}

// Services makes the source of service times for one replication, whose
// randomness it may use: [LawServices], [TraceServices] or your own.
type Services func(random *rand.Rand) queue.Sampler

// LawServices returns independent service times of a law, which need not be of
// phase type nor have the mean for which a policy was made. It returns an error
// for a law that [queue.NewSampler] does not know.
func LawServices(law queue.Law) (Services, error) {
	sampler, err := queue.NewSampler(law)
	if err != nil {
		return nil, fmt.Errorf("robots: LawServices: %w", err)
	}
	return func(*rand.Rand) queue.Sampler { return sampler }, nil
}

// TraceServices returns recorded service times in the order in which they were
// recorded, which keeps their dependence on each other. Each replication begins
// at a random place and goes round. The times are not copied. It returns an
// error unless they are finite numbers of 0 or more, one of them above 0.
func TraceServices(times []float64) (Services, error) {
	longest := 0.0
	for i, time := range times {
		if !(time >= 0) || math.IsInf(time, 1) {
			return nil, &ParameterError{fmt.Sprintf("times[%d]", i), time, "a finite number of 0 or more"}
		}
		longest = max(longest, time)
	}
	if longest == 0 {
		return nil, &ParameterError{"times", fmt.Sprintf("a list of %d, none above 0", len(times)), "a list with a number above 0"}
	}
	return func(random *rand.Rand) queue.Sampler {
		return &trace{times, random.IntN(len(times))}
	}, nil
}

// trace plays times back.
type trace struct {
	times []float64
	next  int
}

// Draw implements [queue.Sampler].
func (t *trace) Draw(*rand.Rand) float64 {
	time := t.times[t.next]
	t.next++
	if t.next == len(t.times) {
		t.next = 0
	}
	return time
}

// withDefaults checks the settings and fills in the defaults.
func (s SimulationSettings) withDefaults() (SimulationSettings, error) {
	if s.WarmUp == 0 {
		s.WarmUp = DefaultWarmUp * s.Horizon
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Batches == 0 {
		s.Batches = DefaultBatches
	}
	if s.Confidence == 0 {
		s.Confidence = DefaultConfidence
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case !isPositive(s.Horizon):
		return s, &ParameterError{"Horizon", s.Horizon, "a positive finite number"}
	case !(s.WarmUp >= 0) || math.IsInf(s.WarmUp, 1):
		return s, &ParameterError{"WarmUp", s.WarmUp, "a finite number of 0 or more"}
	case s.Replications < 1:
		return s, &ParameterError{"Replications", s.Replications, "at least 1"}
	case s.Batches < 1:
		return s, &ParameterError{"Batches", s.Batches, "at least 1"}
	case !(s.Confidence > 0 && s.Confidence < 1):
		return s, &ParameterError{"Confidence", s.Confidence, "a number between 0 and 1"}
	case s.Workers < 1:
		return s, &ParameterError{"Workers", s.Workers, "at least 1"}
	}
	return s, nil
}

// Simulation is the outcome of [Simulate] or [SimulateFleet].
type Simulation struct {
	// Replications are estimates from independent replications, each of which
	// counts as one observation. With one replication there are no intervals
	// (half widths are NaN).
	Replications Estimates

	// Batches are estimates from the batches of all replications: nearly
	// independent where a batch is much longer than the queue's memory.
	Batches Estimates

	// Events are the arrivals and departures, those of the warm-up included.
	Events int64

	// Settings are those that were used, defaults filled in.
	Settings SimulationSettings

	// Elapsed is the time that it took.
	Elapsed time.Duration
}

// Simulate simulates the queue under a policy, event by event, and estimates
// its long-run behaviour. The errors are a [*ParameterError] for settings out of
// range, that of [Policy.FleetPolicy], what is wrong with service times that were
// drawn, and the context's. Beside the context's error the simulation is not nil
// if the first replication came to its end: it is then that of the first ones that
// did, as if its Settings.Replications had been asked for.
func Simulate(ctx context.Context, policy *Policy, settings SimulationSettings) (*Simulation, error) {
	fleet, err := policy.FleetPolicy()
	if err != nil {
		return nil, err
	}
	return SimulateFleet(ctx, fleet, settings)
}

// SimulateFleet simulates a fleet under a policy. Errors are as of [Simulate];
// other services than the fleet's are refused where the policy looks at phases.
//
// Replication i draws from a generator of its own (PCG), seeded by the i-th pair
// of numbers from the generator of the seed.
func SimulateFleet(ctx context.Context, policy *FleetPolicy, settings SimulationSettings) (*Simulation, error) {
	begin := time.Now()
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if settings.Services != nil && policy.phases > 1 {
		return nil, &ParameterError{
			"Services", "other than the fleet's", fmt.Sprintf("nil for a policy that looks at %d phases of the service", policy.phases),
		}
	}
	seeds := rand.NewPCG(settings.Seed, 0)
	sources := make([]*rand.Rand, settings.Replications)
	for i := range sources {
		sources[i] = rand.New(rand.NewPCG(seeds.Uint64(), seeds.Uint64()))
	}
	tables := newSimulationTables(policy)
	runs := make([]*replication, settings.Replications)
	failures := make([]error, settings.Replications)
	parallel.For(settings.Workers, settings.Replications, func(i int) {
		runs[i] = newReplication(tables, sources[i], settings.Services)
		failures[i] = runs[i].run(ctx, settings)
	})
	end := errors.Join(failures...)
	if end != nil && ctx.Err() != nil {
		end = context.Cause(ctx)
		settings.Replications = slices.IndexFunc(failures, func(err error) bool { return err != nil })
		runs = runs[:settings.Replications]
	} else if end != nil {
		return nil, end
	}
	if len(runs) == 0 {
		return nil, end
	}
	simulation := &Simulation{Settings: settings}
	var whole, parts []FleetMeasures
	for _, run := range runs {
		simulation.Events += run.events
		parts = append(parts, run.batches...)
		whole = append(whole, policy.fleet.mean(run.batches))
	}
	simulation.Replications = estimate(whole, settings.Confidence)
	simulation.Batches = estimate(parts, settings.Confidence)
	simulation.Elapsed = time.Since(begin)
	return simulation, end
}

// mean returns the mean of measures over parts of equal length.
func (f Fleet) mean(parts []FleetMeasures) FleetMeasures {
	m := FleetMeasures{RobotsMeanByClass: make([]float64, len(f.Classes))}
	n := float64(len(parts))
	for _, part := range parts {
		m.Starvation += part.Starvation / n
		m.LossRate += part.LossRate / n
		m.RobotsMean += part.RobotsMean / n
		m.PagesMean += part.PagesMean / n
		m.ActivationRate += part.ActivationRate / n
		for c, mean := range part.RobotsMeanByClass {
			m.RobotsMeanByClass[c] += mean / n
		}
	}
	m.Gain = f.cost(m)
	return m
}
