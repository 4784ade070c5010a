package verify

import "slices"

// outside marks states that belong to no component.
const outside = -1

// endComponents are sets of states, each with some of their choices, in which
// one can stay for ever and come from any state to any other.
type endComponents struct {
	component []int32 // of each state, or outside
	members   *graph  // the states of each
	stays     []bool  // by choice: it belongs to the component of its state
}

// count returns the number of components.
func (c *endComponents) count() int { return c.members.numNodes() }

// endComponents finds the maximal end components of the allowed choices (de
// Alfaro 1997, Algorithm 3.1): choices that may leave the strongly connected
// component of their state are taken away, then all that lead to a state
// without choices, and so on until nothing changes.
func (r *rows) endComponents(allowed []bool) *endComponents {
	p := r.prune(allowed)
	var (
		count     int
		component []int32
	)
	for again := true; again; {
		count, component = r.graph(p.stays).components()
		again = false
		for k, is := range p.stays {
			if is && leaves(component, component[r.state[k]], r.next(int32(k))) {
				p.remove(int32(k))
				again = true
			}
		}
	}
	return number(count, component, p)
}

// number leaves out the components of states without choices.
func number(count int, component []int32, p *pruning) *endComponents {
	name, found := slices.Repeat([]int32{outside}, count), int32(0)
	for s, c := range component {
		switch {
		case p.left[s] == 0:
			component[s] = outside
			continue
		case name[c] == outside:
			name[c] = found
			found++
		}
		component[s] = name[c]
	}
	return &endComponents{component: component, members: members(int(found), component), stays: p.stays}
}

// pruning is a set of choices from which some are taken away.
type pruning struct {
	*rows
	stays    []bool  // by choice: not taken away
	left     []int32 // by state: how many of its choices are not taken away
	entering *graph  // from states to the choices that may lead there
}

// prune returns the allowed choices without those that may lead to a state
// without any: what is left can be kept to for ever.
func (r *rows) prune(allowed []bool) *pruning {
	p := &pruning{rows: r, stays: slices.Clone(allowed), left: make([]int32, r.numStates())}
	p.entering = newGraph(r.numStates(), func(add func(from, to int32)) {
		for k, is := range allowed {
			for _, j := range r.next(int32(k)) {
				if is {
					add(j, int32(k))
				}
			}
		}
	})
	for k, is := range allowed {
		if is {
			p.left[r.state[k]]++
		}
	}
	for s, left := range slices.Clone(p.left) {
		if left == 0 {
			p.removeEntering(int32(s))
		}
	}
	return p
}

// remove takes a choice away, and if it is the last of its state all that lead
// there.
func (p *pruning) remove(k int32) {
	if p.stays[k] {
		p.stays[k] = false
		s := p.state[k]
		if p.left[s]--; p.left[s] == 0 {
			p.removeEntering(s)
		}
	}
}

// removeEntering takes away all choices that lead to a state without choices,
// and so on.
func (p *pruning) removeEntering(s int32) {
	empty := []int32{s}
	for len(empty) > 0 {
		s := empty[len(empty)-1]
		empty = empty[:len(empty)-1]
		for _, k := range p.entering.next(s) {
			if !p.stays[k] {
				continue
			}
			p.stays[k] = false
			if p.left[p.state[k]]--; p.left[p.state[k]] == 0 {
				empty = append(empty, p.state[k])
			}
		}
	}
}

// leaves reports whether one of the states is not in the component c.
func leaves(component []int32, c int32, states []int32) bool {
	for _, j := range states {
		if component[j] != c {
			return true
		}
	}
	return false
}

// graph returns the graph of the allowed choices.
func (r *rows) graph(allowed []bool) *graph {
	return newGraph(r.numStates(), func(add func(from, to int32)) {
		for k, is := range allowed {
			for _, j := range r.next(int32(k)) {
				if is {
					add(r.state[k], j)
				}
			}
		}
	})
}
