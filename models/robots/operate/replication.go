// This file simulates the queue event by event: one replication of a simulation.

package operate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// tables are what replications look up: the policy, and rates and counts by mix, a
// number of active robots of each class. Mixes are numbered as in [robots.Model],
// the decisions by mix within row, and rows by phase within queue length; an empty
// queue has one row.
type tables struct {
	parameters robots.Parameters
	classes    []robots.Class
	service    *phases.Service
	stride     []int // between mixes that differ by a robot of a class
	count      int   // of mixes

	activate   []int8            // class or robots.NoClass
	reactivate []robots.ClassSet // classes of which a robot that delivers goes out again
	chance     robots.Chance     // what is left to chance, at the place chanceAt
	chanceAt   int               // −1 for none

	arrivalRate []float64   // Σ_c λ_c·r_c
	robotsOf    []float64   // Σ_c r_c
	ofClass     [][]float64 // r_c, by class and mix; nil for one class
}

func newTables(policy *robots.Policy) (*tables, error) {
	p := policy.Parameters()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, err
	}
	t := &tables{parameters: p, classes: p.ClassList(), service: service, count: 1, chanceAt: -1}
	for _, class := range t.classes {
		t.stride = append(t.stride, t.count)
		t.count *= class.Robots + 1
	}
	// The first mix of the first row, no robot and no page, is no state.
	t.activate, t.reactivate = make([]int8, 1), make([]robots.ClassSet, 1)
	for _, d := range policy.All() {
		t.activate, t.reactivate = append(t.activate, int8(d.Activate)), append(t.reactivate, d.Reactivate)
	}
	if chance, ok := policy.Chance(); ok {
		code := 0
		for c, active := range chance.State.Active {
			code += active * t.stride[c]
		}
		t.chance, t.chanceAt = chance, t.place(chance.State.Queue, chance.State.Phase, code)
	}
	t.arrivalRate, t.robotsOf = make([]float64, t.count), make([]float64, t.count)
	for c, class := range t.classes {
		counts := make([]float64, t.count)
		for code := range counts {
			counts[code] = float64(code / t.stride[c] % (class.Robots + 1))
			t.robotsOf[code] += counts[code]
			t.arrivalRate[code] += class.ArrivalRate * counts[code]
		}
		if len(t.classes) > 1 {
			t.ofClass = append(t.ofClass, counts)
		}
	}
	return t, nil
}

// replication is one run.
type replication struct {
	tables  *tables
	random  *rand.Rand
	sampler sampler // nil: services go through phases

	queue, phase, code int
	toArrival          float64 // time to the next one, +Inf while no robot is active
	toService          float64 // time to the end of the service or phase, +Inf while the queue is empty

	load     Load    // nil: rates stay
	factors  Factors // of the rates now
	until    float64 // of the load, when its factors change
	toChange float64 // time until then
	clock    float64
	adaptive *Adaptive // nil: decisions are those of the tables

	events  int64
	fault   error // of the source of service times
	batches []robots.Measures
	now     robots.Measures // so far in a batch: integrals over time and counts
}

func newReplication(tables *tables, random *rand.Rand, settings Simulation) *replication {
	r := &replication{tables: tables, random: random, load: settings.Load}
	r.factors, r.until = settings.at(0)
	r.toChange = settings.WarmUp + r.until
	switch {
	case settings.Trace != nil:
		r.sampler = &trace{settings.Trace, random.IntN(len(settings.Trace))}
	case settings.Law != nil:
		r.sampler = settings.Law
	case tables.service.Count() == 1:
		r.sampler = exponentialServices(1 / tables.service.Exits[0])
	}
	r.code = 1 // one robot of the first class
	r.toArrival, r.toService = r.drawArrival(), math.Inf(1)
	return r
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

// exponentialServices draws exponential times of the mean that it is.
type exponentialServices float64

// Draw implements sampler.
func (mean exponentialServices) Draw(random *rand.Rand) float64 {
	return float64(mean) * random.ExpFloat64()
}

func (r *replication) drawArrival() float64 {
	if rate := r.tables.arrivalRate[r.code]; rate > 0 {
		return r.random.ExpFloat64() / (rate * r.factors.Arrivals)
	}
	return math.Inf(1)
}

// change goes on with the next factors of the load. What is left of times shrinks as rates
// grow.
func (r *replication) change() {
	before := r.factors
	t := r.until
	r.factors, r.until = r.load(t)
	r.toChange = r.until - t
	r.toArrival *= before.Arrivals / r.factors.Arrivals
	r.toService *= before.Services / r.factors.Services
}

// begin starts a service and returns how long it, or its first phase, takes.
func (r *replication) begin() float64 {
	if r.sampler != nil {
		time := r.sampler.Draw(r.random)
		if !(time >= 0) || math.IsInf(time, 1) {
			r.fault = fmt.Errorf("operate: a service time of %v was drawn: it must be a finite number of 0 or more", time)
			return 0
		}
		return time / r.factors.Services
	}
	r.phase = draw(r.random, r.tables.service.Start, 1)
	return r.random.ExpFloat64() / (r.tables.service.Leave[r.phase] * r.factors.Services)
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

// contextEvents is the number of events between two looks at the context.
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
	m.Gain = r.tables.parameters.Cost(m)
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
	if r.queue == 0 {
		r.now.Starvation += step
	}
	r.now.PagesMean += float64(r.queue) * step
	r.now.RobotsMean += r.tables.robotsOf[r.code] * step
}

// place returns the place of a state's decisions.
func (t *tables) place(queue, phase, code int) int {
	row := 0
	if queue > 0 {
		row = 1 + (queue-1)*t.service.Count() + phase
	}
	return row*t.count + code
}

// decide returns what is done at an event.
func (r *replication) decide(e robots.Event) robots.Decisions {
	t := r.tables
	at := t.place(r.queue, r.phase, r.code)
	if at == t.chanceAt && e == t.chance.Event && r.random.Float64() < t.chance.Probability {
		return t.chance.Decisions
	}
	return robots.Decisions{Activate: int(t.activate[at]), Reactivate: t.reactivate[at]}
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
	if r.tables.ofClass != nil {
		class = r.drawClass()
	}
	if !r.reactivates(class) {
		r.code -= r.tables.stride[class]
	}
	switch r.queue {
	case 0:
		r.queue = 1
		r.toService = r.begin()
	case r.tables.parameters.Buffer:
		r.now.LossRate++
	default:
		r.queue++
	}
	r.toArrival = r.drawArrival()
}

// drawClass returns the class of the robot that delivers.
func (r *replication) drawClass() int {
	u, last := r.random.Float64()*r.tables.arrivalRate[r.code], 0
	for c, class := range r.tables.classes {
		rate := class.ArrivalRate * r.tables.ofClass[c][r.code]
		if rate > 0 {
			if u < rate {
				return c
			}
			u -= rate
			last = c
		}
	}
	return last // by rounding
}

// serve is the end of a service, or of one of its phases.
func (r *replication) serve() {
	if r.sampler == nil {
		exit, leave := r.tables.service.Exits[r.phase], r.tables.service.Leave[r.phase]
		if u := r.random.Float64() * leave; u >= exit {
			r.phase = draw(r.random, r.tables.service.Moves[r.phase], leave-exit)
			r.toService = r.random.ExpFloat64() / (r.tables.service.Leave[r.phase] * r.factors.Services)
			return
		}
	}
	r.events++
	if class := r.activates(); class != robots.NoClass {
		r.code += r.tables.stride[class]
		r.now.ActivationRate++
		r.toArrival = r.drawArrival() // without memory, so that drawing anew is as good
	}
	r.queue--
	if r.queue == 0 {
		r.phase, r.toService = 0, math.Inf(1)
		return
	}
	r.toService = r.begin()
}
