// This file runs a crawler with unknown rates: events, decisions and observations.

package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// Errors of an [Adaptive] for impossible events. Its counts stay unchanged; [Adaptive.Reset]
// corrects them.
var (
	// ErrNoActiveRobot is returned for a delivery while no robot is active.
	ErrNoActiveRobot = errors.New("controller: a delivery, but no robot is active")
	// ErrEmptyQueue is returned for an indexed page while the queue is empty.
	ErrEmptyQueue = errors.New("controller: a page was indexed, but the queue is empty")
	// ErrNoRobot is returned for the death of a robot that does not exist.
	ErrNoRobot = errors.New("controller: a robot has died, but there is no such robot")
)

// Delivery is what to do with a page and the robot that has delivered it.
type Delivery struct {
	Accepted   bool // the page is queued; otherwise the queue is full and it is lost
	Reactivate bool // the robot is sent out again; otherwise it rests
}

// Defaults of [AdaptiveSettings].
const (
	DefaultMemory     = 10_000
	DefaultConfidence = 0.95
	DefaultTolerance  = 0.02
)

// AdaptiveSettings say how an [Adaptive] learns. Zero values ask for the defaults.
type AdaptiveSettings struct {
	// Now returns the time, in the unit of the rates. If the clock is set back, no time counts as
	// passed. The default is the seconds since NewAdaptive.
	Now func() float64

	// Memory is the greatest number of observations kept for a rate, to within an eighth.
	Memory int

	// Confidence is the confidence of the intervals, between 0 and 1.
	Confidence float64

	// Tolerance is the relative distance of an estimate from the rate of the current policy
	// up to which that policy stays. After few observations the distance is greater: about
	// the standard error of the rate.
	Tolerance float64

	// Synchronous computes new policies within the call that needs them, which then takes
	// longer. Otherwise they are computed in the background, and decisions until then depend
	// on the speed of the machine. Simulations and tests need Synchronous.
	Synchronous bool

	// Plans, if not nil, share policies with other controllers, whose parameters may differ in rates
	// and numbers of robots alone. Each policy is then computed from scratch, and once for all.
	Plans *Plans
}

func invalid(field string, value any, allowed string) error {
	return &robots.ParameterError{Field: field, Value: value, Allowed: allowed}
}

func (s AdaptiveSettings) withDefaults() (AdaptiveSettings, error) {
	if s.Now == nil {
		begin := time.Now()
		s.Now = func() float64 { return time.Since(begin).Seconds() }
	}
	s.Memory = cmp.Or(s.Memory, DefaultMemory)
	s.Confidence = cmp.Or(s.Confidence, DefaultConfidence)
	s.Tolerance = cmp.Or(s.Tolerance, DefaultTolerance)
	switch {
	case s.Memory < 1:
		return s, invalid("Memory", s.Memory, "at least 1")
	case !(s.Confidence > 0 && s.Confidence < 1):
		return s, invalid("Confidence", s.Confidence, "a number between 0 and 1")
	case !(s.Tolerance > 0 && s.Tolerance < 1):
		return s, invalid("Tolerance", s.Tolerance, "a number between 0 and 1")
	}
	return s, nil
}

// Adaptive runs a crawler with unknown, changing rates. The caller reports each delivery and
// each indexed page. Adaptive estimates the rates of deliveries and of indexing from them, and
// decides by the policy that is optimal for these estimates. When an estimate has moved by
// more than the Tolerance, it computes another policy in the background, starting from the
// current one. Until then the current one decides.
//
// The rate λ_c of a class is the number of its deliveries divided by the time that its robots
// were active, summed over robots. μ is the number of indexed pages divided by the time
// in which the queue was not empty. So a robot that comes back without a page and goes out
// again need not be reported: this lowers λ_c. Old observations are dropped when
// later ones contradict them; [Rate] describes the rest. The first guess, the rates of the
// parameters, counts as one observation.
//
// An Adaptive begins with an empty queue and one active robot, of the first class.
// Its methods are safe for concurrent use, and never wait for a policy unless Synchronous is
// set. Their time is logarithmic in the number of observations.
type Adaptive struct {
	ctx      context.Context //nolint:containedctx // bounds work in the background
	settings AdaptiveSettings
	costs    robots.Parameters // of which rates and numbers of robots are not used
	planner  planner

	mu        sync.Mutex
	queue     int
	active    []int // by class
	available []int // robots that have not died, by class
	time      float64
	arrivals  []evidence // by class
	services  evidence
	inForce   *plan
	asked     question // for which a policy was last asked
	asking    bool     // a goroutine is computing that policy
	fault     error
	policies  int
	scratch   [robots.MaxClasses]int
}

// NewAdaptive returns a controller that estimates the rates. The rates of the parameters are
// a first guess, and their robots the available ones. Services must be exponential, since a
// crawler does not see phases. NewAdaptive computes the first policy. ctx bounds later work in
// the background: when it ends, the current policy stays. The errors are a
// [*robots.ParameterError], and those of [robots.Solve].
func NewAdaptive(ctx context.Context, p robots.Parameters, settings AdaptiveSettings) (*Adaptive, error) {
	return newAdaptive(ctx, p, settings, settings.planner())
}

func newAdaptive(ctx context.Context, p robots.Parameters, settings AdaptiveSettings, planner planner) (*Adaptive, error) {
	a, err := prepareAdaptive(ctx, p, settings, planner)
	if err == nil {
		err = a.begin()
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// prepareAdaptive is newAdaptive without the first policy.
func prepareAdaptive(ctx context.Context, p robots.Parameters, settings AdaptiveSettings, planner planner) (*Adaptive, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return nil, err
	}
	if service.Count() > 1 {
		return nil, invalid("Service", p.Service, "exponential, since a crawler does not see phases")
	}
	p.Classes = slices.Clone(p.Classes)
	a := &Adaptive{ctx: ctx, settings: settings, costs: p, planner: planner}
	for _, class := range p.ClassList() {
		a.available = append(a.available, class.Robots)
		a.arrivals = append(a.arrivals, evidence{guess: class.ArrivalRate, memory: settings.Memory})
	}
	a.services = evidence{guess: p.ServiceRate, memory: settings.Memory}
	a.active = make([]int, len(a.available))
	a.active[0] = 1
	a.time = settings.Now()
	return a, nil
}

// begin makes the first policy.
func (a *Adaptive) begin() error {
	a.asked = a.question()
	plan, err := a.planner(a.ctx, a.asked, nil)
	if err != nil {
		return err
	}
	a.inForce, a.policies = plan, 1
	return nil
}

// pass accounts for the time since the last event.
func (a *Adaptive) pass() {
	now := a.settings.Now()
	step := now - a.time
	if math.IsNaN(step) || math.IsInf(step, 0) {
		return
	}
	a.time = now
	if step <= 0 {
		return
	}
	for c, active := range a.active {
		a.arrivals[c].expose(float64(active) * step)
	}
	if a.queue > 0 {
		a.services.expose(step)
	}
}

// Deliver reports that an active robot of a class has delivered a page, and returns what to
// do with both. It returns [ErrNoActiveRobot] if no robot of the class is active, and panics
// if there is no such class.
func (a *Adaptive) Deliver(class int) (Delivery, error) {
	a.checkClass(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active[class] == 0 {
		return Delivery{}, ErrNoActiveRobot
	}
	a.pass()
	a.arrivals[class].observe()
	d := Delivery{
		Accepted:   a.queue < a.costs.Buffer,
		Reactivate: a.reactivates(class),
	}
	if d.Accepted {
		a.queue++
	}
	if !d.Reactivate {
		a.active[class]--
	}
	a.review()
	return d, nil
}

// Indexed reports that a page has been indexed and has left the queue. It returns the class
// of the idle robot to activate, [robots.NoClass] for none; that robot counts as active from
// then on. It returns [ErrEmptyQueue] if the queue is empty.
func (a *Adaptive) Indexed() (class int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queue == 0 {
		return robots.NoClass, ErrEmptyQueue
	}
	a.pass()
	a.services.observe()
	a.queue--
	class = a.activate()
	a.review()
	return class, nil
}

// activate activates an idle robot if the policy would after a departure, and returns its class.
// While the queue is empty it keeps at least one robot active.
func (a *Adaptive) activate() int {
	class := a.activates()
	if class != robots.NoClass && a.active[class] == a.available[class] {
		class = robots.NoClass // the policy is for more robots
	}
	if a.queue == 0 && class == robots.NoClass && !slices.ContainsFunc(a.active, func(n int) bool { return n > 0 }) {
		class = slices.IndexFunc(a.available, func(n int) bool { return n > 0 }) // −1 is NoClass
	}
	if class != robots.NoClass {
		a.active[class]++
	}
	return class
}

// Withdraw reports that a robot of a class, active or idle, has died. It returns the class of
// the idle robot to activate in its place, [robots.NoClass] for none. It returns [ErrNoRobot]
// if there is no such robot, and panics if there is no such class.
func (a *Adaptive) Withdraw(class int, active bool) (instead int, err error) {
	a.checkClass(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	if active && a.active[class] == 0 || !active && a.active[class] == a.available[class] {
		return robots.NoClass, ErrNoRobot
	}
	a.pass()
	a.available[class]--
	instead = robots.NoClass
	if active {
		a.active[class]--
		instead = a.activate()
	}
	a.review()
	return instead, nil
}

// Join reports another available robot of a class, which is idle. It returns the class of the
// idle robot to activate now, [robots.NoClass] for none, and panics if there is no such
// class.
func (a *Adaptive) Join(class int) (activate int) {
	a.checkClass(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	a.available[class]++
	activate = a.activate()
	a.review()
	return activate
}

// Counts returns the pages in the queue and the active robots of all classes, at one
// instant.
func (a *Adaptive) Counts() (queue, active int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.active {
		active += n
	}
	return a.queue, active
}

// Reset sets the queue and the active robots of each class, as after a restart. It returns an
// error, and changes nothing, for impossible counts: queue is 0 … Buffer, active is 0 … the
// available robots of each class, and not all are 0.
func (a *Adaptive) Reset(queue int, active ...int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.checkCounts(queue, active); err != nil {
		return err
	}
	a.pass()
	a.queue = queue
	copy(a.active, active)
	return nil
}

func (a *Adaptive) checkCounts(queue int, active []int) error {
	possible, sum := len(active) == len(a.available) && queue >= 0 && queue <= a.costs.Buffer, queue
	for c := 0; possible && c < len(active); c++ {
		possible = active[c] >= 0 && active[c] <= a.available[c]
		sum += active[c]
	}
	if !possible || sum == 0 {
		return fmt.Errorf("controller: %d pages and %v active robots are not possible: use 0 to %d pages and 0 to %v robots, by class, not all 0",
			queue, active, a.costs.Buffer, a.available)
	}
	return nil
}

func (a *Adaptive) checkClass(class int) {
	if class < 0 || class >= len(a.available) {
		panic(fmt.Sprintf("controller: class %d of %d classes of robots", class, len(a.available)))
	}
}
