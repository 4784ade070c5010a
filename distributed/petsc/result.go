package petsc

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Result is an answer. Each rank has the part of its own states.
type Result struct {
	// Lower and Upper enclose the optimal gain, per unit of time for an [mdp.Timed]
	// model; or, for discounted costs, the value of state 0. They hold in spite of
	// rounding, and on all ranks.
	Lower, Upper float64

	// Status says how the solve ended. It is [mdp.Converged] if the bounds of every state
	// of every rank are within the tolerance by [mdp.Within], with scale 0.
	Status mdp.Status

	// Iterations counts evaluations of policies, Krylov the iterations of the Krylov
	// method in them, and Sweeps the sweeps over all actions.
	Iterations, Krylov, Sweeps int

	// First is the first state of this rank. Policy holds the index of an action in each
	// of its states. With those of the other ranks it costs no more than the upper
	// bounds, or earns no less than the lower ones.
	First  int
	Policy []int32

	sweeper *sweeper
}

// Bounds enclose the optimum from state First+i: the gain, or the discounted value.
func (r *Result) Bounds(i int) (lower, upper float64) {
	lower, upper = r.sweeper.bounds(i)
	if r.sweeper.sense == mdp.Maximize {
		return -upper, -lower
	}
	return lower, upper
}

// Values are the relative values (for the average) or the discounted values of this
// rank's states, in units of cost. A sweep over them proves nearly the same bounds: they
// are rounded to float64.
func (r *Result) Values() []float64 {
	s := r.sweeper
	sign, middle := 1.0, 0.0
	if s.sense == mdp.Maximize {
		sign = -1
	}
	if s.discount < 1 {
		middle = s.lower + (s.upper-s.lower)/2
	}
	values := make([]float64, len(s.policy))
	for i := range values {
		values[i] = sign * (s.high.values[i] + (s.low.values[i] + middle)) / s.rate
	}
	return values
}

// result returns what the last sweep has proved.
func (s *sweeper) result() *Result {
	r := &Result{First: s.share.First, Policy: s.policy, sweeper: s}
	r.Lower, r.Upper = math.Inf(-1), math.Inf(1)
	if s.share.First == 0 && len(s.policy) > 0 {
		r.Lower, r.Upper = r.Bounds(0)
	}
	s.world.most(&r.Lower)
	s.world.least(&r.Upper)
	if s.met {
		r.Status = mdp.Converged
	}
	return r
}
