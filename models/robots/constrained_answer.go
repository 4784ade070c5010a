// This file holds the answers of SolveWithin: what is found, its bounds and its status.

package robots

import (
	"context"
	"errors"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// extreme is the answer where a policy at an end is the best.
func (s *limitSearch) extreme(best corner, weight float64) *Constrained {
	found := s.found(best.policy, best.Measures, weight)
	found.Lower, found.Status = found.Value, mdp.Converged
	return found
}

// oneValue is the answer if the two policies known have the same starvation up to rounding:
// the one that meets the limit, bounded by the other.
func (s *limitSearch) oneValue() *Constrained {
	kept, other := s.sides()
	found := s.found(kept.policy, kept.Measures, s.weight)
	found.Lower = min(found.Value, s.value(&other.Measures))
	found.Status = s.status(found)
	return found
}

// found returns a policy that meets the limit as an answer without a lower bound.
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
	if s.limit.Starvation > 0 {
		return m.LossRate
	}
	return m.Starvation
}

// answer returns a policy that meets the limit, with the bound of the last weight solved.
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

// bound returns a lower bound for all policies within the limit, if none costs less than
// gain for a weight.
func (s *limitSearch) bound(weight, gain float64) float64 {
	if s.limit.Starvation > 0 {
		return max(0, gain-weight*s.c)
	}
	if weight <= s.a/s.b {
		return 0
	}
	return max(0, (gain-s.c/s.b)/(weight-s.a/s.b))
}

// early is the answer of a search that ends early: the best policy known. Other errors have
// no answer.
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
	policy, measures := s.known(ctx)
	if policy == nil {
		return nil, stop
	}
	found := s.answer(policy, measures)
	found.Status = status
	return found, stop
}
