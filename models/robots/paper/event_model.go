package paper

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"
)

// EventModel is the decision process on all its states (q,r,s), without any
// table. With ν = λN+μ one step of its Bellman operator is
//
//	(T h)(q,r,s) = γ·1(q=0) + ν·1(q=K, s=1) + min over a of W(q',r')
//	W(q,r) = (μ/ν)·1(q>0)·h(q,r,0) + (λr/ν)·h(q,r,1) + (1 − (μ·1(q>0) + λr)/ν)·h(q,r,2)
//
// where (q',r') is the pair after the decision:
//
//	s = 0: (q−1, min(r+a,N)); a = 1 is forced at (1,0,0)
//	s = 1: (min(q+1,K), r+a−1)
//	s = 2: (q, r); a = 0 is forced
//
// Indexes order the states by queue length, then event, then active robots.
// W is summed in the order written, so that a table whose rows list their
// successors by event gives the same values to the bit.
//
// EventModel implements [mdp.Model], [mdp.Sweeper], [mdp.Explicit],
// [mdp.Blocked], [mdp.Timed] and [mdp.Approximate]; its methods are safe for concurrent use.
// Values are finite, and slices as [mdp.Model] wants them. The work for part of
// the states of a queue length is nearly that for all of them.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, equations (18)-(21) and
// (24), with these slips corrected: arrivals after a departure have rate
// λ·min(r+a,N), the last line of (19) has the wrong sign, and q+1 is cut off at
// K in all of (20).
type EventModel struct {
	parameters robots.Parameters
	law        *sweep.Law
	blocks     []int
	window     sync.Pool // of *window, for the length of a call
}

// eventBlockStates is the size of a block. Each block computes two rows of W
// that its neighbours compute too, which it must outweigh.
const eventBlockStates = 1 << 16

// NewEventModel returns the model of valid parameters of the plain process. Else,
// and where there would be about 2³¹ states or more, it returns an error.
func NewEventModel(p robots.Parameters) (*EventModel, error) {
	if err := checkPlain(p); err != nil {
		return nil, err
	}
	if states := 3 * (float64(p.Robots) + 1) * (float64(p.Buffer) + 1); states > math.MaxInt32 {
		return nil, fmt.Errorf("paper: %w: about %.4g states, of which at most %d are possible: use fewer Robots or a smaller Buffer",
			mdp.ErrTooLarge, states, math.MaxInt32)
	}
	m := &EventModel{parameters: p, law: sweep.NewLaw(p.Robots, p.Buffer, p.ArrivalRate, p.ServiceRate, p.StarvationWeight)}
	m.blocks = sweep.Blocks(p.Buffer+1, eventBlockStates, m.start)
	m.window.New = func() any { return newWindow(p.Robots) }
	return m, nil
}

// start returns the index of the first state of queue length q: there are 2N
// states with an empty queue, and 3N+2 with every other length.
func (m *EventModel) start(q int) int {
	n := m.parameters.Robots
	return max(0, q*(3*n+2)-(n+2))
}

// queue is the inverse of start: the queue length of a state.
func (m *EventModel) queue(index int) int {
	n := m.parameters.Robots
	return (index + n + 2) / (3*n + 2)
}

// origin returns the index of (q,0,e), or what it would be were it a state. An
// empty queue has no departures.
func (m *EventModel) origin(q int, e robots.Event) int {
	n, start := m.parameters.Robots, m.start(q)
	switch {
	case q == 0 && e == Arrival:
		return start - 1
	case q == 0:
		return start + n - 1
	case e == Departure:
		return start
	case e == Arrival:
		return start + n
	}
	return start + 2*n + 1
}

// first returns the index of the first state of queue length q and event e:
// (q,0,e), or (q,1,e) where the former is none.
func (m *EventModel) first(q int, e robots.Event) int {
	if q == 0 || e == Arrival {
		return m.origin(q, e) + 1
	}
	return m.origin(q, e)
}

// Index returns the index of s. It panics if s is not a state of the model.
func (m *EventModel) Index(s State) int {
	if !s.valid(m.parameters) {
		panic(fmt.Sprintf("paper: %+v is not a state of the model", s))
	}
	return m.origin(s.Queue, s.Event) + s.Active
}

// State returns the state with the given index. It panics if there is none.
func (m *EventModel) State(index int) State {
	if index < 0 || index >= m.NumStates() {
		panic(fmt.Sprintf("paper: index %d of a model with %d states", index, m.NumStates()))
	}
	q, e := m.queue(index), Fictitious
	for index < m.first(q, e) {
		e--
	}
	return State{q, index - m.origin(q, e), e}
}

// Action returns the action (1 activates or reactivates a robot) that is number
// choice among those of a state. They are equal but for (1,0,0), whose only
// action is 1. Action panics if there is no such state or choice.
func (m *EventModel) Action(index, choice int) int {
	s := m.State(index)
	if choice < 0 || choice >= m.NumActions(index) {
		panic(fmt.Sprintf("paper: action %d of %+v, which has %d", choice, s, m.NumActions(index)))
	}
	if s.forced() && s.Event == Departure {
		return 1
	}
	return choice
}

// NumStates returns K(N+1) + (K+1)N + (K+1)(N+1) − 1, the numbers of states with
// a departure, an arrival and a fictitious event.
func (m *EventModel) NumStates() int { return m.start(m.parameters.Buffer + 1) }

// Rate returns the uniformization rate ν = λN + μ.
func (m *EventModel) Rate() float64 { return m.law.Rate }

// RelativeError returns the relative error of rates and costs: bounds on the
// gain hold for any parameters that round to those of the model.
func (m *EventModel) RelativeError() float64 { return sweep.RelativeError }

// Blocks returns cuts between queue lengths.
func (m *EventModel) Blocks() []int { return slices.Clone(m.blocks) }

// NumActions returns 1 at fictitious events and (1,0,0), and 2 elsewhere.
func (m *EventModel) NumActions(s int) int {
	if m.State(s).forced() {
		return 1
	}
	return 2
}

// AppendRow appends the transition row of action a in state s, in the order of
// the events, and returns it with its cost.
func (m *EventModel) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	state := m.State(s)
	queue, active := state.after(m.parameters, m.Action(s, a))
	next := m.law.At(queue)
	for e, probability := range [...]float64{next.Departure, next.Arrival[active], next.Fictitious[active]} {
		if probability > 0 {
			index := m.Index(State{queue, active, robots.Event(e)})
			dst = append(dst, mdp.Entry{State: int32(index), Probability: probability})
		}
	}
	return dst, m.cost(state.Queue, state.Event)
}

// cost returns c(q,r,s).
func (m *EventModel) cost(q int, e robots.Event) float64 {
	switch {
	case q == 0:
		return m.parameters.StarvationWeight
	case q == m.parameters.Buffer && e == Arrival:
		return m.law.Rate
	}
	return 0
}

// policy returns the policy of actions of the model.
func (m *EventModel) policy(actions []int32) (*robots.Policy, error) {
	return robots.NewPolicy(m.parameters, robots.OneClass(func(e robots.Event, queue, active int) bool {
		index := m.Index(State{queue, active, e})
		return m.Action(index, int(actions[index])) == 1
	}))
}

// Backup implements [mdp.Model].
func (m *EventModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	m.segments(v, lo, hi, func(s segment) {
		for i := range s.idle {
			value, action := s.cost+s.idle[i], int32(0)
			if other := s.cost + s.active[i]; other < value {
				value, action = other, 1
			}
			dst[s.lo+i] = value
			if act != nil {
				act[s.lo+i] = action
			}
		}
	})
}

// Sweep implements [mdp.Sweeper].
func (m *EventModel) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	p := sweep.NewPass(damping, shift)
	m.segments(v, lo, hi, func(s segment) {
		p.Minima(dst[s.lo:s.hi], v[s.lo:s.hi], s.idle, s.active, s.cost)
	})
	return p.Least, p.Greatest
}
