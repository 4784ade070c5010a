package implicit

import (
	"context"
	"errors"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/howard"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Inexact policy iteration: sweeps first, then implicit steps, and exact evaluation
// last.

// The sweeping methods are looked at after so many iterations, patience, and given
// up if it would take so many more. A step takes as long as some tens of sweeps
// over all actions, and it takes six steps or more; an iteration of modified policy
// iteration is several sweeps.
const (
	relativePatience, relativeIterations = 24, 200
	modifiedPatience, modifiedIterations = 6, 30
)

// Iteration is inexact policy iteration under way: it sweeps, and steps where that is
// too slow.
type Iteration struct {
	task   *method.Task
	sweeps method.Iteration // nil when it steps
	trend  trend
	steps  *steps           // nil as long as it sweeps
	exact  method.Iteration // policy iteration at last, where steps end in rounding; nil before
}

// New starts inexact policy iteration with sweeps, for modified policy iteration with
// so many sweeps with a policy; where there is a policy to start from, with steps.
func New(task *method.Task, partial int) *Iteration {
	it := &Iteration{task: task}
	_, follows := task.Model.(sweep.PolicyBackuper)
	switch {
	case task.Policy != nil:
		it.step(task.StartValues(1))
		it.steps.start = task.Policy
	case task.Discount == 1:
		it.sweeps = method.NewRelative(task, method.Damping)
		it.trend = trend{next: relativePatience, most: relativeIterations}
	case follows:
		it.sweeps = method.NewDiscounted(task, partial, nil)
		it.trend = trend{next: modifiedPatience, most: modifiedIterations}
	default:
		it.sweeps = method.NewDiscounted(task, 0, nil)
		it.trend = trend{next: relativePatience, most: relativeIterations}
	}
	return it
}

// NewSteps starts inexact policy iteration with steps; with iterative, it never
// eliminates. Tests see the steps on small models this way.
func NewSteps(task *method.Task, iterative bool) *Iteration {
	it := &Iteration{task: task}
	it.step(task.StartValues(1))
	if iterative {
		it.steps.evaluator = NewIterative(task.Sweeper.Team, task.Limits.Workers, task.Model.NumStates())
	}
	return it
}

// phase is what is under way.
func (it *Iteration) phase() method.Iteration {
	switch {
	case it.exact != nil:
		return it.exact
	case it.steps != nil:
		return it.steps
	}
	return it.sweeps
}

// Iterate implements method.Iteration.
func (it *Iteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	lower, upper, err = it.phase().Iterate(ctx)
	switch {
	case err != nil && it.exact != nil:
		return it.giveUpExact(err)
	case err != nil || it.exact != nil:
	case it.steps != nil:
		if it.steps.IsFinished() {
			err = it.finish(ctx)
		}
	case it.sweeps.IsExhausted() && it.task.Discount == 1,
		!it.sweeps.IsFinished() && it.trend.tooSlow(upper-lower, func() float64 { return it.goal(lower, upper) }):
		it.step(it.sweeps.Answer().Values.High)
		err = it.steps.begin()
	}
	return lower, upper, err
}

// step goes over to steps, from values that it keeps.
func (it *Iteration) step(v []float64) {
	it.steps, it.sweeps = newSteps(it.task, v), nil
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.phase().IsFinished() }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.phase().IsExhausted() }

// Answer implements method.Iteration.
func (it *Iteration) Answer() method.Answer { return it.phase().Answer() }

// finish goes over to policy iteration from the policy that steps ended with,
// where elimination is cheap. What they cannot resolve it can: differences of
// values down to double-double precision of each. Elsewhere it makes values for the
// bounds.
func (it *Iteration) finish(ctx context.Context) error {
	evaluator := it.steps.evaluator
	switch {
	case it.task.Discount < 1 || evaluator == nil || it.steps.done && it.steps.confirmed():
		return nil
	case evaluator.IsExact():
		return it.takeOver(ctx)
	case it.steps.extended && it.steps.best.values.High != nil:
		return it.steps.enclose(ctx)
	}
	return nil
}

// takeOver starts policy iteration, on a model that is communicating and for
// which elimination is cheap.
func (it *Iteration) takeOver(ctx context.Context) error {
	it.steps.evaluator = nil // room for another elimination
	plan, err := howard.NewPlan(ctx, it.task.Listed, it.task.Limits.Workers, evaluate.Operations)
	if err != nil || !plan.IsAffordable() {
		return nil // the end of the steps is that of the method
	}
	task := *it.task
	task.Policy = it.steps.policy
	exact, err := howard.New(ctx, &task, plan)
	if err != nil {
		return err
	}
	it.exact = exact
	return nil
}

// giveUpExact goes back to what the steps found if the error is that a policy is
// beyond exact evaluation.
func (it *Iteration) giveUpExact(err error) (lower, upper float64, _ error) {
	if !errors.Is(err, limit.ErrPrecisionLimit) {
		return 0, 0, err
	}
	it.exact = nil
	lower, upper = it.steps.bounds(&it.steps.best)
	return lower, upper, nil
}

// goal returns the gap between bounds at which the answer is good enough.
func (it *Iteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.task.Discount < 1 {
		magnitude = vector.LargestMagnitude(it.sweeps.Answer().Values.High) / it.task.Rate
	}
	return it.task.Tolerance * magnitude / it.task.Strictness
}
