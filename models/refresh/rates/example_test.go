package rates_test

import (
	"context"
	"errors"
	"fmt"

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

func ExampleInfeasibleError() {
	problem := refresh.Problem{
		Pages:     refresh.Pages{ChangeRates: []float64{1, 2}},
		Objective: refresh.Random{},
		Bandwidth: 6,
		Least:     []float64{1, 2},
		Hosts:     []int32{0, 0},
		HostCaps:  []float64{2},
	}
	_, err := rates.Optimize(context.Background(), problem, rates.Settings{})
	var infeasible *rates.InfeasibleError
	fmt.Println(errors.As(err, &infeasible), infeasible.Least-infeasible.Allowed)
	fmt.Println(err)
	// Output:
	// true 1
	// rates: the pages of host 0 ask for 3 at least; its cap is 2
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
	problem := refresh.Problem{
		Pages:     rates.SyntheticPages(20_000, rates.ZipfWeights, 1),
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

func ExampleCompare() {
	pages := rates.SyntheticPages(1000, rates.UniformWeights, 1)
	for _, bandwidth := range []float64{10, 100} {
		row, err := rates.Compare(context.Background(), pages, bandwidth, rates.Settings{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: optimum %.3f, randomized %.3f, proportional %.3f\n", bandwidth, row.Optimum, row.Randomized, row.Proportional)
	}
	// Output:
	// 10: optimum 0.114, randomized 0.113, proportional 0.064
	// 100: optimum 0.362, randomized 0.358, proportional 0.332
}

func ExampleComparison() {
	row := rates.Comparison{Bandwidth: 10, Optimum: 0.15, Randomized: 0.148}
	fmt.Printf("%.1f%% above\n", 100*(row.Optimum/row.Randomized-1))
	// Output: 1.4% above
}

func ExampleSyntheticWeights() {
	fmt.Println(rates.ZipfWeights, rates.SyntheticPages(3, rates.ZipfWeights, 4).Weights)
	// Output: zipf [1 1 1]
}
