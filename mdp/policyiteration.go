package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/howard"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// PolicyIteration is Howard's method (1960) with exact evaluation: solve the
// equations of the present policy, change every action that another one beats,
// until none does. It needs a model that is [Explicit] and communicating, and
// an iteration is one evaluation.
//
// The gain of each policy comes from an elimination without subtractions, so
// it has all its digits however small it is. The values are refined to
// double-double precision, and actions are compared in it: differences are
// told apart down to about 10⁻²⁸ of the values. A policy whose chain has
// several closed classes is led to the best of them before it is evaluated
// (Haviv and Puterman 1991).
//
// It ends when no action is better than the present one by more than rounding,
// whatever the tolerance. The bounds are then as close as arithmetic allows. At
// first it compares actions in float64, after sweeps of value iteration that
// look far ahead, which takes fewer iterations. It
// also ends, with the best policy so far, at one whose chain is beyond exact
// evaluation in float64 (see [Evaluate]).
type PolicyIteration struct{}

// String returns "policy iteration".
func (PolicyIteration) String() string { return "policy iteration" }

func (m PolicyIteration) start(ctx context.Context, task *method.Task) (method.Iteration, error) {
	if err := needsCriterion(task, m, LongRunAverage{}); err != nil {
		return nil, err
	}
	if err := needsRows(task, m); err != nil {
		return nil, err
	}
	plan, err := howard.NewPlan(ctx, task.Listed, task.Limits.Workers, math.Inf(1))
	switch {
	case errors.Is(err, howard.ErrNotCommunicating):
		return nil, fmt.Errorf("mdp: policy iteration: %w: %w", ErrUnsupported, err)
	case err != nil: // the run ends before the first iteration
		plan = nil
	}
	return plannedIteration{plan: plan}.start(ctx, task)
}

// plannedIteration is PolicyIteration with a plan.
type plannedIteration struct {
	PolicyIteration
	plan *howard.Plan
}

func (m plannedIteration) start(ctx context.Context, task *method.Task) (method.Iteration, error) {
	return howard.New(ctx, task, m.plan)
}
