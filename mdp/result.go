package mdp

import "time"

// Status says how a solve ended. The zero value is not a success.
type Status int

// The ways in which a solve ends.
const (
	// Unsolved is the status of no result of Solve.
	Unsolved Status = iota
	// Converged: the bounds of every state are within the tolerance, see [Within].
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
	// Certificate holds the bounds and the policy. They come from fresh sweeps
	// over the values, made after the method has ended. For [LongRunAverage]
	// Lower and Upper enclose the optimal gain of every state, for other
	// criteria the optimal value of state 0; Bounds gives those of each state.
	Certificate

	// Gain is, for [LongRunAverage], the estimate of the optimal gain of state
	// 0, which is that of every state where the bounds meet: the gain of the
	// policy where the method evaluates policies, the middle of the bounds
	// otherwise. It is 0 for other criteria.
	Gain float64

	// Values are, for [LongRunAverage], relative values (bias): h(s) in units
	// of cost, h(0) = 0; for other criteria, estimates of the optimal values
	// between their bounds.
	Values []float64

	bounds  bounds
	average bool      // values are relative ones
	gains   []float64 // estimates, where they differ between states
	scale   scale
	decided decision // whether the bounds are within the tolerance
	cycle   *Cycle

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
// [LongRunAverage], on its expected cost for other criteria. What the policy
// achieves from there lies between them too.
func (r *Result) Bounds(s int) (lower, upper float64) { return r.bounds.of(s) }

// Value returns the estimate of the optimum from state s, between its bounds:
// of its gain for [LongRunAverage], of its expected cost for other criteria.
func (r *Result) Value(s int) float64 {
	switch {
	case r.gains != nil:
		return r.gains[s]
	case r.average:
		return r.Gain
	default:
		return r.Values[s]
	}
}

// negate turns the least costs into the greatest rewards.
func (r *Result) negate() {
	r.Lower, r.Upper = 0-r.Upper, 0-r.Lower
	r.Gain = 0 - r.Gain
	r.bounds = negatedBounds{r.bounds}
	for _, x := range [][]float64{r.Values, r.gains} {
		for i := range x {
			x[i] = 0 - x[i] // not −0
		}
	}
}
