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

// Constrained is an answer of [SolveWithin].
type Constrained struct {
	// Policy meets the limit and has the least value of the other measure. It may randomise
	// one decision, see [Policy.Chance]. Its parameters have Weight as StarvationWeight, if
	// that is positive and finite. Measures is its long-run behaviour.
	Policy   *Policy
	Measures Measures

	// Value is the least starvation under a limit on losses, or the least loss rate
	// under one on starvation: that of Policy. Lower and Upper enclose the optimum.
	Value, Lower, Upper float64

	// Weight is the multiplier: the γ for which Policy costs least without a limit.
	// +Inf means that losses do not matter, and 0 that starvation does not. After an early
	// end it is the last γ tried, or NaN.
	Weight float64

	// Status says whether Lower and Upper are within the tolerance, relative to Upper.
	Status mdp.Status

	// Solves counts the weights for which the process was solved, and Iterations the
	// iterations of all of them. Method is the name of the method that solved, "" where
	// nothing had to be solved.
	Solves, Iterations int
	Method             string
}

// SolveWithin minimises starvation under a limit on losses, or the loss rate under a
// limit on starvation, over all policies, randomised ones included. StarvationWeight is
// ignored, and there must be no other costs.
//
// The pairs (S, L) of starvation and loss rate that policies can have form a convex
// set, and its lower left edge is the [Frontier]. The optimum lies where the limit
// cuts that edge, between two policies that both cost least for the same weight γ.
// Each step solves the process for the weight at which the two policies known to lie
// on either side cost the same, and so finds one between them, or finds them to be
// neighbours. Policies between neighbours, with the decisions of the one in some
// states and of the other elsewhere, cost least for γ as well; two of them that differ
// in one decision lie on either side of the limit, and that decision is randomised
// (F.J. Beutler and K.W. Ross, Optimal policies for controlled Markov chains with a
// constraint, Journal of Mathematical Analysis and Applications 112 (1985), 236-252).
//
// The bound is that of duality: no policy has γS + L below the gain g of the weight,
// so that one with aS + bL ≤ c has S ≥ (g − c/b)/(γ − a/b), and one with S ≤ c has
// L ≥ g − γc. Where the limit is on what costs most, that is the difference of close
// numbers, and Status says [mdp.PrecisionLimit] if it is not close enough to Upper.
// Upper is the measure of Policy, with the accuracy of [Measures]; so is Lower where no
// other policy is better by the limit alone, all robots active or no page lost.
//
// With several classes, neighbours may recur in different states, and only ever rarer moves
// between them would meet the limit. The answer is then the neighbour that meets it, with
// [mdp.PrecisionLimit].
//
// Errors are a [*ParameterError], also for a limit on Starvation that no policy meets, and
// those of [Solve] and [Measure]. If ctx or a limit ends the search early, the answer beside
// the error is the best policy known that meets the limit, fixed numbers of robots included,
// with bounds on the optimum; it is nil if none is known.
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
	s := &limitSearch{parameters: p, limit: limit, settings: settings, weight: math.NaN()}
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
	weight      float64 // the last one tried, NaN before
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
	if err != nil {
		return corner{}, err
	}
	return corner{policy, found}, nil
}

// above returns by how much a policy exceeds the limit.
func (s *limitSearch) above(m *Measures) float64 { return s.a*m.Starvation + s.b*m.LossRate - s.c }

// isEager reports whether a policy lies on the side of the limit with more losses.
func (s *limitSearch) isEager(m *Measures) bool { return s.limit.isEager(s.above(m)) }

func (s *limitSearch) run(ctx context.Context) (*Constrained, error) {
	if err := s.begin(ctx); err != nil {
		return s.early(ctx, err)
	}
	if s.isEager(&s.idle.Measures) { // no page has to be lost
		return s.extreme(s.idle, 0), nil
	}
	if !s.isEager(&s.eager.Measures) { // all robots may be active all the time
		if s.limit.Starvation > 0 {
			return nil, &ParameterError{
				"Starvation", s.limit.Starvation, fmt.Sprintf("a number of at least %v, the starvation with all robots active", s.eager.Starvation),
			}
		}
		return s.extreme(s.eager, math.Inf(1)), nil
	}
	for {
		losses, gain := s.eager.LossRate-s.idle.LossRate, s.idle.Starvation-s.eager.Starvation
		switch {
		case losses <= 0: // neither loses pages
			return s.extreme(s.eager, 0), nil
		case gain <= equalCosts*s.eager.Starvation: // this is the least starvation
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
// all robots active. The former activates the robots whose pages are sure to have room, the
// fastest class first; for one class, no other policy without losses starves the queue less.
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
	solution, err := solveTie(ctx, p, settings)
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

// sides returns the policy that meets the limit, and the other one.
func (s *limitSearch) sides() (kept, other *corner) {
	if s.limit.Starvation > 0 {
		return &s.eager, &s.idle
	}
	return &s.idle, &s.eager
}

// known returns the best policy known that meets the limit: one of the two, or a fixed
// number of robots; nil if there is none.
func (s *limitSearch) known(ctx context.Context) (*Policy, Measures) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patienceStatic)
	defer cancel()
	kept, _ := s.sides()
	fixed, err := s.parameters.BestStatic(limited, s.limit)
	if err != nil || fixed == nil {
		return kept.policy, kept.Measures
	}
	measures := fixed.measures()
	if kept.policy != nil && s.value(&kept.Measures) <= s.value(&measures) {
		return kept.policy, kept.Measures
	}
	policy, err := NewStaticPolicy(s.parameters, fixed.Robots...)
	if err != nil {
		return kept.policy, kept.Measures
	}
	return policy, measures
}
