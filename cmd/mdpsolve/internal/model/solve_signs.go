package model

import "github.com/mdpsolve/mdpsolve/mdp/mdpio"

// mixesSigns reports whether rewards of opposite sign meet in a choice. Their sum
// may cancel, and be far from that of the numbers in the file although each of
// them is rounded by little; such sums have to be made before rounding.
func mixesSigns(m *mdpio.Model, reward string) bool {
	r, err := m.Reward(reward)
	if err != nil {
		return false
	}
	for s := range m.NumStates() {
		for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
			var signs signs
			signs.add(r.State, s, s+1)
			signs.add(r.Action, k, k+1)
			signs.add(r.Transition, int(m.RowStart[k]), int(m.RowStart[k+1]))
			if signs.positive && signs.negative {
				return true
			}
		}
	}
	return false
}

// signs are those that have been met.
type signs struct{ positive, negative bool }

// add looks at a range of numbers; an empty list consists of zeros.
func (s *signs) add(numbers mdpio.Numbers, from, to int) {
	if numbers.Len() == 0 {
		return
	}
	for _, x := range numbers.Float[from:to] {
		s.positive, s.negative = s.positive || x > 0, s.negative || x < 0
	}
}
