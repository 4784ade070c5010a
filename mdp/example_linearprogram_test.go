package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Howard's toymaker (1960) by linear programming: with advertising and research
// he earns 2 a week.
func ExampleLinearProgramming() {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 2, 4},
		RowStart:      []int32{0, 2, 4, 6, 8},
		Columns:       []int32{0, 1, 0, 1, 0, 1, 0, 1},
		Probabilities: []float64{0.5, 0.5, 0.8, 0.2, 0.4, 0.6, 0.7, 0.3},
		Costs:         []float64{6, 4, -3, -5},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{Sense: mdp.Maximize}, mdp.Settings{Method: mdp.LinearProgramming{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v by %s: %.6f, policy %v\n", result.Status, result.Method, result.Gain, result.Policy)
	// Output:
	// converged by linear programming: 2.000000, policy [1 1]
}
