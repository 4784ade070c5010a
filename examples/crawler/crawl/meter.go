// This file measures what the model of the robots predicts.

package crawl

import (
	"sync"
	"time"
)

// Meter measures a crawler. Its method Observe is an [Observer].
type Meter struct {
	mu            sync.Mutex
	last          time.Time
	queue, active int
	sums          Sums
}

// Sums are integrals over time, in seconds, and counts.
type Sums struct {
	Time      float64 // measured
	Empty     float64 // of it, with an empty queue
	Active    float64 // ∫ active robots dt
	Queue     float64 // ∫ pages in the queue dt
	Delivered int     // pages that robots have brought, those that were lost included
	Lost      int
	Indexed   int
	Fetches   [Outcomes]int
}

// NewMeter returns a meter for a crawler with a switch, which begins to measure at a time.
func NewMeter(s Switch, begin time.Time) *Meter {
	m := &Meter{last: begin}
	m.queue, m.active = s.Counts()
	return m
}

// Observe takes an event in.
func (m *Meter) Observe(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(e.At)
	m.queue, m.active = e.Queue, e.Active
	switch e.Kind {
	case FetchEnded:
		m.sums.Fetches[e.Result.Outcome]++
	case Delivered:
		m.sums.Delivered++
	case Lost:
		m.sums.Delivered++
		m.sums.Lost++
	case Indexed:
		m.sums.Indexed++
	case FetchBegun, RobotOn, RobotOff, RobotDied:
	}
}

func (m *Meter) pass(to time.Time) {
	passed := to.Sub(m.last).Seconds()
	if passed <= 0 {
		return
	}
	m.last = to
	m.sums.Time += passed
	if m.queue == 0 {
		m.sums.Empty += passed
	}
	m.sums.Active += passed * float64(m.active)
	m.sums.Queue += passed * float64(m.queue)
}

// Sums returns the sums up to a time.
func (m *Meter) Sums(at time.Time) Sums {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(at)
	return m.sums
}

// Minus returns the sums of the time between two.
func (s Sums) Minus(before Sums) Sums {
	s.Time -= before.Time
	s.Empty -= before.Empty
	s.Active -= before.Active
	s.Queue -= before.Queue
	s.Delivered -= before.Delivered
	s.Lost -= before.Lost
	s.Indexed -= before.Indexed
	for o := range s.Fetches {
		s.Fetches[o] -= before.Fetches[o]
	}
	return s
}

// Starvation returns S, the share of time with an empty queue.
func (s Sums) Starvation() float64 { return s.Empty / s.Time }

// LossRate returns L, the pages lost per second.
func (s Sums) LossRate() float64 { return float64(s.Lost) / s.Time }

// RobotsMean returns the time average of the active robots.
func (s Sums) RobotsMean() float64 { return s.Active / s.Time }

// ArrivalRate returns the measured λ: pages delivered per second of an active robot. Fetches
// that deliver nothing thus lower it.
func (s Sums) ArrivalRate() float64 { return float64(s.Delivered) / s.Active }

// ServiceRate returns the measured μ: pages indexed per second in which there was one.
func (s Sums) ServiceRate() float64 { return float64(s.Indexed) / (s.Time - s.Empty) }
