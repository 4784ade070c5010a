package robots

import "fmt"

// Policy says for every state whether to activate a robot. The zero value is
// of no use; [Solve] makes policies, and [NewPolicy] does of any rule.
type Policy struct {
	parameters Parameters
	departure  []bool // by (q,r): 1 at a departure that finds q pages and r active robots
	arrival    []bool // by (q,r)
}

// NewPolicy returns the policy that takes action 1 where activate says so.
// The rule is asked for every state that offers a choice. It returns an error
// for parameters that are not valid.
func NewPolicy(p Parameters, activate func(State) bool) (*Policy, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.checkSize(1); err != nil {
		return nil, err
	}
	n := (p.Buffer + 1) * (p.Robots + 1)
	policy := &Policy{parameters: p, departure: make([]bool, n), arrival: make([]bool, n)}
	for q := range p.Buffer + 1 {
		for r := range p.Robots + 1 {
			for _, s := range []State{{q, r, Departure}, {q, r, Arrival}} {
				if p.valid(s) {
					policy.decisions(s.Event)[policy.at(q, r)] = s.forced() || activate(s)
				}
			}
		}
	}
	return policy, nil
}

func (p *Policy) at(q, r int) int { return q*(p.parameters.Robots+1) + r }

func (p *Policy) decisions(e Event) []bool {
	if e == Departure {
		return p.departure
	}
	return p.arrival
}

// Parameters returns the parameters of the process that the policy is for.
func (p *Policy) Parameters() Parameters { return p.parameters }

// Activates reports whether the policy takes action 1 in state s: activates a
// robot at a departure, reactivates the one that has delivered at an arrival.
// It panics if s is not a state of the process; it is false at fictitious
// events.
func (p *Policy) Activates(s State) bool {
	if !p.parameters.valid(s) {
		panic(fmt.Sprintf("robots: %+v is not a state", s))
	}
	return s.Event != Fictitious && p.decisions(s.Event)[p.at(s.Queue, s.Active)]
}

// pairActions returns the policy as actions of a pair model of the same
// parameters.
func (p *Policy) pairActions(m *PairModel) []int32 {
	actions := make([]int32, m.NumStates())
	for i := range actions {
		pair := m.Pair(i)
		departure, arrival := m.choices(pair)
		at, weight := p.at(pair.Queue, pair.Active), int32(1)
		if departure {
			if p.departure[at] {
				actions[i]++
			}
			weight = 2
		}
		if arrival && p.arrival[at] {
			actions[i] += weight
		}
	}
	return actions
}

// pairPolicy returns the policy of actions of a pair model.
func pairPolicy(m *PairModel, actions []int32) *Policy {
	p := m.law.parameters
	n := (p.Buffer + 1) * (p.Robots + 1)
	policy := &Policy{parameters: p, departure: make([]bool, n), arrival: make([]bool, n)}
	for i, a := range actions {
		pair := m.Pair(i)
		departure, arrival := m.Decisions(i, int(a))
		at := policy.at(pair.Queue, pair.Active)
		policy.departure[at], policy.arrival[at] = departure == 1, arrival == 1
	}
	return policy
}

// eventPolicy returns the policy of actions of an event model.
func eventPolicy(m *EventModel, actions []int32) *Policy {
	p := m.law.parameters
	n := (p.Buffer + 1) * (p.Robots + 1)
	policy := &Policy{parameters: p, departure: make([]bool, n), arrival: make([]bool, n)}
	for i, a := range actions {
		if s := m.State(i); s.Event != Fictitious {
			policy.decisions(s.Event)[policy.at(s.Queue, s.Active)] = m.Action(i, int(a)) == 1
		}
	}
	return policy
}
