package exact_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// State 0 may wait, at a cost of −1 a step, or go to state 1. Waiting for ever costs −∞.
func ExampleCycle() {
	one := big.NewRat(1, 1)
	model, err := exact.NewModel(exact.Arrays{
		StateStart:    []int32{0, 2, 3},
		RowStart:      []int32{0, 1, 2, 3},
		Columns:       []int32{0, 1, 1},
		Probabilities: []*big.Rat{one, one, one},
		Costs:         []*big.Rat{big.NewRat(-1, 1), one, one},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := model.Total(context.Background(), mdp.Minimize, []int32{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Values, "by policy", answer.Cycle.Policy)
	// Output:
	// [-Infinity 0] by policy [0 0]
}
