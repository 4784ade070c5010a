package rates_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
)

// Five pages, the last of which changes too often to be worth an access.
func ExampleOptimize() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2, 3, 4, 5}},
		Objective: refresh.FixedOrder{},
		Bandwidth: 5,
	}
	solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.5f\n", solution.Rates)
	fmt.Printf("freshness %.6f, at most %.6f\n", solution.Value/5, solution.Bound/5)
	// Output:
	// [1.14989 1.35841 1.35384 1.13786 0.00000]
	// freshness 0.373889, at most 0.373889
}

func ExampleSolution() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 4}},
		Objective: refresh.Age{},
		Bandwidth: 2,
	}
	solution, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	fmt.Println(err, solution.Active, solution.Residual < 1e-12)
	fmt.Printf("age %.4f, at least %.4f; one more access per unit of time saves %.4f\n",
		solution.Value, solution.Bound, solution.Multiplier)
	// Output:
	// <nil> 2 true
	// age 0.4301, at least 0.4301; one more access per unit of time saves 0.3390
}

// The multiplier of yesterday's pages is a good guess for today's.
func ExampleSettings() {
	pages := refresh.Pages{ChangeRates: make([]float64, 20_000)}
	for i := range pages.ChangeRates {
		pages.ChangeRates[i] = 1 + math.Sin(float64(i))
	}
	problem := refresh.Problem{
		Pages:     pages,
		Objective: refresh.Random{},
		Bandwidth: 1000,
	}
	yesterday, _ := rates.Optimize(context.Background(), problem, rates.Settings{Workers: 2})
	problem.Bandwidth = 1001
	today, err := rates.Optimize(context.Background(), problem, rates.Settings{
		Rates:      yesterday.Rates,
		Multiplier: yesterday.Multiplier,
	})
	fmt.Println(today.Passes < 5, err)
	// Output: true <nil>
}

func ExampleExcessError() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2, 3}, LeastRates: []float64{1, 1, 1}},
		Objective: refresh.FixedOrder{}, Bandwidth: 2,
	}
	_, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	var excess *rates.ExcessError
	fmt.Println(errors.As(err, &excess), excess.Needed)
	// Output: true 3
}
