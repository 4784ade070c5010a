package mdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

// errNotCommunicating says that a model is to be divided before a method can be
// chosen for its parts.
var errNotCommunicating = errors.New("the model is not communicating")

func (LongRunAverage) choose(ctx context.Context, model Model, workers int) (method Method, why string, err error) {
	explicit, ok := model.(Explicit)
	if !ok {
		return RelativeValueIteration{}, "the model does not list its rows", nil
	}
	planned, err := planIteration(ctx, explicit, workers, evaluate.Operations)
	switch {
	case ctx.Err() != nil:
		return RelativeValueIteration{}, "it was interrupted before it knew better", nil
	case err != nil:
		return nil, "", err
	}
	forecast := planned.plan.Forecast
	if !evaluate.IsAffordable(forecast, evaluate.Operations) {
		return InexactPolicyIteration{}, fmt.Sprintf("exact evaluation would take %s", forecast), nil
	}
	return planned, fmt.Sprintf("exact evaluation takes %s", forecast), nil
}
