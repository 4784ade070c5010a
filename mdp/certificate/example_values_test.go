package certificate_test

import (
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Two actions of the only state are worth the same.
func ExampleActionValues() {
	r := &certificate.Result{
		Question: question.Question{Criterion: question.Discounted, Sense: "maximize", Discount: new(0.5)},
		Values:   []float64{2}, Value: 2, Policy: []int32{0},
		Actions: &certificate.ActionValues{Lower: certificate.Floats{2, 2}, Upper: certificate.Floats{2, 2}, Optimality: []string{"optimal", "optimal"}},
	}
	if err := certificate.Write(os.Stdout, r); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"value": 2,
	// "criterion": "discounted",
	// "sense": "maximize",
	// "discount": 0.5,
	// "iterations": 0,
	// "initial": 0,
	// "values": [2],
	// "policy": [0],
	// "action_values": {"lower": [2, 2],
	// "upper": [2, 2],
	// "optimality": ["optimal", "optimal"]}}
}

// A reward of 1 in each of two steps.
func ExampleStepValues() {
	v := certificate.StepValues{
		Values: []certificate.Floats{{2}, {1}}, Lower: []certificate.Floats{{2}, {1}}, Upper: []certificate.Floats{{2}, {1}},
	}
	fmt.Println(v.Values[0][0], v.Values[1][0])
	// Output: 2 1
}
