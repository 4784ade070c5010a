// This file computes the policies of an Adaptive when they are needed, and decides by them.

package controller

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// question has the parameters of a policy: the costs, the available robots and the estimated
// rates. Classes without robots are left out.
type question struct {
	parameters robots.Parameters
	classes    []int // of the Adaptive, by class of the parameters
}

// plan is a policy with its cost.
type plan struct {
	question
	*robots.Solution
}

// planner makes a plan; previous is the one before, or nil.
type planner func(ctx context.Context, q question, previous *plan) (*plan, error)

// planTolerance is the tolerance of the gain: far below the effect of errors of the rates.
const planTolerance = 1e-6

// solveWarm is the planner that starts from the previous policy.
func solveWarm(ctx context.Context, q question, previous *plan) (*plan, error) {
	settings := mdp.Settings{Tolerance: planTolerance}
	if previous != nil {
		m, err := robots.NewModel(q.parameters)
		if err != nil {
			return nil, err
		}
		settings.Policy = adapted(m, previous.Policy)
	}
	return solve(ctx, q, settings)
}

// solve makes a plan. A solve that ends at a limit other than the context's has an answer with
// bounds.
func solve(ctx context.Context, q question, settings mdp.Settings) (*plan, error) {
	solution, err := robots.Solve(ctx, q.parameters, settings)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case solution == nil:
		return nil, err
	}
	return &plan{q, solution}, nil
}

// planner returns the planner of a controller with these settings.
func (s AdaptiveSettings) planner() planner {
	if s.Plans != nil {
		return s.Plans.plan
	}
	return solveWarm
}

// Plans remember policies for several controllers, such as those of a simulation. Policies are
// computed from scratch, so they depend on the estimates alone: simulations with equal seeds have
// equal results. The zero value is empty; Plans are safe for concurrent use.
type Plans struct{ plans sync.Map } // of *plan by planKey

// planKey is what differs between questions of one Adaptive.
type planKey struct {
	serviceRate float64
	classes     [robots.MaxClasses]robots.Class
}

func (c *Plans) plan(ctx context.Context, q question, _ *plan) (*plan, error) {
	key := planKey{serviceRate: q.parameters.ServiceRate}
	for i, class := range q.parameters.ClassList() {
		key.classes[q.classes[i]] = class
	}
	if known, ok := c.plans.Load(key); ok {
		return known.(*plan), nil //nolint:forcetypeassert // nothing else is stored
	}
	made, err := solve(ctx, q, mdp.Settings{Tolerance: planTolerance, Workers: 1})
	if err == nil {
		c.plans.Store(key, made)
	}
	return made, err
}

// adapted returns the actions of a policy in a model, nil where the numbers of robots
// differ.
func adapted(m *robots.Model, policy *robots.Policy) []int32 {
	classes, before := m.Parameters().ClassList(), policy.Parameters().ClassList()
	if !slices.EqualFunc(classes, before, func(x, y robots.Class) bool { return x.Robots == y.Robots }) {
		return nil
	}
	return policy.Actions(m)
}

// decisions returns the decisions of the current policy for the next event. The policy may be
// for fewer robots than are available.
func (a *Adaptive) decisions(queue int) robots.Decisions {
	p := a.inForce
	s := robots.State{Queue: queue, Active: a.scratch[:len(p.classes)]}
	for i, class := range p.parameters.ClassList() {
		s.Active[i] = min(a.active[p.classes[i]], class.Robots)
	}
	return p.Policy.Decisions(s)
}

// reactivates says whether a robot of a class that has delivered is sent out again.
func (a *Adaptive) reactivates(class int) bool {
	i := slices.Index(a.inForce.classes, class)
	return i < 0 || a.decisions(a.queue).Reactivate.Has(i) // of a class that has just joined, yes
}

// activates returns the class of the idle robot that a departure activates, or NoClass.
func (a *Adaptive) activates() int {
	if i := a.decisions(min(a.queue+1, a.costs.Buffer)).Activate; i != robots.NoClass {
		return a.inForce.classes[i]
	}
	return robots.NoClass
}

// question returns the question for the next policy. Rates are rounded to a grid whose
// neighbours differ by their step, so that rates recur and simulations compute each policy
// once.
func (a *Adaptive) question() question {
	q := question{parameters: a.costs}
	q.parameters.Service = nil
	q.parameters.ServiceRate = onGrid(a.services.mean(), a.step(&a.services))
	var classes []robots.Class
	for c, n := range a.available {
		if n > 0 {
			e := &a.arrivals[c]
			q.classes = append(q.classes, c)
			classes = append(classes, robots.Class{Robots: n, ArrivalRate: onGrid(e.mean(), a.step(e))})
		}
	}
	if len(classes) == 1 {
		q.parameters.Classes, q.parameters.Robots, q.parameters.ArrivalRate = nil, classes[0].Robots, classes[0].ArrivalRate
	} else {
		q.parameters.Classes = classes
	}
	return q
}

func onGrid(rate, step float64) float64 { return math.Exp(step * math.Round(math.Log(rate)/step)) }

// step returns the relative difference of neighbouring rates of the grid: half the Tolerance,
// doubled until it is at least a quarter of the relative standard error of the rate, which is 1/√n
// after n observations. A finer grid would follow noise.
func (a *Adaptive) step(e *evidence) float64 {
	step, count := a.settings.Tolerance/2, e.posterior().Alpha
	for step*step*16*count < 1 {
		step *= 2
	}
	return step
}

// isOutdated reports whether the policy requested last is for other robots, or for a rate two
// steps or more from its estimate.
func (a *Adaptive) isOutdated() bool {
	far := func(rate float64, e *evidence) bool {
		return math.Abs(math.Log(e.mean()/rate)) > 2*a.step(e)
	}
	asked := a.asked.parameters.ClassList()
	known := 0 // classes of the question
	for c, n := range a.available {
		if n == 0 {
			continue
		}
		if known == len(asked) || a.asked.classes[known] != c || asked[known].Robots != n || far(asked[known].ArrivalRate, &a.arrivals[c]) {
			return true
		}
		known++
	}
	return known < len(asked) || far(a.asked.parameters.ServiceRate, &a.services)
}

// review requests a policy if the current one is outdated.
func (a *Adaptive) review() {
	if a.asking || a.ctx.Err() != nil || !slices.ContainsFunc(a.available, func(n int) bool { return n > 0 }) {
		return
	}
	if !a.isOutdated() {
		return
	}
	q := a.question()
	a.asked = q
	if a.settings.Synchronous {
		a.install(a.planner(a.ctx, q, a.inForce))
		return
	}
	a.asking = true
	go a.answer(q, a.inForce)
}

// answer makes a policy in the background.
func (a *Adaptive) answer(q question, previous *plan) {
	made, err := a.planner(a.ctx, q, previous)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	a.asking = false
	a.install(made, err)
	a.review()
}

// install makes a policy the current one.
func (a *Adaptive) install(made *plan, err error) {
	if a.fault = err; err == nil {
		a.inForce = made
		a.policies++
	}
}

// Belief has the estimates of an [Adaptive], and its current policy.
type Belief struct {
	ArrivalRates []Rate // λ, by class
	ServiceRate  Rate   // μ
	Robots       []int  // that have not died, by class

	// Policy is the current policy, with the parameters for which it was computed: the robots
	// and estimated rates at that time, rounded. At these rates it costs Gain per unit of time,
	// and the optimum lies between Lower and Upper; Status says how the solve ended.
	Policy             *robots.Policy
	Gain, Lower, Upper float64
	Status             mdp.Status

	// Policies counts the policies made so far. Fault is why the last attempt failed; nil
	// if it did not.
	Policies int
	Fault    error
}

// Belief returns the current estimates and policy.
func (a *Adaptive) Belief() Belief {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	b := Belief{
		ServiceRate: a.services.rate(a.settings.Confidence),
		Robots:      slices.Clone(a.available),
		Policy:      a.inForce.Policy,
		Gain:        a.inForce.Gain, Lower: a.inForce.Lower, Upper: a.inForce.Upper, Status: a.inForce.Status,
		Policies: a.policies, Fault: a.fault,
	}
	for i := range a.arrivals {
		b.ArrivalRates = append(b.ArrivalRates, a.arrivals[i].rate(a.settings.Confidence))
	}
	return b
}
