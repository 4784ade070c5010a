// This file minimises starvation under a limit on losses, and losses under a limit on
// starvation.

package robots

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Limit is what a policy has to keep to in the long run. The zero value is of no
// use: see [MostLossRate], [MostLossShare] and [MostStarvation].
type Limit struct {
	kind limitKind
	most float64
}

type limitKind uint8

const (
	lossRate limitKind = iota + 1
	lossShare
	starvation
)

// MostLossRate limits the pages lost per unit of time.
func MostLossRate(rate float64) Limit { return Limit{lossRate, rate} }

// MostLossShare limits the pages lost to a share of all pages delivered, above 0 and
// below 1.
func MostLossShare(share float64) Limit { return Limit{lossShare, share} }

// MostStarvation limits the share of time in which the queue is empty, above 0 and at
// most 1.
func MostStarvation(share float64) Limit { return Limit{starvation, share} }

func (l Limit) validate() error {
	switch {
	case l.kind == lossRate && !isPositive(l.most):
		return &ParameterError{"MostLossRate", l.most, positiveNumber}
	case l.kind == lossShare && !(l.most > 0 && l.most < 1):
		return &ParameterError{"MostLossShare", l.most, "a number above 0 and below 1"}
	case l.kind == starvation && !(l.most > 0 && l.most <= 1):
		return &ParameterError{"MostStarvation", l.most, "a number above 0 and at most 1"}
	case l.kind == 0:
		return errors.New("robots: SolveWithin needs a limit")
	}
	return nil
}

// line returns a, b and c for which the limit says aS + bL ≤ c. Of the pages
// delivered, L + μ(1−S) per unit of time, those that are not lost are indexed.
func (l Limit) line(serviceRate float64) (a, b, c float64) {
	switch l.kind {
	case lossRate:
		return 0, 1, l.most
	case lossShare:
		return l.most * serviceRate, 1 - l.most, l.most * serviceRate
	}
	return 1, 0, l.most
}

// UnattainableError says that no policy keeps to a limit on starvation.
type UnattainableError struct {
	Most  float64 // the limit
	Least float64 // the least starvation, with all robots active all the time
}

// Error returns a line with the limit and the least starvation.
func (e *UnattainableError) Error() string {
	return fmt.Sprintf("robots: a starvation of at most %v cannot be had: with all robots active it is %v", e.Most, e.Least)
}

// Constrained is an answer of [SolveWithin].
type Constrained struct {
	// Policy keeps to the limit and has the least value of the other measure. It may
	// leave one decision to chance, see [Policy.Chance]. Measures is its behaviour.
	// Its parameters have Weight as StarvationWeight, if that is positive and finite.
	Policy   *Policy
	Measures Measures

	// Value is the least starvation under a limit on losses, or the least loss rate
	// under one on starvation: that of Policy. Lower and Upper enclose the optimum.
	Value, Lower, Upper float64

	// Weight is the multiplier: the γ for which Policy costs least without a limit.
	// +Inf says that losses may be ignored, and 0 that starvation may. After an early
	// end it is the γ that was tried last.
	Weight float64

	// Status says whether Lower and Upper are as close as the tolerance asks for,
	// relative to Upper.
	Status mdp.Status

	// Solves counts the weights for which the process was solved, and Iterations the
	// iterations of all of them. Method is the name of the method that solved, "" where
	// nothing had to be solved.
	Solves, Iterations int
	Method             string
}

// SolveWithin minimises starvation under a limit on losses, or the loss rate under a
// limit on starvation, over all policies, those that leave decisions to chance
// included. StarvationWeight is not looked at, and there must be no other costs.
//
// The pairs (S, L) of starvation and loss rate that policies can have form a convex
// set, and its lower left edge is the [Frontier]. The optimum lies where the limit
// cuts that edge, between two policies that both cost least for the same weight γ.
// Each step solves the process for the weight at which the two policies known to lie
// on either side cost the same, and so finds one between them, or finds them to be
// neighbours. Policies between neighbours, with the decisions of the one in some
// states and of the other elsewhere, cost least for γ as well; two of them that differ
// in one decision lie on either side of the limit, and that decision is left to chance
// (F.J. Beutler and K.W. Ross, Optimal policies for controlled Markov chains with a
// constraint, Journal of Mathematical Analysis and Applications 112 (1985), 236-252).
//
// The bound is that of duality: no policy has γS + L below the gain g of the weight,
// so that one with aS + bL ≤ c has S ≥ (g − c/b)/(γ − a/b), and one with S ≤ c has
// L ≥ g − γc. Where the limit is on what costs most, that is the difference of close
// numbers, and Status says [mdp.PrecisionLimit] if it is not close enough to Upper.
// Upper is the measure of Policy, with the accuracy of [Measures].
//
// Errors are a [*ParameterError], an [*UnattainableError], and those of [Solve] and
// [Measure]. Where ctx or a limit ends the search early, the answer beside the error is
// the best policy known that keeps to the limit, with what bounds the optimum so far;
// it is nil if not even the policies at the two ends could be measured.
func SolveWithin(ctx context.Context, p Parameters, limit Limit, settings mdp.Settings) (*Constrained, error) {
	p.StarvationWeight = 1 // for Validate
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := limit.validate(); err != nil {
		return nil, err
	}
	for _, cost := range []struct {
		name  string
		value float64
	}{{"HoldingCost", p.HoldingCost}, {"RobotCost", p.RobotCost}, {"ActivationCost", p.ActivationCost}} {
		if cost.value != 0 {
			return nil, &ParameterError{cost.name, cost.value, "0 beside a limit"}
		}
	}
	if settings.Tolerance == 0 {
		settings.Tolerance = mdp.DefaultTolerance
	}
	settings.Values = nil
	s := &limitSearch{parameters: p, limit: limit, settings: settings}
	s.a, s.b, s.c = limit.line(p.ServiceRate)
	return s.run(ctx)
}

// limitSearch looks for the two neighbours on the frontier between which a limit lies.
type limitSearch struct {
	parameters  Parameters
	limit       Limit
	settings    mdp.Settings
	a, b, c     float64 // the limit: aS + bL ≤ c
	idle, eager corner  // the one with more starvation, and the one with more losses
	weight      float64 // the last one tried
	last        *Solution
	solves      int
	iterations  int
}

// corner is a policy on one side of the limit.
type corner struct {
	policy *Policy
	measured
}

func (s *limitSearch) measure(ctx context.Context, policy *Policy) (corner, error) {
	found, err := policy.measure(ctx)
	return corner{policy, found}, err
}

// above returns by how much a policy exceeds the limit.
func (s *limitSearch) above(m *Measures) float64 { return s.a*m.Starvation + s.b*m.LossRate - s.c }

// isEager reports whether a policy lies on the side of the limit with more losses.
func (s *limitSearch) isEager(m *Measures) bool {
	if s.limit.kind == starvation {
		return s.above(m) <= 0
	}
	return s.above(m) > 0
}

func (s *limitSearch) run(ctx context.Context) (*Constrained, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if s.isEager(&s.idle.Measures) { // no page need be lost
		return s.extreme(s.idle, 0), nil
	}
	if !s.isEager(&s.eager.Measures) { // all robots may be active all the time
		if s.limit.kind == starvation {
			return nil, &UnattainableError{s.limit.most, s.eager.Starvation}
		}
		return s.extreme(s.eager, math.Inf(1)), nil
	}
	for {
		losses, gain := s.eager.LossRate-s.idle.LossRate, s.idle.Starvation-s.eager.Starvation
		switch {
		case losses <= 0: // neither loses pages
			return s.extreme(s.eager, 0), nil
		case gain <= equalCosts*s.eager.Starvation: // less starvation cannot be had
			return s.oneValue(), nil
		}
		s.weight = losses / gain
		between, err := s.solve(ctx, s.weight)
		if err != nil {
			return s.early(ctx, err)
		}
		chord := s.weight*s.idle.Starvation + s.idle.LossRate
		cost := s.weight*between.Starvation + between.LossRate
		if cost >= chord*(1-equalCosts) {
			found, err := s.finish(ctx, between)
			if err != nil {
				return s.early(ctx, err)
			}
			return found, nil
		}
		if s.isEager(&between.Measures) {
			s.eager = between
		} else {
			s.idle = between
		}
	}
}

// begin measures the policies at the two ends: one that loses no page, and one that keeps
// all robots active. The former has as many robots active as there is room for what they
// will bring, of the fastest class first; of one class no other policy without losses
// starves the queue less.
func (s *limitSearch) begin(ctx context.Context) error {
	classes := s.parameters.ClassList()
	idle, err := NewPolicy(s.parameters, func(state State) Decisions {
		d, room := Decisions{Activate: NoClass}, s.parameters.Buffer-state.Queue
		for c, active := range state.Active {
			room -= active
			if active < classes[c].Robots && (d.Activate == NoClass || classes[c].ArrivalRate > classes[d.Activate].ArrivalRate) {
				d.Activate = c
			}
		}
		if room < 0 { // one page less makes room for one
			d.Activate = NoClass
		}
		if room > 0 {
			d.Reactivate = 1<<len(classes) - 1
		}
		return d
	})
	if err != nil {
		return err
	}
	numbers := []int{}
	for _, class := range classes {
		numbers = append(numbers, class.Robots)
	}
	eager, err := NewStaticPolicy(s.parameters, numbers...)
	if err != nil {
		return err
	}
	if s.idle, err = s.measure(ctx, idle); err != nil {
		return err
	}
	s.eager, err = s.measure(ctx, eager)
	return err
}

// solve finds the policy that costs least for a weight.
func (s *limitSearch) solve(ctx context.Context, weight float64) (corner, error) {
	s.solves++
	p := s.parameters
	p.StarvationWeight = weight
	settings := s.settings
	settings.Tolerance = max(settings.Tolerance/16, 1e-14)
	solution, err := Solve(ctx, p, settings)
	if solution == nil {
		return corner{}, err
	}
	s.last = solution
	s.iterations += solution.Iterations
	if err != nil && !errors.Is(err, mdp.ErrPrecisionLimit) {
		return corner{}, err
	}
	return s.measure(ctx, solution.Policy)
}

// extreme is the answer where a policy at an end is the best.
func (s *limitSearch) extreme(best corner, weight float64) *Constrained {
	found := s.found(best.policy, best.Measures, weight)
	found.Lower, found.Status = found.Value, mdp.Converged
	return found
}

// oneValue is the answer where the two policies known starve the queue alike, up to
// rounding: of these the one that keeps to the limit, bounded by the other.
func (s *limitSearch) oneValue() *Constrained {
	kept, other := s.sides()
	found := s.found(kept.policy, kept.Measures, s.weight)
	found.Lower = min(found.Value, s.value(&other.Measures))
	found.Status = s.status(found)
	return found
}

// found returns a policy that keeps to the limit as an answer without a lower bound.
func (s *limitSearch) found(policy *Policy, measures Measures, weight float64) *Constrained {
	value := s.value(&measures)
	found := &Constrained{
		Policy: policy, Measures: measures, Value: value, Upper: value,
		Weight: weight, Solves: s.solves, Iterations: s.iterations,
	}
	if s.last != nil {
		found.Method = s.last.Method
	}
	return found
}

// value returns the measure that is minimised.
func (s *limitSearch) value(m *Measures) float64 {
	if s.limit.kind == starvation {
		return m.LossRate
	}
	return m.Starvation
}

// finish finds the best policy between the two neighbours, given one that costs least
// for the weight in every state.
func (s *limitSearch) finish(ctx context.Context, best corner) (*Constrained, error) {
	idle, eager := s.idle.onto(best.policy), s.eager.onto(best.policy)
	steps := idle.differences(eager)
	// The first few steps lead to a policy on one side of the limit, and all of them
	// to the other side.
	low, high := 0, len(steps)
	below, above := corner{idle, s.idle.measured}, corner{eager, s.eager.measured}
	for high-low > 1 {
		middle := (low + high) / 2
		found, err := s.measure(ctx, idle.walked(eager, steps[:middle]))
		if err != nil {
			return nil, err
		}
		if s.isEager(&found.Measures) {
			high, above = middle, found
		} else {
			low, below = middle, found
		}
	}
	policy, err := s.mixed(below, above, steps[low])
	if err != nil {
		return nil, err
	}
	measures, err := Measure(ctx, policy)
	if err != nil {
		return nil, err
	}
	if s.above(&measures) > equalCosts*s.c {
		// Of several closed classes of that policy another one is reached.
		kept, _ := s.sides()
		return s.answer(kept.policy, kept.Measures), nil
	}
	return s.answer(policy, measures), nil
}

// sides returns the one of the two policies known that keeps to the limit, and the other.
func (s *limitSearch) sides() (kept, other *corner) {
	if s.limit.kind == starvation {
		return &s.eager, &s.idle
	}
	return &s.idle, &s.eager
}

// mixed returns the policy that meets the limit, of two that differ in one decision and
// lie on either side of it. What it leaves to chance is what it does more seldom.
func (s *limitSearch) mixed(below, above corner, at step) (*Policy, error) {
	layout := &below.policy.layout
	excess, room := s.above(&above.Measures), s.above(&below.Measures)
	theta := room / (room - excess)
	index := layout.index(at.row, at.code)
	other, usual := theta*above.share(index), (1-theta)*below.share(index)
	if other > usual { // a probability close to 1 would not have the digits of what is missing
		below, above, other, usual = above, below, usual, other
	}
	usualPolicy := *below.policy
	usualPolicy.parameters.StarvationWeight = s.weight
	if other == 0 {
		return &usualPolicy, nil
	}
	state := layout.state(make([]int, len(layout.mixes.robots)), at.row, at.code)
	return usualPolicy.WithChance(Chance{
		State: state, Event: at.event, Decisions: above.policy.decisions(at.row, at.code), Probability: other / (other + usual),
	})
}

// answer returns what a policy that keeps to the limit is worth, beside the bound of the
// last weight solved.
func (s *limitSearch) answer(policy *Policy, measures Measures) *Constrained {
	found := s.found(policy, measures, s.weight)
	if s.last != nil {
		found.Lower = min(found.Value, s.bound(s.last.Parameters.StarvationWeight, s.last.Lower))
	}
	found.Status = s.status(found)
	return found
}

// status says whether the bounds of an answer are close enough.
func (s *limitSearch) status(found *Constrained) mdp.Status {
	if s.settings.Met(found.Lower, found.Upper) {
		return mdp.Converged
	}
	return mdp.PrecisionLimit
}

// bound returns what no policy within the limit can be below, if none costs less than
// gain for a weight.
func (s *limitSearch) bound(weight, gain float64) float64 {
	if s.limit.kind == starvation {
		return max(0, gain-weight*s.c)
	}
	if weight <= s.a/s.b {
		return 0
	}
	return max(0, (gain-s.c/s.b)/(weight-s.a/s.b))
}

// early is the answer where the search ends before it has found the neighbours and what
// lies between: the one of the two policies known that keeps to the limit. Faults that
// are no early end have no answer.
func (s *limitSearch) early(ctx context.Context, stop error) (*Constrained, error) {
	status := mdp.Interrupted
	switch {
	case s.last != nil && s.last.Status != mdp.Converged && s.last.Status != mdp.PrecisionLimit:
		status = s.last.Status
	case ctx.Err() != nil:
	case errors.Is(stop, mdp.ErrPrecisionLimit): // a policy cannot be measured
		status = mdp.PrecisionLimit
	default:
		return nil, stop
	}
	kept, _ := s.sides()
	found := s.answer(kept.policy, kept.Measures)
	found.Status = status
	return found, stop
}

// onto returns a policy that decides as the corner's does where that comes again and
// again, and as another elsewhere.
func (c *corner) onto(other *Policy) *Policy {
	p := other.clone()
	p.parameters = c.policy.parameters
	for _, index := range c.class.States {
		row, code := p.layout.split(index)
		p.set(row, code, c.policy.decisions(row, code))
	}
	return p
}

// step is a decision in which two policies differ.
type step struct {
	row, code int
	event     Event
}

// differences returns all decisions in which two policies differ.
func (p *Policy) differences(q *Policy) []step {
	var steps []step
	for row := range p.layout.rows() {
		for code := range p.layout.mixes.count {
			if p.layout.index(row, code) < 0 {
				continue
			}
			a, b := p.decisions(row, code), q.decisions(row, code)
			if a.Activate != b.Activate {
				steps = append(steps, step{row, code, Departure})
			}
			if a.Reactivate != b.Reactivate {
				steps = append(steps, step{row, code, Arrival})
			}
		}
	}
	return steps
}

// walked returns p with some decisions of q.
func (p *Policy) walked(q *Policy, steps []step) *Policy {
	r := p.clone()
	for _, at := range steps {
		r.set(at.row, at.code, r.decisions(at.row, at.code).with(at.event, q.decisions(at.row, at.code)))
	}
	return r
}
