// This file simulates the queue event by event: one replication of a simulation.

package simulator

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// replication is one run of a policy.
type replication struct {
	policy     *robots.Policy
	parameters robots.Parameters
	classes    []robots.Class
	service    *phases.Service
	chance     robots.Chance // the randomised decision, if isRandom
	isRandom   bool
	random     *rand.Rand
	sampler    sampler // nil: services go through phases

	state     robots.State
	active    float64   // robots of all classes
	rates     []float64 // λ_c·r_c, by class
	rate      float64   // Σ_c λ_c·r_c
	toArrival float64   // time to the next one, +Inf while no robot is active
	toService float64   // time to the end of the service or phase, +Inf while the queue is empty

	load     Load    // nil: rates stay
	factor   float64 // of the rate of arrivals now
	until    float64 // time of the load at which the factor changes
	toChange float64 // time left until then
	clock    float64
	adaptive *controller.Adaptive // nil: decisions are those of the policy

	events  int64
	fault   error // of the source of service times
	batches []robots.Measures
	now     robots.Measures // so far in a batch: integrals over time and counts
}

// newReplication returns a run of a policy, with its service as phases.
func newReplication(policy *robots.Policy, service *phases.Service, random *rand.Rand, settings Simulation) *replication {
	p := policy.Parameters()
	r := &replication{policy: policy, parameters: p, classes: p.ClassList(), service: service, random: random, load: settings.Load}
	r.chance, r.isRandom = policy.Chance()
	r.factor, r.until = settings.at(0)
	r.toChange = settings.WarmUp + r.until
	switch {
	case settings.Trace != nil:
		r.sampler = &trace{settings.Trace, random.IntN(len(settings.Trace))}
	case settings.Law != nil:
		r.sampler = settings.Law
	case service.Count() == 1:
		r.sampler = exponentialServices(1 / service.Exits[0])
	}
	r.state.Active, r.rates = make([]int, len(r.classes)), make([]float64, len(r.classes))
	r.activate(0, 1)
	r.toArrival, r.toService = r.drawArrival(), math.Inf(1)
	return r
}

// activate changes the number of active robots of a class.
func (r *replication) activate(class, change int) {
	r.state.Active[class] += change
	r.active += float64(change)
	r.rate = 0 // anew, so that rounding does not add up
	for c, n := range r.state.Active {
		r.rates[c] = r.classes[c].ArrivalRate * float64(n)
		r.rate += r.rates[c]
	}
}

// sampler draws service times.
type sampler interface {
	Draw(random *rand.Rand) float64
}

// trace plays recorded times back.
type trace struct {
	times []float64
	next  int
}

// Draw implements sampler.
func (t *trace) Draw(*rand.Rand) float64 {
	time := t.times[t.next]
	t.next++
	if t.next == len(t.times) {
		t.next = 0
	}
	return time
}

// exponentialServices is the mean of the exponential times that it draws.
type exponentialServices float64

// Draw implements sampler.
func (mean exponentialServices) Draw(random *rand.Rand) float64 {
	return float64(mean) * random.ExpFloat64()
}

func (r *replication) drawArrival() float64 {
	if r.rate > 0 {
		return r.random.ExpFloat64() / (r.rate * r.factor)
	}
	return math.Inf(1)
}

// change applies the next factor of the load. The remaining time to the next arrival shrinks
// as the rate grows.
func (r *replication) change() {
	before, t := r.factor, r.until
	r.factor, r.until = r.load(t)
	r.toChange = r.until - t
	r.toArrival *= before / r.factor
}

// begin starts a service and returns how long it, or its first phase, takes.
func (r *replication) begin() float64 {
	if r.sampler != nil {
		time := r.sampler.Draw(r.random)
		if !(time >= 0) || math.IsInf(time, 1) {
			r.fault = fmt.Errorf("simulator: a service time of %v was drawn: use a law with finite times of 0 or more", time)
			return 0
		}
		return time
	}
	return r.enter(draw(r.random, r.service.Start, 1))
}

// enter begins a phase and returns how long it takes.
func (r *replication) enter(phase int) float64 {
	r.state.Phase = phase
	return r.random.ExpFloat64() / r.service.Leave[phase]
}

// draw returns an index with a probability proportional to its weight; sum is
// that of the weights, up to rounding.
func draw(random *rand.Rand, weights []float64, sum float64) int {
	u, last := sum*random.Float64(), 0
	for i, weight := range weights {
		if weight > 0 {
			if u < weight {
				return i
			}
			u -= weight
			last = i
		}
	}
	return last // by rounding
}

// contextEvents is the number of events between two checks of the context.
const contextEvents = 1 << 16

func (r *replication) run(ctx context.Context, settings Simulation) error {
	if err := r.advance(ctx, settings.WarmUp); err != nil {
		return err
	}
	length := settings.Horizon / float64(settings.Batches)
	for range settings.Batches {
		r.now = robots.Measures{}
		if err := r.advance(ctx, length); err != nil {
			return err
		}
		r.batches = append(r.batches, r.measures(length))
	}
	return nil
}

// measures returns the averages over a batch.
func (r *replication) measures(length float64) robots.Measures {
	m := r.now
	for _, total := range averages(&m) {
		*total /= length
	}
	m.Gain = r.parameters.Cost(m)
	return m
}

// advance runs the queue for a length of time.
func (r *replication) advance(ctx context.Context, length float64) error {
	for {
		if r.fault != nil {
			return r.fault
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for range contextEvents {
			step := min(r.toArrival, r.toService, r.toChange)
			if step >= length {
				r.pass(length)
				return r.fault
			}
			length -= step
			arrival, change := r.toArrival < r.toService, r.toChange <= step
			r.pass(step)
			switch {
			case change:
				r.change()
			case arrival:
				r.arrive()
			default:
				r.serve()
			}
		}
	}
}

// pass lets time pass without an event.
func (r *replication) pass(step float64) {
	r.toArrival -= step
	r.toService -= step
	r.toChange -= step
	r.clock += step
	if r.state.Queue == 0 {
		r.now.Starvation += step
	}
	r.now.PagesMean += float64(r.state.Queue) * step
	r.now.RobotsMean += r.active * step
}

// decide returns what is done at an event.
func (r *replication) decide(e robots.Event) robots.Decisions {
	if r.isRandom && e == r.chance.Event && r.isAt(r.chance.State) && r.random.Float64() < r.chance.Probability {
		return r.chance.Decisions
	}
	return r.policy.Decisions(r.state)
}

func (r *replication) isAt(s robots.State) bool {
	return r.state.Queue == s.Queue && r.state.Phase == s.Phase && slices.Equal(r.state.Active, s.Active)
}

// reactivates says whether a robot of a class that delivers is sent out again.
func (r *replication) reactivates(class int) bool {
	if r.adaptive == nil {
		return r.decide(robots.Arrival).Reactivate.Has(class)
	}
	delivery, err := r.adaptive.Deliver(class)
	r.fault = cmp.Or(r.fault, err)
	return delivery.Reactivate
}

// activates returns the class of which a departure activates an idle robot, or NoClass.
func (r *replication) activates() int {
	if r.adaptive == nil {
		return r.decide(robots.Departure).Activate
	}
	class, err := r.adaptive.Indexed()
	r.fault = cmp.Or(r.fault, err)
	return class
}

// arrive is the delivery of a page.
func (r *replication) arrive() {
	r.events++
	class := 0
	if len(r.classes) > 1 {
		class = draw(r.random, r.rates, r.rate)
	}
	if !r.reactivates(class) {
		r.activate(class, -1)
	}
	switch r.state.Queue {
	case 0:
		r.state.Queue = 1
		r.toService = r.begin()
	case r.parameters.Buffer:
		r.now.LossRate++
	default:
		r.state.Queue++
	}
	r.toArrival = r.drawArrival()
}

// serve is the end of a service, or of one of its phases.
func (r *replication) serve() {
	if r.sampler == nil {
		exit, leave := r.service.Exits[r.state.Phase], r.service.Leave[r.state.Phase]
		if u := r.random.Float64() * leave; u >= exit {
			r.toService = r.enter(draw(r.random, r.service.Moves[r.state.Phase], leave-exit))
			return
		}
	}
	r.events++
	if class := r.activates(); class != robots.NoClass {
		r.activate(class, 1)
		r.now.ActivationRate++
		r.toArrival = r.drawArrival() // an exponential time has no memory: what was left of it may be dropped
	}
	r.state.Queue--
	if r.state.Queue == 0 {
		r.state.Phase, r.toService = 0, math.Inf(1)
		return
	}
	r.toService = r.begin()
}
