package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// toymaker has rewards: 2 a week by advertising when the toy is in favour
// and doing research when it is not (Howard 1960).
func toymaker() *mdp.Table {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 2, 4},
		RowStart:      []int32{0, 2, 4, 6, 8},
		Columns:       []int32{0, 1, 0, 1, 0, 1, 0, 1},
		Probabilities: []float64{0.5, 0.5, 0.8, 0.2, 0.4, 0.6, 0.7, 0.3},
		Costs:         []float64{6, 4, -3, -5},
	})
	if err != nil {
		panic(err)
	}
	return table
}

func ExampleSense() {
	for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
		result, err := mdp.Solve(context.Background(), toymaker(), mdp.LongRunAverage{Sense: sense}, mdp.Settings{})
		fmt.Printf("%v: %.4f a week, policy %v, %v\n", sense, result.Gain, result.Policy, err)
	}
	// Output:
	// minimize: 1.0000 a week, policy [0 0], <nil>
	// maximize: 2.0000 a week, policy [1 1], <nil>
}
