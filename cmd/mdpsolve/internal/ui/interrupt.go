package ui

// Work that is abandoned if it does not end soon after its context.

import (
	"context"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// WithTimeLimit returns a context for all work of a command together; 0 is no limit.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// Patience is how long a command that is interrupted, or at its time limit, waits for an
// answer of running work.
const Patience = 400 * time.Millisecond

// Soon does work and returns its result. If ctx ends, and the work does not end within the
// patience, Soon returns the error of ctx and abandons the work, since the program is about
// to end; under [InService] it waits for the work. The work must not call [Arguments.Fail].
func Soon[T any](ctx context.Context, patience time.Duration, work func() (T, error)) (T, error) {
	if _, is := inService(ctx); is {
		result, err := work()
		if err == nil && patience == 0 {
			err = ctx.Err()
		}
		return result, err
	}
	type outcome struct {
		result T
		err    error
		panic  *panics.Recovered
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.panic = panics.Try(func() { o.result, o.err = work() })
		done <- o
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case o = <-done:
		case <-timer.C:
			o.err = ctx.Err()
		}
	}
	if o.panic != nil {
		panic(o.panic)
	}
	return o.result, o.err
}
