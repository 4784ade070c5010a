package verify

// outcome is what is found of the costs from each state.
type outcome[V any] struct {
	values   []V
	infinite []int8 // +1 and −1 for values of +Inf and −Inf
}

// ofStates returns the values of the nodes, by state.
func (p *problem[V]) ofStates() []V {
	values := make([]V, len(p.node))
	for s, i := range p.node {
		if i == outside {
			values[s] = p.integer(0)
		} else {
			values[s] = p.values[i]
		}
	}
	return values
}

// identity returns a node for each state.
func identity(n int) []int32 {
	node := make([]int32, n)
	for s := range node {
		node[s] = int32(s)
	}
	return node
}

// discounted returns the least discounted costs of the allowed choices; the
// rows are discounted.
func (s *solver[V]) discounted(allowed []bool) outcome[V] {
	n := s.numStates()
	p := newProblem(s, identity(n), n, allowed)
	p.solve()
	return outcome[V]{p.ofStates(), make([]int8, n)}
}
