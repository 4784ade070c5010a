package certificate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// twoStates has a state with two actions, of which the second is the better one.
func twoStates() *modelfile.Model {
	m, err := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "reward_models": ["cost"], "states": [
		{"name": "up", "rewards": [2], "actions": [{"name": "stay", "to": [[0, 1]]}, {"name": "go", "to": [[1, 1]]}]},
		{"name": "down", "rewards": [1], "actions": [{"to": [[1, 1]]}]}]}`), "model.json", modelfile.Options{})
	if err != nil {
		panic(err)
	}
	return m
}

// What the engine finds proves itself: the certificate goes into the result.
func ExampleCertificate() {
	table, err := twoStates().Table("cost")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := certificate.CertificateOf(found, 1)
	fmt.Println(c.Lower.Gain.High, c.Upper.Gain.High, c.Validate(2))
	// Output: [1 1] [1 1] <nil>
}

// Relative values of an average, and one gain for all states.
func ExampleWitness() {
	w := certificate.Witness{Gain: certificate.Vector{High: []float64{1}}, Value: certificate.Vector{High: []float64{1, 0}}}
	text, err := json.Marshal(w)
	fmt.Println(string(text), err)
	// Output: {"gain":1,"value":[1,0]} <nil>
}

func ExampleVector() {
	v := certificate.Vector{High: []float64{1. / 3, 1}, Exact: []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 1)}}
	text, err := json.Marshal(certificate.Witness{Value: v})
	fmt.Println(string(text), err)
	// Output: {"value":["1/3","1"]} <nil>
}

// A policy that stays in state 0, where each step costs −1.
func ExampleCycle() {
	c := certificate.Certificate{Cycle: &certificate.Cycle{Policy: []int32{0, 0}, Value: certificate.Vector{High: []float64{0}}}}
	fmt.Println(c.Validate(2))
	fmt.Println(c.Validate(3))
	// Output:
	// <nil>
	// certificate: policy of the cycle: 2 actions do not fit 3 states
}

// A policy by the names of states and actions.
func ExampleAnswer() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "policy.csv")
	if err := os.WriteFile(path, []byte("state,action\nup,go\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := certificate.ReadAnswerFile(path, twoStates())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Policy.Deterministic(), answer.Values == nil)
	// Output: [1 0] true
}

func ExampleResult() {
	r := &certificate.Result{
		Question: question.Question{Criterion: "average", Sense: "minimize", Reward: "length"},
		Status:   "converged", Method: "policy iteration", Iterations: 1,
		Initial: 0, Value: 0.5,
		Values: []float64{0.5, 0.5}, Lower: []float64{0.5, 0.5}, Upper: []float64{0.5, 0.5},
		Policy:         []int32{0, 0},
		Classification: "unichain", Aperiodic: new(true),
	}
	if err := certificate.Write(os.Stdout, r); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"value": 0.5,
	// "criterion": "average",
	// "sense": "minimize",
	// "reward": "length",
	// "status": "converged",
	// "method": "policy iteration",
	// "iterations": 1,
	// "classification": "unichain",
	// "aperiodic": true,
	// "initial": 0,
	// "values": [0.5, 0.5],
	// "lower": [0.5, 0.5],
	// "upper": [0.5, 0.5],
	// "policy": [0, 0]}
}
