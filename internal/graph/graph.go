// Package graph holds what eliminations and the structure of models need of
// directed graphs and Markov chains: edges in compressed form, strongly connected
// components, closed classes.
//
// States are numbered from 0. A library of graphs in which vertices are values of
// an interface takes ten times the memory and the time at 10⁸ edges.
package graph

import "slices"

// Graph is a directed graph over states in compressed form: the edges of state s
// lead to Columns[Start[s]] … Columns[Start[s+1]−1]. Edges to the state itself are
// left out; an edge may be listed more than once.
type Graph struct {
	Start   []int   // first edge of each state, and the number of edges
	Columns []int32 // heads
}

// New returns a graph without states, with room for n of them.
func New(n int) *Graph { return &Graph{Start: make([]int, 1, n+1)} }

// Add adds an edge from the state at hand, the one after the last that ended.
func (g *Graph) Add(to int32) { g.Columns = append(g.Columns, to) }

// EndState ends the list of edges from the state at hand.
func (g *Graph) EndState() { g.Start = append(g.Start, len(g.Columns)) }

// NumStates returns the number of states that have ended.
func (g *Graph) NumStates() int { return len(g.Start) - 1 }

// Next returns the successors of s.
func (g *Graph) Next(s int32) []int32 { return g.Columns[g.Start[s]:g.Start[s+1]] }

// entries returns where the edges that lead to each state begin if they are listed
// by state, and how many there are.
func (g *Graph) entries() []int {
	n := g.NumStates()
	start := make([]int, n+1)
	for _, j := range g.Columns {
		start[j+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	return start
}

// Reverse returns the graph with every edge turned around.
func (g *Graph) Reverse() *Graph {
	n, start := g.NumStates(), g.entries()
	columns, fill := make([]int32, len(g.Columns)), slices.Clone(start[:n])
	for s := range int32(n) {
		for _, j := range g.Next(s) {
			columns[fill[j]] = s
			fill[j]++
		}
	}
	return &Graph{Start: start, Columns: columns}
}

// Undirected returns the graph with every edge in both directions, once.
func (g *Graph) Undirected() *Graph {
	n, reverse := g.NumStates(), g.Reverse()
	u := New(n)
	u.Columns = make([]int32, 0, len(g.Columns)+len(g.Columns)/2)
	seen := make([]int32, n) // one more than the last state with an edge to it
	for s := range int32(n) {
		for _, next := range [][]int32{g.Next(s), reverse.Next(s)} {
			for _, j := range next {
				if seen[j] != s+1 {
					seen[j] = s + 1
					u.Add(j)
				}
			}
		}
		u.EndState()
	}
	return u
}
