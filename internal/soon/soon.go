// Package soon bounds how long a caller waits for work after its context has ended.
package soon

import (
	"context"
	"time"

	"github.com/sourcegraph/conc/panics"
)

type patient struct{}

// Patiently returns ctx for callers that leave no goroutines running: [Do] waits for their work.
func Patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patient{}, true) }

// Do does work and returns its result. If ctx ends, and the work does not end within the
// patience, Do returns the error of ctx and abandons the work, which has to end by itself; under
// [Patiently] it waits for the work.
func Do[T any](ctx context.Context, patience time.Duration, work func() (T, error)) (T, error) {
	if ctx.Value(patient{}) != nil {
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

// Within returns ctx with a time limit; 0 is without limit.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
