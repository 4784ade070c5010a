package mdp

// predecessors lists, for each state, the choices that may lead to it.
type predecessors struct {
	owner  []int32 // the state of each choice
	start  []int
	choice []int32
}

// predecessors turns the choices around.
func (c *choices) predecessors() *predecessors {
	n := len(c.stateStart) - 1
	p := &predecessors{
		owner:  make([]int32, len(c.rowStart)-1),
		start:  make([]int, n+1),
		choice: make([]int32, len(c.columns)),
	}
	for s := range int32(n) {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			p.owner[k] = s
			for _, j := range c.next(k) {
				p.start[j+1]++
			}
		}
	}
	for s := range n {
		p.start[s+1] += p.start[s]
	}
	fill := append([]int(nil), p.start[:n]...)
	for k := range int32(len(p.owner)) {
		for _, j := range c.next(k) {
			p.choice[fill[j]] = k
			fill[j]++
		}
	}
	return p
}

// towards goes backward from the states that are reached, by allowed choices
// (nil allows all), and marks what they may lead from; policy is set to the
// action by which each new state goes a step nearer.
func (p *predecessors) towards(c *choices, reached, allowed []bool, policy []int32) {
	var found []int32
	visit := func(j int32) {
		for _, k := range p.choice[p.start[j]:p.start[j+1]] {
			if s := p.owner[k]; !reached[s] && (allowed == nil || allowed[k]) { //nolint:gocritic // an empty allowed allows nothing
				reached[s] = true
				policy[s] = k - c.stateStart[s]
				found = append(found, s)
			}
		}
	}
	for s, is := range append([]bool(nil), reached...) {
		if is {
			visit(int32(s))
		}
	}
	for i := 0; i < len(found); i++ {
		visit(found[i])
	}
}

// surelyReaching returns the states from which some policy of the allowed
// choices reaches the target with probability 1, and such a policy. Choices that
// may leave these states are no longer allowed: no policy that has one in a
// state that it visits reaches the target for sure (de Alfaro 1997, §3.1).
func (c *choices) surelyReaching(target, allowed []bool) (sure []bool, policy []int32) {
	before := c.predecessors()
	policy = make([]int32, len(target))
	for again := true; again; {
		sure = append([]bool(nil), target...)
		before.towards(c, sure, allowed, policy)
		again = c.forbidLosing(before, sure, target, allowed)
	}
	return sure, policy
}

// forbidLosing takes back the choices that may lead out of the states that are
// kept, and goes on with states that have none left. It returns whether a state
// that was kept has lost a choice.
func (c *choices) forbidLosing(before *predecessors, kept, exempt, allowed []bool) (found bool) {
	left := make([]int32, len(kept))
	for k, s := range before.owner {
		if allowed[k] {
			left[s]++
		}
	}
	var lost []int32
	for s := range kept {
		if !kept[s] {
			lost = append(lost, int32(s))
		}
	}
	for i := 0; i < len(lost); i++ {
		j := lost[i]
		for _, k := range before.choice[before.start[j]:before.start[j+1]] {
			s := before.owner[k]
			if !allowed[k] || exempt[s] {
				continue
			}
			allowed[k] = false
			left[s]--
			found = found || kept[s]
			if kept[s] && left[s] == 0 {
				kept[s] = false
				lost = append(lost, s)
			}
		}
	}
	return found
}

// mayAvoid returns the states from which some policy has a positive probability
// of never reaching the target, and sets such a policy in them: to an end
// component without target states, and to stay in it.
func (c *choices) mayAvoid(target []bool, policy []int32) []bool {
	kept := make([]bool, len(target))
	for s := range kept {
		kept[s] = !target[s]
	}
	ends := c.endComponents(kept)
	avoids := make([]bool, len(target))
	for s := range avoids {
		avoids[s] = ends.component[s] != outside
		for k := c.stateStart[s]; avoids[s] && k < c.stateStart[s+1]; k++ {
			if ends.stays[k] {
				policy[s] = k - c.stateStart[s]
				break
			}
		}
	}
	allowed := make([]bool, len(c.rowStart)-1)
	for s := range target {
		for k := c.stateStart[s]; k < c.stateStart[s+1]; k++ {
			allowed[k] = !target[s]
		}
	}
	c.predecessors().towards(c, avoids, allowed, policy)
	return avoids
}
