package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A machine breaks down with probability 1/10 a step: repair it, or do without it?
// The program of the package documentation.
func Example() {
	var b mdp.TableBuilder
	b.AddState() // 0: it works
	b.AddAction(0)
	b.AddTransition(0, 0.9)
	b.AddTransition(1, 0.1)
	b.AddState()    // 1: it is broken
	b.AddAction(10) // action 0: repair it
	b.AddTransition(0, 1)
	b.AddAction(5) // action 1: do without it
	b.AddTransition(1, 1)
	table, _ := b.Build()
	result, _ := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	fmt.Printf("%.4f %v %v\n", result.Gain, result.Policy, result.Status)
	// Output:
	// 0.9091 [0 0] converged
}
