// This file lists transition rows of the model, one by one.

package robots

import "github.com/mdpsolve/mdpsolve/mdp"

// AppendRow appends the transition row of action a in state s and returns it
// with its cost.
func (m *Model) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	row, code := m.layout.split(s)
	queue, phase := m.layout.place(row)
	d := m.decide(queue, phase, code, a)
	r := transitionRow{model: m, entries: dst, first: len(dst)}
	cost := m.costRate(queue) + m.parameters.RobotCost*m.activeRobots[code]
	if queue == m.layout.buffer {
		cost += m.activeRate[code]
	}
	slack := m.slack[m.layout.phases]
	if queue > 0 {
		slack = m.slack[phase]
		exit := m.service.Exits[phase]
		left := code
		if d.Activate != NoClass {
			left += m.layout.mixes.stride[d.Activate]
			cost += exit * m.parameters.ActivationCost
		}
		r.start(queue-1, left, exit)
		for j, rate := range m.service.Moves[phase] {
			r.add(row+j-phase, code, rate)
		}
	}
	for c, class := range m.classes {
		rate, left := class.ArrivalRate*float64(m.layout.mixes.active(code, c)), code
		if !d.Reactivate.Has(c) {
			left -= m.layout.mixes.stride[c]
		}
		switch {
		case rate == 0:
		case queue == 0:
			r.start(1, left, rate)
		case queue == m.layout.buffer:
			r.add(row, left, rate)
		default:
			r.add(row+m.layout.phases, left, rate)
		}
	}
	r.add(row, code, m.idleRate[code]+slack)
	return r.entries, cost
}

// costRate returns the cost per unit of time that depends on the queue alone,
// without losses.
func (m *Model) costRate(queue int) float64 {
	if queue == 0 {
		return m.parameters.StarvationWeight
	}
	return m.parameters.HoldingCost * float64(queue)
}

// transitionRow collects a transition row.
type transitionRow struct {
	model   *Model
	entries []mdp.Entry
	first   int
}

// add adds a move to a state at a rate.
func (r *transitionRow) add(row, code int, rate float64) {
	if rate == 0 {
		return
	}
	state, probability := int32(r.model.layout.index(row, code)), rate/r.model.rate
	for i := range r.entries[r.first:] {
		if e := &r.entries[r.first+i]; e.State == state {
			e.Probability += probability
			return
		}
	}
	r.entries = append(r.entries, mdp.Entry{State: state, Probability: probability})
}

// start adds a move, at a rate, to a queue length at which a service starts.
func (r *transitionRow) start(queue, code int, rate float64) {
	if queue == 0 {
		r.add(0, code, rate)
		return
	}
	for j, probability := range r.model.service.Start {
		r.add(r.model.layout.row(queue, j), code, probability*rate)
	}
}
