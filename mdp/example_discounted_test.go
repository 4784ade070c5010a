package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func ExampleValueIteration() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.Discounted{Discount: 0.5},
		mdp.Settings{Method: mdp.ValueIteration})
	fmt.Printf("%.6f, %v\n", result.Value, err)
	// Output:
	// [0.285714 1.428571], <nil>
}

func ExampleModifiedPolicyIteration() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.Discounted{Discount: 0.5},
		mdp.Settings{Method: mdp.ModifiedPolicyIteration})
	fmt.Printf("%.6f, %v\n", result.Value, err)
	// Output:
	// [0.285714 1.428571], <nil>
}
