package robots

import "fmt"

// Event is what happens at an epoch of the uniformized process, just before
// the decision.
type Event uint8

// The events, numbered as s in the paper.
const (
	Departure  Event = 0 // a page leaves the server
	Arrival    Event = 1 // an active robot delivers a page
	Fictitious Event = 2 // nothing happens: the price of a constant event rate
)

// String returns the name of the event in lower case.
func (e Event) String() string {
	switch e {
	case Departure:
		return "departure"
	case Arrival:
		return "arrival"
	case Fictitious:
		return "fictitious"
	}
	return fmt.Sprintf("Event(%d)", uint8(e))
}

// State is a state (q,r,s) of the decision process, just before the event: the
// queue length, the number of active robots and the event. (0,r,0), (q,0,1)
// and (0,0,2) are not states: a departure needs a page, an arrival an active
// robot, and a robot is always activated when the last page leaves.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, the set X.
type State struct {
	Queue  int // q = 0 … K
	Active int // r = 0 … N
	Event  Event
}

// Pair is a post-decision pair (q',r'): the queue length and the number of
// active robots after an event and its decision. All that follows depends on
// the pair alone. (0,0) is not reached.
type Pair struct {
	Queue  int // q' = 0 … K
	Active int // r' = 0 … N
}

// valid reports whether s is a state with p's robots and buffer.
func (p Parameters) valid(s State) bool {
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

// after returns the pair to which action (1 activates a robot, or reactivates
// the one that has just delivered) leads from s. This is the first part of the
// transitions (19)-(21) in the paper, with its slips corrected: the pair is
// (min{q+1,K}, r+a−1) after an arrival.
func (p Parameters) after(s State, action int) Pair {
	switch s.Event {
	case Departure:
		return Pair{s.Queue - 1, min(s.Active+action, p.Robots)}
	case Arrival:
		return Pair{min(s.Queue+1, p.Buffer), s.Active + action - 1}
	}
	return Pair{s.Queue, s.Active}
}
