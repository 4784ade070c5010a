package modelfile_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// A CTMC from a file, solved for the long-run average of a reward model.
func ExampleModel() {
	m, err := modelfile.ReadFile("testdata/queue.drn", modelfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Kind, m.NumStates(), "states,", m.NumTransitions(), "transitions")
	table, err := m.Table("length")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	fmt.Printf("%.6f %v\n", result.Gain, err)
	// Output:
	// CTMC 4 states, 7 transitions
	// 0.733333 <nil>
}

// From one format to another.
func ExampleWriteDRN() {
	const text = `{"kind": "dtmc", "labels": {"goal": [1]}, "reward_models": ["steps"], "states": [
		{"rewards": [1], "actions": [{"to": [[0, 0.25], [1, 0.75]]}]},
		{"actions": [{"to": [[1, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "chain.json", modelfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := modelfile.WriteDRN(os.Stdout, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// @type: DTMC
	// @value_type: double
	// @parameters
	//
	// @reward_models
	// steps
	// @nr_states
	// 2
	// @nr_choices
	// 2
	// @model
	// state 0 [1] init
	// 	action 0 [0]
	// 		0 : 0.25
	// 		1 : 0.75
	// state 1 [0] goal
	// 	action 0 [0]
	// 		1 : 1
}

func ExampleKind() {
	kind, err := modelfile.ParseKind("ctmc")
	fmt.Println(kind, err)
	// Output: CTMC <nil>
}

// Exact numbers are kept on request.
func ExampleNumbers() {
	const text = `{"kind": "dtmc", "states": [{"actions": [{"to": [[0, "1/3"], [1, "2/3"]]}]}, {"actions": [{"to": [[0, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "chain.json", modelfile.Options{Exact: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Values.Float[0], m.Values.Exact[0])
	// Output: 0.3333333333333333 1/3
}

func ExampleRewardModel() {
	m, err := modelfile.ReadFile("testdata/toymaker.json", modelfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	profit, err := m.Reward("profit")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("by transition:", profit.Transition.Float)
	m.FoldTransitionRewards()
	fmt.Printf("by action: %.4g\n", m.Rewards[0].Action.Float)
	// Output:
	// by transition: [9 3 4 4 3 -7 1 -19]
	// by action: [6 4 -3 -5]
}

// The kind of a PRISM model whose values sum to 1 may be told.
func ExampleOptions() {
	folder, err := os.MkdirTemp("", "modelfile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder) //nolint:errcheck // nothing depends on it
	path := folder + "/flip.tra"
	if err := os.WriteFile(path, []byte("2 2\n0 1 1\n1 0 1\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	for _, options := range []modelfile.Options{{}, {Kind: modelfile.CTMC}} {
		m, err := modelfile.ReadFile(path, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Kind)
	}
	// Output:
	// DTMC
	// CTMC
}

func ExampleSyntaxError() {
	const text = "@type: DTMC\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t0 : 0,9\n"
	_, err := modelfile.ReadDRN(strings.NewReader(text), "chain.drn", modelfile.Options{})
	fmt.Println(err)
	if syntax, ok := errors.AsType[*modelfile.SyntaxError](err); ok {
		fmt.Println(syntax.Line, syntax.Column, syntax.Within)
	}
	// Output:
	// chain.drn:7:8: state 0, action 0: found ",9"; expected the end of the line
	// 7 8 state 0, action 0
}

// A policy that takes both actions of state 0 makes a chain of the model.
func ExampleModel_Under() {
	m, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "states": [
		{"actions": [{"to": [[0, 1]]}, {"to": [[1, 1]]}]}, {"actions": [{"to": [[0, 1]]}]}]}`), "m.json", modelfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := mdp.Policy{
		Start: []int32{0, 2, 3}, Actions: []int32{0, 1, 0},
		Probabilities: []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4), big.NewRat(1, 1)},
	}
	chain, err := m.Under(p)
	fmt.Println(chain.Kind, chain.Columns, chain.Values.Float, err)
	// Output: DTMC [0 1 0] [0.25 0.75 1] <nil>
}
