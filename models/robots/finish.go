// This file completes solutions: measures, and the best fixed number of robots where a
// solve ended early.

package robots

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// Time and sizes allowed after an interruption or a time limit.
const (
	patience       = 400 * time.Millisecond // for measures
	patienceStatic = 100 * time.Millisecond // for the best fixed number
	patienceStates = 1 << 17                // with more states measures take longer
)

// isPressed says that the solve ended where no time was left.
func (s *Solution) isPressed() bool {
	return s.Status == mdp.Interrupted || s.Status == mdp.TimeLimit
}

// Finish sets Measures to those of the policy if possible. A solution that did not converge
// is replaced by the best fixed number of robots if that costs less. Finish takes at most
// half a second for an interrupted solution, whose ctx it ignores, and for one at its time
// limit. If ctx ends while another solution is measured, Finish returns an error.
func (s *Solution) Finish(ctx context.Context) error {
	early := s.Status != mdp.Converged && s.Status != mdp.Stopped
	s.Lower = max(s.Lower, 0)
	var fixed *StaticMix
	if early {
		fixed = s.bestStatic(ctx)
	}
	err := s.measure(ctx)
	if fixed != nil && !(s.cost() <= fixed.Cost) {
		policy, err := NewStaticPolicy(s.Parameters, fixed.Robots...)
		if err != nil {
			return err
		}
		measures := fixed.measures()
		s.Policy, s.Measures, s.Gain = policy, &measures, fixed.Cost
	}
	if early {
		s.Gain = min(max(s.Gain, s.Lower), s.Upper)
	}
	return err
}

// cost returns the cost of the policy, or an upper bound.
func (s *Solution) cost() float64 {
	if s.Measures != nil {
		return s.Measures.Gain
	}
	return s.Upper
}

// measure sets Measures.
func (s *Solution) measure(ctx context.Context) error {
	limited := ctx
	if s.isPressed() {
		if s.Policy.layout.begin(s.Policy.layout.rows()) > patienceStates {
			return nil
		}
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
	}
	measures, err := Measure(limited, s.Policy)
	switch {
	case err == nil:
		s.Measures = &measures
	case ctx.Err() != nil && s.Status != mdp.Interrupted:
		s.Status = mdp.Interrupted
		_ = s.measure(ctx) // once more, in the time that is left
		return fmt.Errorf("robots: measuring the policy: %w", context.Cause(ctx))
	}
	return nil
}

// bestStatic returns the best fixed number of robots, or nil if the search takes too long,
// and bounds the optimum by its cost.
func (s *Solution) bestStatic(ctx context.Context) *StaticMix {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patienceStatic)
	defer cancel()
	fixed, err := s.Parameters.BestStatic(limited, Limit{})
	if err != nil {
		return nil
	}
	s.Upper = min(s.Upper, s.Parameters.staticBound(fixed))
	return fixed
}

// staticBound returns an upper bound on the optimal gain: the cost of a fixed number of
// robots, increased by the greatest effect of rounding. It is infinite if unknown.
//
// With u = 2⁻⁵³, the rates given may differ by u, relatively, from those that the user means, and
// the Λ of C classes by (C+1)·u. P(X=0), Λ·P(X=K) and E[X] have elasticities of K+1
// at most with respect to Λ and to μ ([queue.MM1K.EmptyElasticity]), and are computed to
// two units in the last place for K up to 10⁶. That and the rounding of costs and sums
// come to less than ((C+2)·(K+1) + 16)·u, and (C+4)·(K+8)·u is more.
func (p Parameters) staticBound(fixed *StaticMix) float64 {
	const mostBuffer, unit = 1_000_000, 0x1p-53
	if !phases.IsExponential(p.Service) || p.Buffer > mostBuffer || !(fixed.Cost >= 0x1p-1000) { // nothing subnormal
		return math.Inf(1)
	}
	return fixed.Cost * (1 + float64(len(p.ClassList())+4)*float64(p.Buffer+8)*unit)
}
