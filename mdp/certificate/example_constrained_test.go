package certificate_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// limited returns a model, and a result about it within a limit: on average at least 5/4 pieces.
func limited() (*modelfile.Model, *certificate.Result) {
	model, _ := modelfile.ReadJSON(strings.NewReader(`{"kind": "mdp", "reward_models": ["cost", "pieces"], "states": [
		{"actions": [{"rewards": [1, 1], "to": [[0, 1]]}, {"rewards": [3, 2], "to": [[0, 1]]}]},
		{"actions": [{"rewards": [1, 1], "to": [[0, 1]]}]}]}`), "worker.json", modelfile.Options{Exact: true})
	table, _ := model.Table("cost")
	pieces, _ := model.ExpectedRewards("pieces")
	limit := question.Constraint{Reward: "pieces", Sense: ">=", Bound: big.NewRat(5, 4)}
	found, _ := mdp.SolveConstrained(context.Background(), mdp.Rounded{Table: table}, mdp.LongRunAverage{}, 0,
		[]mdp.Constraint{{Costs: pieces.Float, Bound: limit.Bound, AtLeast: true}}, mdp.Settings{})
	result := &certificate.Result{Question: question.Question{Criterion: "average", Sense: "minimize", Reward: "cost", Constraints: []question.Constraint{limit}}, Status: found.Status.String()}
	result.KeepConstrained(found, table.Rate())
	return model, result
}

func ExampleConstraint() {
	model, result := limited()
	report, err := certificate.Check(context.Background(), model, result, certificate.Options{})
	fmt.Printf("%.4f, %.4f for a piece\n", result.Value, result.Constraints[0].Multiplier)
	fmt.Println(report.Verdict(), err)
	// Output:
	// 1.5000, 2.0000 for a piece
	// holds <nil>
}

func ExampleComponent() {
	_, result := limited()
	fmt.Printf("%.2f\n", result.Mixture[0].Probabilities[:2])
	// Output: [0.75 0.25]
}
