// Package endcomponents analyses the graph of a model: in which states policies can
// stay for ever, what they reach with probability 1, and the model in which the states of
// each end component are merged.
package endcomponents

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Outside marks states of no component.
const Outside = -1

// Components are the maximal end components of a model: the largest sets of
// states, with some of their actions, in which a policy can stay for ever and go from
// any state to any other (de Alfaro 1997).
type Components struct {
	Count int
	Of    []int32 // of each state, Outside for none
	Stays []bool  // of each choice: it stays in the component of its state

	// Strong is the number of strongly connected components of the graph of all choices, and StrongOf
	// the one of each state, by the numbers of [graph.Graph.Components]; 0 and nil if some choices were
	// not allowed at first.
	Strong   int
	StrongOf []int32

	before *Predecessors // if they were needed
}

// Find finds the maximal end components among the states that are kept, with the
// actions that cannot leave them; nil keeps all.
func Find(r *rows.Rows, kept []bool) *Components {
	allowed := make([]bool, r.NumChoices())
	for s := range r.NumStates() {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			allowed[k] = kept == nil || kept[s] //nolint:gocritic // an empty kept keeps nothing
		}
	}
	return FindAllowed(r, allowed)
}

// FindAllowed finds the maximal end components of the allowed choices, and forbids
// those that do not stay in one.
//
// It repeatedly finds the strongly connected components and forbids the choices that may
// leave the component of their state, until there are no such choices. Before, and in between, it
// forbids the choices that may lead to states without a choice.
func FindAllowed(r *rows.Rows, allowed []bool) *Components {
	if !slices.Contains(allowed, false) || !slices.Contains(allowed, true) {
		return find(r, allowed, nil)
	}
	before := NewPredecessors(r)
	before.forbidLosing(withChoice(r, allowed), make([]bool, r.NumStates()), allowed)
	found := find(r, allowed, before)
	found.Strong, found.StrongOf = 0, nil
	return found
}

// find is FindAllowed after choices that may lead to states without a choice were forbidden. before may be nil.
func find(r *rows.Rows, allowed []bool, before *Predecessors) *Components {
	var (
		count, strong       int
		component, strongOf []int32
	)
	for again := slices.Contains(allowed, true); again; {
		if count, component = r.Graph(allowed).Components(); strong == 0 {
			strong, strongOf = count, component
		}
		again = count > 1 && forbid(r, allowed, func(from, to int32) bool { return component[from] != component[to] })
		if isChain := r.NumChoices() == len(component); again && isChain { // what remains are its closed classes
			left := make([]bool, count)
			for s, is := range allowed {
				left[component[s]] = left[component[s]] || !is
			}
			for s := range allowed {
				allowed[s] = !left[component[s]]
			}
			break
		}
		if again {
			if before == nil {
				before = NewPredecessors(r)
			}
			before.forbidLosing(withChoice(r, allowed), make([]bool, len(component)), allowed)
		}
	}
	// A component without an allowed choice is a single state in which no policy can stay.
	if component == nil {
		component = make([]int32, r.NumStates())
	}
	number, of := make([]int32, max(count, 1)), make([]int32, len(component))
	found := int32(0)
	for s, old := range component {
		of[s] = Outside
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			if allowed[k] {
				if number[old] == 0 {
					found++
					number[old] = found
				}
				of[s] = number[old] - 1
				break
			}
		}
	}
	return &Components{Count: int(found), Of: of, Stays: allowed, Strong: strong, StrongOf: strongOf, before: before}
}

// AreLeft reports whether some choice leaves an end component.
func (c *Components) AreLeft(r *rows.Rows) bool {
	for s, component := range c.Of {
		first, end := r.Choices(s)
		if component != Outside && slices.Contains(c.Stays[first:end], false) {
			return true
		}
	}
	return false
}

// withChoice returns the states that have an allowed choice.
func withChoice(r *rows.Rows, allowed []bool) []bool {
	with := make([]bool, r.NumStates())
	for s := range with {
		with[s] = slices.Contains(allowed[r.StateStart[s]:r.StateStart[s+1]], true)
	}
	return with
}

// forbid forbids the allowed choices with a transition that leaves, and reports whether
// there were any.
func forbid(r *rows.Rows, allowed []bool, leaves func(from, to int32) bool) bool {
	found := false
	for s := range int32(r.NumStates()) {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			if allowed[k] && slices.ContainsFunc(r.Next(k), func(j int32) bool { return leaves(s, j) }) {
				allowed[k], found = false, true
			}
		}
	}
	return found
}
