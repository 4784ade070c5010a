package verify

// finite returns the least costs of some steps of the allowed choices, by
// backward induction, where the first step is by those of first.
func (s *solver[V]) finite(allowed, first []bool, steps int) outcome[V] {
	n := s.numStates()
	stay := s.staying()
	from, to := make([]V, n), make([]V, n)
	for i := range from {
		from[i] = s.integer(0)
	}
	for step := range steps {
		if step == steps-1 {
			allowed = first
		}
		for i := range to {
			to[i] = s.backup(int32(i), from, allowed, stay)
		}
		from, to = to, from
	}
	s.fail(s.budget.err)
	return outcome[V]{from, make([]int8, n)}
}

// staying returns the probability of staying, by choice: what the others leave.
func (s *solver[V]) staying() []V {
	stay := make([]V, len(s.state))
	for k := range stay {
		moving := s.negative(s.integer(1))
		for e := s.start[k]; e < s.start[k+1]; e++ {
			moving = s.plusRate(moving, e)
		}
		stay[k] = s.negative(moving)
	}
	return stay
}

// backup returns the least cost of a step and what follows from a state.
func (s *solver[V]) backup(i int32, values []V, allowed []bool, stay []V) V {
	var candidates []V
	for k := s.stateStart[i]; k < s.stateStart[i+1]; k++ {
		if !allowed[k] {
			continue
		}
		if s.budget.spend(len(s.next(k))+1) != nil {
			return s.unknown()
		}
		sum := s.plusProduct(s.cost(k), stay[k], values[i])
		for e := s.start[k]; e < s.start[k+1]; e++ {
			sum = s.plusRated(sum, e, values[s.columns[e]])
		}
		candidates = append(candidates, sum)
	}
	return s.least(candidates)
}
