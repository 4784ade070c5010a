package exact

import (
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// components returns the strongly connected component of each state of a graph,
// given the successors of a state, and the number of components.
func components(n int, next func(s int, visit func(j int32))) (count int, component []int) {
	g := simple.NewDirectedGraph()
	for s := range n {
		g.AddNode(simple.Node(s))
	}
	for s := range n {
		next(s, func(j int32) {
			if int(j) != s {
				g.SetEdge(simple.Edge{F: simple.Node(s), T: simple.Node(j)})
			}
		})
	}
	component = make([]int, n)
	found := topo.TarjanSCC(g)
	for i, states := range found {
		for _, s := range states {
			component[s.ID()] = i
		}
	}
	return len(found), component
}

// transient marks the states that are in no closed class.
const transient = -1

// roots returns, for each state, the least state of its closed class in the
// chain of a policy, and transient for a state in none.
func (m *Model) roots(policy []int32) []int32 {
	n := len(m.states)
	count, component := components(n, func(s int, visit func(j int32)) {
		for _, j := range m.states[s][policy[s]].columns {
			visit(j)
		}
	})
	least := make([]int32, count)
	for s := n - 1; s >= 0; s-- {
		if least[component[s]] != transient {
			least[component[s]] = int32(s)
		}
		for _, j := range m.states[s][policy[s]].columns {
			if component[j] != component[s] {
				least[component[s]] = transient
			}
		}
	}
	root := make([]int32, n)
	for s := range root {
		root[s] = least[component[s]]
	}
	return root
}

// endComponents returns the maximal end component of each state, among the
// states and choices that are allowed, and outside for those in none; and takes
// back the choices that may leave theirs (de Alfaro 1997).
func (m *Model) endComponents(allowed [][]bool) []int {
	n := len(m.states)
	for {
		_, component := components(n, func(s int, visit func(j int32)) {
			for a, c := range m.states[s] {
				if allowed[s][a] {
					for _, j := range c.columns {
						visit(j)
					}
				}
			}
		})
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
