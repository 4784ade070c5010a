package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A gambler bets 1 at even odds until he has 0 or 4: two closed classes.
func gambler() *mdp.Table {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2, 3, 4, 5},
		RowStart:      []int32{0, 1, 3, 5, 7, 8},
		Columns:       []int32{0, 0, 2, 1, 3, 2, 4, 4},
		Probabilities: []float64{1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1},
		Costs:         []float64{0, 0, 0, 0, 1},
	})
	if err != nil {
		panic(err)
	}
	return table
}

// With a cost of 1 a step in state 4 the gain is the probability to end there.
func ExampleLongRunBehaviour() {
	evaluation, err := mdp.LongRun(context.Background(), gambler(), mdp.Policy{Actions: make([]int32, 5)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("gains:", evaluation.Gain)
	for _, class := range evaluation.Classes {
		fmt.Println("closed class:", class.States)
	}
	fmt.Println("from 2 the chain can end up in classes", evaluation.Reachable(2))
	// Output:
	// gains: [0 0.25 0.5 0.75 1]
	// closed class: [0]
	// closed class: [4]
	// from 2 the chain can end up in classes [0 1]
}

func ExampleClass() {
	evaluation, err := mdp.LongRun(context.Background(), weather(), mdp.Policy{Actions: make([]int32, 2)})
	if err != nil {
		fmt.Println(err)
		return
	}
	class := evaluation.Classes[0]
	fmt.Printf("dry and wet: %.4f\n", class.Stationary)
	// Output:
	// dry and wet: [0.6667 0.3333]
}
