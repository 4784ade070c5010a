package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// oneMachine works (0) or is broken (1); repairing it costs 10, doing without it 5 a step.
func oneMachine() *mdp.Table {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(0)
	b.AddTransition(0, 0.9)
	b.AddTransition(1, 0.1)
	b.AddState()
	b.AddAction(10)
	b.AddTransition(0, 1)
	b.AddAction(5)
	b.AddTransition(1, 1)
	table, err := b.Build()
	if err != nil {
		panic(err)
	}
	return table
}

// A coin decides each step whether the machine is repaired.
func ExampleRandomizedPolicy() {
	policy, err := mdp.RandomizedPolicy(oneMachine(), []float64{1, 1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	actions, probabilities := policy.At(1)
	fmt.Println(actions, probabilities)
	result, err := mdp.Evaluate(context.Background(), oneMachine(), policy, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f a step\n", result.Gain)
	// Output:
	// [0 1] [1/2 1/2]
	// 1.2500 a step
}

// The machine is repaired in the first three of four steps only.
func ExamplePolicy() {
	repair, wait := mdp.Policy{Actions: []int32{0, 0}}, mdp.Policy{Actions: []int32{0, 1}}
	policy := mdp.Policy{Steps: []mdp.Policy{repair, repair, repair, wait}}
	result, err := mdp.Evaluate(context.Background(), oneMachine(), policy, mdp.FiniteHorizon{Steps: 4}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f from the start, %.4f if it is broken\n", result.Value[0], result.Value[1])
	// Output:
	// 2.3550 from the start, 11.4500 if it is broken
}

func ExampleUnder() {
	chain, err := mdp.Under(oneMachine(), mdp.Policy{Actions: []int32{0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for s := range chain.NumStates() {
		fmt.Println(chain.AppendRow(nil, s, 0))
	}
	// Output:
	// [{0 0.9} {1 0.1}] 0
	// [{0 1}] 10
}

// What to do with a broken machine, and what it costs to do something else once.
func ExampleActionValues() {
	ctx, criterion := context.Background(), mdp.Discounted{Discount: 0.5}
	result, err := mdp.Solve(ctx, oneMachine(), criterion, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := mdp.ValuesOfActions(ctx, oneMachine(), criterion, result, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, action := range []string{"repair", "wait"} {
		k := 1 + i // the second state's choices are after the only one of the first
		fmt.Printf("%s: %v, %.4f more than the best\n", action, values.Optimality[k], values.Advantage[k])
	}
	// Output:
	// repair: suboptimal, 0.4545 more than the best
	// wait: optimal, 0.0000 more than the best
}

func ExampleOptimality() {
	fmt.Println(mdp.Undecided, mdp.Optimal, mdp.Suboptimal)
	// Output: undecided optimal suboptimal
}
