package catalogue_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/mdptest/catalogue"
)

// Of each problem, the process in fractions, the criterion and the optimum are known.
func ExampleProblem() {
	for _, p := range catalogue.Problems() {
		if p.Name != "toymaker" {
			continue
		}
		model, err := exact.NewModel(p.Exact())
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := model.Average(context.Background(), mdp.Maximize)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.NumStates(), p.Criterion.(mdp.LongRunAverage).Sense, answer.Values[0], p.Optimum[0].RatString())
	}
	// Output: 2 maximize 2 2
}

// A solver that claims too much is found out.
func ExampleAnswer() {
	for _, p := range catalogue.Problems() {
		if p.Name == "toymaker" {
			claimed := []float64{2.5, 2.5}
			fmt.Println(p.Verify(catalogue.Answer{Lower: []float64{2, 2}, Value: claimed, Upper: claimed, Policy: []int32{1, 1}, Converged: true}))
		}
	}
	// Output:
	// toymaker: state 1: value 2.5 is not close to the optimum 2
	// toymaker: state 2: value 2.5 is not close to the optimum 2
}
