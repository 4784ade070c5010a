package share

// System is the share's rows of the equations of a policy's chain that stops in each
// step with a probability s and goes on with f = 1−s,
//
//	(I − f·P)·x = b,
//
// in compressed form, by the numbers of the whole model. Its arrays are used again.
type System struct {
	Start, Columns []int32
	Values         []float64
}

// NewSystem returns a system with capacity for any policy.
func (s *Share) NewSystem() *System {
	states := s.NumStates()
	return &System{make([]int32, 0, states+1), make([]int32, 0, s.widest+states), make([]float64, 0, s.widest+states)}
}

// Of makes m the system of a policy. The diagonal is s plus the weights that leave the
// state, so that a small s keeps all its digits.
func (m *System) Of(s *Share, policy []int32, stop float64) {
	m.Start, m.Columns, m.Values = append(m.Start[:0], 0), m.Columns[:0], m.Values[:0]
	for state, action := range policy {
		k := s.stateStart[state] + action
		diagonal, at := stop, len(m.Columns)
		for e := s.rowStart[k]; e < s.rowStart[k+1]; e++ {
			j := s.columns[e]
			if j == int32(state) {
				continue
			}
			going := (1 - stop) * s.probabilities[e]
			diagonal += going
			column := s.whole(j)
			if column < int32(s.First+state) {
				at = len(m.Columns) + 1
			}
			m.Columns, m.Values = append(m.Columns, column), append(m.Values, -going)
		}
		m.Columns, m.Values = append(m.Columns, 0), append(m.Values, 0)
		copy(m.Columns[at+1:], m.Columns[at:])
		copy(m.Values[at+1:], m.Values[at:])
		m.Columns[at], m.Values[at] = int32(s.First+state), diagonal
		m.Start = append(m.Start, int32(len(m.Columns)))
	}
}
