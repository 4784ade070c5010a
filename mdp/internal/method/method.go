// Package method defines the task that a method works on and the answer that it
// returns.
package method

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Task is a model to solve as a whole, not by components, with the question.
type Task struct {
	Model    sweep.Model
	Listed   bound.Lister     // its rows; no Lister if the model does not list them
	Terms    int              // number of terms that a backup adds up
	Rows     *rows.Rows       // those of a table; nil for none
	Rate     float64          // steps per unit of time
	Discount float64          // 1 for the long-run average
	By       *vector.Discount // the same in full; nil for the long-run average

	Values []float64 // to start from, in units of cost; nil for zero
	Policy []int32   // to start from; nil for none

	Tolerance float64
	Sweeper   *sweep.Sweeper
	Limits    *limit.Run

	// Strictness is the factor by which the method's bounds must be closer than the
	// tolerance.
	Strictness float64

	// Yields says that policy iteration with exact evaluation follows if the method ends
	// without success, so it should end where it makes no progress.
	Yields bool
}

// StartValues returns the values to start from, times the rate and a discount.
func (t *Task) StartValues(discount float64) []float64 {
	if t.Values == nil {
		return make([]float64, t.Model.NumStates())
	}
	return vector.Scaled(t.Values, t.Rate*discount)
}

// IsMet reports whether the bounds of a method are close enough for it to end.
func (t *Task) IsMet(lower, upper float64) bool {
	more := (t.Strictness - 1) * (upper - lower) / 2
	return bound.Within(lower-more, upper+more, 0, t.Tolerance)
}

// IsMetBy reports whether discounted values between least and greatest, times
// the rate, with errors of at most radius, in units of cost, are good enough. The
// tolerance is relative to the smallest magnitude if the values have one sign and float64
// has the digits for it, and to the largest otherwise. The bounds of some states may then
// still be too wide: the criterion checks each state after the method has ended.
func (t *Task) IsMetBy(radius, least, greatest float64) bool {
	size, smallest := max(math.Abs(least), math.Abs(greatest)), min(math.Abs(least), math.Abs(greatest))
	if (least > 0) == (greatest > 0) && t.Tolerance*smallest*(1-t.Discount) > bound.AssumedTerms*rounding.Unit*size {
		size = smallest
	}
	size /= t.Rate
	radius *= t.Strictness // before it is added to the size, in which it may be lost
	return bound.Within(size-radius, size+radius, 0, t.Tolerance)
}

// IsBeyond reports whether discounted values between least and greatest, times the rate, are too
// different for sweeps with a relative error: such an error of the largest value exceeds the
// tolerance for the smallest. It reports false until bounds were too wide for some states.
func (t *Task) IsBeyond(relativeError, least, greatest float64) bool {
	radius := relativeError * max(math.Abs(least), math.Abs(greatest)) / (1 - t.Discount) / t.Rate
	return t.Strictness > 1 && !t.IsMetBy(radius, least, greatest)
}

// pressedTerms is the number of terms that a sweep in double-double may add up once time
// is up: some tenths of a second.
const pressedTerms = 1 << 23

// IsPressed reports whether there is no time for a sweep in double-double, which takes
// some ten times as long as one in float64.
func (t *Task) IsPressed(ctx context.Context) bool {
	return ctx.Err() != nil && t.Model.NumStates()*t.Terms > pressedTerms
}

// CheckFinite returns an error if the least or the greatest number of a sweep is NaN or
// infinite.
func CheckFinite(least, greatest float64) error {
	if math.IsNaN(least) || math.IsInf(least, 0) || math.IsInf(greatest, 0) {
		return limit.ErrNotFinite
	}
	return nil
}

// Iteration is a method in progress.
type Iteration interface {
	limit.Iteration

	// IsExhausted reports whether further iterations would change nothing: the method
	// has reached its end, or the limit of floating-point precision.
	IsExhausted() bool

	// Answer returns what the method has found so far.
	Answer() Answer
}

// Answer is what a method returns.
type Answer struct {
	Values vector.Vector
	Policy []int32 // preferred among actions that attain the minimum up to rounding; nil for none
	Gain   float64 // of the policy; NaN if the method does not evaluate policies

	// Below and Above are values that give better lower and upper bounds than Values;
	// zero if the method has none.
	Below, Above vector.Vector
}

// AnswerOf returns the answer of a method that does not evaluate policies.
func AnswerOf(values []float64) Answer {
	return Answer{Values: vector.Of(values), Gain: math.NaN()}
}
