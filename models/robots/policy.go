package robots

import (
	"fmt"
	"slices"
)

// FleetPolicy says for every state of a [Fleet] what is done at the next event.
// The zero value is of no use; [SolveFleet] makes fleet policies, and
// [NewFleetPolicy] does of any rule.
type FleetPolicy struct {
	layout
	fleet      Fleet
	service    *service
	activate   []int8     // class or NoClass, by row and mix
	reactivate []ClassSet // by row and mix
}

func newFleetPolicy(m *FleetModel) *FleetPolicy {
	n := m.rows() * m.count
	return &FleetPolicy{
		layout: m.layout, fleet: m.fleet, service: m.service,
		activate: make([]int8, n), reactivate: make([]ClassSet, n),
	}
}

// NewFleetPolicy returns the policy that decides as the rule says, which is
// asked for every state. Decisions that have no effect in a state are not
// looked at. It returns an error for a fleet that is not valid or too large, and
// for a rule that activates a class without an idle robot, or nobody when the
// last page leaves and no robot is active.
func NewFleetPolicy(f Fleet, rule func(FleetState) Decisions) (*FleetPolicy, error) {
	m, err := NewFleetModel(f)
	if err != nil {
		return nil, err
	}
	p := newFleetPolicy(m)
	for row := range m.rows() {
		queue, phase := m.place(row)
		for code := range m.count {
			if row+code == 0 {
				continue
			}
			state := m.state(row, code)
			d := rule(state)
			if queue == 0 || m.service.exits[phase] == 0 {
				d.Activate = NoClass
			} else if err := m.checkActivation(state, code, d.Activate); err != nil {
				return nil, err
			}
			p.set(row, code, m.decide(queue, phase, code, m.action(queue, phase, code, d)))
		}
	}
	return p, nil
}

// checkActivation says what is wrong with the activation of a class at a
// departure.
func (m *FleetModel) checkActivation(s FleetState, code, class int) error {
	switch {
	case class == NoClass && (s.Queue > 1 || code > 0):
		return nil
	case class == NoClass:
		return fmt.Errorf("robots: at %+v a departure activates no robot; a class must be activated when the last page leaves and no robot is active", s)
	case class < 0 || class >= len(s.Active):
		return fmt.Errorf("robots: at %+v a departure activates class %d; -1 (none) to %d are allowed", s, class, len(s.Active)-1)
	case !m.idle(code, class):
		return fmt.Errorf("robots: at %+v a departure activates class %d, which has no idle robot", s, class)
	}
	return nil
}

// fleetPolicy returns the policy of actions of a model.
func fleetPolicy(m *FleetModel, actions []int32) *FleetPolicy {
	p := newFleetPolicy(m)
	for index, action := range actions {
		row, code := m.split(index)
		queue, phase := m.place(row)
		p.set(row, code, m.decide(queue, phase, code, int(action)))
	}
	return p
}

func (p *FleetPolicy) set(row, code int, d Decisions) {
	at := row*p.count + code
	p.activate[at], p.reactivate[at] = int8(d.Activate), d.Reactivate
}

func (p *FleetPolicy) decisions(row, code int) Decisions {
	at := row*p.count + code
	return Decisions{int(p.activate[at]), p.reactivate[at]}
}

// actions returns the policy as actions of a model of the same fleet.
func (p *FleetPolicy) actions(m *FleetModel) []int32 {
	actions := make([]int32, m.NumStates())
	for index := range actions {
		row, code := m.split(index)
		queue, phase := m.place(row)
		actions[index] = int32(m.action(queue, phase, code, p.decisions(row, code)))
	}
	return actions
}

// Fleet returns the fleet that the policy is for.
func (p *FleetPolicy) Fleet() Fleet {
	f := p.fleet
	f.Classes = slices.Clone(f.Classes)
	return f
}

// Phases returns P, the number of phases of the service.
func (p *FleetPolicy) Phases() int { return p.phases }

// Decisions returns what is done at the event that follows state s, the state
// after the last decision. Only decisions with an effect are in it, see
// [FleetModel.Decisions]. It panics if s is not a state of the fleet.
func (p *FleetPolicy) Decisions(s FleetState) Decisions {
	if !p.valid(s) {
		panic(fmt.Sprintf("robots: %+v is not a state of the fleet", s))
	}
	return p.decisions(p.row(s.Queue, s.Phase), p.code(s.Active))
}

// Policy returns the policy as one of [Parameters], which has the same queue,
// arrivals and departures but no costs other than those of starvation and loss.
// There is one where all robots are alike and services exponential.
func (p *FleetPolicy) Policy() (policy *Policy, ok bool) {
	if len(p.robots) > 1 || !p.fleet.exponential() {
		return nil, false
	}
	policy, err := NewPolicy(p.fleet.parameters(), p.activates(0))
	return policy, err == nil
}

// activates returns the decisions of a fleet of one class, in a phase of the
// service, as a rule for [NewPolicy].
func (p *FleetPolicy) activates(phase int) func(State) bool {
	return func(s State) bool {
		d := p.decisions(p.row(s.Queue, phase), s.Active)
		if s.Event == Departure {
			return d.Activate != NoClass
		}
		return d.Reactivate != 0
	}
}

// Curves returns the switching curves, for each phase of the service, of a
// fleet of one class, and nil for other fleets. With an empty queue, where no
// service is going on, all phases have the same decision; a phase that ends no
// service has none at departures.
func (p *FleetPolicy) Curves() []Curves {
	if len(p.robots) > 1 {
		return nil
	}
	var curves []Curves
	for phase := range p.phases {
		policy, err := NewPolicy(p.fleet.parameters(), p.activates(phase))
		if err != nil {
			return nil
		}
		c := policy.Curves()
		if p.service.exits[phase] == 0 {
			for r := range c.Departure {
				c.Departure[r] = never
			}
		}
		curves = append(curves, c)
	}
	return curves
}
