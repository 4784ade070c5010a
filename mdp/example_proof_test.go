package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// walk is a chain of two states that costs 1 a step in the second, and the probability
// of changing the state.
func walk(change float64) *mdp.Table {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 4},
		Columns:       []int32{0, 1, 0, 1},
		Probabilities: []float64{1 - change, change, change, 1 - change},
		Costs:         []float64{0, 1},
	})
	if err != nil {
		panic(err)
	}
	return table
}

// On a chain that mixes slowly, a few steps reach the answer; sweeps would take long.
func ExampleInexactPolicyIteration() {
	model := walk(1e-6)
	for _, method := range []mdp.Method{mdp.RelativeValueIteration, mdp.InexactPolicyIteration} {
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{Method: method, MaxIterations: 1000})
		fmt.Printf("%s: %.3f, %v\n", method, result.Gain, result.Status)
		_ = err // says the same as the status
	}
	// Output:
	// relative value iteration: 0.500, iteration-limit
	// inexact policy iteration: 0.500, converged
}

// A lower bound L on a discounted value is proved by L ≤ c + β·P·L in every state.
func ExampleProof() {
	const discount = 0.9
	model := walk(0.25)
	result, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: discount}, mdp.Settings{})
	lower := result.Proof().Lower.Value
	for s := range model.NumStates() {
		row, right := model.AppendRow(nil, s, 0)
		for _, e := range row {
			right += discount * e.Probability * lower.High[e.State]
		}
		fmt.Printf("%.6f ≤ %.6f\n", lower.High[s], right)
	}
	fmt.Println(err)
	// Output:
	// 4.090909 ≤ 4.090909
	// 5.909091 ≤ 5.909091
	// <nil>
}

// A lower bound g on a gain is proved by relative values h with g + h ≤ c + P·h.
func ExampleWitness() {
	result, err := mdp.Solve(context.Background(), walk(0.25), mdp.LongRunAverage{}, mdp.Settings{})
	lower := result.Proof().Lower
	fmt.Printf("g = %.4f, h = %.4f and %.4f, %v\n", lower.Gain.High[0], lower.Value.High[0], lower.Value.High[1], err)
	// Output:
	// g = 0.5000, h = 0.0000 and 2.0000, <nil>
}

// The gain of a unichain model is one number for all states.
func ExampleVector() {
	result, err := mdp.Solve(context.Background(), walk(0.25), mdp.LongRunAverage{}, mdp.Settings{})
	gain := result.Proof().Upper.Gain
	fmt.Println(len(gain.High), len(gain.Low), err)
	// Output:
	// 1 0 <nil>
}

// If a policy can stay at a negative cost before going to the target, the total has no
// lower bound.
func ExampleCycle() {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(-1)
	b.AddTransition(0, 1)
	b.AddAction(5)
	b.AddTransition(1, 1)
	b.AddState()
	b.AddAction(0)
	b.AddTransition(1, 1)
	model, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), model, mdp.TotalCost{Target: []int32{1}}, mdp.Settings{})
	fmt.Println(result.Optimum(0), result.Proof().Cycle.Policy[0], err)
	// Output:
	// -Inf 0 <nil>
}
