package robots

import (
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// Policy has the decisions for the next event in every state. The zero value is not valid:
// [Solve] returns policies, and [NewPolicy] makes one from any rule.
type Policy struct {
	layout     layout
	parameters Parameters
	service    *phases.Service
	activate   []int8     // class or NoClass, by row and mix
	reactivate []ClassSet // by row and mix
	chance     *Chance    // nil: no randomised decision
}

// newPolicy returns a policy that activates and reactivates nobody.
func newPolicy(m *Model) *Policy {
	n := m.layout.rows() * m.layout.mixes.count
	p := &Policy{
		layout: m.layout, parameters: m.parameters, service: m.service,
		activate: make([]int8, n), reactivate: make([]ClassSet, n),
	}
	for at := range p.activate {
		p.activate[at] = NoClass
	}
	return p
}

// NewPolicy returns the policy of a rule. The rule is called for every state, and must not
// keep the state's list. Decisions without an effect are ignored. NewPolicy returns an error
// for parameters that are not valid or too large, for a rule that activates a class without
// an idle robot while others have one, and for a rule that activates none of several classes
// when the last page leaves and no robot is active.
func NewPolicy(p Parameters, rule func(State) Decisions) (*Policy, error) {
	m, err := NewModel(p)
	if err != nil {
		return nil, err
	}
	policy, active := newPolicy(m), make([]int, len(m.classes))
	for index := range m.NumStates() {
		row, code := m.layout.split(index)
		state := m.layout.state(active, row, code)
		d := rule(state)
		if expected := policy.put(m, row, code, d); expected != "" {
			return nil, fmt.Errorf("robots: at %+v a departure activates class %d: it must be %s", state, d.Activate, expected)
		}
	}
	return policy, nil
}

// put sets the decisions with an effect in a state, or returns the allowed classes for a
// departure.
func (p *Policy) put(m *Model, row, code int, d Decisions) (expected string) {
	queue, phase := m.layout.place(row)
	if m.departureOptions(queue, phase, code) == 1 {
		d.Activate = NoClass
	} else if expected = m.expectedActivation(queue, code, d.Activate); expected != "" {
		return expected
	}
	p.set(row, code, m.decide(queue, phase, code, m.action(queue, phase, code, d)))
	return ""
}

// expectedActivation describes the classes that a departure may activate; "" if the class
// given is one.
func (m *Model) expectedActivation(queue, code, class int) string {
	switch {
	case class == NoClass && queue == 1 && code == 0:
		return "a class, as the last page leaves and no robot is active"
	case class != NoClass && (class < 0 || class >= len(m.classes)):
		return fmt.Sprintf("one of %d classes or none", len(m.classes))
	case class != NoClass && !m.layout.mixes.idle(code, class):
		return "a class with an idle robot, or none"
	}
	return ""
}

// Event is an event of the process at which a decision is taken.
type Event uint8

// The events, numbered as s in the paper.
const (
	Departure Event = 0 // a page leaves the server
	Arrival   Event = 1 // an active robot delivers a page
)

// String returns the name of the event in lower case.
func (e Event) String() string {
	switch e {
	case Departure:
		return "departure"
	case Arrival:
		return "arrival"
	}
	return fmt.Sprintf("Event(%d)", uint8(e))
}

// NewStaticPolicy returns the policy that keeps a fixed number of robots of each
// class active: departures activate idle ones up to that number, and from then on
// every robot that delivers is sent out again. It returns an error as [NewPolicy]
// and [Parameters.EvaluateStatic] do.
func NewStaticPolicy(p Parameters, robots ...int) (*Policy, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.checkMix(robots); err != nil {
		return nil, err
	}
	return NewPolicy(p, func(state State) Decisions {
		d := Decisions{Activate: NoClass}
		for c, r := range state.Active {
			if r < robots[c] && d.Activate == NoClass {
				d.Activate = c
			}
			if r <= robots[c] {
				d.Reactivate |= 1 << c
			}
		}
		return d
	})
}

// policyOf returns the policy of actions of a model.
func policyOf(m *Model, actions []int32) *Policy {
	p := newPolicy(m)
	rows, mixes := m.layout.rows(), m.layout.mixes.count
	parallel.For(runtime.GOMAXPROCS(0), rows, func(row int) {
		queue, phase := m.layout.place(row)
		for code := range mixes {
			if index := m.layout.index(row, code); index >= 0 {
				p.set(row, code, m.decide(queue, phase, code, int(actions[index])))
			}
		}
	})
	return p
}

// clone returns a copy whose decisions can be set.
func (p *Policy) clone() *Policy {
	q := *p
	q.activate, q.reactivate = slices.Clone(p.activate), slices.Clone(p.reactivate)
	return &q
}

func (p *Policy) set(row, code int, d Decisions) {
	at := row*p.layout.mixes.count + code
	p.activate[at], p.reactivate[at] = int8(d.Activate), d.Reactivate
}

func (p *Policy) decisions(row, code int) Decisions {
	at := row*p.layout.mixes.count + code
	return Decisions{int(p.activate[at]), p.reactivate[at]}
}

// Actions returns the policy as actions of a model of the same process, without a randomised
// decision.
func (p *Policy) Actions(m *Model) []int32 {
	actions := make([]int32, m.NumStates())
	for index := range actions {
		row, code := m.layout.split(index)
		queue, phase := m.layout.place(row)
		actions[index] = int32(m.action(queue, phase, code, p.decisions(row, code)))
	}
	return actions
}

// Parameters returns the parameters of the process that the policy is for.
func (p *Policy) Parameters() Parameters { return p.parameters.clone() }

// Phases returns P, the number of phases of the service.
func (p *Policy) Phases() int { return p.layout.phases }

// Decisions returns what is done at the event that follows state s, the state
// after the last decision. Only decisions with an effect are in it, see
// [Model.Decisions]. It panics if s is not a state of the process.
func (p *Policy) Decisions(s State) Decisions {
	row, code, ok := p.layout.find(s)
	if !ok {
		panic(fmt.Sprintf("robots: %+v is not a state", s))
	}
	return p.decisions(row, code)
}

// Queues returns the states with queue lengths from … to−1 in the order of [Model], with
// what is done at the event that follows. The states share one list of active robots.
func (p *Policy) Queues(from, to int) iter.Seq2[State, Decisions] {
	return func(yield func(State, Decisions) bool) {
		active, mixes := make([]int, len(p.layout.mixes.robots)), p.layout.mixes.count
		for at := max(1, p.layout.row(from, 0)*mixes); at < p.layout.row(to, 0)*mixes; at++ {
			row, code := p.layout.split(at - 1)
			if !yield(p.layout.state(active, row, code), p.decisions(row, code)) {
				return
			}
		}
	}
}

// activates reports whether a policy for one class activates a robot at a departure, or
// sends the one that delivers out again at an arrival, in a row of states and with a number
// of active robots.
func (p *Policy) activates(e Event, row, active int) bool {
	at := row*p.layout.mixes.count + active
	if e == Departure {
		return p.activate[at] != NoClass
	}
	return p.reactivate[at] != 0
}
