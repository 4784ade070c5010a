package robots

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/queue"
)

// simulationTables are what replications look up: the policy, and rates and
// counts by mix.
type simulationTables struct {
	*FleetPolicy
	arrivalRate []float64   // Σ_c λ_c·r_c
	robotsOf    []float64   // Σ_c r_c
	ofClass     [][]float64 // r_c, by class and mix; nil for one class
}

func newSimulationTables(policy *FleetPolicy) *simulationTables {
	t := &simulationTables{
		FleetPolicy: policy,
		arrivalRate: make([]float64, policy.count), robotsOf: make([]float64, policy.count),
	}
	for c, class := range policy.fleet.Classes {
		counts := make([]float64, policy.count)
		for code := range counts {
			counts[code] = float64(policy.active(code, c))
			t.robotsOf[code] += counts[code]
			t.arrivalRate[code] += class.ArrivalRate * counts[code]
		}
		if len(policy.fleet.Classes) > 1 {
			t.ofClass = append(t.ofClass, counts)
		}
	}
	return t
}

// replication is one run.
type replication struct {
	*simulationTables
	random  *rand.Rand
	sampler queue.Sampler // nil: services go through phases

	queue, phase, code int
	toArrival          float64 // time to the next one, +Inf while no robot is active
	toService          float64 // time to the end of the service or phase, +Inf while the queue is empty

	events  int64
	fault   error // of the source of service times
	batches []FleetMeasures
	now     totals
}

// totals are summed up over a batch.
type totals struct {
	empty, pages, robots float64 // integrals over time
	lost, activated      float64
	byClass              []float64
}

func newReplication(tables *simulationTables, random *rand.Rand, services Services) *replication {
	r := &replication{simulationTables: tables, random: random}
	switch {
	case services != nil:
		r.sampler = services(random)
	case tables.phases == 1:
		r.sampler = exponentialServices(1 / tables.service.exits[0])
	}
	r.now.byClass = make([]float64, len(tables.fleet.Classes))
	r.code = 1 // one robot of the first class
	r.toArrival, r.toService = r.drawArrival(), math.Inf(1)
	return r
}

// exponentialServices draws exponential times of the mean that it is.
type exponentialServices float64

// Draw implements [queue.Sampler].
func (mean exponentialServices) Draw(random *rand.Rand) float64 {
	return float64(mean) * random.ExpFloat64()
}

func (r *replication) drawArrival() float64 {
	if rate := r.arrivalRate[r.code]; rate > 0 {
		return r.random.ExpFloat64() / rate
	}
	return math.Inf(1)
}

// begin starts a service and returns how long it, or its first phase, takes.
func (r *replication) begin() float64 {
	if r.sampler != nil {
		time := r.sampler.Draw(r.random)
		if !(time >= 0) || math.IsInf(time, 1) {
			r.fault = fmt.Errorf("robots: a service time of %v was drawn; finite numbers of 0 or more are allowed", time)
			return 0
		}
		return time
	}
	r.phase = draw(r.random, r.service.start, 1)
	return r.random.ExpFloat64() / r.service.leave[r.phase]
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

func (r *replication) run(ctx context.Context, settings SimulationSettings) error {
	if err := r.advance(ctx, settings.WarmUp); err != nil {
		return err
	}
	length := settings.Horizon / float64(settings.Batches)
	for range settings.Batches {
		byClass := r.now.byClass
		clear(byClass)
		r.now = totals{byClass: byClass}
		if err := r.advance(ctx, length); err != nil {
			return err
		}
		r.batches = append(r.batches, r.measures(length))
	}
	return nil
}

// measures returns the averages over a batch.
func (r *replication) measures(length float64) FleetMeasures {
	m := FleetMeasures{
		Measures: Measures{
			Starvation: r.now.empty / length,
			LossRate:   r.now.lost / length,
			RobotsMean: r.now.robots / length,
		},
		PagesMean:      r.now.pages / length,
		ActivationRate: r.now.activated / length,
	}
	for _, total := range r.now.byClass {
		m.RobotsMeanByClass = append(m.RobotsMeanByClass, total/length)
	}
	if r.ofClass == nil {
		m.RobotsMeanByClass = []float64{m.RobotsMean}
	}
	m.Gain = r.fleet.cost(m)
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
			step := min(r.toArrival, r.toService)
			if step >= length {
				r.pass(length)
				return r.fault
			}
			length -= step
			arrival := r.toArrival < r.toService
			r.pass(step)
			if arrival {
				r.arrive()
			} else {
				r.serve()
			}
		}
	}
}

// pass lets time pass without an event.
func (r *replication) pass(step float64) {
	r.toArrival -= step
	r.toService -= step
	if r.queue == 0 {
		r.now.empty += step
	}
	r.now.pages += float64(r.queue) * step
	r.now.robots += r.robotsOf[r.code] * step
	for c, counts := range r.ofClass {
		r.now.byClass[c] += counts[r.code] * step
	}
}

// arrive is the delivery of a page.
func (r *replication) arrive() {
	r.events++
	class := 0
	if r.ofClass != nil {
		class = r.drawClass()
	}
	if !r.reactivate[r.row(r.queue, r.phase)*r.count+r.code].Has(class) {
		r.code -= r.stride[class]
	}
	switch r.queue {
	case 0:
		r.queue = 1
		r.toService = r.begin()
	case r.buffer:
		r.now.lost++
	default:
		r.queue++
	}
	r.toArrival = r.drawArrival()
}

// drawClass returns the class of the robot that delivers.
func (r *replication) drawClass() int {
	u, last := r.random.Float64()*r.arrivalRate[r.code], 0
	for c, class := range r.fleet.Classes {
		rate := class.ArrivalRate * r.ofClass[c][r.code]
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
		exit, leave := r.service.exits[r.phase], r.service.leave[r.phase]
		if u := r.random.Float64() * leave; u >= exit {
			r.phase = draw(r.random, r.service.moves[r.phase], leave-exit)
			r.toService = r.random.ExpFloat64() / r.service.leave[r.phase]
			return
		}
	}
	r.events++
	if class := r.activate[r.row(r.queue, r.phase)*r.count+r.code]; class != NoClass {
		r.code += r.stride[class]
		r.now.activated++
		r.toArrival = r.drawArrival() // without memory, so that drawing anew is as good
	}
	r.queue--
	if r.queue == 0 {
		r.phase, r.toService = 0, math.Inf(1)
		return
	}
	r.toService = r.begin()
}

// FleetPolicy returns the policy as one of the fleet that the parameters are.
// It returns a [*SizeError] where that is too large.
func (p *Policy) FleetPolicy() (*FleetPolicy, error) {
	return NewFleetPolicy(p.parameters.Fleet(), func(s FleetState) Decisions {
		d := Decisions{Activate: NoClass}
		at := p.at(s.Queue, s.Active[0])
		if s.Queue > 0 && s.Active[0] < p.parameters.Robots && p.departure[at] {
			d.Activate = 0
		}
		if p.arrival[at] {
			d.Reactivate = d.Reactivate.With(0)
		}
		return d
	})
}
