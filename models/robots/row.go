package robots

import "github.com/mdpsolve/mdpsolve/mdp"

// AppendRow appends the transition row of action a in state s and returns it
// with its cost.
func (m *FleetModel) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	row, code := m.split(s)
	queue, phase := m.place(row)
	d := m.decide(queue, phase, code, a)
	r := fleetRow{model: m, entries: dst, first: len(dst)}
	cost := m.costRate(queue) + m.fleet.RobotCost*m.activeRobots[code]
	if queue == m.buffer {
		cost += m.activeRate[code]
	}
	slack := m.slack[m.phases]
	if queue > 0 {
		slack = m.slack[phase]
		exit := m.service.exits[phase]
		left := code
		if d.Activate != NoClass {
			left += m.stride[d.Activate]
			cost += exit * m.fleet.ActivationCost
		}
		r.start(queue-1, left, exit)
		for j, rate := range m.service.moves[phase] {
			r.add(row+j-phase, code, rate)
		}
	}
	for c, class := range m.fleet.Classes {
		rate := class.ArrivalRate * float64(m.active(code, c))
		if rate == 0 {
			continue
		}
		left := code
		if !d.Reactivate.Has(c) {
			left -= m.stride[c]
		}
		switch queue {
		case 0:
			r.start(1, left, rate)
		case m.buffer:
			r.add(row, left, rate)
		default:
			r.add(row+m.phases, left, rate)
		}
	}
	r.add(row, code, m.idleRate[code]+slack)
	return r.entries, cost
}

// costRate returns the cost per unit of time that depends on the queue alone,
// without losses.
func (m *FleetModel) costRate(queue int) float64 {
	if queue == 0 {
		return m.fleet.StarvationWeight
	}
	return m.fleet.HoldingCost * float64(queue)
}

// fleetRow collects a transition row.
type fleetRow struct {
	model   *FleetModel
	entries []mdp.Entry
	first   int
}

// add adds a move to a state at a rate.
func (r *fleetRow) add(row, code int, rate float64) {
	if rate == 0 {
		return
	}
	state, probability := int32(r.model.index(row, code)), rate/r.model.rate
	for i := range r.entries[r.first:] {
		if e := &r.entries[r.first+i]; e.State == state {
			e.Probability += probability
			return
		}
	}
	r.entries = append(r.entries, mdp.Entry{State: state, Probability: probability})
}

// start adds a move, at a rate, to a queue length at which a service starts.
func (r *fleetRow) start(queue, code int, rate float64) {
	if queue == 0 {
		r.add(0, code, rate)
		return
	}
	for j, probability := range r.model.service.start {
		r.add(r.model.row(queue, j), code, probability*rate)
	}
}
