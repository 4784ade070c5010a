package graph

// Components returns the number of strongly connected components and the
// component of each state, by Tarjan's algorithm (1972) without recursion.
// Components are numbered in reverse topological order: an edge between two of
// them leads to the lower number.
func (g *Graph) Components() (count int, component []int32) {
	const unseen = -1
	n := g.NumStates()
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
		calls = append(calls, frame{state: root, found: found, edge: g.Start[root]})
		low[root] = found
		found++
		open = append(open, root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			s := f.state
			if f.edge < g.Start[s+1] {
				j := g.Columns[f.edge]
				f.edge++
				if low[j] == unseen {
					calls = append(calls, frame{state: j, found: found, edge: g.Start[j]})
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
