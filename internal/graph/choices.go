package graph

import "slices"

// What the choices of a decision process may lead to, and what they surely lead to.

// Choices are the choices of states. Each leads to one of several states, by chance.
type Choices struct {
	owner    []int32 // the state of each choice
	entering *Graph  // the choices k that may lead to each state, as nodes k + number of states
}

// NewChoices returns the choices that owner lists by state, of n states, each of which may
// lead to what next lists.
func NewChoices(n int, owner []int32, next func(k int32) []int32) *Choices {
	leaving := New(n + len(owner))
	for range n {
		leaving.EndState()
	}
	for k := range owner {
		leaving.Columns = append(leaving.Columns, next(int32(k))...)
		leaving.EndState()
	}
	return &Choices{owner, leaving.Reverse()}
}

// Backwards marks the states that have a choice which may lead to a marked state, and for
// which passes is true; and repeats this with the states that it has marked. It calls
// passes once for each transition.
func (c *Choices) Backwards(marked []bool, passes func(k int32) bool) {
	var found []int32
	for s, is := range marked {
		if is {
			found = append(found, int32(s))
		}
	}
	for i := 0; i < len(found); i++ {
		for _, node := range c.entering.Next(found[i]) {
			k := node - int32(len(marked))
			if s := c.owner[k]; passes(k) && !marked[s] {
				marked[s] = true
				found = append(found, s)
			}
		}
	}
}

// Surely returns the states from which some policy of allowed choices leads to the target
// with probability 1 (de Alfaro 1997, Algorithm 4.1): repeatedly, the states that cannot
// reach the target are removed, with the choices that may lead to them.
func (c *Choices) Surely(target, allowed []bool) []bool {
	left, choices := make([]int, len(target)), make([]bool, len(allowed))
	for k, s := range c.owner {
		if choices[k] = allowed[k] && !target[s]; choices[k] {
			left[s]++
		}
	}
	for {
		states, lost := make([]bool, len(target)), make([]bool, len(target))
		copy(states, target)
		c.Backwards(states, func(k int32) bool { return choices[k] })
		for s, may := range states {
			lost[s] = !may
		}
		again := false
		c.Backwards(lost, func(k int32) bool {
			s := c.owner[k]
			if !choices[k] {
				return false
			}
			choices[k], again = false, again || states[s]
			left[s]--
			return left[s] == 0
		})
		if !again {
			return states
		}
	}
}

// Reaching returns the states from which the target is reached with probability 1 in a game. hits(s)
// says whether those who want to reach the target can ensure that the next state is surely one
// within, and with a positive probability one that is met. The states returned are the greatest set
// that can be left only into the target, and in which each state can come nearer to it (L. de Alfaro
// and R. Majumdar, Quantitative solution of omega-regular games, Journal of Computer and System
// Sciences 68 (2004), 374-397).
//
// order tells how to play. Those who want to reach the target succeed by going to states of the least
// order. The others succeed, from states that are not returned, by going to states of the greatest.
func (c *Choices) Reaching(target []bool, hits func(s int32, within, met []bool) bool) (states []bool, order []int32) {
	n := int32(len(target))
	within, order := slices.Repeat([]bool{true}, int(n)), make([]int32, n)
	for left, round := int(n), int32(0); ; round++ {
		met, found := slices.Clone(target), make([]int32, 0, n)
		meet := func(s int32) {
			met[s], order[s] = true, int32(len(found))
			found = append(found, s)
		}
		for s, is := range target {
			if is {
				meet(int32(s))
			}
		}
		for i := 0; i < len(found); i++ {
			for _, node := range c.entering.Next(found[i]) {
				if s := c.owner[node-n]; !met[s] && within[s] && hits(s, within, met) {
					meet(s)
				}
			}
		}
		if len(found) == left {
			return met, order
		}
		left = len(found)
		for s, is := range within {
			if is && !met[s] {
				order[s] = 2*n - round
			}
		}
		within = met
	}
}
