package mdp

import "time"

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
	// Certificate holds the bounds on the optimal gain and the policy. It comes
	// from one fresh sweep over Values, made after the method has ended.
	Certificate

	// Gain is the estimate of the optimal gain between the bounds: the gain of
	// the policy where the method evaluates policies, the middle otherwise.
	Gain float64

	// Values are relative values (bias): h(s) in units of cost, h(0) = 0.
	Values []float64

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
