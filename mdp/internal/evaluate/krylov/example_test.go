package krylov_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/krylov"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// walk is I − P of a walk on 0 … n−1 that goes up or down with probability 1/2
// and ends when it leaves at 0. At n−1 it turns round.
func walk(team *parallel.Team, n int) *krylov.Matrix {
	start, excess := []int{0}, make([]float64, n)
	var columns []int32
	var weights []float64
	for i := range n {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				columns, weights = append(columns, int32(j)), append(weights, 0.5)
			}
		}
		start = append(start, len(columns))
	}
	excess[0] = 0.5
	weights[len(weights)-1] = 1
	return krylov.NewMatrix(team, start, columns, weights, excess)
}

// The mean number of steps of a walk from i to its end is (i+1)·(2n−1−i) − (i+1)
// = (i+1)·(2n−2−i) + (i+1): 2n−1 from 0.
func ExampleGMRES() {
	const n = 10_000
	team := parallel.NewTeam(1)
	defer team.Close()
	matrix := walk(team, n)
	grid := krylov.NewMultigrid(team, matrix)

	steps, ones := make([]float64, n), make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	outcome, err := krylov.NewGMRES(team, n).Solve(context.Background(), matrix.Operator(team), grid.Apply, steps, ones, 1e-6)
	fmt.Printf("%.2f %v %v\n", steps[0], outcome.Converged, err)
	// Output:
	// 19999.00 true <nil>
}

func ExampleMatrix_Shift() {
	team := parallel.NewTeam(1)
	defer team.Close()
	matrix := walk(team, 3)
	product := make([]float64, 3)
	matrix.Operator(team)(product, []float64{1, 1, 1})
	fmt.Println(product)
	matrix.Shift(team, 0.25) // it may end in every state
	matrix.Operator(team)(product, []float64{1, 1, 1})
	fmt.Println(product)
	// Output:
	// [0.5 0 0]
	// [0.75 0.25 0.25]
}

// A cycle approximates the inverse.
func ExampleMultigrid() {
	team := parallel.NewTeam(1)
	defer team.Close()
	matrix := walk(team, 50) // so few that it is solved directly
	x, ones := make([]float64, 50), make([]float64, 50)
	for i := range ones {
		ones[i] = 1
	}
	krylov.NewMultigrid(team, matrix).Apply(x, ones)
	fmt.Printf("%.10f\n", x[0])
	// Output:
	// 99.0000000000
}
