package mdp_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// weather is a chain with one action a day: dry days cost nothing, wet ones 1.
func weather() *mdp.Table {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 4},
		Columns:       []int32{0, 1, 0, 1},
		Probabilities: []float64{0.75, 0.25, 0.5, 0.5},
		Costs:         []float64{0, 1},
	})
	if err != nil {
		panic(err)
	}
	return table
}

func ExampleTable() {
	table := weather()
	for s := range table.NumStates() {
		row, cost := table.AppendRow(nil, s, 0)
		fmt.Println(cost, row)
	}
	// Output:
	// 0 [{0 0.75} {1 0.25}]
	// 1 [{0 0.5} {1 0.5}]
}

func ExampleTableArrays() {
	_, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1},
		RowStart:      []int32{0, 1},
		Columns:       []int32{0},
		Probabilities: []float64{0.5},
		Costs:         []float64{3},
	})
	fmt.Println(err)
	// Output:
	// mdp: state 0, action 0: not a probability distribution: probabilities sum to 0.5, not to 1 within 1e-9: divide each by their sum
}

func ExampleSolve() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f of the days are wet (%v by %v)\n", result.Gain, result.Status, result.Method)
	// Output:
	// 0.333333 of the days are wet (converged by policy iteration)
}

func ExampleSettings() {
	settings := mdp.Settings{
		Method:        mdp.RelativeValueIteration,
		Tolerance:     1e-3,
		MaxIterations: 100,
	}
	result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{}, settings)
	fmt.Println(result.Status, err, settings.Met(result.Lower, result.Upper))
	// Output:
	// converged <nil> true
}

func ExampleProgress() {
	_, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{}, mdp.Settings{
		Method:    mdp.RelativeValueIteration,
		Tolerance: 0.01,
		Record: func(p mdp.Progress) error {
			fmt.Printf("round %d: between %.4f and %.4f\n", p.Iteration, p.Lower, p.Upper)
			return nil
		},
	})
	fmt.Println(err)
	// Output:
	// round 1: between 0.0000 and 1.0000
	// round 2: between 0.2250 and 0.5500
	// round 3: between 0.2981 and 0.4037
	// round 4: between 0.3219 and 0.3562
	// round 5: between 0.3296 and 0.3408
	// round 6: between 0.3321 and 0.3358
	// round 7: between 0.3329 and 0.3341
	// <nil>
}

// A result with an error holds the best answer so far.
func ExampleResult() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{},
		mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 3})
	if errors.Is(err, mdp.ErrIterationLimit) {
		fmt.Printf("after %d rounds between %.3f and %.3f\n", result.Iterations, result.Lower, result.Upper)
	}
	// Output:
	// after 3 rounds between 0.322 and 0.356
}

func ExampleStatus() {
	for status := mdp.Unsolved; status <= mdp.Interrupted; status++ {
		fmt.Println(status)
	}
	// Output:
	// unsolved
	// converged
	// iteration-limit
	// time-limit
	// precision-limit
	// stopped
	// interrupted
}

func ExampleCriterion() {
	var criterion mdp.Criterion = mdp.LongRunAverage{}
	fmt.Printf("%T\n", criterion)
	// Output:
	// mdp.LongRunAverage
}

func ExampleLongRunAverage() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{}, mdp.Settings{})
	// A wet day is followed by more wet days than a dry one: by 4/3 more in all.
	fmt.Printf("%.4f a day, %.4f more from a wet day on, %v\n", result.Gain, result.Bias[1], err)
	// Output:
	// 0.3333 a day, 1.3333 more from a wet day on, <nil>
}

func ExampleMethod() {
	for _, method := range []mdp.Method{mdp.PolicyIteration, mdp.RelativeValueIteration} {
		result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{}, mdp.Settings{Method: method})
		fmt.Printf("%v: %.6f, %v\n", method, result.Gain, err)
	}
	// Output:
	// policy iteration: 0.333333, <nil>
	// relative value iteration: 0.333333, <nil>
}

// Two states that take turns: undamped values would take turns for ever too.
func ExampleRelativeValueIteration() {
	turns, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 1, 2},
		Columns:       []int32{1, 0},
		Probabilities: []float64{1, 1},
		Costs:         []float64{0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), turns, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.RelativeValueIteration})
	fmt.Printf("%v after %d rounds, between %.2f and %.2f, %v\n", result.Status, result.Iterations, result.Lower, result.Upper, err)
	// Output:
	// converged after 97 rounds, between 0.50 and 0.50, <nil>
}

func ExamplePolicyIteration() {
	result, err := mdp.Solve(context.Background(), weather(), mdp.LongRunAverage{},
		mdp.Settings{Method: mdp.PolicyIteration})
	fmt.Printf("%.6f in %d round, bounds %.0e apart, %v\n", result.Gain, result.Iterations, result.Upper-result.Lower, err)
	// Output:
	// 0.333333 in 1 round, bounds 6e-17 apart, <nil>
}
