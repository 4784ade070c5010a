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

// The sweeping methods are first judged after so many iterations, their patience, and
// given up if it would take them so many more. A step takes as long as some tens of
// sweeps over all actions, and steps are six or more; an iteration of modified policy
// iteration is several sweeps.
const (
	relativePatience, relativeIterations = 24, 200
	modifiedPatience, modifiedIterations = 6, 30
)

// Iteration is inexact policy iteration under way. It has three phases: it sweeps; takes
// implicit steps, where sweeps are too slow; and goes over to policy iteration with exact
// evaluation, where steps end in rounding.
type Iteration struct {
	task   *method.Task
	sweeps method.Iteration // nil after its phase
	trend  trend            // of sweeps
	steps  *steps           // nil before its phase
	exact  method.Iteration // nil before its phase
}

// New starts inexact policy iteration: with steps where there is a policy to start from,
// else with sweeps. partial is the number of sweeps with a policy in an iteration of
// modified policy iteration.
func New(task *method.Task, partial int) *Iteration {
	it := &Iteration{task: task}
	_, follows := task.Model.(sweep.PolicyBackuper)
	switch {
	case task.Policy != nil:
		it.step(task.StartValues(1))
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
		it.steps.totals = evaluate.NewIterative(task.Sweeper.Team, task.Limits.Workers, task.Model.NumStates())
	}
	return it
}

// phase returns the iteration of the present phase.
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
	case it.exact != nil && errors.Is(err, limit.ErrPrecisionLimit): // a policy is beyond exact evaluation
		it.exact = nil
		lower, upper = it.steps.bounds(&it.steps.best)
		return lower, upper, nil
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

// step goes over to steps from values, whose memory the steps use.
func (it *Iteration) step(v []float64) {
	it.steps, it.sweeps = newSteps(it.task, v), nil
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.phase().IsFinished() }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.phase().IsExhausted() }

// Answer implements method.Iteration.
func (it *Iteration) Answer() method.Answer { return it.phase().Answer() }

// finish takes care of the end of the steps for the average. Where elimination is cheap
// it goes over to policy iteration from their policy, which resolves differences of
// values that they cannot: down to double-double precision of each. Elsewhere it makes
// values for the bounds.
func (it *Iteration) finish(ctx context.Context) error {
	totals := it.steps.totals
	switch {
	case it.task.Discount < 1 || totals == nil || it.steps.done && it.steps.confirmed():
		return nil
	case !totals.IsIterative():
		return it.takeOver(ctx)
	case it.steps.extended && it.steps.best.values.High != nil:
		return it.steps.enclose(ctx)
	}
	return nil
}

// takeOver starts policy iteration if the model is communicating and elimination is
// cheap. Otherwise the method ends where the steps do.
func (it *Iteration) takeOver(ctx context.Context) error {
	it.steps.totals = nil // room for another elimination
	plan, err := howard.NewPlan(ctx, it.task.Listed, it.task.Limits.Workers, evaluate.Operations)
	if err != nil || !plan.IsAffordable() {
		return nil
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

// goal returns the gap between bounds at which the answer is good enough.
func (it *Iteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.task.Discount < 1 {
		magnitude = vector.LargestMagnitude(it.sweeps.Answer().Values.High) / it.task.Rate
	}
	return it.task.Tolerance * magnitude / it.task.Strictness
}

// trend extrapolates how the gap between the bounds closes. It judges after numbers of
// iterations that double each time.
type trend struct {
	next       int     // the number of iterations after which it judges next
	most       float64 // how many more iterations are acceptable
	iterations int
	half       float64 // the gap after half of next
}

// tooSlow records the gap after an iteration. It says whether the goal is too many
// iterations away at the rate of the second half of those so far.
func (t *trend) tooSlow(gap float64, goal func() float64) bool {
	t.iterations++
	if 2*t.iterations == t.next {
		t.half = gap
	}
	if t.iterations < t.next {
		return false
	}
	pace := math.Log(gap/t.half) / float64(t.iterations-t.next/2) // below 0 where the gap closes
	left := math.Log(goal()/gap) / pace
	t.half, t.next = gap, 2*t.iterations
	return !(pace < 0) || left > t.most
}
