package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A machine wears from 0 to 4, by 0, 1 or 2 a day. Running it costs its wear, and an
// overhaul, after which it is as good as new, costs 6.
func ExampleTableBuilder() {
	const worn = 4
	var b mdp.TableBuilder
	for s := range worn + 1 {
		b.AddState()
		b.AddAction(float64(s))
		for wear := range 3 {
			b.AddTransition(min(s+wear, worn), 1.0/3) // states named twice are one
		}
		b.AddAction(6)
		b.AddTransition(0, 1)
	}
	table, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	fmt.Printf("%.4f a day, overhauled where the policy is 1: %v, %v\n", result.Gain, result.Policy, err)
	// Output:
	// 2.0571 a day, overhauled where the policy is 1: [0 0 0 1 1], <nil>
}
