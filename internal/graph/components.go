package graph

import "slices"

// Components returns the number of strongly connected components and the
// component of each state, by Tarjan's algorithm (1972) without recursion.
// Components are numbered in reverse topological order: an edge between two of
// them leads to the lower number.
func (g *Graph) Components() (count int, component []int32) {
	if g.isConnected() {
		return 1, make([]int32, g.NumStates())
	}
	count, component, _ = g.ComponentsWithout(make([]bool, g.NumStates()))
	return count, component
}

// ComponentsWithout is Components of the graph without some states, which are in component −1. It also
// lists the others in the order in which a depth-first search leaves them: only edges that close a cycle
// lead to later states.
func (g *Graph) ComponentsWithout(left []bool) (count int, component, order []int32) {
	return g.components(left, g.NumStates())
}

// components is ComponentsWithout, but returns no components if one has more than most states.
func (g *Graph) components(left []bool, most int) (count int, component, order []int32) {
	const without, unseen = -1, -2 // below that, an open state, whose place in open is −3−component
	n := g.NumStates()
	component = slices.Repeat([]int32{unseen}, n)
	for s, is := range left {
		if is {
			component[s] = without
		}
	}
	low := make([]int32, n)    // least place reached
	caller := make([]int32, n) // the state from which each was discovered
	edge := make([]int32, n)   // edges that were followed
	open := make([]int32, 0, n)
	order = make([]int32, 0, n)
	discover := func(s, from int32) {
		place := int32(len(open))
		component[s], low[s], caller[s] = -3-place, place, from
		open = append(open, s)
	}
	for root := range int32(n) {
		if component[root] != unseen {
			continue
		}
		discover(root, -1)
		for s := root; s >= 0; {
			e, end := g.Start[s]+int(edge[s]), g.Start[s+1]
			for ; e < end && component[g.Columns[e]] != unseen; e++ {
				if j := g.Columns[e]; component[j] < unseen {
					if low[s] = min(low[s], low[j]); len(open)+3+int(component[j]) > most {
						return 0, nil, nil // all that are open since j are in one component
					}
				}
			}
			if e < end {
				edge[s] = int32(e + 1 - g.Start[s])
				discover(g.Columns[e], s)
				s = g.Columns[e]
				continue
			}
			if len(open)+3+int(component[s]) > most {
				return 0, nil, nil
			}
			if low[s] == -3-component[s] {
				for closed := false; !closed; open = open[:len(open)-1] {
					top := open[len(open)-1]
					component[top], closed = int32(count), top == s
				}
				count++
			}
			order = append(order, s)
			from := caller[s]
			if from >= 0 {
				low[from] = min(low[from], low[s])
			}
			s = from
		}
	}
	return count, component, order
}

// SmallComponents is ComponentsWithout if no component has more than most states; otherwise, it returns no
// components, mostly in less time. Where components are single states, many models number them in this order, or against
// it, except those where paths end.
func (g *Graph) SmallComponents(left []bool, most int) (count int, component, order []int32) {
	n, rises, falls := g.NumStates(), true, true
	order = make([]int32, 0, n)
	isEnd := slices.Clone(left)
	for s, is := range left {
		if !is && !slices.ContainsFunc(g.Next(int32(s)), func(j int32) bool { return j != int32(s) }) {
			isEnd[s], order = true, append(order, int32(s))
		}
	}
	ends := len(order)
	for s := range int32(n) {
		if isEnd[s] {
			continue
		}
		order = append(order, s)
		for _, j := range g.Next(s) {
			if !isEnd[j] {
				rises, falls = rises && j >= s, falls && j <= s
			}
		}
		if !rises && !falls {
			return g.components(left, most)
		}
	}
	if rises {
		slices.Reverse(order[ends:])
	}
	component = slices.Repeat([]int32{-1}, n)
	for i, s := range order {
		component[s] = int32(i)
	}
	return len(order), component, order
}

// connectedSweeps is the number of sweeps that find all states which lead to state 0,
// unless paths are long.
const connectedSweeps = 8

// isConnected reports whether it finds that the graph is strongly connected: state 0 leads
// to all states, and all lead to it. Its marks fit the caches, so that on large random
// graphs this is several times faster than Tarjan's algorithm.
func (g *Graph) isConnected() bool {
	n := g.NumStates()
	if n == 0 {
		return false
	}
	for s := range int32(n) { // one that leads to no other, as where paths end, shows that it is not
		if n > 1 && !slices.ContainsFunc(g.Next(s), func(j int32) bool { return j != s }) {
			return false
		}
	}
	queue, _ := g.Reached([]int32{0}, make([]bool, n))
	leads := make([]bool, n)
	leads[0] = true
	left := n - 1
	for sweep := 0; sweep < connectedSweeps && len(queue) == n && left > 0; sweep++ {
		slices.Reverse(queue)
		for _, s := range queue { // from the ends of paths back, then the other way
			if !leads[s] && slices.ContainsFunc(g.Next(s), func(j int32) bool { return leads[j] }) {
				leads[s] = true
				left--
			}
		}
	}
	return len(queue) == n && left == 0
}

// Closed returns the closed classes, the components that no edge leaves: each
// with its states in ascending order, ordered by their least state.
func (g *Graph) Closed() [][]int32 { return g.ClosedOf(g.Components()) }

// ClosedOf returns the closed classes given what [Graph.Components] returns.
func (g *Graph) ClosedOf(count int, component []int32) [][]int32 {
	left := make([]bool, count)
	for s := range int32(g.NumStates()) {
		for _, j := range g.Next(s) {
			if component[j] != component[s] {
				left[component[s]] = true
				break
			}
		}
	}
	place := make([]int, count)
	var classes [][]int32
	for s := range int32(g.NumStates()) {
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
