package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// mixes numbers the ways in which robots of the classes may be active: the
// numbers (r_1,…,r_m) have the code r_1 + (N_1+1)·(r_2 + (N_2+1)·(r_3 + …)).
type mixes struct {
	robots []int // N_i
	stride []int // of class i in the code
	count  int
}

func newMixes(classes []Class) mixes {
	m := mixes{count: 1}
	for _, class := range classes {
		m.robots, m.stride = append(m.robots, class.Robots), append(m.stride, m.count)
		m.count *= class.Robots + 1
	}
	return m
}

// active returns r_i of a code.
func (m mixes) active(code, class int) int { return code / m.stride[class] % (m.robots[class] + 1) }

// idle reports whether a robot of a class is idle.
func (m mixes) idle(code, class int) bool { return m.active(code, class) < m.robots[class] }

// code returns the code of the numbers of active robots.
func (m mixes) code(active []int) int {
	code := 0
	for c, r := range active {
		code += r * m.stride[c]
	}
	return code
}

// layout orders the states after a decision: by queue length, then
// phase of the service, then mix. A row is the states of one queue length and
// phase; an empty queue has one row, as no page is in service, and the mix
// without active robots is missing from it.
type layout struct {
	mixes          mixes
	buffer, phases int
}

func (l layout) rows() int { return 1 + l.buffer*l.phases }

// row returns the row of a queue length and a phase (of no meaning where the
// queue is empty).
func (l layout) row(queue, phase int) int {
	if queue == 0 {
		return 0
	}
	return 1 + (queue-1)*l.phases + phase
}

// place is the inverse of row.
func (l layout) place(row int) (queue, phase int) {
	if row == 0 {
		return 0, 0
	}
	return 1 + (row-1)/l.phases, (row - 1) % l.phases
}

// begin returns the index of the first state of a row.
func (l layout) begin(row int) int { return max(0, row*l.mixes.count-1) }

// index returns the index of the state with a mix in a row.
func (l layout) index(row, code int) int { return row*l.mixes.count + code - 1 }

// split is the inverse of index.
func (l layout) split(index int) (row, code int) {
	return (index + 1) / l.mixes.count, (index + 1) % l.mixes.count
}

// valid reports whether s is a state.
func (l layout) valid(s State) bool {
	if s.Queue < 0 || s.Queue > l.buffer || len(s.Active) != len(l.mixes.robots) ||
		s.Phase < 0 || s.Phase >= l.phases || s.Queue == 0 && s.Phase > 0 {
		return false
	}
	active := 0
	for c, r := range s.Active {
		if r < 0 || r > l.mixes.robots[c] {
			return false
		}
		active += r
	}
	return s.Queue+active > 0
}

// state returns the state with a mix in a row, with its Active in the list given.
func (l layout) state(active []int, row, code int) State {
	queue, phase := l.place(row)
	for c := range active {
		active[c] = l.mixes.active(code, c)
	}
	return State{queue, phase, active}
}

// maxBytes is the memory that solving a variant of the plain process may take.
const maxBytes = 4 << 30

// countStates returns (1+KP)·Π(N_i+1) − 1, the number of states with P phases.
func (p Parameters) countStates(service *phases.Service) float64 {
	states := 1 + float64(p.Buffer)*float64(service.Count())
	for _, class := range p.ClassList() {
		states *= float64(class.Robots) + 1
	}
	return states - 1
}

// checkSize returns [mdp.ErrTooLarge] where the states cannot be numbered by int32
// or, for variants, where relative value iteration would take more than maxBytes:
// for the vectors of values and, while a method is chosen, the graph of the moves.
func (p Parameters) checkSize(service *phases.Service) error {
	states := p.countStates(service)
	if states >= math.MaxInt32 {
		return fmt.Errorf("robots: %w: %.4g states, of which at most %d are possible: use fewer Robots, Classes or phases of Service, or a smaller Buffer",
			mdp.ErrTooLarge, states, math.MaxInt32)
	}
	if p.IsPlain() {
		return nil
	}
	// A departure leads to a start in some phase, with or without an activation
	// of each class; an arrival leads to one of two mixes.
	moves, starts := 0, 0
	for i, row := range service.Moves {
		if service.Start[i] > 0 {
			starts++
		}
		out := 0
		for _, rate := range row {
			if rate > 0 {
				out++
			}
		}
		moves = max(moves, out)
	}
	const perState, perMove = 64, 24
	successors := (1+len(p.ClassList()))*(starts+1) + moves + 1
	if bytes := states * (perState + perMove*float64(successors)); bytes > maxBytes {
		return fmt.Errorf("robots: %w: %.3g states, for which solving takes about %.2g MB of at most %d: use fewer Robots, Classes or phases of Service, or a smaller Buffer",
			mdp.ErrTooLarge, states, bytes/1e6, maxBytes/1_000_000)
	}
	return nil
}
