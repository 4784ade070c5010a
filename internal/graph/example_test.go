package graph_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// From 0 to 1 and back, and from 1 on to 2, where it ends.
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
