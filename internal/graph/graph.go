// Package graph has directed graphs and Markov chains for eliminations and for the
// structure of models: edges in compressed form, strongly connected components, closed
// classes.
//
// States are numbered from 0. Libraries whose vertices are interface values take ten times
// the memory and the time for 10⁸ edges.
package graph

// Graph is a directed graph over states in compressed form: the edges of state s
// lead to Columns[Start[s]] … Columns[Start[s+1]−1]. An edge may be listed
// more than once.
type Graph struct {
	Start   []int   // first edge of each state, and the number of edges
	Columns []int32 // the states to which the edges lead
}

// New returns a graph without states, with capacity for n.
func New(n int) *Graph { return &Graph{Start: make([]int, 1, n+1)} }

// Add adds an edge from the current state, the one after the last that ended.
func (g *Graph) Add(to int32) { g.Columns = append(g.Columns, to) }

// EndState ends the list of edges from the current state.
func (g *Graph) EndState() { g.Start = append(g.Start, len(g.Columns)) }

// NumStates returns the number of states that have ended.
func (g *Graph) NumStates() int { return len(g.Start) - 1 }

// Next returns the successors of s.
func (g *Graph) Next(s int32) []int32 { return g.Columns[g.Start[s]:g.Start[s+1]] }

// entries returns the start of the edges to each state j, in a list by state, as element j+1. Those who fill
// the list move it to the end, which is the start for the next state.
func (g *Graph) entries() []int {
	n := g.NumStates()
	start := make([]int, n+2)
	for _, j := range g.Columns {
		start[j+2]++
	}
	for i := range n {
		start[i+2] += start[i+1]
	}
	return start
}

// Reached lists the states on paths from some states, beginning with those, in the order of a
// breadth-first search; met marks them. Paths do not go on from the states marked in ends.
func (g *Graph) Reached(from []int32, ends []bool) (found []int32, met []bool) {
	met = make([]bool, g.NumStates())
	meet := func(states []int32) {
		for _, s := range states {
			if !met[s] {
				met[s] = true
				found = append(found, s)
			}
		}
	}
	meet(from)
	for i := 0; i < len(found) && len(found) < len(met); i++ {
		if s := found[i]; !ends[s] {
			meet(g.Next(s))
		}
	}
	return found, met
}

// Reverse returns the graph with every edge reversed.
func (g *Graph) Reverse() *Graph {
	n, start, columns := g.NumStates(), g.entries(), make([]int32, len(g.Columns))
	for s := range int32(n) {
		for _, j := range g.Next(s) {
			columns[start[j+1]] = s
			start[j+1]++
		}
	}
	return &Graph{Start: start[:n+1], Columns: columns}
}

// Distinct returns the graph with every edge once.
func (g *Graph) Distinct() *Graph { return distinct(g) }

// Undirected returns the graph with every edge in both directions, once.
func (g *Graph) Undirected() *Graph { return distinct(g, g.Reverse()) }

// distinct returns the graph that has the edges of some graphs with the same states, each once.
func distinct(graphs ...*Graph) *Graph {
	n, edges := graphs[0].NumStates(), 0
	for _, g := range graphs {
		edges += len(g.Columns)
	}
	d := New(n)
	d.Columns = make([]int32, 0, edges) // takes memory only as far as it is filled
	seen := make([]int32, n)            // one more than the last state with an edge to it
	for s := range int32(n) {
		for _, g := range graphs {
			for _, j := range g.Next(s) {
				if seen[j] != s+1 {
					seen[j] = s + 1
					d.Add(j)
				}
			}
		}
		d.EndState()
	}
	return d
}

// OfChain returns the graph of a chain whose transitions from state s are those from starts[s] to
// starts[s+1].
func OfChain(starts, columns []int32) *Graph {
	g := &Graph{Start: make([]int, len(starts)), Columns: columns}
	for s, start := range starts {
		g.Start[s] = int(start)
	}
	return g
}

// Met marks the states on paths from the states of from. Paths do not go on from the states of
// ends.
func (g *Graph) Met(from, ends []int32) []bool {
	end := make([]bool, g.NumStates())
	for _, s := range ends {
		end[s] = true
	}
	_, met := g.Reached(from, end)
	return met
}
