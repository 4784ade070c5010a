// This file minimises starvation under a limit on losses, and losses under a limit on
// starvation.

package robots

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Constrained is an answer of [SolveWithin].
type Constrained struct {
	// Policy meets the limit and has the least value of the other measure. It may randomise
	// one decision, see [Policy.Chance]. Its parameters have Weight as StarvationWeight, if
	// that is positive and finite. Measures is its long-run behaviour.
	Policy   *Policy
	Measures Measures

	// Other is not nil if no single policy is known to be the best: with the probability
	// OtherShare, drawn once at the start, Other is followed in place of Policy, for ever.
	// Policy alone meets the limit, too. Measures are then those of the two together.
	Other      *Policy
	OtherShare float64

	// Value is the least starvation under a limit on losses, or the least loss rate under one
	// on starvation: that of Measures. Lower and Upper enclose the optimum.
	Value, Lower, Upper float64

	// Weight is the multiplier: the γ for which Policy costs least without a limit.
	// +Inf means that losses do not matter, and 0 that starvation does not. After an early
	// end it is the last γ tried, or NaN.
	Weight float64

	// Status says whether Lower and Upper are within the tolerance, relative to Upper.
	Status mdp.Status

	// Solves counts the weights for which the process was solved, and Iterations the
	// iterations of all of them. Method is the name of the method that solved, "" for none.
	Solves, Iterations int
	Method             string
}

// SolveWithin minimises starvation under a limit on losses, or the loss rate under a
// limit on starvation, over all policies, randomised ones included. StarvationWeight is
// ignored, and there must be no other costs.
//
// It finds two policies that cost least for the same weight γ on either side of the limit, as
// [mdp.SolveConstrained] does. Of the policies between them, which cost as little, two that
// differ in one decision lie on either side of the limit; that decision is randomised (Beutler
// and Ross 1985). If the two recur in different states, they are mixed: see Other.
//
// The lower bound is that of duality: no policy has γS + L below the optimal gain for the weight γ.
// Where the measure that is limited makes up most of this sum, the bound is a difference of close
// numbers. Status says [mdp.PrecisionLimit] if it is not close enough to Upper, which has the
// accuracy of [Measures].
//
// Errors are a [*ParameterError], also for a limit on Starvation that no policy meets, and
// those of [Solve] and [Measure]. If ctx or a limit ends the search early, the answer beside
// the error is the best known within the limit, fixed numbers of robots included; nil for none.
func SolveWithin(ctx context.Context, p Parameters, limit Limit, settings mdp.Settings) (*Constrained, error) {
	p.StarvationWeight = 1 // for Validate
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := limit.validate(p); err != nil {
		return nil, err
	}
	if settings.Tolerance == 0 {
		settings.Tolerance = mdp.DefaultTolerance
	}
	settings.Values = nil
	s := &limitSearch{parameters: p, limit: limit, settings: settings, weight: math.NaN()}
	s.a, s.b, s.c = limit.line(p.ServiceRate)
	answer, err := &tradeoff.Answer[*corner]{}, s.begin(ctx)
	if err == nil {
		problem := tradeoff.Problem[*corner]{
			Limits: []*big.Rat{new(big.Rat).SetFloat64(s.c)}, Solve: s.solve, Known: []point{s.idle, s.eager},
		}
		answer, err = problem.Run(ctx)
	}
	if _, ok := errors.AsType[*tradeoff.InfeasibleError](err); ok {
		return nil, &ParameterError{"Starvation", limit.Starvation, fmt.Sprintf("a number of at least %v, the starvation with all robots active", s.eager.Policy.Starvation)}
	}
	var found *Constrained
	if err == nil {
		found, err = s.finish(ctx, answer)
	}
	if err != nil {
		return s.early(ctx, answer, err)
	}
	return found, nil
}

// limitSearch looks for the two policies between which a limit lies.
type limitSearch struct {
	parameters         Parameters
	limit              Limit
	settings           mdp.Settings
	a, b, c            float64 // the limit: aS + bL ≤ c
	idle, eager        point   // that loses no page, and that keeps all robots active
	weight             float64 // the last one tried, NaN before
	last               *Solution
	best               point // of the last solve; eager before
	solves, iterations int
}

// corner is a deterministic policy, measured, and point the same as the search sees it.
type corner struct {
	policy *Policy
	measured
}

type point = tradeoff.Point[*corner]

func (s *limitSearch) measure(ctx context.Context, policy *Policy) (point, error) {
	found, err := policy.measure(ctx)
	if err != nil {
		return point{}, err
	}
	return point{Policy: &corner{policy, found}, Values: s.values(&found.Measures)}, nil
}

// values returns the measure that is minimised, and the one that must be at most c.
func (s *limitSearch) values(m *Measures) []float64 {
	limited := s.a*m.Starvation + s.b*m.LossRate
	if s.limit.Starvation > 0 {
		return []float64{m.LossRate, limited}
	}
	return []float64{m.Starvation, limited}
}

// begin measures the policies at the two ends: one that loses no page, and one that keeps
// all robots active. The former activates the robots whose pages are sure to have room, the
// fastest class first; for one class, no other policy without losses starves the queue less.
func (s *limitSearch) begin(ctx context.Context) error {
	classes, numbers := s.parameters.ClassList(), []int{}
	for _, class := range classes {
		numbers = append(numbers, class.Robots)
	}
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
	eager, err := NewStaticPolicy(s.parameters, numbers...)
	if err != nil {
		return err
	}
	if s.idle, err = s.measure(ctx, idle); err == nil {
		s.eager, err = s.measure(ctx, eager)
	}
	s.best = s.eager
	return err
}

// solve finds the policy with the least weighted sum of the measure that is minimised and the measure
// that is limited. If only one of the two counts, that policy is known already.
func (s *limitSearch) solve(ctx context.Context, weights []float64) (point, float64, error) {
	ofStarvation, ofLosses := weights[1]*s.a, weights[1]*s.b
	if s.limit.Starvation > 0 {
		ofLosses += weights[0]
	} else {
		ofStarvation += weights[0]
	}
	if s.weight = ofStarvation / ofLosses; ofStarvation == 0 {
		return s.idle, 0, nil
	}
	most, least := s.idle.Policy.Starvation, s.eager.Policy.Starvation
	if ofLosses == 0 || most-least <= tradeoff.Tie*least { // starvation is one value
		return s.eager, ofStarvation * least, nil
	}
	s.solves++
	p, settings := s.parameters, s.settings
	p.StarvationWeight, settings.Tolerance = s.weight, max(settings.Tolerance/16, 1e-14)
	solution, err := solveTie(ctx, p, settings)
	if solution == nil {
		return point{}, 0, err
	}
	s.last, s.iterations = solution, s.iterations+solution.Iterations
	least = math.Nextafter(ofLosses*solution.Lower*min(1, s.weight/solution.Parameters.StarvationWeight), 0) // for a weight next to it
	if err == nil || errors.Is(err, mdp.ErrPrecisionLimit) {
		s.best, err = s.measure(ctx, solution.Policy)
	}
	return s.best, least, err
}

// answer returns a policy that meets the limit as an answer, with its bounds and status.
func (s *limitSearch) answer(policy *Policy, measures Measures, lower float64) *Constrained {
	value := s.values(&measures)[0]
	found := &Constrained{
		Policy: policy, Measures: measures, Value: value, Upper: value, Lower: min(value, max(lower, 0)),
		Weight: s.weight, Solves: s.solves, Iterations: s.iterations, Status: mdp.PrecisionLimit,
	}
	if s.last != nil {
		found.Method = s.last.Method
	}
	if s.settings.Met(found.Lower, found.Upper) {
		found.Status = mdp.Converged
	}
	return found
}

// early is the answer of a search that ends early: the best policy known within the limit, or
// a fixed number of robots. Other errors have no answer.
func (s *limitSearch) early(ctx context.Context, answer *tradeoff.Answer[*corner], stop error) (best *Constrained, end error) {
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
	known := answer.Points
	if known == nil && s.idle.Policy != nil {
		known = []point{s.idle}
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patienceStatic)
	defer cancel()
	if fixed, err := s.parameters.BestStatic(limited, s.limit); err == nil && fixed != nil {
		if policy, err := NewStaticPolicy(s.parameters, fixed.Robots...); err == nil {
			measures := fixed.measures()
			known = append(known, point{Policy: &corner{policy, measured{Measures: measures}}, Values: s.values(&measures)})
		}
	}
	for _, x := range known {
		if x.Values[1] <= s.c && (best == nil || x.Values[0] < best.Value) {
			best = s.answer(x.Policy.policy, x.Policy.Measures, answer.Lower)
			best.Status = status
		}
	}
	return best, stop
}
