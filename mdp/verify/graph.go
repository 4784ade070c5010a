package verify

// This file holds graphs: what is strongly connected, what leads where, perhaps or
// for sure, and where one can stay for ever.

import "slices"

// graph is a directed graph: node i leads to columns[start[i]] …
// columns[start[i+1]−1].
type graph struct{ start, columns []int32 }

// newGraph returns a graph of n nodes, whose edges each calls add for.
func newGraph(n int, edges func(add func(from, to int32))) *graph {
	g := &graph{start: make([]int32, n+2)}
	edges(func(from, _ int32) { g.start[from+2]++ })
	for i := 2; i < len(g.start); i++ {
		g.start[i] += g.start[i-1]
	}
	g.columns = make([]int32, g.start[n+1])
	edges(func(from, to int32) {
		g.columns[g.start[from+1]] = to
		g.start[from+1]++
	})
	g.start = g.start[:n+1]
	return g
}

func (g *graph) next(i int32) []int32 { return g.columns[g.start[i]:g.start[i+1]] }

// components finds the strongly connected components: Tarjan (1972), with a stack
// of its own in place of recursion.
func (g *graph) components() (count int32, component []int32) {
	const done = 1<<31 - 1 // the index of nodes whose component is known
	n := len(g.start) - 1
	component = make([]int32, n)
	index, low := make([]int32, n), make([]int32, n) // order of discovery, from 1; least known to be reachable
	at := slices.Clone(g.start)                      // next edge to follow
	var stack, path []int32                          // nodes without a component yet; the way from the root of the search
	found := int32(0)
	for root := range int32(n) {
		if index[root] == 0 {
			path = append(path, root)
		}
	search:
		for len(path) > 0 {
			i := path[len(path)-1]
			if index[i] == 0 {
				found++
				index[i], low[i] = found, found
				stack = append(stack, i)
			}
			for ; at[i] < g.start[i+1]; at[i]++ {
				j := g.columns[at[i]]
				if index[j] == 0 {
					path = append(path, j) // when the search is back, its low counts
					continue search
				}
				if index[j] != done {
					low[i] = min(low[i], low[j])
				}
			}
			path = path[:len(path)-1]
			if low[i] < index[i] {
				continue
			}
			for index[i] != done {
				j := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				component[j], index[j] = count, done
			}
			count++
		}
	}
	return count, component
}

// graph returns the graph of the allowed choices.
func (r *rows) graph(allowed []bool) *graph {
	if !slices.Contains(allowed, false) { // as the model has it
		g := &graph{start: make([]int32, len(r.StateStart)), columns: r.Columns}
		for s, k := range r.StateStart {
			g.start[s] = r.RowStart[k]
		}
		return g
	}
	return newGraph(r.NumStates(), func(add func(from, to int32)) { r.edges(allowed, func(k, j int32) { add(r.stateOf[k], j) }) })
}

// edges calls do for the allowed choices, or all where allowed is nil, and the
// states that they lead to.
func (r *rows) edges(allowed []bool, do func(k, j int32)) {
	for k := range int32(r.NumChoices()) {
		if allowed == nil || allowed[k] {
			for _, j := range r.next(k) {
				do(k, j)
			}
		}
	}
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
	var kept []bool // components with a choice
	for again := true; again; {
		var count int32
		count, ends.component = r.graph(ends.stays).components()
		again, kept = false, make([]bool, count)
		for k, is := range ends.stays {
			if own := ends.component[r.stateOf[k]]; is {
				kept[own] = true
				for _, j := range r.next(int32(k)) {
					ends.stays[k] = ends.stays[k] && ends.component[j] == own
				}
				again = again || !ends.stays[k]
			}
		}
	}
	for s, c := range ends.component {
		if !kept[c] {
			ends.component[s] = outside
		}
	}
	ends.count = len(slices.DeleteFunc(kept, func(is bool) bool { return !is }))
	if all {
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
		r.entering = newGraph(r.NumStates(), func(add func(from, to int32)) { r.edges(nil, func(k, j int32) { add(j, k) }) })
	}
	for len(queue) > 0 {
		j := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, k := range r.entering.next(j) {
			if s := r.stateOf[k]; allowed[k] && !marked[s] {
				marked[s] = true
				queue = append(queue, s)
			}
		}
	}
}

// surely returns the states from which some policy of allowed choices reaches
// the target with probability 1 (Courcoubetis and Yannakakis 1995; de Alfaro 1997,
// Algorithm 4.1): again and again, what cannot reach the target is taken away, with
// the choices that may lead there.
func (r *rows) surely(target, allowed []bool) []bool {
	choices := r.until(target, allowed)
	for {
		states := slices.Clone(target)
		r.reach(states, choices)
		kept := r.within(states, choices)
		if slices.Equal(kept, choices) {
			return states
		}
		choices = kept
	}
}

// mayAvoid returns the states from which some policy of allowed choices does not
// reach the target with probability 1: those from which an end component outside
// of it may be reached.
func (r *rows) mayAvoid(target, allowed []bool) []bool {
	running := r.until(target, allowed)
	avoid := make([]bool, r.NumStates())
	for s, c := range r.endComponents(running).component {
		avoid[s] = c != outside
	}
	r.reach(avoid, running)
	return avoid
}

// until returns the allowed choices without those of the target.
func (r *rows) until(target, allowed []bool) []bool {
	return r.filter(allowed, func(k, s int32) bool { return !target[s] })
}

// within returns the allowed choices of a set of states that never lead out of it.
func (r *rows) within(states, allowed []bool) []bool {
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
