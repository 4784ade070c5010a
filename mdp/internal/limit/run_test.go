package limit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ending is a context that reaches the time limit at the second look at it.
type ending struct {
	context.Context //nolint:containedctx // it stands for it
	looks           int
	end             context.CancelCauseFunc
}

func (e *ending) Err() error {
	if e.looks++; e.looks == 2 {
		e.end(ErrTimeLimit)
	}
	return e.Context.Err()
}

// A time limit that is reached while a run looks whether it has ended is no interruption.
func TestTimeLimitBetweenTwoLooks(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	late := &ending{Context: ctx, end: end}
	r := Run{MaxIterations: 10}
	assert.NoError(t, r.reached(late))
	assert.ErrorIs(t, r.reached(late), ErrTimeLimit)
	assert.False(t, IsInterruption(r.reached(late)))
}
