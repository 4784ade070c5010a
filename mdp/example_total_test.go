package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// From the near bank a bridge takes an hour, but may lead to a swamp; the road takes
// three hours.
func ExampleTotalCost() {
	problem := mdp.Problem[string, string]{
		Start: []string{"near bank"},
		Actions: func(dst []string, place string) []string {
			if place == "near bank" {
				return append(dst, "bridge", "road")
			}
			return append(dst, "stay")
		},
		Cost: func(_, way string) float64 {
			return map[string]float64{"bridge": 1, "road": 3}[way]
		},
		Next: func(dst []mdp.Outcome[string], place, way string) []mdp.Outcome[string] {
			switch way {
			case "bridge":
				return append(dst, mdp.Outcome[string]{State: "home", Probability: 0.75}, mdp.Outcome[string]{State: "swamp", Probability: 0.25})
			case "road":
				return append(dst, mdp.Outcome[string]{State: "home", Probability: 1})
			default:
				return append(dst, mdp.Outcome[string]{State: place, Probability: 1})
			}
		},
	}
	model, err := problem.Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	home, _ := model.Index("home")
	result, err := mdp.Solve(context.Background(), model, mdp.TotalCost{Target: []int32{int32(home)}}, mdp.Settings{})
	for s, action := range result.Policy {
		fmt.Printf("%s: %.4g hours by %s\n", model.State(s), result.Optimum(s), model.Action(s, int(action)))
	}
	fmt.Println(err)
	// Output:
	// near bank: 3 hours by road
	// home: 0 hours by stay
	// swamp: +Inf hours by stay
	// <nil>
}
