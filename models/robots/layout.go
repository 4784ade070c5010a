// This file numbers the states of a model.

package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// mixes numbers the ways in which robots of the classes may be active: the
// numbers (r_1,…,r_m) have the code r_1 + (N_1+1)·(r_2 + (N_2+1)·(r_3 + …)).
type mixes struct {
	robots []int // N_i
	stride []int // of class i in the code
	count  int
	table  [][]int32 // r_i of each code, by class
}

func newMixes(classes []Class) mixes {
	m := mixes{count: 1}
	for _, class := range classes {
		m.robots, m.stride = append(m.robots, class.Robots), append(m.stride, m.count)
		m.count *= class.Robots + 1
	}
	m.table = make([][]int32, len(classes))
	for class := range m.table {
		m.table[class] = make([]int32, m.count)
		for code := range m.table[class] {
			m.table[class][code] = int32(code / m.stride[class] % (m.robots[class] + 1))
		}
	}
	return m
}

// active returns r_i of a code.
func (m *mixes) active(code, class int) int { return int(m.table[class][code]) }

// idle reports whether a robot of a class is idle.
func (m *mixes) idle(code, class int) bool { return m.active(code, class) < m.robots[class] }

// layout orders the states after a decision: by queue length, then
// phase of the service, then mix. A row is the states of one queue length and
// phase; an empty queue has one row, as no page is in service, and the mix
// without active robots is missing from it.
type layout struct {
	mixes          mixes
	buffer, phases int
}

func (l *layout) rows() int { return 1 + l.buffer*l.phases }

// row returns the row of a queue length and a phase (of no meaning where the
// queue is empty).
func (l *layout) row(queue, phase int) int {
	if queue == 0 {
		return 0
	}
	return 1 + (queue-1)*l.phases + phase
}

// place is the inverse of row.
func (l *layout) place(row int) (queue, phase int) {
	if row == 0 || l.phases == 1 {
		return row, 0
	}
	return 1 + (row-1)/l.phases, (row - 1) % l.phases
}

// begin returns the index of the first state of a row.
func (l *layout) begin(row int) int { return max(0, row*l.mixes.count-1) }

// index returns the index of the state with a mix in a row.
func (l *layout) index(row, code int) int { return row*l.mixes.count + code - 1 }

// split is the inverse of index.
func (l *layout) split(index int) (row, code int) {
	row = (index + 1) / l.mixes.count
	return row, index + 1 - row*l.mixes.count
}

// find returns the row and the mix of a state, if it is one.
func (l *layout) find(s State) (row, code int, ok bool) {
	if uint(s.Queue) > uint(l.buffer) || uint(s.Phase) >= uint(l.phases) || s.Queue == 0 && s.Phase > 0 || len(s.Active) != len(l.mixes.robots) {
		return 0, 0, false
	}
	for c, r := range s.Active {
		if uint(r) > uint(l.mixes.robots[c]) {
			return 0, 0, false
		}
		code += r * l.mixes.stride[c]
	}
	return l.row(s.Queue, s.Phase), code, s.Queue+code > 0
}

// state returns the state with a mix in a row, with its Active in the list given.
func (l *layout) state(active []int, row, code int) State {
	queue, phase := l.place(row)
	for c := range active {
		active[c] = l.mixes.active(code, c)
	}
	return State{queue, phase, active}
}

// maxVariantStates is the greatest number of states of a variant of the plain process:
// solving it takes some 200 bytes for each.
const maxVariantStates = 1 << 24

// countStates returns (1+KP)·Π(N_i+1) − 1, the number of states with P phases.
func (p Parameters) countStates(phases int) float64 {
	states := 1 + float64(p.Buffer)*float64(phases)
	for _, class := range p.ClassList() {
		states *= float64(class.Robots) + 1
	}
	return states - 1
}

// checkSize returns [mdp.ErrTooLarge] where the states cannot be numbered by int32,
// or are too many for a variant.
func (p Parameters) checkSize(phases int) error {
	most := math.MaxInt32
	if !p.IsPlain() {
		most = maxVariantStates
	}
	if states := p.countStates(phases); states > float64(most) {
		return fmt.Errorf("robots: %w: %.4g states with Buffer %d, of at most %d", mdp.ErrTooLarge, states, p.Buffer, most)
	}
	return nil
}
