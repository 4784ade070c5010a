// This file chooses pages in turn.

package crawl

import (
	"sync/atomic"
	"time"
)

// RoundRobin is a [Chooser] that goes through a list of pages again and again, without a wait.
type RoundRobin struct {
	urls []string
	next atomic.Uint64
}

// NewRoundRobin returns a chooser for pages, of which there must be one at least.
func NewRoundRobin(urls []string) *RoundRobin { return &RoundRobin{urls: urls} }

// Next implements [Chooser].
func (r *RoundRobin) Next(time.Time) (url string, wait time.Duration) {
	return r.urls[(r.next.Add(1)-1)%uint64(len(r.urls))], 0
}

// Fetched implements [Chooser].
func (*RoundRobin) Fetched(string, Result) {}
