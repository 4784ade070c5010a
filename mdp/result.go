package mdp

import (
	"math"
	"time"
)

// Status says how a solve ended. The zero value is not a success.
type Status int

// The ways in which a solve ends.
const (
	// Unsolved is the status of no result of Solve.
	Unsolved Status = iota
	// Converged: the bounds of a fresh sweep are within the tolerance.
	Converged
	// IterationLimit: Settings.MaxRounds came first.
	IterationLimit
	// TimeLimit: Settings.TimeLimit came first.
	TimeLimit
	// PrecisionLimit: floating-point arithmetic cannot bring the bounds within
	// the tolerance.
	PrecisionLimit
	// Stopped: a stopping rule of the method's own ended it, which vouches for
	// nothing; the bounds are wider than the tolerance.
	Stopped
	// Interrupted: the context ended, or Settings.Record returned an error.
	Interrupted
)

// String returns the status as the command line prints it.
func (s Status) String() string {
	switch s {
	case Converged:
		return "converged"
	case IterationLimit:
		return "iteration-limit"
	case TimeLimit:
		return "time-limit"
	case PrecisionLimit:
		return "precision-limit"
	case Stopped:
		return "stopped"
	case Interrupted:
		return "interrupted"
	default:
		return "unsolved"
	}
}

// Result is an answer of [Solve]. It is complete and usable whatever the
// status: a solve that was stopped returns the best it had, with its bounds.
type Result struct {
	// Certificate holds the bounds and the policy. They come from one fresh
	// sweep over the values, made after the method has ended. Lower and Upper
	// enclose the optimal gain of every state for [LongRunAverage], the optimal
	// value of state 0 for other criteria; Bounds gives those of all states.
	Certificate

	// Gain is the estimate of the optimal gain between the bounds: the gain of
	// the policy where the method evaluates policies, the middle otherwise. It
	// is 0 for other criteria.
	Gain float64

	// Values are, for [LongRunAverage], relative values (bias): h(s) in units
	// of cost, h(0) = 0; for [Discounted], estimates of the optimal values in
	// the middle of their bounds.
	Values []float64

	// radius is the distance of the bounds from Values, where it is the same
	// for all states; negative for criteria whose bounds are on the gain.
	radius float64

	// largest is the largest magnitude of Values, to which the tolerance is
	// relative where the bounds are radius apart.
	largest float64

	// Status says how the solve ended.
	Status Status

	// Method is the name of the method, and Choice why Solve chose it; empty
	// where Settings named it.
	Method, Choice string

	// Rounds counts sweeps of value iteration, evaluations of policy iteration.
	Rounds int

	// Elapsed is the time from the call to the return of Solve.
	Elapsed time.Duration
}

// Bounds returns bounds on the optimum from state s: on its gain for
// [LongRunAverage], on its expected discounted cost for [Discounted].
func (r *Result) Bounds(s int) (lower, upper float64) {
	if r.radius < 0 {
		return r.Lower, r.Upper
	}
	return math.Nextafter(r.Values[s]-r.radius, math.Inf(-1)), math.Nextafter(r.Values[s]+r.radius, math.Inf(1))
}

// span returns bounds of the gap that the tolerance is on.
func (r *Result) span() (lower, upper float64) {
	if r.radius < 0 {
		return r.Lower, r.Upper
	}
	return r.largest - r.radius, r.largest + r.radius
}
