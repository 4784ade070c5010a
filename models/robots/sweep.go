// This file holds the sweep of the Bellman operator for all variants of the process.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"
)

// scratch holds what a sweep of a [Model] computes for a queue length and for a row
// of it, by mix.
type scratch struct {
	begun    []float64 // V of the queue length that a departure or an arrival leads to
	departed []float64 // least value after a departure, that of an activation included
	values   []float64 // T v of a row
	actions  []int32   // what attains them
}

func newScratch(mixes int) *scratch {
	floats := make([]float64, 3*mixes)
	return &scratch{floats[:mixes], floats[mixes : 2*mixes], floats[2*mixes:], make([]int32, mixes)}
}

// Backup implements [mdp.Model]. Where two decisions are worth the same, it
// takes the one that activates fewer robots, or an earlier class.
func (m *Model) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	level := -1
	for lo < hi { // row by row
		row, code := m.layout.split(lo)
		queue, phase := m.layout.place(row)
		if queue != level {
			m.startLevel(s, v, queue)
			level = queue
		}
		m.sweepRow(s, v, queue, phase, act != nil)
		end := min(hi, m.layout.begin(row+1))
		copy(dst[lo:end], s.values[code:])
		if act != nil {
			copy(act[lo:end], s.actions[code:])
		}
		lo = end
	}
}

// Sweep implements [mdp.Sweeper].
func (m *Model) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	p := sweep.NewPass(damping, shift)
	if m.plain != nil {
		m.sweepPlain(&p, dst, v, lo, hi)
		return p.Least, p.Greatest
	}
	m.Backup(dst, nil, v, lo, hi)
	for i := lo; i < hi; i++ {
		p.Update(&dst[i], v[i], dst[i])
	}
	return p.Least, p.Greatest
}

// startLevel computes what the rows of a queue length share.
func (m *Model) startLevel(s *scratch, v []float64, queue int) {
	if queue == 0 {
		m.expectStart(s.begun, v, 1)
		return
	}
	if queue == 1 {
		s.begun[0] = math.Inf(1) // else nobody would ever bring a page again
		copy(s.begun[1:], v[:m.layout.mixes.count-1])
	} else {
		m.expectStart(s.begun, v, queue-1)
	}
	copy(s.departed, s.begun)
	price := m.parameters.ActivationCost * m.rate
	for c, stride := range m.layout.mixes.stride {
		for first := 0; first < m.layout.mixes.count; first += stride * (m.layout.mixes.robots[c] + 1) {
			for code := first; code < first+stride*m.layout.mixes.robots[c]; code++ { // those with an idle robot
				if activated := s.begun[code+stride] + price; activated < s.departed[code] {
					s.departed[code] = activated
				}
			}
		}
	}
}

// expectStart sets dst to V(queue,·) for queue ≥ 1: the mean of v over the phase in
// which a service starts.
func (m *Model) expectStart(dst, v []float64, queue int) {
	clear(dst)
	for j, probability := range m.service.Start {
		if probability == 0 {
			continue
		}
		first := m.layout.begin(m.layout.row(queue, j))
		for code, x := range v[first : first+m.layout.mixes.count] {
			dst[code] += float64(probability * x)
		}
	}
}

// sweepRow computes T v of a row into s.values, and the actions.
func (m *Model) sweepRow(s *scratch, v []float64, queue, phase int, wanted bool) {
	row := m.layout.row(queue, phase)
	values, above := s.values, s.begun // of pages that start a service
	low := 0                           // first mix of the row
	slack, exit := m.slack[m.layout.phases], 0.0
	if queue == 0 {
		low = 1
		clear(values)
	} else {
		slack, exit = m.slack[phase], m.service.Exits[phase]
		first := m.layout.begin(m.layout.row(min(queue+1, m.layout.buffer), phase))
		above = v[first : first+m.layout.mixes.count]
		probability := exit / m.rate
		for code, x := range s.departed {
			values[code] = float64(probability * x)
		}
		for j, rate := range m.service.Moves[phase] {
			if rate == 0 {
				continue
			}
			first, probability := m.layout.begin(row+j-phase), rate/m.rate
			for code, x := range v[first : first+m.layout.mixes.count] {
				values[code] += float64(probability * x)
			}
		}
	}
	m.addArrivals(values, above)
	m.addStay(values[low:], v[m.layout.begin(row):], queue, low, slack)
	if wanted {
		m.findActions(s, above, exit > 0)
	}
}

// addArrivals adds what follows arrivals: above are the values after them.
func (m *Model) addArrivals(values, above []float64) {
	for c, class := range m.classes {
		stride, code := m.layout.mixes.stride[c], 0
		for code < m.layout.mixes.count {
			code += stride // past the mixes without an active robot of the class
			for r := 1; r <= class.Robots; r++ {
				probability := class.ArrivalRate * float64(r) / m.rate
				for end := code + stride; code < end; code++ {
					values[code] += float64(probability * min(above[code-stride], above[code]))
				}
			}
		}
	}
}

// addStay adds what follows fictitious events, and the cost, to a row that
// begins with mix low.
func (m *Model) addStay(values, v []float64, queue, low int, slack float64) {
	fixed, lost := m.costRate(queue), 0.0
	if queue == m.layout.buffer {
		lost = 1
	}
	for i := range values {
		code := low + i
		stay := (m.idleRate[code] + slack) / m.rate
		values[i] = values[i] + float64(stay*v[i]) +
			(fixed + float64(m.parameters.RobotCost*m.activeRobots[code]) + float64(lost*m.activeRate[code]))
	}
}

// findActions finds the best decisions, each by itself. above are the values after
// arrivals; departures says whether services end in the phase.
func (m *Model) findActions(s *scratch, above []float64, departures bool) {
	price := m.parameters.ActivationCost * m.rate
	for code := range s.actions {
		action, weight := int32(0), int32(1)
		if departures {
			least := s.begun[code]
			if math.IsInf(least, 1) {
				weight = 0 // to activate nobody is no choice
			}
			for c, stride := range m.layout.mixes.stride {
				if !m.layout.mixes.idle(code, c) {
					continue
				}
				if activated := s.begun[code+stride] + price; activated < least {
					least, action = activated, weight
				}
				weight++
			}
		}
		for c, stride := range m.layout.mixes.stride {
			if m.layout.mixes.active(code, c) > 0 {
				if above[code] < above[code-stride] {
					action += weight
				}
				weight *= 2
			}
		}
		s.actions[code] = action
	}
}
