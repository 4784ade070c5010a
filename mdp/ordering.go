package mdp

import "slices"

// bandOrder returns the states in an order that keeps neighbours close to each
// other: that of Cuthill and McKee (1969), breadth first from a state at one
// end, or the order of the state numbers where that is no worse.
func (g *graph) bandOrder() []int32 {
	n := g.numStates()
	natural := make([]int32, n)
	for i := range natural {
		natural[i] = int32(i)
	}
	undirected := g.undirected()
	order := undirected.breadthFirst()
	below, above := g.bandwidths(natural, oneGroup(natural), 0)
	newBelow, newAbove := g.bandwidths(order, oneGroup(order), 0)
	if below*above <= newBelow*newAbove {
		return natural
	}
	return order
}

// undirected returns the graph with every edge in both directions, once.
func (g *graph) undirected() *graph {
	reverse := g.reverse()
	u := &graph{start: make([]int, 1, len(g.start)), columns: make([]int32, 0, 2*len(g.columns))}
	for s := range int32(g.numStates()) {
		first := len(u.columns)
		u.columns = append(append(u.columns, g.next(s)...), reverse.next(s)...)
		slices.Sort(u.columns[first:])
		u.columns = u.columns[:first+len(slices.Compact(u.columns[first:]))]
		u.start = append(u.start, len(u.columns))
	}
	return u
}

// breadthFirst returns the order of Cuthill and McKee for an undirected graph,
// each connected part from a state far out in it.
func (g *graph) breadthFirst() []int32 {
	n := g.numStates()
	order := make([]int32, 0, n)
	visited := make([]bool, n)
	degree := func(s int32) int { return g.start[s+1] - g.start[s] }
	// level appends the part of root to order; it returns its last state.
	level := func(root int32) int32 {
		first := len(order)
		visited[root] = true
		order = append(order, root)
		for i := first; i < len(order); i++ {
			begin := len(order)
			for _, j := range g.next(order[i]) {
				if !visited[j] {
					visited[j] = true
					order = append(order, j)
				}
			}
			slices.SortFunc(order[begin:], func(a, b int32) int {
				if d := degree(a) - degree(b); d != 0 {
					return d
				}
				return int(a - b)
			})
		}
		return order[len(order)-1]
	}
	// Walking to the far end a few times gives nearly the longest way through
	// the part, and so narrow levels (George and Liu 1979).
	const walks = 3
	for s := range int32(n) {
		if visited[s] {
			continue
		}
		first, root := len(order), s
		for range walks {
			last := level(root)
			for _, j := range order[first:] {
				visited[j] = false
			}
			order = order[:first]
			root = last
		}
		level(root)
	}
	return order
}

// bandwidths returns how far edges within a group of states reach in its
// order: back to earlier places (below the diagonal of the matrix), and on to
// later ones (above).
func (g *graph) bandwidths(order []int32, groups *groups, group int32) (below, above int) {
	for i, s := range order {
		for _, j := range g.next(s) {
			if groups.of[j] == group {
				p := int(groups.place[j])
				below, above = max(below, i-p), max(above, p-i)
			}
		}
	}
	return below, above
}

// oneGroup returns the groups of an order of all states.
func oneGroup(order []int32) *groups {
	g := &groups{of: make([]int32, len(order)), place: make([]int32, len(order))}
	g.set(order, 0)
	return g
}
