package mdp

import (
	"context"
	"errors"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
)

// finish goes over to policy iteration from the policy that steps ended with,
// where elimination is cheap. What they cannot resolve it can: differences of
// values down to double-double precision of each. Elsewhere it makes values for the
// bounds.
func (it *inexactIteration) finish(ctx context.Context) error {
	_, cheap := it.steps.evaluator.(*eliminated)
	switch {
	case it.discount < 1 || it.steps.done && it.steps.confirmed():
		return nil
	case cheap:
		return it.takeOver(ctx)
	case it.steps.extended && it.steps.best.values != nil && it.steps.evaluator != nil:
		return it.steps.enclose(ctx)
	}
	return nil
}

// takeOver starts policy iteration, on a model that is communicating and for
// which elimination is cheap.
func (it *inexactIteration) takeOver(ctx context.Context) error {
	it.steps.evaluator = nil // room for another elimination
	planned, err := planIteration(ctx, it.model, it.task.settings.Workers, evaluate.Operations)
	if err != nil || !evaluate.IsAffordable(planned.plan.Forecast, evaluate.Operations) {
		return nil // the end of the steps is that of the method
	}
	task := *it.task
	task.settings.Policy = it.steps.policy
	it.exact, err = planned.start(ctx, &task)
	return err
}

// giveUpExact goes back to what the steps found if the error is that a policy is
// beyond exact evaluation.
func (it *inexactIteration) giveUpExact(err error) (lower, upper float64, _ error) {
	if !errors.Is(err, ErrPrecisionLimit) {
		return 0, 0, err
	}
	it.exact = nil
	lower, upper = it.steps.bounds(&it.steps.best)
	return lower, upper, nil
}
