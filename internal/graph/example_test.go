package graph_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// From 0 to 1 and back, and from 1 to 2, which has no edges.
func ExampleGraph() {
	g := graph.New(3)
	g.Add(1)
	g.EndState()
	g.Add(0)
	g.Add(2)
	g.EndState()
	g.EndState()
	count, component := g.Components()
	fmt.Println(count, component, g.Closed())
	// Output: 2 [1 1 0] [[2]]
}
