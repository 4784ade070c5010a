// Package countdown has a context for tests of interruptions: it ends after a number of
// calls of Err, which, unlike a time, fixes the place in the code.
package countdown

import (
	"context"
	"math"
	"sync/atomic"
)

// A Context is cancelled after a number of calls of Err. Its Done is that of a context
// that never ends. It is safe for concurrent use.
type Context struct {
	context.Context //nolint:containedctx // it is one
	most            int64
	looks           atomic.Int64
}

// New returns a context that ends after the given number of calls of Err.
func New(looks int) *Context {
	return &Context{Context: context.Background(), most: int64(looks)}
}

// Endless returns a context that never ends, and counts the calls of Err.
func Endless() *Context { return New(math.MaxInt) }

// Err implements context.Context.
func (c *Context) Err() error {
	if c.looks.Add(1) > c.most {
		return context.Canceled
	}
	return nil
}

// Looks returns the number of calls of Err.
func (c *Context) Looks() int { return int(c.looks.Load()) }
