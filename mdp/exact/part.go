package exact

// part is a model of some of the states of another, and of some of their actions.
type part struct {
	model   *Model
	states  []int     // by its own state: that of the whole
	actions [][]int32 // by its own state and action: that of the whole
}

// part returns the part of the states for which in holds, with the actions that
// are kept, none of which leads outside.
func (m *Model) part(kept [][]bool, in func(s int) bool) *part {
	p := &part{model: &Model{unit: m.unit, rate: m.rate}}
	number := make([]int32, len(m.states))
	for s := range m.states {
		if in(s) {
			number[s] = int32(len(p.states))
			p.states = append(p.states, s)
		}
	}
	for _, s := range p.states {
		var (
			choices []choice
			actions []int32
		)
		for a, c := range m.states[s] {
			if !kept[s][a] {
				continue
			}
			columns := make([]int32, len(c.columns))
			for i, j := range c.columns {
				columns[i] = number[j]
			}
			c.columns = columns
			choices, actions = append(choices, c), append(actions, int32(a))
		}
		p.model.states, p.actions = append(p.model.states, choices), append(p.actions, actions)
	}
	return p
}
