package mdp

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// The errors of the package.

// Faults of a declared model. Those of a state or an action come wrapped in a
// [ModelError], which names the place.
var (
	// ErrNoStart says that a problem names no start state, or a table has no state.
	ErrNoStart = errors.New("no start state")
	// ErrNoActions says that a state offers no action.
	ErrNoActions = errors.New("no actions")
	// ErrNotDistribution says that a transition row is not a probability
	// distribution.
	ErrNotDistribution = errors.New("not a probability distribution")
	// ErrCost says that a cost is NaN or infinite.
	ErrCost = errors.New("cost is not a finite number")
	// ErrRate says that the rate of an event is negative, NaN or infinite, or that a
	// uniformization rate is too small.
	ErrRate = errors.New("rate not allowed")
	// ErrOrder says that a method of [TableBuilder] was called before the state or
	// the action that it adds to.
	ErrOrder = errors.New("call out of order")
	// ErrTooLarge says that a model, or what a method needs for it, is too large: for
	// int32 indices or for memory.
	ErrTooLarge = limit.ErrTooLarge
)

// Reasons for which a solve stops early. [Solve] returns them together with a result
// that holds the best answer so far with its bounds.
var (
	// ErrIterationLimit says that Settings.MaxIterations was reached.
	ErrIterationLimit = limit.ErrIterationLimit
	// ErrTimeLimit says that Settings.TimeLimit was reached.
	ErrTimeLimit = limit.ErrTimeLimit
	// ErrPrecisionLimit says that floating-point arithmetic cannot bring the
	// bounds closer together.
	ErrPrecisionLimit = limit.ErrPrecisionLimit
)

// ErrOverflow says that values, or sums on the way to them, exceed the range of
// float64. [Solve] then returns no result. State costs in a larger unit.
var ErrOverflow = limit.ErrOverflow

// ErrUnsupported says that a method or a criterion does not apply to the model: often
// because the model lacks an interface that they need. The message says why. [Solve]
// then returns no result.
var ErrUnsupported = limit.ErrUnsupported

// ErrMissing says that the model or the criterion given to [Solve], or the model given
// to [Evaluate], is nil.
var ErrMissing = errors.New("nil argument")

// ModelError names the place of a fault in a declared model.
type ModelError struct {
	State  string // the state, printed with %v
	Action string // the action, printed with %v; empty if the fault is not in one action
	Err    error  // what is wrong; wraps an error variable of this package
}

// Error returns "mdp: state S, action A: what is wrong".
func (e *ModelError) Error() string {
	if e.Action == "" {
		return fmt.Sprintf("mdp: state %s: %v", e.State, e.Err)
	}
	return fmt.Sprintf("mdp: state %s, action %s: %v", e.State, e.Action, e.Err)
}

// Unwrap returns Err.
func (e *ModelError) Unwrap() error { return e.Err }
