package verify

import (
	"context"
	"errors"
)

// budget bounds the work of a check.
type budget struct {
	ctx   context.Context //nolint:containedctx // it bounds one call, as the work does
	left  int64
	since int
	err   error
}

// newBudget returns a budget that looks at the context at once.
func newBudget(ctx context.Context, work int64) *budget {
	return &budget{ctx: ctx, left: work, since: lookEvery}
}

// errWork is the reason why values are unknown where the work limit was met.
var errWork = errors.New("the work limit was met")

// lookEvery is how much work is done between two looks at the context.
const lookEvery = 1 << 18

// spend takes work, in entries of rows looked at, from the budget. Once it is
// used up or the context has ended it returns why.
func (b *budget) spend(work int) error {
	if b.err != nil {
		return b.err
	}
	b.left -= int64(work)
	b.since += work
	if b.left < 0 {
		b.err = errWork
	}
	if b.since >= lookEvery {
		b.since = 0
		if b.ctx.Err() != nil {
			b.err = context.Cause(b.ctx)
		}
	}
	return b.err
}
