package certificate

// This file holds what leads where, perhaps or for sure, and where one can stay.

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// components returns the number of the strongly connected component of each state, by
// the allowed choices.
func (r *rows) components(allowed []bool) []int32 {
	g := graph.New(r.NumStates())
	for s := range int32(r.NumStates()) {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				if j := r.Columns[e]; allowed[k] && j != s && r.isPossible(e) {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	_, component := g.Components()
	return component
}

// outside marks states that belong to no end component.
const outside = -1

// endComponents are the maximal sets of states, each with some of their choices,
// in which one can stay for ever and come from any state to any other.
type endComponents struct {
	count     int
	component []int32 // a number for the states of each, or outside
	stays     []bool  // by choice: it belongs to the component of its state
}

// endComponents finds those of the allowed choices (de Alfaro 1997, Algorithm
// 3.1): choices that may leave the strongly connected component of their state are
// taken away until there are none. Those of all choices are kept.
func (r *rows) endComponents(allowed []bool) *endComponents {
	all := !slices.Contains(allowed, false)
	if all && r.ends != nil {
		return r.ends
	}
	ends := &endComponents{stays: slices.Clone(allowed)}
	kept := make(map[int32]bool) // components with a choice
	for again := true; again; {
		ends.component = r.components(ends.stays)
		again = false
		clear(kept)
		for k, is := range ends.stays {
			if own := ends.component[r.stateOf[k]]; is {
				for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
					ends.stays[k] = ends.stays[k] && (ends.component[r.Columns[e]] == own || !r.isPossible(e))
				}
				kept[own], again = true, again || !ends.stays[k]
			}
		}
	}
	for s, c := range ends.component {
		if !kept[c] {
			ends.component[s] = outside
		}
	}
	if ends.count = len(kept); all {
		r.ends = ends
	}
	return ends
}

// reach marks the states from which those that are marked may be reached by
// allowed choices.
func (r *rows) reach(marked, allowed []bool) {
	var queue []int32
	for s, is := range marked {
		if is {
			queue = append(queue, int32(s))
		}
	}
	if r.entering == nil && len(queue) > 0 {
		r.entering, r.enteringStart = make([]int32, r.NumTransitions()), make([]int32, r.NumStates()+2)
		for e, j := range r.Columns {
			if r.isPossible(int32(e)) {
				r.enteringStart[j+2]++
			}
		}
		for i := range r.NumStates() {
			r.enteringStart[i+2] += r.enteringStart[i+1]
		}
		for k := range int32(r.NumChoices()) {
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				if j := r.Columns[e]; r.isPossible(e) {
					r.entering[r.enteringStart[j+1]] = k
					r.enteringStart[j+1]++
				}
			}
		}
	}
	for len(queue) > 0 {
		j := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, k := range r.entering[r.enteringStart[j]:r.enteringStart[j+1]] {
			if s := r.stateOf[k]; allowed[k] && !marked[s] {
				marked[s] = true
				queue = append(queue, s)
			}
		}
	}
}

// surely returns the states from which some policy of allowed choices reaches
// the target with probability 1 (de Alfaro 1997, Algorithm 4.1): again and again, what
// cannot reach the target is taken away, with the choices that may lead there.
func (r *rows) surely(target, allowed []bool) []bool {
	choices := r.until(target, allowed)
	for {
		states := slices.Clone(target)
		r.reach(states, choices)
		kept := r.stayingIn(states, choices)
		if slices.Equal(kept, choices) {
			return states
		}
		choices = kept
	}
}

// unavoidable returns the states from which every policy of allowed choices reaches
// the target with probability 1: no end component outside of it may be reached.
func (r *rows) unavoidable(target, allowed []bool) []bool {
	running := r.until(target, allowed)
	states := make([]bool, r.NumStates())
	for s, c := range r.endComponents(running).component {
		states[s] = c != outside
	}
	r.reach(states, running)
	for s, avoids := range states {
		states[s] = !avoids
	}
	return states
}

// until returns the allowed choices without those of the target.
func (r *rows) until(target, allowed []bool) []bool {
	return r.filter(allowed, func(_, s int32) bool { return !target[s] })
}

// stayingIn returns the allowed choices of a set of states that never lead out of it.
func (r *rows) stayingIn(states, allowed []bool) []bool {
	return r.filter(allowed, func(k, s int32) bool {
		return states[s] && !slices.ContainsFunc(r.next(k), func(j int32) bool { return !states[j] })
	})
}

// filter returns the allowed choices k, of states s, that are to be kept.
func (r *rows) filter(allowed []bool, keep func(k, s int32) bool) []bool {
	kept := slices.Clone(allowed)
	for k, s := range r.stateOf {
		kept[k] = kept[k] && keep(int32(k), s)
	}
	return kept
}
