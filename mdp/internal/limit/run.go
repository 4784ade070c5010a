// Package limit knows how far a solve may go, and how it may end.
package limit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The ends of a solve. Package mdp shows them under the same names, with what
// they mean.
var (
	ErrIterationLimit = errors.New("iteration limit reached before the tolerance")
	ErrTimeLimit      = errors.New("time limit reached before the tolerance")
	ErrPrecisionLimit = errors.New("limit of floating-point precision reached before the tolerance")
	ErrTooLarge       = errors.New("too large")
	ErrOverflow       = errors.New("values are beyond the range of float64")
	ErrUnsupported    = errors.New("not supported by this model")

	// ErrNotFinite is the error where a sweep gave NaN or an infinite number.
	ErrNotFinite = fmt.Errorf("mdp: %w", ErrOverflow)
)

// Run is one call of Solve: its limits, which all its parts share, and how far it
// is.
type Run struct {
	Workers       int
	MaxIterations int
	TimeLimit     time.Duration // 0 for none
	Begin         time.Time

	// Record, where not nil, sees each iteration. If it returns an error the run is
	// interrupted.
	Record func(iteration int, lower, upper float64) error

	Iterations int

	// End is why the first part that did not converge ended; nil where all have.
	End error
}

// interruption says that the context ended, or Record returned an error.
type interruption struct{ error }

// Unwrap returns the cause.
func (i interruption) Unwrap() error { return i.error }

// IsInterruption says whether an end is no limit.
func IsInterruption(end error) bool { return errors.As(end, &interruption{}) }

// Reached returns the limit that is reached, or the interruption; nil for none.
func (r *Run) Reached(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return interruption{context.Cause(ctx)}
	case r.Iterations >= r.MaxIterations:
		return ErrIterationLimit
	case r.IsOverdue():
		return ErrTimeLimit
	}
	return nil
}

// IsOverdue says that the time limit is reached.
func (r *Run) IsOverdue() bool { return r.TimeLimit > 0 && time.Since(r.Begin) >= r.TimeLimit }

// IsPressed says that what is left to do should be done in the shortest way: the context
// has ended, or the time limit is reached. It is false of nil.
func (r *Run) IsPressed(ctx context.Context) bool {
	return r != nil && (ctx.Err() != nil || r.IsOverdue())
}

// Count counts an iteration and reports it. An error interrupts the run.
func (r *Run) Count(lower, upper float64) error {
	r.Iterations++
	if r.Record == nil {
		return nil
	}
	if err := r.Record(r.Iterations, lower, upper); err != nil {
		return interruption{err}
	}
	return nil
}

// Note takes down how a part ended: nil where it converged. What ends the whole run
// counts more than a limit of precision.
func (r *Run) Note(end error) {
	if end != nil && (r.End == nil || !r.HasEnded()) {
		r.End = end
	}
}

// HasEnded says that a limit or an interruption came, so that what is left to do
// should be left.
func (r *Run) HasEnded() bool { return r.End != nil && !errors.Is(r.End, ErrPrecisionLimit) }

// Iteration is a method under way.
type Iteration interface {
	// Iterate does one iteration and returns bounds on the optimum as the method
	// sees them. err is of the context, or a failure.
	Iterate(ctx context.Context) (lower, upper float64, err error)

	// IsFinished says that the method believes to be done.
	IsFinished() bool
}

// Drive does iterations until the method believes to be done, when end is nil, or
// up to a limit or an interruption. Any other error is a failure.
func (r *Run) Drive(ctx context.Context, it Iteration) (end, failure error) {
	within, cancel := ctx, func() {}
	if r.TimeLimit > 0 { // within an iteration, too
		within, cancel = context.WithDeadline(ctx, r.Begin.Add(r.TimeLimit))
	}
	defer cancel()
	for {
		if end := r.Reached(ctx); end != nil {
			return end, nil
		}
		lower, upper, err := it.Iterate(within)
		switch {
		case err == nil:
		case within.Err() != nil && ctx.Err() == nil:
			return ErrTimeLimit, nil
		case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
			return interruption{err}, nil
		default:
			return nil, err
		}
		if end := r.Count(lower, upper); end != nil {
			return end, nil
		}
		if it.IsFinished() {
			return nil, nil
		}
	}
}
