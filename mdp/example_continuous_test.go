package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Customers arrive at rate 1 and are served at rate 1.5, one at a time. Each
// pays 8 when let in, and costs 1 per unit of time while present. Whom to let
// in? Payments are negative costs. There is room for 20.
func admission() mdp.ContinuousProblem[int, bool] {
	const arrive, serve, pay, room = 1, 1.5, 8, 20
	return mdp.ContinuousProblem[int, bool]{
		Start: []int{0},
		Actions: func(dst []bool, n int) []bool {
			if n == room {
				return append(dst, false)
			}
			return append(dst, true, false) // let the next one in, or not
		},
		CostRate: func(n int, _ bool) float64 { return float64(n) },
		Events: func(dst []mdp.Event[int], n int, open bool) []mdp.Event[int] {
			if open {
				dst = append(dst, mdp.Event[int]{State: n + 1, Rate: arrive, Cost: -pay})
			}
			if n > 0 {
				dst = append(dst, mdp.Event[int]{State: n - 1, Rate: serve})
			}
			return dst
		},
	}
}

func ExampleContinuousProblem() {
	ctx := context.Background()
	problem, err := admission().Uniformize(ctx, 0) // at the least rate
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := problem.Compile(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(ctx, model, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	for model.Action(n, int(result.Policy[n])) {
		n++
	}
	fmt.Printf("let in up to %d, for %.4f per unit of time\n", n, -result.Gain)
	// Output:
	// let in up to 5, for 6.1925 per unit of time
}

func ExampleEvent() {
	// A customer who finds the room full is lost, which costs 5; nothing else
	// changes.
	lost := mdp.Event[int]{State: 20, Rate: 1, Cost: 5}
	fmt.Printf("%+v\n", lost)
	// Output:
	// {State:20 Rate:1 Cost:5}
}
