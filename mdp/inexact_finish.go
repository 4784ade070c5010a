package mdp

import (
	"context"
	"errors"
)

// finish goes over to policy iteration from the policy that steps ended with,
// where elimination is cheap. What they cannot resolve it can: differences of
// values down to double-double precision of each, and bounds by values that are
// made for them.
func (it *inexactIteration) finish(ctx context.Context) error {
	if _, cheap := it.steps.evaluator.(*eliminated); !cheap || it.discount < 1 {
		return nil
	}
	return it.takeOver(ctx)
}

// takeOver starts policy iteration, on a model that is communicating and for
// which elimination is cheap.
func (it *inexactIteration) takeOver(ctx context.Context) error {
	it.steps.evaluator = nil // room for another elimination
	planned, err := planIteration(ctx, it.model, it.task.settings.Workers, chooseOperations)
	if err != nil || !affordable(planned.plan.Forecast, chooseOperations) {
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
