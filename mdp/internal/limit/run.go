// Package limit has the limits of a solve and the ways in which it can end.
package limit

import (
	"context"
	"errors"
	"fmt"
)

// The ends of a solve. Package mdp exports them under the same names.
var (
	ErrIterationLimit = errors.New("iteration limit reached before the tolerance")
	ErrTimeLimit      = errors.New("time limit reached before the tolerance")
	ErrPrecisionLimit = errors.New("limit of floating-point precision reached before the tolerance")
	ErrTooLarge       = errors.New("too large")
	ErrOverflow       = errors.New("values are beyond the range of float64")
	ErrUnsupported    = errors.New("not supported by this model")

	// ErrNotFinite says that a sweep gave NaN or an infinite number.
	ErrNotFinite = fmt.Errorf("mdp: %w", ErrOverflow)
)

// Run is one call of Solve: its limits, which all its parts share, and its progress.
// The time limit is a deadline of its context, with the cause [ErrTimeLimit].
type Run struct {
	Workers       int
	MaxIterations int

	// Record, if not nil, is called after each iteration. If it returns an error the run is
	// interrupted.
	Record func(iteration int, lower, upper float64) error

	Iterations int

	// End is the reason why the first part without convergence ended; nil if there is none.
	End error
}

// interruption says that the context ended, or Record returned an error.
type interruption struct{ error }

// Unwrap returns the cause.
func (i interruption) Unwrap() error { return i.error }

// IsInterruption reports whether an end is an interruption, not a limit.
func IsInterruption(end error) bool { return errors.As(end, &interruption{}) }

// reached returns the limit that was reached, or the interruption; nil for none.
func (r *Run) reached(ctx context.Context) error {
	switch hasEnded := ctx.Err() != nil; { // once: the context may end between two looks at it
	case hasEnded && errors.Is(context.Cause(ctx), ErrTimeLimit):
		return ErrTimeLimit
	case hasEnded:
		return interruption{context.Cause(ctx)}
	case r.Iterations >= r.MaxIterations:
		return ErrIterationLimit
	}
	return nil
}

// count counts an iteration and reports it. An error interrupts the run.
func (r *Run) count(lower, upper float64) error {
	r.Iterations++
	if r.Record == nil {
		return nil
	}
	if err := r.Record(r.Iterations, lower, upper); err != nil {
		return interruption{err}
	}
	return nil
}

// Note records how a part ended: nil if it converged. An end of the whole run replaces a
// precision limit.
func (r *Run) Note(end error) {
	if end != nil && (r.End == nil || !r.HasEnded()) {
		r.End = end
	}
}

// HasEnded reports whether a limit or an interruption ended the run, so that remaining
// work should be skipped.
func (r *Run) HasEnded() bool { return r.End != nil && !errors.Is(r.End, ErrPrecisionLimit) }

// Iteration is a method in progress.
type Iteration interface {
	// Iterate does one iteration and returns the method's bounds on the optimum. err
	// is the context's, or a failure.
	Iterate(ctx context.Context) (lower, upper float64, err error)

	// IsFinished reports whether the method regards its answer as good enough, or can
	// improve it no further.
	IsFinished() bool
}

// Drive iterates until the method is finished, when end is nil, or until a limit or an
// interruption, which is end. Any other error is a failure.
func (r *Run) Drive(ctx context.Context, it Iteration) (end, failure error) {
	for {
		if end := r.reached(ctx); end != nil {
			return end, nil
		}
		lower, upper, err := it.Iterate(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return r.reached(ctx), nil
		case err != nil:
			return nil, err
		}
		if end := r.count(lower, upper); end != nil {
			return end, nil
		}
		if it.IsFinished() {
			return nil, nil
		}
	}
}
