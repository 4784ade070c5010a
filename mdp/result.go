package mdp

import (
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Results of Solve.

// Status says how a solve ended. The zero value is not a success.
type Status int

// The statuses.
const (
	// Unsolved is the zero value; no result of Solve has it.
	Unsolved Status = iota
	// Converged: the bounds of every state are within the tolerance, see [Within].
	Converged
	// IterationLimit: Settings.MaxIterations was reached first.
	IterationLimit
	// TimeLimit: Settings.TimeLimit was reached first.
	TimeLimit
	// PrecisionLimit: floating-point arithmetic cannot bring the bounds within
	// the tolerance.
	PrecisionLimit
	// Stopped: a stopping rule without an error bound ended the method, or the bounds of
	// values given to [Certify] are wider than the tolerance. Solve does not return it.
	Stopped
	// Interrupted: the context ended, or Settings.Record returned an error.
	Interrupted
)

// String returns the status as the command line prints it.
func (s Status) String() string {
	return named(s, []string{
		Unsolved: "unsolved", Converged: "converged", IterationLimit: "iteration-limit", TimeLimit: "time-limit",
		PrecisionLimit: "precision-limit", Stopped: "stopped", Interrupted: "interrupted",
	})
}

// named returns the name of a value, or that of the zero value if it has none.
func named[T ~int](value T, names []string) string {
	if value < 0 || int(value) >= len(names) {
		value = 0
	}
	return names[value]
}

// Result is an answer of [Solve]. It is complete for every status: a solve that stopped
// early returns the best answer so far with its bounds. Bounds and policy come from fresh
// sweeps over the values, made after the method has ended.
type Result struct {
	// Policy is the index of the best action in each state. Its cost from a state lies
	// within the bounds of that state. [Compiled.Choice] returns the action itself.
	Policy []int32

	// Lower and Upper are the bounds on the optimum from state 0: see Bounds.
	Lower, Upper float64

	// Gain is the estimate of the optimal gain from state 0, between its bounds,
	// and Bias holds the relative values h(s) of the policy in units of cost,
	// with h(0) = 0: its bias, see [LongRun], up to a constant, which is the same in all states if
	// they have one optimal gain or the model leaves no choice. They are 0 and nil for criteria other
	// than [LongRunAverage], whose GainOnly may leave out Bias.
	Gain float64
	Bias []float64

	// Value is the estimate of the optimal expected cost from each state, between
	// its bounds; nil for [LongRunAverage].
	Value []float64

	// Status says how the solve ended.
	Status Status

	// Method is the name of the method. Reason is why Solve chose it, "" if Settings
	// named it.
	Method, Reason string

	// Nature is what nature chooses in an [Uncertain] model; nil in others.
	Nature *NatureChoice

	// Iterations counts the iterations of the method, see Settings.MaxIterations.
	Iterations int

	// Elapsed is the time from the call to the return of Solve.
	Elapsed time.Duration

	lower, upper []float64 // bounds by state; of length 1 if all states have the same gain
	within       float64   // a tolerance that they were found to be within; 0 for none
	gains        []float64 // estimates of the gain by state; nil if all are Gain
	scale        []float64 // by state, like the bounds; nil for 0
	proof        Proof
	relative     vector.Vector // of a divided model, times the rate: see [average.Solution]
}

// Bounds returns bounds on the optimum from state s: on its gain for
// [LongRunAverage], on its expected cost for other criteria.
func (r *Result) Bounds(s int) (lower, upper float64) {
	if len(r.lower) == 1 {
		s = 0
	}
	return r.lower[s], r.upper[s]
}

// Optimum returns the estimate of the optimum from state s, which Bounds encloses.
func (r *Result) Optimum(s int) float64 {
	switch {
	case r.gains != nil:
		return r.gains[s]
	case r.Value != nil:
		return r.Value[s]
	default:
		return r.Gain
	}
}

// setBounds sets the bounds of all states.
func (r *Result) setBounds(lower, upper []float64) {
	r.lower, r.upper, r.within = lower, upper, 0
	r.Lower, r.Upper = lower[0], upper[0]
}

// isOpen reports whether a state lacks a bound.
func (r *Result) isOpen() bool {
	isInfinite := func(x float64) bool { return math.IsInf(x, 0) }
	return slices.ContainsFunc(r.lower, isInfinite) || slices.ContainsFunc(r.upper, isInfinite)
}

// boundsOf divides values below and above by a rate, and returns them as bounds, rounded
// outward.
func boundsOf(below, above vector.Vector, rate float64) (lower, upper []float64) {
	lower, upper = make([]float64, len(below.High)), make([]float64, len(below.High))
	for s := range lower {
		lower[s], upper[s] = below.At(s).RoundDown(), above.At(s).RoundUp()
	}
	for s := 0; s < len(lower) && rate != 1; s++ {
		lower[s], upper[s] = rounding.QuotientDown(lower[s], rate), -rounding.QuotientDown(-upper[s], rate)
	}
	return lower, upper
}

// negate turns a result for costs into one for rewards.
func (r *Result) negate() {
	within := r.within
	r.setBounds(opposite(r.upper), opposite(r.lower))
	r.within = within
	r.proof.Lower, r.proof.Upper = r.proof.Upper.negative(), r.proof.Lower.negative()
	if r.proof.Cycle != nil {
		r.proof.Cycle.Value = r.proof.Cycle.Value.negative()
	}
	r.relative = vector.Vector{High: opposite(r.relative.High), Low: opposite(r.relative.Low)}
	r.Gain = 0 - r.Gain
	r.Bias, r.Value, r.gains = opposite(r.Bias), opposite(r.Value), opposite(r.gains)
}
