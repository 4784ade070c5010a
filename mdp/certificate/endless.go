package certificate

// This file holds totals of all steps, without a target.

// settle finds where the total of all steps is finite, and where it is infinite. In the end a
// policy stays in end components. Where all their rewards are 0 the policy may stop; there, lower
// bounds must be at most 0 and upper bounds at least 0. For other end components, the cycle of a
// certificate proves whether the best mean reward is above 0 or below 0; rewards of one sign prove
// it, too. The total is an infinite loss in states from which no policy is sure to reach an end
// component where it may stop or gains without end.
func (g *restricted) settle(cycle *Cycle) {
	n := g.rows.NumStates()
	cost := &expression{rows: g.rows, value: &numbers{}, costs: true}
	free := g.rows.filter(g.allowed, func(k, _ int32) bool {
		sign, known := cost.sign(k)
		return known && sign == 0
	})
	g.stops = make([]bool, n)
	for s, class := range g.rows.endComponents(free).component {
		g.stops[s] = class != outside
	}
	if cycle != nil {
		policy, _ := g.rows.choicesOf(cycle.Policy)
		g.proveNegative(cycle, g.rows.filter(policy, func(k, _ int32) bool { return g.allowed[k] }))
	}
	ending := make([]bool, n)
	for s := range ending {
		ending[s] = g.stops[s] || g.negative[s]
	}
	g.unknown = g.unsigned(cycle, g.rows.surely(ending, g.allowed))
	for s := range ending {
		ending[s] = ending[s] || g.unknown[s]
	}
	g.finite = g.rows.surely(ending, g.allowed)
	g.needed = g.rows.stayingIn(g.finite, g.rows.until(g.negative, g.allowed), false)
	g.rows.reach(g.negative, g.needed)
	g.rows.reach(g.unknown, g.needed)
	g.needed = g.rows.filter(g.needed, func(_, s int32) bool { return !g.negative[s] && !g.unknown[s] })
}

// unsigned returns the states of end components, outside sure, where nothing proves that staying
// loses without end. A proof is that all choices that stay have costs of at least 0, or that the
// values of the cycle make the expression of each of them positive.
func (g *restricted) unsigned(cycle *Cycle, sure []bool) []bool {
	running := g.rows.filter(g.allowed, func(_, s int32) bool { return !sure[s] })
	ends := g.rows.endComponents(running)
	values := &numbers{}
	if cycle != nil {
		values = fromVector(&cycle.Value, g.rows.NumStates(), nil)
	}
	costs := &expression{rows: g.rows, value: &numbers{}, costs: true}
	above := &expression{rows: g.rows, value: values, costs: true}
	unsigned := make(map[int32][2]bool) // by component: a cost may be below 0; an expression may be no more than 0
	for k, stays := range ends.stays {
		if stays {
			class := ends.component[g.rows.stateOf[k]]
			u := unsigned[class]
			sign, known := costs.sign(int32(k))
			u[0] = u[0] || !known || sign*g.sense < 0
			sign, known = above.sign(int32(k))
			u[1] = u[1] || !known || sign*g.sense <= 0
			unsigned[class] = u
		}
	}
	states := make([]bool, len(sure))
	for s, class := range ends.component {
		states[s] = class != outside && unsigned[class] == [2]bool{true, true}
	}
	return states
}

// isBeyond reports whether the bound of a side is on the wrong side of 0, in a state where the policy
// may stop.
func (s *side) isBeyond(state int32) bool {
	return len(s.stops) > 0 && s.stops[state] && s.bounds.at(state).compare(bound{})*s.sign > 0
}
