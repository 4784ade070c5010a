package certificate

// This file holds what leads where, perhaps or for sure, and where one can stay.

import (
	"math/big"
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

// endComponents finds the end components of the allowed choices (de Alfaro 1997, Algorithm
// 3.1): choices that may leave the strongly connected component of their state are
// taken away until there are none. The result for all choices is kept for later calls.
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

// choices returns all choices as a graph.
func (r *rows) choices() *graph.Choices {
	if r.graph == nil {
		r.graph = graph.NewChoices(r.NumStates(), r.stateOf, func(k int32) []int32 {
			return r.possible(k)
		})
	}
	return r.graph
}

// possible returns the states that choice k may lead to, with its own if it may stay.
func (r *rows) possible(k int32) []int32 {
	if len(r.high) == 0 {
		return r.next(k)
	}
	var possible []int32
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		if r.isPossible(e) {
			possible = append(possible, r.Columns[e])
		}
	}
	return possible
}

// reaching returns the states from which the target is reached with probability 1 by allowed
// choices: for some policy or for all, and for some choice of nature or for all.
func (r *rows) reaching(target, allowed []bool, somePolicy, someNature bool) []bool {
	states, _ := r.choices().Reaching(target, func(s int32, within, met []bool) bool {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			if allowed[k] && r.hits(k, within, met, someNature) == somePolicy {
				return somePolicy
			}
		}
		return !somePolicy
	})
	return states
}

// hits reports whether choice k leads only to states that are marked in within, and with a positive
// probability to a state that is marked in met: for some choice of nature with someNature, and
// otherwise for all.
func (r *rows) hits(k int32, within, met []bool, someNature bool) bool {
	possible := r.possible(k)
	if someNature {
		return r.canAvoid(k, within, false) && slices.ContainsFunc(possible, func(j int32) bool { return met[j] })
	}
	return !slices.ContainsFunc(possible, func(j int32) bool { return !within[j] }) && !r.canAvoid(k, met, true)
}

// canAvoid reports whether nature can give the probability 0 to all states whose mark equals avoided.
func (r *rows) canAvoid(k int32, marks []bool, avoided bool) bool {
	rest := big.NewRat(1, 1)
	if r.free != nil {
		rest.Sub(rest, r.free[k])
	}
	avoids, keeps := false, r.continuous
	for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
		switch {
		case marks[r.Columns[e]] != avoided:
			rest.Sub(rest, r.high[e])
			keeps = true
		case r.low[e].Sign() > 0:
			return false
		default:
			avoids = avoids || r.isPossible(e)
		}
	}
	return !avoids || keeps && (r.continuous || rest.Sign() <= 0)
}

// reach marks the states from which those that are marked may be reached by
// allowed choices.
func (r *rows) reach(marked, allowed []bool) {
	r.choices().Backwards(marked, func(k int32) bool { return allowed[k] })
}

// surely returns the states from which some policy of allowed choices reaches
// the target with probability 1.
func (r *rows) surely(target, allowed []bool) []bool { return r.choices().Surely(target, allowed) }

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

// stayingIn returns the allowed choices of a set of states that never lead out of it; with
// someNature those that need not lead out of it.
func (r *rows) stayingIn(states, allowed []bool, someNature bool) []bool {
	return r.filter(allowed, func(k, s int32) bool {
		if someNature {
			return states[s] && r.canAvoid(k, states, false)
		}
		return states[s] && !slices.ContainsFunc(r.possible(k), func(j int32) bool { return !states[j] })
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
