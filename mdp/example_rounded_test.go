package mdp_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A state that costs a tenth a step, for ever. The float64 0.1 is a little more than a
// tenth, and a table solves for that number.
func ExampleRounded() {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1},
		RowStart:      []int32{0, 1},
		Columns:       []int32{0},
		Probabilities: []float64{1},
		Costs:         []float64{0.1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tenth := big.NewRat(1, 10)
	for _, model := range []mdp.Model{table, mdp.Rounded{Table: table}} {
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
		above := new(big.Rat).SetFloat64(result.Lower).Cmp(tenth) > 0
		fmt.Printf("%.4f, lower bound above 1/10: %t, %v\n", result.Gain, above, err)
	}
	// Output:
	// 0.1000, lower bound above 1/10: true, <nil>
	// 0.1000, lower bound above 1/10: false, <nil>
}
