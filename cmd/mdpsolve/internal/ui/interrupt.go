package ui

// Work that is abandoned if it does not end soon after its context.

import (
	"context"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/soon"
)

// WithTimeLimit returns a context for all work of a command together; 0 is no limit.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return soon.Within(ctx, limit)
}

// Patience is how long a command that is interrupted, or at its time limit, waits for an
// answer of running work.
const Patience = 400 * time.Millisecond

// Soon does work and returns its result. If ctx ends, and the work does not end within the
// patience, Soon returns the error of ctx and abandons the work, since the program is about
// to end; under [InService] it waits for the work. The work must not call [Arguments.Fail].
func Soon[T any](ctx context.Context, patience time.Duration, work func() (T, error)) (T, error) {
	return soon.Do(ctx, patience, work)
}
