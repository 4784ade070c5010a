package question_test

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// A machine works or is broken: repairing it costs 3, waiting 1 per step.
const machine = `{"kind": "mdp", "reward_models": ["cost", "broken"], "labels": {"up": [0]}, "states": [
	{"name": "works", "actions": [{"to": [[0, "9/10"], [1, "1/10"]]}]},
	{"name": "broken", "rewards": [1, 1], "actions": [
		{"name": "wait", "to": [[1, 1]]},
		{"name": "repair", "rewards": [3, 0], "to": [[0, 1]]}]}]}`

func read() *modelfile.Model {
	m, err := modelfile.ReadJSON(strings.NewReader(machine), "machine.json", modelfile.Options{Exact: true})
	if err != nil {
		panic(err)
	}
	return m
}

// The members of a question are those of a result file. A factor that is no float64 stays exact.
func ExampleQuestion() {
	q := question.Question{Criterion: question.Discounted, Sense: "minimize", Reward: "cost"}
	q.SetDiscount(big.NewRat(2, 3))
	fmt.Println(q.Validate(), q.DiscountFactor().RatString(), *q.Discount)
	// Output: <nil> 2/3 0.6666666666666666
}

func ExampleAsked() {
	q := question.Question{Criterion: question.Total, Sense: "minimize", Reward: "cost", Target: "up"}
	asked, err := q.On(read())
	fmt.Println(err, asked.Ends, asked.HasChoices())
	// Output: <nil> [0] true
}

// An error names the member that is missing or wrong.
func ExampleError() {
	for _, q := range []question.Question{
		{Criterion: question.Average},
		{Criterion: question.Average, Sense: "minimize"},
		{Criterion: question.Total, Sense: "minimize", Reward: "cost", Target: "down"},
	} {
		_, err := q.On(read())
		fmt.Println(err)
	}
	// Output:
	// question: sense is missing, and the model has choices: use minimize or maximize
	// question: reward: no reward model is named, and the model has several: use one of "cost", "broken"
	// question: target: label "down" is not valid: use one of "up", "init"
}

// A limit is part of the question.
func ExampleConstraint() {
	q := question.Question{
		Criterion: question.Average, Sense: "minimize", Reward: "cost",
		Constraints: []question.Constraint{{Reward: "broken", Sense: "<=", Bound: big.NewRat(1, 5)}},
	}
	_, err := q.On(read())
	fmt.Println(err)
	// Output: <nil>
}
