package mdp

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// The errors of the package.

// Faults of a declared model, found by Compile and wrapped in a [ModelError]
// that names the place.
var (
	// ErrNoStart is reported where a problem names no state to start from.
	ErrNoStart = errors.New("no start state")
	// ErrNoActions is reported where a state offers no action.
	ErrNoActions = errors.New("no actions")
	// ErrNotDistribution is reported where a transition row is not a
	// probability distribution.
	ErrNotDistribution = errors.New("not a probability distribution")
	// ErrCost is reported where a cost is NaN or infinite.
	ErrCost = errors.New("cost is not a finite number")
	// ErrRate is reported where the rate of an event is negative, NaN or
	// infinite, or where a uniformization rate is too small.
	ErrRate = errors.New("rate not allowed")
	// ErrTooLarge is reported where a model, or what a method needs for it,
	// is larger than can be held.
	ErrTooLarge = limit.ErrTooLarge
)

// Ends of a solve other than success. [Solve] returns them beside a result
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

// ErrOverflow says that values, or what is added up for them, are beyond the range
// of float64; there is no result beside it. Costs in a larger unit help.
var ErrOverflow = limit.ErrOverflow

// ErrUnsupported says that a method needs a power that the model does not
// have; it is returned before any work is done.
var ErrUnsupported = limit.ErrUnsupported

// ModelError names the place of a fault in a declared model.
type ModelError struct {
	State  string // the state, printed with %v
	Action string // the action, printed with %v; empty where the fault is not of one action
	Err    error  // what is wrong; wraps one of the sentinels of this package
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
