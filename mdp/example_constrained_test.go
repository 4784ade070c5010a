package mdp_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// worker returns a machine that works slowly for 1 a step, or fast for 3, and the pieces that it
// makes: 1 or 2.
func worker() (table *mdp.Table, pieces []float64) {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(1)
	b.AddTransition(0, 1)
	b.AddAction(3)
	b.AddTransition(0, 1)
	table, _ = b.Build()
	return table, []float64{1, 2}
}

// 5/4 pieces a step on average: every fourth step is fast, and one more piece costs 2.
func ExampleConstrained() {
	table, pieces := worker()
	enough := mdp.Constraint{Costs: pieces, Bound: big.NewRat(5, 4), AtLeast: true}
	found, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{enough}, mdp.Settings{})
	fmt.Printf("%.4f, %.4f for a piece, %v, %v\n", found.Value, found.Multipliers[0], found.Status, err)
	fmt.Printf("%.2f\n", found.Mixture[0].Probabilities)
	// Output:
	// 1.5000, 2.0000 for a piece, converged, <nil>
	// [0.75 0.25]
}

// The action of cost 0 in state 0 leads for ever to state 1, which pollutes. To pollute a
// quarter of the time on average, draw a policy at the start.
func ExampleMixturePolicy() {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(1) // clean
	b.AddTransition(0, 1)
	b.AddAction(0)
	b.AddTransition(1, 1)
	b.AddState()
	b.AddAction(0)
	b.AddTransition(1, 1)
	table, _ := b.Build()
	limit := mdp.Constraint{Costs: []float64{0, 1, 1}, Bound: big.NewRat(1, 4)}
	found, _ := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{limit}, mdp.Settings{})
	for _, part := range found.Mixture {
		fmt.Printf("%.2f: %v\n", part.Weight, part.Probabilities)
	}
	// Output:
	// 0.25: [0 1 1]
	// 0.75: [1 0 1]
}

// No more than a piece and a half, at any cost.
func ExampleConstraint() {
	table, pieces := worker()
	limit := mdp.Constraint{Costs: pieces, Bound: big.NewRat(3, 2)}
	found, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{limit}, mdp.Settings{})
	fmt.Println(found.Value, found.Limits[0] <= 1.5, found.Multipliers, err)
	// Output: 1 true [0] <nil>
}

// Three pieces a step are too many.
func ExampleInfeasibleError() {
	table, pieces := worker()
	limit := mdp.Constraint{Costs: pieces, Bound: big.NewRat(3, 1), AtLeast: true}
	_, err := mdp.SolveConstrained(context.Background(), table, mdp.LongRunAverage{}, 0, []mdp.Constraint{limit}, mdp.Settings{})
	if fault, ok := errors.AsType[*mdp.InfeasibleError](err); ok {
		fmt.Printf("at most %.0f pieces\n", -fault.Least/fault.Prices[0])
	}
	// Output: at most 2 pieces
}

// The two policies, and for which price of a piece each is the best.
func ExampleFrontPoint() {
	table, pieces := worker()
	front, _ := mdp.ParetoFront(context.Background(), table, mdp.LongRunAverage{}, 0, pieces, true, mdp.Settings{})
	for _, point := range front.Points {
		fmt.Println(point.Policy, point.Value, point.Other, point.From, point.To)
	}
	// Output:
	// [0] 1 1 0 2
	// [1] 3 2 2 +Inf
}

// All policies of the trade-off between costs and pieces are found.
func ExampleFront() {
	table, pieces := worker()
	front, err := mdp.ParetoFront(context.Background(), table, mdp.LongRunAverage{}, 0, pieces, true, mdp.Settings{})
	fmt.Println(len(front.Points), front.Gap < 1e-12, err)
	// Output: 2 true <nil>
}
