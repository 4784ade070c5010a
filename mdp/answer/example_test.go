package answer_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// A machine works or is broken: repairing it costs 3, being broken 1 per step.
const machine = `{"kind": "mdp", "reward_models": ["cost", "broken"], "labels": {"up": [0]}, "states": [
	{"name": "works", "actions": [{"to": [[0, "9/10"], [1, "1/10"]]}]},
	{"name": "broken", "rewards": [1, 1], "actions": [
		{"name": "wait", "to": [[1, 1]]},
		{"name": "repair", "rewards": [3, 0], "to": [[0, 1]]}]}]}`

func read(text string) *modelfile.Model {
	m, err := modelfile.ReadJSON(strings.NewReader(text), "model.json", modelfile.Options{Exact: true})
	if err != nil {
		panic(err)
	}
	return m
}

// A Go program asks, and writes the file of solve --out.
func ExampleAnswer() {
	q := question.Question{Criterion: question.Average, Sense: "minimize", Reward: "cost"}
	asked, err := q.On(read(machine))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := answer.Solve(context.Background(), asked, answer.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f, %v, policy %v\n", found.Result.Value, found.Status, found.Result.Policy)
	folder, _ := os.MkdirTemp("", "")
	defer func() { _ = os.RemoveAll(folder) }()
	fmt.Println(certificate.WriteFile(folder+"/result.json", found.Result))
	// Output:
	// 0.363636, converged, policy [0 1]
	// <nil>
}

func ExampleSettings() {
	q := question.Question{Criterion: question.Average, Sense: "minimize", Reward: "cost"}
	asked, _ := q.On(read(machine))
	found, err := answer.Solve(context.Background(), asked, answer.Settings{Exactly: true})
	fmt.Println(err, found.Result.Exact[0].RatString())
	// Output: <nil> 4/11
}

// The value of a given policy: always wait.
func ExampleFollowed() {
	q := question.Question{Criterion: question.Average, Reward: "cost"}
	followed, err := answer.Follow(read(machine), &mdp.Policy{Actions: []int32{0, 0}}, q.On)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := answer.Evaluate(context.Background(), followed, answer.Settings{})
	fmt.Println(err, found.Result.Value, found.Result.Evaluated)
	// Output: <nil> 1 true
}

// The distribution of the cost of ten steps, if the machine is repaired.
func ExampleTotals() {
	q := question.Question{Criterion: question.Finite, Horizon: new(10), Reward: "cost"}
	followed, _ := answer.Follow(read(machine), &mdp.Policy{Actions: []int32{0, 1}}, q.On)
	found, err := answer.Distribution(context.Background(), followed, []*big.Rat{new(big.Rat), big.NewRat(4, 1)}, answer.Settings{})
	fmt.Println(err, found.Unit.RatString(), len(found.Points))
	// Output: <nil> 4 2
}

func ExamplePoint() {
	q := question.Question{Criterion: question.Finite, Horizon: new(10), Reward: "cost"}
	followed, _ := answer.Follow(read(machine), &mdp.Policy{Actions: []int32{0, 1}}, q.On)
	found, _ := answer.Distribution(context.Background(), followed, []*big.Rat{new(big.Rat)}, answer.Settings{})
	p := found.Points[0]
	fmt.Printf("no cost in 10 steps: %.6f\n", p.AtMost.Lower) // 0.9⁹, as the machine works at first
	// Output: no cost in 10 steps: 0.387420
}

// A claim without a certificate is proved, or refuted.
func ExampleClaim() {
	r := &certificate.Result{
		Question: question.Question{Criterion: question.Average, Sense: "minimize", Reward: "cost"},
		Values:   []float64{4.0 / 11, 4.0 / 11}, Value: 4.0 / 11, Tolerance: new(1e-6),
	}
	report, made, err := answer.Judge(context.Background(), answer.Claim{Model: read(machine), Result: r}, answer.Settings{})
	fmt.Println(err, report.Verdict(), made)
	// Output: <nil> holds true
}

func ExampleModelError() {
	m := read(`{"kind": "dtmc", "reward_models": ["r"], "states": [{"rewards": [1e308], "actions": [{"rewards": [1e308], "to": [[0, 1]]}]}]}`)
	q := question.Question{Criterion: question.Average}
	asked, _ := q.On(m)
	_, err := answer.Solve(context.Background(), asked, answer.Settings{Settings: mdp.Settings{Method: mdp.PolicyIteration}})
	fault, ok := errors.AsType[*answer.ModelError](err)
	fmt.Println(ok, errors.Is(fault, modelfile.ErrRange))
	// Output: true true
}

// The cost of always repairing, estimated.
func ExampleSimulated() {
	q := question.Question{Criterion: question.Average, Reward: "cost", Sense: "minimize"}
	followed, err := answer.Follow(read(machine), &mdp.Policy{Actions: []int32{0, 1}}, q.On)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := answer.Simulate(context.Background(), followed, simulate.Settings{Horizon: 10_000, Replications: 20, Seed: 1, Confidence: 0.99})
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, lower, upper := found.Estimate()
	fmt.Printf("%.2f, and the exact value is in the interval: %t\n", mean, lower <= 4./11 && 4./11 <= upper)
	// Output: 0.36, and the exact value is in the interval: true
}
