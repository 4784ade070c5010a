// This file reads switching curves off a policy.

package robots

import "slices"

// never is the switching curve where no queue length asks for action 1.
const never = -1

// Curves are the switching curves of a policy: for each number r = 0 … N of
// active robots just before the event, the greatest queue length at which the
// policy activates a robot, and −1 where it never does (at arrivals for r = 0,
// which do not occur, and at departures for r = N, where no robot is idle).
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, f_s(r) of Figures 6-8.
type Curves struct {
	Departure []int // f_0(r), over q = 1 … K
	Arrival   []int // f_1(r), over q = 0 … K

	// Threshold reports whether the curves are all there is to the policy: a robot
	// is activated exactly where q ≤ f_s(r).
	Threshold bool

	// Monotone reports whether Threshold is true and the curves do not increase in r:
	// the more robots are active, the shorter the queue at which one more is
	// wanted. The paper conjectures it for every optimal policy.
	Monotone bool
}

// Curves returns the switching curves of a policy for one class of robots, one
// for each phase of the service, and nil for several classes. With an empty
// queue, where no service is going on, all phases have the same decision; a phase
// that ends no service has none at departures.
func (p *Policy) Curves() []Curves {
	if len(p.layout.mixes.robots) > 1 {
		return nil
	}
	curves := make([]Curves, p.layout.phases)
	for phase := range curves {
		curves[phase] = p.phaseCurves(phase)
	}
	return curves
}

func (p *Policy) phaseCurves(phase int) Curves {
	n := p.layout.mixes.robots[0]
	c := Curves{Departure: slices.Repeat([]int{never}, n+1), Arrival: slices.Repeat([]int{never}, n+1), Threshold: true, Monotone: true}
	for q := p.layout.buffer; q >= 0; q-- { // row by row, as policies lie in memory
		row := p.layout.row(q, phase)
		if q > 0 && p.service.Exits[phase] > 0 {
			c.scan(p, Departure, q, row, c.Departure[:n])
		}
		c.scan(p, Arrival, q, row, c.Arrival)
	}
	for r := 1; r <= n; r++ {
		if c.Departure[r] > c.Departure[r-1] || r > 1 && c.Arrival[r] > c.Arrival[r-1] {
			c.Monotone = false
		}
	}
	c.Monotone = c.Monotone && c.Threshold
	return c
}

// scan visits a queue length q, from the greatest on. For each number of robots it sets the
// curve to the first q at which the policy activates a robot, and notes exceptions below.
func (c *Curves) scan(p *Policy, e Event, q, row int, curve []int) {
	first := 0
	if e == Arrival {
		first = 1 // nobody delivers where no robot is active
	}
	for r := first; r < len(curve); r++ {
		switch active := p.activates(e, row, r); {
		case active && curve[r] == never:
			curve[r] = q
		case !active && curve[r] != never:
			c.Threshold = false
		}
	}
}
