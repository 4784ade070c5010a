package mdp_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// unreliable is a machine that breaks down with a probability between 5% and 15%. Repair takes a day and costs
// 10, or one does without the machine at 3 a day.
func unreliable() *mdp.Uncertain {
	var b mdp.TableBuilder
	b.AddState() // 0: it works
	b.AddAction(0)
	b.AddInterval(0, 0.85, 0.95, 0)
	b.AddInterval(1, 0.05, 0.15, 0)
	b.AddState()    // 1: it is broken
	b.AddAction(10) // action 0: repair it
	b.AddTransition(0, 1)
	b.AddAction(1.2) // action 1: do without it
	b.AddTransition(1, 1)
	u, _ := b.BuildUncertain()
	return u
}

func ExampleUncertain() {
	for _, nature := range []mdp.Nature{mdp.Robust, mdp.Optimistic} {
		r, err := mdp.Solve(context.Background(), unreliable().With(nature), mdp.LongRunAverage{}, mdp.Settings{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.4f a day, action %d in state 1\n", nature, r.Gain, r.Policy[1])
	}
	// Output:
	// worst: 1.2000 a day, action 1 in state 1
	// best: 0.4762 a day, action 0 in state 1
}

// The answer says what nature does.
func ExampleNatureChoice() {
	r, err := mdp.Solve(context.Background(), unreliable().With(mdp.Optimistic), mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", r.Nature.Probabilities(0, 0))
	evaluation, err := mdp.LongRun(context.Background(), r.Nature.Model(), mdp.Policy{Actions: r.Policy})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", evaluation.Gain[0])
	// Output:
	// [0.95 0.05]
	// 0.4762
}

// The probability of rain tomorrow was estimated from few days.
func ExampleTableBuilder_AddDistance() {
	var b mdp.TableBuilder
	for _, rain := range []float64{0.2, 0.6} { // after a dry day, after a wet one
		b.AddState()
		b.AddAction(0)
		b.AddTransition(0, 1-rain)
		b.AddInterval(1, rain, rain, 1) // a wet day costs 1
		b.AddDistance(0.2)
	}
	u, err := b.BuildUncertain()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, nature := range []mdp.Nature{mdp.Optimistic, mdp.Robust} {
		r, err := mdp.Solve(context.Background(), u.With(nature), mdp.LongRunAverage{}, mdp.Settings{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.3f\n", nature, r.Gain)
	}
	// Output:
	// best: 0.167
	// worst: 0.500
}

func ExampleNature() {
	fmt.Println(mdp.Robust, mdp.Optimistic)
	// Output:
	// worst best
}

func ExampleInterval() {
	row, cost := unreliable().AppendRow(nil, 0, 0)
	for _, i := range row {
		fmt.Println(i.State, i.Low, i.High, i.Cost)
	}
	fmt.Println(cost)
	// Output:
	// 0 0.85 0.95 0
	// 1 0.05 0.15 0
	// 0
}
