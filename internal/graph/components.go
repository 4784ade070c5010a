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
	const without, unseen = -1, -2 // below that, an open state, which is discovery number −3−component
	n := g.NumStates()
	component = slices.Repeat([]int32{unseen}, n)
	for s, is := range left {
		if is {
			component[s] = without
		}
	}
	low := make([]int32, n)    // least discovery number reached
	caller := make([]int32, n) // the state from which each was discovered
	edge := make([]int32, n)   // edges that were followed
	open := make([]int32, 0, n)
	order = make([]int32, 0, n)
	found := int32(0)
	discover := func(s, from int32) {
		component[s], low[s], caller[s] = -3-found, found, from
		open = append(open, s)
		found++
	}
	for root := range int32(n) {
		if component[root] != unseen {
			continue
		}
		discover(root, -1)
		for s := root; s >= 0; {
			if e := g.Start[s] + int(edge[s]); e < g.Start[s+1] {
				j := g.Columns[e]
				edge[s]++
				if component[j] == unseen {
					discover(j, s)
					s = j
				} else if component[j] < unseen {
					low[s] = min(low[s], low[j])
				}
				continue
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
