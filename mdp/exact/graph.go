package exact

import "github.com/mdpsolve/mdpsolve/internal/graph"

// union returns the graph of the choices for which in holds.
func (m *Model) union(in func(s, a int) bool) *graph.Graph {
	g := graph.New(len(m.states))
	for s, choices := range m.states {
		for a, c := range choices {
			if in(s, a) {
				for _, j := range c.columns {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	return g
}

// transient marks the states that are in no closed class.
const transient = -1

// roots returns, for each state, the least state of its closed class in the
// chain of a policy, and transient for a state in none.
func (m *Model) roots(policy []int32) []int32 {
	root := make([]int32, len(m.states))
	for s := range root {
		root[s] = transient
	}
	for _, class := range m.union(func(s, a int) bool { return int32(a) == policy[s] }).Closed() {
		for _, s := range class {
			root[s] = class[0]
		}
	}
	return root
}

// endComponents returns the maximal end component of each state, among the
// states and choices that are allowed, and outside for those in none; and takes
// back the choices that may leave theirs (de Alfaro 1997).
func (m *Model) endComponents(allowed [][]bool) []int32 {
	n := len(m.states)
	for {
		_, component := m.union(func(s, a int) bool { return allowed[s][a] }).Components()
		again := false
		for s := range n {
			stays := false
			for a, c := range m.states[s] {
				if !allowed[s][a] {
					continue
				}
				for _, j := range c.columns {
					if component[j] != component[s] {
						allowed[s][a], again = false, true
						break
					}
				}
				stays = stays || allowed[s][a]
			}
			if !stays {
				component[s] = outside
			}
		}
		if !again {
			return component
		}
	}
}

// outside marks states of no end component.
const outside = -1
