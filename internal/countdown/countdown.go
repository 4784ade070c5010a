// Package countdown holds a context for tests of what is interrupted anywhere: it
// ends after it has been looked at a number of times, which, unlike a time, is a
// place in the code.
package countdown

import (
	"context"
	"math"
	"sync/atomic"
)

// A Context is cancelled, as Err has it, once that has been asked a number of
// times. Done does not know. Several goroutines may use it at once.
type Context struct {
	context.Context //nolint:containedctx // it is one
	most            int64
	looks           atomic.Int64
}

// New returns a context that ends after so many looks.
func New(looks int) *Context {
	return &Context{Context: context.Background(), most: int64(looks)}
}

// Endless returns one that never ends, and counts.
func Endless() *Context { return New(math.MaxInt) }

// Err implements context.Context.
func (c *Context) Err() error {
	if c.looks.Add(1) > c.most {
		return context.Canceled
	}
	return nil
}

// Looks returns how often Err has been asked.
func (c *Context) Looks() int { return int(c.looks.Load()) }
