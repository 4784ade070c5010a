package mdp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A machine wears out by one grade a week with probability 1/2, and makes
// scrap worth its grade. A new one costs 4.
func machine() mdp.Problem[int, string] {
	return mdp.Problem[int, string]{
		Start: []int{0},
		Actions: func(dst []string, grade int) []string {
			if grade == 5 {
				return append(dst, "replace")
			}
			return append(dst, "keep", "replace")
		},
		Cost: func(grade int, action string) float64 {
			if action == "replace" {
				return 4
			}
			return float64(grade)
		},
		Next: func(dst []mdp.Outcome[int], grade int, action string) []mdp.Outcome[int] {
			if action == "replace" {
				return append(dst, mdp.Outcome[int]{State: 0, Probability: 1})
			}
			return append(dst,
				mdp.Outcome[int]{State: grade, Probability: 0.5},
				mdp.Outcome[int]{State: grade + 1, Probability: 0.5})
		},
	}
}

func ExampleProblem() {
	model, err := machine().Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f a week\n", result.Gain)
	for grade := range 6 {
		fmt.Println("grade", grade, model.Choice(result, grade))
	}
	// Output:
	// 1.2000 a week
	// grade 0 keep
	// grade 1 keep
	// grade 2 replace
	// grade 3 replace
	// grade 4 replace
	// grade 5 replace
}

func ExampleOutcome() {
	fair := []mdp.Outcome[string]{
		{State: "heads", Probability: 0.5},
		{State: "tails", Probability: 0.5},
	}
	fmt.Println(fair)
	// Output:
	// [{heads 0.5} {tails 0.5}]
}

func ExampleCompiled() {
	model, err := machine().Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.NumStates(), "states,", model.NumChoices(), "choices,", model.NumTransitions(), "transitions")
	worst, known := model.Index(5)
	fmt.Println("grade 5 is state", worst, known)
	row, cost := model.AppendRow(nil, 2, 0)
	fmt.Println(model.Action(2, 0), "in", model.State(2), "costs", cost, "and leads to", row)
	// Output:
	// 6 states, 11 choices, 16 transitions
	// grade 5 is state 5 true
	// keep in 2 costs 2 and leads to [{2 0.5} {3 0.5}]
}

func ExampleModelError() {
	problem := machine()
	problem.Cost = func(grade int, _ string) float64 { return 1 / float64(grade-3) }
	_, err := problem.Compile(context.Background())
	fmt.Println(err)

	if fault, ok := errors.AsType[*mdp.ModelError](err); ok {
		fmt.Println("look at state", fault.State, "and action", fault.Action)
	}
	fmt.Println(errors.Is(err, mdp.ErrCost))
	// Output:
	// mdp: state 3, action keep: cost is not a finite number: +Inf
	// look at state 3 and action keep
	// true
}
