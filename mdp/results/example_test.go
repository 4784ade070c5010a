package results_test

import (
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/mdp/results"
)

func ExampleResult() {
	r := &results.Result{
		Criterion: "average", Sense: "minimize", Reward: "length",
		Status: "converged", Method: "policy iteration", Iterations: 1,
		Initial: 0, Value: 0.5,
		Values: []float64{0.5, 0.5}, Lower: []float64{0.5, 0.5}, Upper: []float64{0.5, 0.5},
		Policy:         []int32{0, 0},
		Classification: "unichain", Aperiodic: true,
	}
	if err := results.Write(os.Stdout, r); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"criterion": "average",
	// "sense": "minimize",
	// "reward": "length",
	// "status": "converged",
	// "method": "policy iteration",
	// "iterations": 1,
	// "classification": "unichain",
	// "aperiodic": true,
	// "initial": 0,
	// "value": 0.5,
	// "values": [0.5, 0.5],
	// "lower": [0.5, 0.5],
	// "upper": [0.5, 0.5],
	// "policy": [0, 0]}
}
