package verify

import "slices"

// total returns the least total costs of the allowed choices until the target is
// reached, or where costs are negative rewards and the most is asked for, those.
// Infinite values come first, from the graph: see the documentation of the
// package.
func (s *solver[V]) total(allowed, target []bool, maximize bool) outcome[V] {
	result := outcome[V]{infinite: make([]int8, s.numStates())}
	choices := allowed
	finite := make([]bool, s.numStates())
	if maximize {
		for i, avoids := range s.mayAvoid(target, allowed) {
			finite[i] = !avoids
		}
	} else {
		finite, choices = s.surely(target, allowed)
	}
	for i, is := range finite {
		if !is {
			result.infinite[i] = 1
		}
	}
	if !maximize {
		for i, is := range s.endless(choices) {
			if is {
				result.infinite[i], finite[i] = -1, false
			}
		}
	}
	choices = s.running(choices, finite, target)
	ends := s.endComponents(s.freeChoices(choices))
	node, count := ends.merge(finite)
	p := newProblem(s, node, count, without(choices, ends.stays))
	for i, is := range target {
		if is {
			p.stops[node[i]], p.stop[node[i]] = true, s.integer(0)
		}
	}
	p.solve()
	result.values = p.ofStates()
	return result
}

// running returns the choices of states that are finite and not of the target.
func (s *solver[V]) running(choices, finite, target []bool) []bool {
	running := make([]bool, len(choices))
	for k, is := range choices {
		running[k] = is && finite[s.state[k]] && !target[s.state[k]]
	}
	return running
}

// freeChoices returns the choices that cost nothing.
func (s *solver[V]) freeChoices(choices []bool) []bool {
	free := make([]bool, len(choices))
	for k, is := range choices {
		free[k] = is && s.costs.ball(int32(k)).isZero()
	}
	return free
}

// endless returns the states from which one may come, by choices that keep the
// target in reach, to where costs are negative in the long run.
func (s *solver[V]) endless(choices []bool) []bool {
	endless := make([]bool, s.numStates())
	earns := false
	for k, is := range choices {
		earns = earns || is && !(s.costs.high[k] >= 0)
	}
	if !earns {
		return endless
	}
	preferred := slices.Clone(s.preferred)
	ends := s.endComponents(choices)
	for c := range int32(ends.count()) {
		if s.isNegative(s.componentGain(ends, c)) {
			for _, i := range ends.members.next(c) {
				endless[i] = true
			}
		}
	}
	s.preferred = preferred // not to stay
	s.graph(choices).reverse().reach(endless)
	return endless
}
