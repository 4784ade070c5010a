package mdp

import "slices"

// graph is a directed graph over states in compressed form. Edges to the state
// itself are left out; an edge may be listed more than once.
type graph struct {
	start   []int   // first edge of each state, and the number of edges
	columns []int32 // heads
}

// unionGraph returns the graph of the transitions of all actions.
func unionGraph(model Explicit) *graph {
	n := model.NumStates()
	g := &graph{start: make([]int, 1, n+1)}
	var row []Entry
	lister := make([]int32, n) // one more than the last state that listed this one
	for s := range n {
		for a := range model.NumActions(s) {
			row, _ = model.AppendRow(row[:0], s, a)
			for _, e := range row {
				if int(e.State) != s && e.Probability > 0 && lister[e.State] != int32(s+1) {
					lister[e.State] = int32(s + 1)
					g.columns = append(g.columns, e.State)
				}
			}
		}
		g.start = append(g.start, len(g.columns))
	}
	return g
}

func (g *graph) numStates() int { return len(g.start) - 1 }

// next returns the successors of s.
func (g *graph) next(s int32) []int32 { return g.columns[g.start[s]:g.start[s+1]] }

// without returns the graph without the edges to a state.
func (g *graph) without(state int32) *graph {
	n := g.numStates()
	w := &graph{start: make([]int, 1, n+1), columns: make([]int32, 0, len(g.columns))}
	for s := range int32(n) {
		for _, j := range g.next(s) {
			if j != state {
				w.columns = append(w.columns, j)
			}
		}
		w.start = append(w.start, len(w.columns))
	}
	return w
}

// reverse returns the graph with every edge turned around.
func (g *graph) reverse() *graph {
	n := g.numStates()
	start := make([]int, n+1)
	for _, j := range g.columns {
		start[j+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	columns, fill := make([]int32, len(g.columns)), slices.Clone(start[:n])
	for s := range int32(n) {
		for _, j := range g.next(s) {
			columns[fill[j]] = s
			fill[j]++
		}
	}
	return &graph{start: start, columns: columns}
}

// undirected returns the graph with every edge in both directions, once, given
// its reverse.
func (g *graph) undirected(reverse *graph) *graph {
	n := g.numStates()
	u := &graph{start: make([]int, 1, n+1), columns: make([]int32, 0, len(g.columns)+len(g.columns)/2)}
	seen := make([]int32, n) // one more than the last state with an edge to it
	for s := range int32(n) {
		for _, next := range [][]int32{g.next(s), reverse.next(s)} {
			for _, j := range next {
				if seen[j] != s+1 {
					seen[j] = s + 1
					u.columns = append(u.columns, j)
				}
			}
		}
		u.start = append(u.start, len(u.columns))
	}
	return u
}

// stronglyConnected reports whether every state can be reached from every
// other, given the reverse of the graph.
func (g *graph) stronglyConnected(reverse *graph) bool {
	return g.reachesAll() && reverse.reachesAll()
}

// reachesAll reports whether every state can be reached from state 0.
func (g *graph) reachesAll() bool {
	reached := make([]bool, g.numStates())
	reached[0] = true
	found := make([]int32, 1, len(reached))
	for i := 0; i < len(found); i++ {
		for _, j := range g.next(found[i]) {
			if !reached[j] {
				reached[j] = true
				found = append(found, j)
			}
		}
	}
	return len(found) == len(reached)
}

// components returns the number of strongly connected components and the
// component of each state, by Tarjan's algorithm (1972) without recursion.
// Components are numbered in reverse topological order: an edge between two of
// them leads to the lower number.
func (g *graph) components() (count int, component []int32) {
	const unseen = -1
	n := g.numStates()
	component = make([]int32, n)
	low := make([]int32, n) // least discovery number reached; unseen before discovery
	for i := range n {
		low[i], component[i] = unseen, unseen
	}
	type frame struct {
		state, found int32
		edge         int
	}
	var (
		calls []frame
		open  []int32 // states of components not yet closed
		found int32
	)
	for root := range int32(n) {
		if low[root] != unseen {
			continue
		}
		calls = append(calls, frame{state: root, found: found, edge: g.start[root]})
		low[root] = found
		found++
		open = append(open, root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			s := f.state
			if f.edge < g.start[s+1] {
				j := g.columns[f.edge]
				f.edge++
				if low[j] == unseen {
					calls = append(calls, frame{state: j, found: found, edge: g.start[j]})
					low[j] = found
					found++
					open = append(open, j)
				} else if component[j] == unseen {
					low[s] = min(low[s], low[j])
				}
				continue
			}
			if low[s] == f.found {
				for {
					top := open[len(open)-1]
					open = open[:len(open)-1]
					component[top] = int32(count)
					if top == s {
						break
					}
				}
				count++
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].state
				low[caller] = min(low[caller], low[s])
			}
		}
	}
	return count, component
}

// closed returns the closed classes, the components that no edge leaves: each
// with its states in ascending order, ordered by their least state.
func (g *graph) closed() [][]int32 {
	count, component := g.components()
	left := make([]bool, count)
	for s := range int32(g.numStates()) {
		for _, j := range g.next(s) {
			if component[j] != component[s] {
				left[component[s]] = true
				break
			}
		}
	}
	place := make([]int, count)
	var classes [][]int32
	for s := range int32(g.numStates()) {
		c := component[s]
		if left[c] {
			continue
		}
		if place[c] == 0 {
			classes = append(classes, nil)
			place[c] = len(classes)
		}
		classes[place[c]-1] = append(classes[place[c]-1], s)
	}
	return classes
}
