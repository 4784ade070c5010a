// This file controls a pool of robots without a model, the way TCP controls its window.

package crawl

import (
	"sync"

	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// AIMD is a [Switch] that knows nothing of rates: additive increase, multiplicative decrease. It
// allows a number of robots, w. Each page that is queued adds 1/w, and thus each round of w pages
// one robot. A page that is lost halves w, at most once in w deliveries: pages lost together are
// one sign of congestion.
//
// Source: D.-M. Chiu and R. Jain, Analysis of the increase and decrease algorithms for congestion
// avoidance in computer networks, Computer Networks and ISDN Systems 17 (1989); the once in a
// round is TCP Reno's (RFC 5681).
type AIMD struct {
	robots, buffer int

	mu            sync.Mutex
	queue, active int
	window        float64 // w, 1 … robots
	left          int     // deliveries until another loss may halve w
}

// NewAIMD returns a pool of 1 to a number of robots for a queue of buffer pages, with one robot.
func NewAIMD(robots, buffer int) *AIMD {
	return &AIMD{robots: robots, buffer: buffer, active: 1, window: 1}
}

// Deliver implements [Switch].
func (a *AIMD) Deliver() (operate.Delivery, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active == 0 {
		return operate.Delivery{}, operate.ErrNoActiveRobot
	}
	a.left--
	d := operate.Delivery{Accepted: a.queue < a.buffer}
	if d.Accepted {
		a.queue++
		a.window = min(a.window+1/a.window, float64(a.robots))
	} else if a.left <= 0 {
		a.window = max(a.window/2, 1)
		a.left = int(a.window)
	}
	d.Reactivate = a.active <= int(a.window)
	if !d.Reactivate {
		a.active--
	}
	return d, nil
}

// Indexed implements [Switch].
func (a *AIMD) Indexed() (activate bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.queue == 0 {
		return false, operate.ErrEmptyQueue
	}
	a.queue--
	if a.active < int(a.window) {
		a.active++
		return true, nil
	}
	return false, nil
}

// Counts implements [Switch].
func (a *AIMD) Counts() (queue, active int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queue, a.active
}
