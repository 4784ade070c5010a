package verify

import "slices"

// surely returns the states from which some policy of allowed choices reaches
// the target with probability 1, and the allowed choices that keep to those
// states; none of the target's. (Courcoubetis and Yannakakis 1995; de Alfaro
// 1997, Algorithm 4.1.)
func (r *rows) surely(target, allowed []bool) (states, choices []bool) {
	choices = slices.Clone(allowed)
	for k := range choices {
		choices[k] = choices[k] && !target[r.state[k]]
	}
	for {
		states = slices.Clone(target)
		r.graph(choices).reverse().reach(states)
		changed := false
		for k, is := range choices {
			if is && (!states[r.state[k]] || slices.ContainsFunc(r.next(int32(k)), func(j int32) bool { return !states[j] })) {
				choices[k] = false
				changed = true
			}
		}
		if !changed {
			return states, choices
		}
	}
}

// mayAvoid returns the states from which some policy of allowed choices does not
// reach the target with probability 1.
func (r *rows) mayAvoid(target, allowed []bool) []bool {
	running := slices.Clone(allowed)
	for k := range running {
		running[k] = running[k] && !target[r.state[k]]
	}
	// States that keep a choice can avoid the target for ever; those from which
	// they are reached, with a positive probability.
	avoid := make([]bool, r.numStates())
	for s, left := range r.prune(running).left {
		avoid[s] = left > 0
	}
	r.graph(running).reverse().reach(avoid)
	return avoid
}
