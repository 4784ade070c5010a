package question_test

import (
	"maps"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// TestValidate has questions that are not valid in themselves, whatever the model.
func TestValidate(t *testing.T) {
	huge := question.Question{Criterion: question.Discounted, Sense: "minimize"}
	huge.SetDiscount(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil)))
	for want, q := range map[string]question.Question{
		"criterion is missing":         {},
		`criterion: "mean" is not`:     {Criterion: "mean", Sense: "minimize"},
		"sense is missing":             {Criterion: question.Average},
		"discount NaN is not from":     {Criterion: question.Finite, Sense: "minimize", Horizon: new(1), Discount: new(math.NaN())},
		"discount +Inf is not from":    huge,
		"without discount":             {Criterion: question.Discounted, Sense: "minimize"},
		"without horizon":              {Criterion: question.Finite, Sense: "minimize"},
		"no terminal rewards":          {Criterion: question.Average, Sense: "minimize", Terminal: "end"},
		"only that of a property":      {Criterion: question.Timed, Sense: "minimize"},
		"each of the constraints":      {Criterion: question.Average, Sense: "minimize", Constraints: []question.Constraint{{Reward: "r", Sense: "=", Bound: big.NewRat(1, 2)}}},
		"a rate is not valid here":     {Criterion: question.Average, Sense: "minimize", Rate: new(1.0)},
		"the horizon is negative":      {Criterion: question.Finite, Sense: "minimize", Horizon: new(-1)},
		"not the number nearest to":    {Criterion: question.Discounted, Sense: "minimize", Discount: new(0.5), ExactDiscount: big.NewRat(2, 3)},
		"discount 0 of a finite":       {Criterion: question.Finite, Sense: "minimize", Horizon: new(1), Discount: new(0.0)},
		`uncertainty: "some" is not v`: {Criterion: question.Average, Sense: "minimize", Uncertainty: "some"},
	} {
		assert.ErrorContains(t, q.Validate(), want)
	}
	require.NoError(t, (&question.Question{Criterion: question.Total, Sense: "maximize", Target: "goal"}).Validate())
}

// What the row of a criterion does not name is refused, and the message lists the criteria that go with it.
func TestGoes(t *testing.T) {
	for want, test := range map[string]struct{ criterion, with string }{
		"":                     {question.Average, question.Limits},
		"criterion: finite is": {question.Finite, question.ContinuousTime},
		"time is not valid with limits or as a trade-off: use average, discounted, total or finite": {question.Timed, question.Limits},
		"criterion:  is not valid in a simulation: use average, discounted, total or finite":        {"", question.Simulation},
	} {
		err := (&question.Question{Criterion: test.criterion}).Goes(test.with)
		if want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
	_, err := (&question.Asked{Question: question.Question{Criterion: question.Timed}}).StepFactor()
	assert.ErrorIs(t, err, mdp.ErrUnsupported)
}

// Fields yields what JSON has, too.
func TestFields(t *testing.T) {
	q := question.Question{Criterion: question.Finite, Sense: "minimize", Discount: new(0.5), ExactDiscount: big.NewRat(1, 2), Horizon: new(0), Terminal: "end"}
	assert.Equal(t, map[string]any{"criterion": question.Finite, "sense": "minimize", "discount": 0.5, "exact_discount": big.NewRat(1, 2), "horizon": 0, "terminal": "end"}, maps.Collect(q.Fields))
	for name := range q.Fields {
		assert.Equal(t, "criterion", name)
		break
	}
	for _, member := range question.Members {
		assert.NotEmpty(t, question.WithMember(member), member)
	}
	assert.Equal(t, []string{question.Discounted, question.Finite}, question.WithMember("discount"))
}
