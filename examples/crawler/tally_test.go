package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestTally integrates a queue that is empty for 2 s of 5, with 3 robots and then 1.
func TestTally(t *testing.T) {
	begin := time.Unix(0, 0)
	after := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	c := newTally(begin)
	c.set(begin, 0, 3)
	c.delivered(after(2), 1, 3, true)
	c.delivered(after(3), 1, 1, false)
	s := c.now(after(5))
	assert.Equal(t, sums{time: 5, empty: 2, active: 3*3 + 2*1, lost: 1, queue: 1, robotsNow: 1}, s)
	c.indexed(after(6), 0, 1)
	assert.Equal(t, 1, c.now(after(6)).indexed)
	assert.Equal(t, 6., c.now(after(1)).time, "time does not run backwards")
}

// TestRetryAfter has both forms of the header.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "90": 90 * time.Second,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute,
		"Fri, 02 Jan 2026 03:03:05 GMT": 0,
	} {
		a := answer{code: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {header}}}
		assert.Equal(t, want, a.retryAfter(now), header)
	}
	assert.Positive(t, answer{code: http.StatusTooManyRequests, header: http.Header{"Retry-After": {"99999999999999999999999"}}}.retryAfter(now))
	assert.Zero(t, answer{code: http.StatusOK, header: http.Header{"Retry-After": {"90"}}}.retryAfter(now))
}
