package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// What policies reach with probability 1, or with a positive probability.

// Predecessors lists, for each state, the choices that may lead to it.
type Predecessors struct {
	rows   *rows.Rows
	owner  []int32 // the state of each choice
	start  []int
	choice []int32
}

// NewPredecessors turns the choices of rows around.
func NewPredecessors(r *rows.Rows) *Predecessors {
	n := r.NumStates()
	start := make([]int, n+2) // element j+1 is the start of the choices that lead to state j until they are listed, then their end
	p := &Predecessors{rows: r, owner: make([]int32, r.NumChoices()), start: start[:n+1], choice: make([]int32, len(r.Columns))}
	for s := range int32(n) {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			p.owner[k] = s
			for _, j := range r.Next(k) {
				start[j+2]++
			}
		}
	}
	for s := range n {
		start[s+2] += start[s+1]
	}
	for k := range int32(len(p.owner)) {
		for _, j := range r.Next(k) {
			p.choice[start[j+1]] = k
			start[j+1]++
		}
	}
	return p
}

// Towards marks in reached every state from which allowed choices (nil allows all) can
// lead to a state already marked, and sets policy to an action that brings each new state
// a step closer. It returns the new states in the order of their distance, and the greatest
// distance.
func (p *Predecessors) Towards(reached, allowed []bool, policy []int32) (found []int32, distance int) {
	visit := func(j int32) {
		for _, k := range p.choice[p.start[j]:p.start[j+1]] {
			if s := p.owner[k]; !reached[s] && (allowed == nil || allowed[k]) { //nolint:gocritic // an empty allowed allows nothing
				reached[s] = true
				policy[s] = k - p.rows.StateStart[s]
				found = append(found, s)
			}
		}
	}
	found = make([]int32, 0, len(reached))
	for s, is := range slices.Clone(reached) {
		if is {
			visit(int32(s))
		}
	}
	for i, next := 0, 0; i < len(found); i++ {
		if i == next {
			distance, next = distance+1, len(found)
		}
		visit(found[i])
	}
	return found, distance
}

// SurelyReaching returns the states from which some policy of the allowed
// choices reaches the target with probability 1, and such a policy. Choices that
// may leave these states are no longer allowed: a policy that uses one in a state that
// it visits does not reach the target with probability 1 (de Alfaro 1997, §3.1).
func (p *Predecessors) SurelyReaching(target, allowed []bool) (sure []bool, policy []int32) {
	policy = make([]int32, len(target))
	for again := true; again; {
		sure = slices.Clone(target)
		p.Towards(sure, allowed, policy)
		again = p.forbidLosing(sure, target, allowed)
	}
	return sure, policy
}

// forbidLosing forbids the choices that may lead out of the kept states, removes states
// without a choice from them, and repeats. It reports whether a kept state lost a choice.
func (p *Predecessors) forbidLosing(kept, exempt, allowed []bool) (found bool) {
	left := make([]int32, len(kept)) // allowed choices
	for k, s := range p.owner {
		if allowed[k] {
			left[s]++
		}
	}
	var lost, forbidden []int32
	for s := range kept {
		if !kept[s] {
			lost = append(lost, int32(s))
		}
	}
	outside := len(lost)
	for i := 0; i < len(lost); i++ {
		j := lost[i]
		for _, k := range p.choice[p.start[j]:p.start[j+1]] {
			s := p.owner[k]
			if !allowed[k] || exempt[s] {
				continue
			}
			allowed[k] = false
			forbidden = append(forbidden, k)
			left[s]--
			if kept[s] && left[s] == 0 {
				kept[s] = false
				lost = append(lost, s)
			}
		}
	}
	return len(lost) > outside || slices.ContainsFunc(forbidden, func(k int32) bool { return kept[p.owner[k]] })
}

// MayAvoid returns the states from which some policy has a positive probability
// of never reaching the target, and sets such a policy in them: to an end
// component without target states, and to stay in it.
func (p *Predecessors) MayAvoid(target []bool, policy []int32) []bool {
	r, kept := p.rows, make([]bool, len(target))
	allowed := make([]bool, r.NumChoices())
	for s := range kept {
		kept[s] = !target[s]
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			allowed[k] = kept[s]
		}
	}
	before := slices.Clone(allowed)
	p.forbidLosing(kept, target, allowed)
	ends := find(r, allowed, p) // end components without target states
	avoids := make([]bool, len(target))
	for s := range avoids {
		avoids[s] = ends.Of[s] != Outside
		for k := r.StateStart[s]; avoids[s] && k < r.StateStart[s+1]; k++ {
			if ends.Stays[k] {
				policy[s] = k - r.StateStart[s]
				break
			}
		}
	}
	p.Towards(avoids, before, policy)
	return avoids
}
