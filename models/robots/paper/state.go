// This file says what the states (q,r,s) are, and where decisions lead.

package paper

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The events of the process, numbered as s in the paper.
const (
	Departure  = robots.Departure
	Arrival    = robots.Arrival
	Fictitious = robots.Fictitious
)

// State is a state (q,r,s) of the decision process, just before the event: the
// queue length, the number of active robots and the event. (0,r,0), (q,0,1)
// and (0,0,2) are not states: a departure needs a page, an arrival an active
// robot, and a robot is always activated when the last page leaves.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, the set X.
type State struct {
	Queue  int // q = 0 … K
	Active int // r = 0 … N
	Event  robots.Event
}

// valid reports whether s is a state.
func (s State) valid(p robots.Parameters) bool {
	if s.Queue < 0 || s.Queue > p.Buffer || s.Active < 0 || s.Active > p.Robots {
		return false
	}
	switch s.Event {
	case Departure:
		return s.Queue > 0
	case Arrival:
		return s.Active > 0
	case Fictitious:
		return s.Queue > 0 || s.Active > 0
	}
	return false
}

// forced reports whether s leaves no choice: nothing is decided at fictitious
// events, and a robot must be activated when the last page leaves and none is
// active.
func (s State) forced() bool {
	return s.Event == Fictitious || s == State{1, 0, Departure}
}

// after returns the queue length and the number of active robots to which an
// action (1 activates a robot, or reactivates the one that has just delivered)
// leads from s. This is the first part of the transitions (19)-(21) in the paper,
// with its slips corrected: (min{q+1,K}, r+a−1) after an arrival.
func (s State) after(p robots.Parameters, action int) (queue, active int) {
	switch s.Event {
	case Departure:
		return s.Queue - 1, min(s.Active+action, p.Robots)
	case Arrival:
		return min(s.Queue+1, p.Buffer), s.Active + action - 1
	}
	return s.Queue, s.Active
}

// checkPlain returns an error for parameters that are not those of the paper's
// process.
func checkPlain(p robots.Parameters) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if !p.IsPlain() || p.Classes != nil {
		return errors.New("paper: classes, laws of service and costs beyond those of the paper have no form here: use package robots")
	}
	return nil
}
