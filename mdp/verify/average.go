package verify

import "slices"

// average returns the least long-run averages of the allowed choices. Each
// maximal end component has one least gain for staying in it (Puterman 1994,
// chapters 8 and 9), and from every state one comes to some of them and stays:
// in which is a problem without costs on the way.
func (s *solver[V]) average(allowed []bool) outcome[V] {
	ends := s.endComponents(allowed)
	node, count := ends.merge(slices.Repeat([]bool{true}, s.numStates()))
	p := newProblem(s, node, count, without(allowed, ends.stays))
	p.free = true
	for c := range int32(ends.count()) {
		p.stops[c], p.stop[c] = true, s.componentGain(ends, c)
	}
	p.solve()
	return outcome[V]{p.ofStates(), make([]int8, s.numStates())}
}

// merge returns nodes for some states, and their number; each component, all of
// whose states are among them, is one.
func (c *endComponents) merge(states []bool) (node []int32, count int) {
	node, count = make([]int32, len(c.component)), c.count()
	for s, component := range c.component {
		switch {
		case component != outside:
			node[s] = component
		case !states[s]:
			node[s] = outside
		default:
			node[s] = int32(count)
			count++
		}
	}
	return node, count
}

// without returns the choices that are in the first list but not in the second.
func without(list, taken []bool) []bool {
	left := make([]bool, len(list))
	for k, is := range list {
		left[k] = is && !taken[k]
	}
	return left
}

// componentGain returns the least gain for staying in an end component.
func (s *solver[V]) componentGain(ends *endComponents, c int32) V {
	sys := s.closedSystem(ends, c)
	if sys.numNodes() == 1 {
		return s.least(sys.constant)
	}
	policy := s.prefer(sys)
	err := s.budget.spend(len(sys.columns))
	if err == nil {
		err = sys.mendClosed(policy, nil, make([]bool, len(policy)))
	}
	if err == nil {
		var gain V
		if gain, err = s.gain(sys, policy); err == nil {
			s.remember(sys, policy)
			return gain
		}
	}
	s.fail(err)
	return s.unknown()
}

// closedSystem returns the system of an end component.
func (s *solver[V]) closedSystem(ends *endComponents, c int32) *system[V] {
	states := ends.members.next(c)
	if s.place == nil {
		s.place = make([]int32, s.numStates())
	}
	for at, i := range states {
		s.place[i] = int32(at)
	}
	sys := &system[V]{start: []int32{0}, rowStart: []int32{0}}
	for at, i := range states {
		for k := s.stateStart[i]; k < s.stateStart[i+1]; k++ {
			if !ends.stays[k] {
				continue
			}
			for e := s.start[k]; e < s.start[k+1]; e++ {
				sys.columns = append(sys.columns, s.place[s.columns[e]])
				sys.entry = append(sys.entry, e)
			}
			sys.add(int32(at), k, s.cost(k), s.integer(0), false)
		}
		sys.start = append(sys.start, int32(len(sys.node)))
	}
	return sys
}
