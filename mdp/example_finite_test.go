package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A die may be thrown three times, and pays the last throw.
func ExampleFiniteHorizon() {
	model, err := mdp.Problem[int, string]{
		Start: []int{0}, // not thrown yet
		Actions: func(dst []string, shown int) []string {
			if shown == 0 {
				return append(dst, "throw")
			}
			return append(dst, "keep", "throw")
		},
		Cost: func(int, string) float64 { return 0 },
		Next: func(dst []mdp.Outcome[int], shown int, action string) []mdp.Outcome[int] {
			if action == "keep" {
				return append(dst, mdp.Outcome[int]{State: shown, Probability: 1})
			}
			for face := 1; face <= 6; face++ {
				dst = append(dst, mdp.Outcome[int]{State: face, Probability: 1. / 6})
			}
			return dst
		},
	}.Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	pays := make([]float64, model.NumStates())
	for s := range pays {
		pays[s] = float64(model.State(s))
	}
	result, err := mdp.Solve(context.Background(), model, mdp.FiniteHorizon{
		Steps:    3,
		Terminal: pays,
		Sense:    mdp.Maximize,
		Stage: func(step int, values []float64, policy []int32) error {
			fmt.Printf("throw %d is worth %.4f; thrown again:", step+1, values[0])
			for s, action := range policy {
				if s > 0 && model.Action(s, int(action)) == "throw" {
					fmt.Print(" ", model.State(s))
				}
			}
			fmt.Println()
			return nil
		},
	}, mdp.Settings{})
	fmt.Printf("%.4f %v\n", result.Optimum(0), err)
	// Output:
	// throw 3 is worth 3.5000; thrown again: 1 2 3
	// throw 2 is worth 4.2500; thrown again: 1 2 3 4
	// throw 1 is worth 4.6667; thrown again: 1 2 3 4
	// 4.6667 <nil>
}
