package exact

import "fmt"

// Follow returns the model of a policy, the index of an action for each state:
// it has that action alone, so each criterion evaluates the policy.
func (m *Model) Follow(policy []int32) (*Model, error) {
	if len(policy) != len(m.states) {
		return nil, fmt.Errorf("exact: policy of length %d found; %d, the number of states, is allowed", len(policy), len(m.states))
	}
	followed := &Model{unit: m.unit, rate: m.rate}
	for s, a := range policy {
		if a < 0 || int(a) >= len(m.states[s]) {
			return nil, fmt.Errorf("exact: action %d of state %d found; 0 … %d are allowed", a, s, len(m.states[s])-1)
		}
		followed.states = append(followed.states, m.states[s][a:a+1])
	}
	return followed, nil
}
