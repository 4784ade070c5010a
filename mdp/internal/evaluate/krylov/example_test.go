package krylov_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/krylov"
)

// A walk on 0 … n−1 goes up or down with probability 1/2 and ends when it leaves at 0. At
// n−1 it turns back. The mean number of steps from 0 to its end is 2n−1.
func ExampleSolver() {
	const n = 10_000
	chain, exit, ones := graph.NewChain(n), make([]float64, n), make([]float64, n)
	for i := range int32(n) {
		switch i {
		case 0:
			chain.Add(1, 0.5)
		case n - 1:
			chain.Add(i-1, 1)
		default:
			chain.Add(i-1, 0.5)
			chain.Add(i+1, 0.5)
		}
		chain.EndState()
		ones[i] = 1
	}
	exit[0] = 0.5

	team := parallel.NewTeam(1)
	defer team.Close()
	steps, outcome, err := krylov.New(team, chain, exit).Solve(context.Background(), ones, 1e-6)
	fmt.Printf("%.2f %v %v\n", steps[0], outcome.Converged, err)
	// Output:
	// 19999.00 true <nil>
}
