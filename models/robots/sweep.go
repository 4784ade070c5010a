package robots

import "math"

// fleetScratch holds what a sweep of a [FleetModel] computes for a queue length
// and for a row of it, by mix.
type fleetScratch struct {
	begun    []float64 // V of the queue length that a departure or an arrival leads to
	departed []float64 // least value after a departure, that of an activation included
	values   []float64 // T v of a row
	choices  []int32   // what attains departed
	counts   []int32   // ways to decide so far
	actions  []int32
}

func newFleetScratch(mixes int) *fleetScratch {
	floats, integers := make([]float64, 3*mixes), make([]int32, 3*mixes)
	return &fleetScratch{
		begun: floats[:mixes], departed: floats[mixes : 2*mixes], values: floats[2*mixes:],
		choices: integers[:mixes], counts: integers[mixes : 2*mixes], actions: integers[2*mixes:],
	}
}

// Backup implements [mdp.Model]. Where two decisions are worth the same, it
// takes the one that activates fewer robots, or an earlier class.
func (m *FleetModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	m.sweepRows(v, lo, hi, act != nil, func(s *fleetScratch, lo, hi, first int) {
		copy(dst[lo:hi], s.values[first:])
		if act != nil {
			copy(act[lo:hi], s.actions[first:])
		}
	})
}

// Sweep implements [mdp.Sweeper].
func (m *FleetModel) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	p := pass{damping, shift, math.Inf(1), math.Inf(-1)}
	m.sweepRows(v, lo, hi, false, func(s *fleetScratch, lo, hi, first int) {
		for i, value := range s.values[first : first+hi-lo] {
			p.update(&dst[lo+i], v[lo+i], value)
		}
	})
	return p.least, p.greatest
}

// sweepRows computes T v, and the actions that attain it where they are wanted,
// row by row, and calls use for each part of a row that is in lo … hi−1, with
// the mix at which it begins.
func (m *FleetModel) sweepRows(v []float64, lo, hi int, wanted bool, use func(s *fleetScratch, lo, hi, first int)) {
	s := m.scratch.Get().(*fleetScratch)
	defer m.scratch.Put(s)
	level := -1
	for lo < hi {
		row, code := m.split(lo)
		queue, phase := m.place(row)
		if queue != level {
			m.startLevel(s, v, queue, wanted)
			level = queue
		}
		m.sweepRow(s, v, queue, phase, wanted)
		end := min(hi, m.begin(row+1))
		use(s, lo, end, code)
		lo = end
	}
}

// startLevel computes what the rows of a queue length share.
func (m *FleetModel) startLevel(s *fleetScratch, v []float64, queue int, wanted bool) {
	if queue == 0 {
		m.expectStart(s.begun, v, 1)
		return
	}
	if queue == 1 {
		s.begun[0] = math.Inf(1) // else nobody would ever bring a page again
		copy(s.begun[1:], v[:m.count-1])
	} else {
		m.expectStart(s.begun, v, queue-1)
	}
	copy(s.departed, s.begun)
	if wanted {
		clear(s.choices)
		for code := range s.counts {
			s.counts[code] = 1
		}
		if queue == 1 {
			s.counts[0] = 0
		}
	}
	price := m.fleet.ActivationCost * m.rate
	for c, stride := range m.stride {
		for first := 0; first < m.count; first += stride * (m.robots[c] + 1) {
			for code := first; code < first+stride*m.robots[c]; code++ { // those with an idle robot
				better := s.begun[code+stride]+price < s.departed[code]
				if better {
					s.departed[code] = s.begun[code+stride] + price
				}
				if wanted {
					if better {
						s.choices[code] = s.counts[code]
					}
					s.counts[code]++
				}
			}
		}
	}
}

// expectStart sets dst to V(queue,·) for queue ≥ 1: the mean of v over the phase in
// which a service starts.
func (m *FleetModel) expectStart(dst, v []float64, queue int) {
	clear(dst)
	for j, probability := range m.service.start {
		if probability == 0 {
			continue
		}
		first := m.begin(m.row(queue, j))
		for code, x := range v[first : first+m.count] {
			dst[code] += float64(probability * x)
		}
	}
}

// sweepRow computes T v of a row into s.values, and the actions.
func (m *FleetModel) sweepRow(s *fleetScratch, v []float64, queue, phase int, wanted bool) {
	row := m.row(queue, phase)
	values, above := s.values, s.begun // of pages that start a service
	low := 0                           // first mix of the row
	slack, exit := m.slack[m.phases], 0.0
	if queue == 0 {
		low = 1
		clear(values)
	} else {
		slack, exit = m.slack[phase], m.service.exits[phase]
		first := m.begin(m.row(min(queue+1, m.buffer), phase))
		above = v[first : first+m.count]
		probability := exit / m.rate
		for code, x := range s.departed {
			values[code] = float64(probability * x)
		}
		for j, rate := range m.service.moves[phase] {
			if rate == 0 {
				continue
			}
			first, probability := m.begin(row+j-phase), rate/m.rate
			for code, x := range v[first : first+m.count] {
				values[code] += float64(probability * x)
			}
		}
	}
	m.addArrivals(values, above)
	m.addStay(values[low:], v[m.begin(row):], queue, low, slack)
	if wanted {
		m.findActions(s, above, exit > 0)
	}
}

// addArrivals adds what follows arrivals: above are the values after them.
func (m *FleetModel) addArrivals(values, above []float64) {
	for c, class := range m.fleet.Classes {
		stride, code := m.stride[c], 0
		for code < m.count {
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
func (m *FleetModel) addStay(values, v []float64, queue, low int, slack float64) {
	fixed, lost := m.costRate(queue), 0.0
	if queue == m.buffer {
		lost = 1
	}
	for i := range values {
		code := low + i
		stay := (m.idleRate[code] + slack) / m.rate
		values[i] += float64(stay*v[i]) +
			(fixed + float64(m.fleet.RobotCost*m.activeRobots[code]) + float64(lost*m.activeRate[code]))
	}
}

// findActions puts the best decisions together.
func (m *FleetModel) findActions(s *fleetScratch, above []float64, departures bool) {
	for code := range s.actions {
		action, weight := int32(0), int32(1)
		if departures {
			action, weight = s.choices[code], s.counts[code]
		}
		for c, stride := range m.stride {
			if m.active(code, c) > 0 {
				if above[code] < above[code-stride] {
					action += weight
				}
				weight *= 2
			}
		}
		s.actions[code] = action
	}
}
