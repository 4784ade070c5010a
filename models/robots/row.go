// This file lists transition rows of the model, one by one.

package robots

import "github.com/mdpsolve/mdpsolve/mdp"

// AppendRow appends the transition row of action a in state s and returns it
// with its cost.
func (m *Model) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	row, code := m.layout.split(s)
	queue, phase := m.layout.place(row)
	d := m.decide(queue, phase, code, a)
	r, mixes := transitionRow{entries: dst, first: len(dst), total: m.rate}, m.layout.mixes.count
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
		m.start(&r, queue-1, left, exit)
		for j, rate := range m.service.Moves[phase] {
			r.add(s+(j-phase)*mixes, rate)
		}
	}
	for c := range m.classes {
		rate, fewer := m.classes[c].ArrivalRate*float64(m.layout.mixes.active(code, c)), 0
		if !d.Reactivate.Has(c) {
			fewer = m.layout.mixes.stride[c]
		}
		switch {
		case rate == 0:
		case queue == 0:
			m.start(&r, 1, code-fewer, rate)
		case queue == m.layout.buffer:
			r.add(s-fewer, rate)
		default:
			r.add(s+m.layout.phases*mixes-fewer, rate)
		}
	}
	r.add(s, m.idleRate[code]+slack)
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
	entries []mdp.Entry
	first   int
	total   float64 // ν
}

// add adds a move to a state at a rate.
func (r *transitionRow) add(index int, rate float64) {
	if rate == 0 {
		return
	}
	state, probability := int32(index), rate/r.total
	for i := r.first; i < len(r.entries); i++ {
		if r.entries[i].State == state {
			r.entries[i].Probability += probability
			return
		}
	}
	r.entries = append(r.entries, mdp.Entry{State: state, Probability: probability})
}

// start adds a move, at a rate, to a queue length at which a service starts.
func (m *Model) start(r *transitionRow, queue, code int, rate float64) {
	if queue == 0 {
		r.add(m.layout.index(0, code), rate)
		return
	}
	first := m.layout.index(m.layout.row(queue, 0), code)
	for j, probability := range m.service.Start {
		r.add(first+j*m.layout.mixes.count, probability*rate)
	}
}
