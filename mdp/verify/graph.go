package verify

// graph is a directed graph: node i leads to columns[start[i]] …
// columns[start[i+1]−1].
type graph struct {
	start   []int32
	columns []int32
}

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

// numNodes returns the number of nodes.
func (g *graph) numNodes() int { return len(g.start) - 1 }

// next returns the successors of a node.
func (g *graph) next(i int32) []int32 { return g.columns[g.start[i]:g.start[i+1]] }

// reverse returns the graph with all edges turned round.
func (g *graph) reverse() *graph {
	return newGraph(g.numNodes(), func(add func(from, to int32)) {
		for i := range int32(g.numNodes()) {
			for _, j := range g.next(i) {
				add(j, i)
			}
		}
	})
}

// reach marks what can be reached from the nodes that are marked.
func (g *graph) reach(marked []bool) {
	var queue []int32
	for i, is := range marked {
		if is {
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, j := range g.next(i) {
			if !marked[j] {
				marked[j] = true
				queue = append(queue, j)
			}
		}
	}
}

// components finds the strongly connected components and numbers them so that
// edges lead to no higher number: Tarjan (1972), with a stack of its own in
// place of recursion.
func (g *graph) components() (count int, component []int32) {
	n := g.numNodes()
	component = make([]int32, n)
	var (
		index = make([]int32, n) // order of discovery, from 1
		low   = make([]int32, n) // least index known to be reachable within the stack
		at    = make([]int32, n) // next edge to follow
		stack []int32            // of nodes without a component yet
		path  []int32            // from the root of the search to where it is
		found int32
	)
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			i := path[len(path)-1]
			if index[i] == 0 {
				found++
				index[i], low[i], at[i] = found, found, g.start[i]
				stack = append(stack, i)
			}
			if next := g.follow(i, at, index, low); next >= 0 {
				path = append(path, next)
				continue
			}
			path = path[:len(path)-1]
			if low[i] == index[i] {
				for {
					j := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[j] = int32(count)
					index[j] = done
					if j == i {
						break
					}
				}
				count++
			}
		}
	}
	return count, component
}

// done is the index of nodes whose component is known: larger than any other.
const done = 1<<31 - 1

// follow goes along the edges of node i, and returns the first node that was not
// yet discovered, or −1 after the last edge.
func (g *graph) follow(i int32, at, index, low []int32) int32 {
	for ; at[i] < g.start[i+1]; at[i]++ {
		j := g.columns[at[i]]
		switch {
		case index[j] == 0:
			return j // and when the search is back, its low counts
		case index[j] != done:
			low[i] = min(low[i], low[j])
		}
	}
	return -1
}

// members returns the nodes of each component, ascending.
func members(count int, component []int32) *graph {
	return newGraph(count, func(add func(from, to int32)) {
		for i, c := range component {
			if c >= 0 {
				add(c, int32(i))
			}
		}
	})
}
