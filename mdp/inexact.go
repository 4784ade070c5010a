package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// InexactPolicyIteration is policy iteration with approximate evaluation, for
// [Discounted] and [LongRunAverage]. It is at home where models mix slowly and
// sweeps take tens of thousands. It begins with sweeps, those of
// [ModifiedPolicyIteration] or [RelativeValueIteration], and stays with them as
// long as they get on.
//
// Where they do not it takes implicit steps. With π the actions that attain T v,
// and r = T v − v,
//
//	v ← v + (I − γ·β·P_π)⁻¹·(r − g),  γ = H/(1+H),
//
// where β is the discount, 1 for the average, and g a number that is the same for
// all states. With horizon H = 0 that is value iteration, with H = ∞ policy
// iteration, and in between λ-policy iteration (Bertsekas and Ioffe 1996). The
// horizon grows from step to step. At a finite one the equations have a solution,
// and a well-conditioned one, also for the average and whatever closed classes
// the chain of π has. No step raises the upper bound that the greatest of r is,
// for what is left of r after it is a mean of r, by states that π leads to.
// Some sweeps follow each step.
//
// Equations are solved by elimination, see [PolicyIteration], where that is
// cheap, as where states lie on a line or in a plane, and else by GMRES with a
// multigrid preconditioner. The residual is to be within a share of the gap
// between the best bounds so far: inexact steps of Newton's method (Dembo,
// Eisenstat and Steihaug 1982), as Gargiani and others (2024) take them for
// discounted models. Where evaluation fails, or the upper bound rises all the
// same, the horizon is made shorter; and where steps bring nothing, sweeps go on
// from the best values. So it converges wherever sweeps do: on every
// communicating or unichain model.
//
// For the average, values are kept in double-double precision from where float64
// no longer resolves the bounds. Where that does not suffice either, and
// elimination is cheap, [PolicyIteration] takes over.
//
// It needs a model that is [Explicit]. An iteration is one of the method that sweeps,
// or one step.
type InexactPolicyIteration struct{}

// String returns "inexact policy iteration".
func (InexactPolicyIteration) String() string { return "inexact policy iteration" }

func (m InexactPolicyIteration) start(ctx context.Context, task *task) (iteration, error) {
	it, err := m.prepare(task)
	if err != nil {
		return nil, err
	}
	if task.settings.Policy != nil {
		it.step(startValues(task))
		it.steps.start = task.settings.Policy
		return it, nil
	}
	var sweeping Method = RelativeValueIteration{}
	it.trend = trend{next: relativePatience, most: relativeIterations}
	if it.discount < 1 {
		sweeping = ValueIteration{}
		if _, ok := task.model.(PolicyBackuper); ok {
			sweeping = ModifiedPolicyIteration{}
			it.trend = trend{next: modifiedPatience, most: modifiedIterations}
		}
	}
	it.sweeps, err = sweeping.start(ctx, task)
	return it, err
}

// The sweeping methods are looked at after so many iterations, patience, and given
// up if it would take so many more. A step takes as long as some tens of sweeps
// over all actions, and it takes six steps or more; an iteration of modified policy
// iteration is several sweeps.
const (
	relativePatience, relativeIterations = 24, 200
	modifiedPatience, modifiedIterations = 6, 30
)

// prepare returns an iteration that neither sweeps nor steps yet.
func (m InexactPolicyIteration) prepare(task *task) (*inexactIteration, error) {
	model, ok := task.model.(Explicit)
	if !ok {
		return nil, fmt.Errorf("mdp: %s: %w: it does not list its rows (interface Explicit)", m, ErrUnsupported)
	}
	it := &inexactIteration{task: task, model: model, discount: 1}
	switch criterion := task.criterion.(type) {
	case LongRunAverage:
	case Discounted:
		it.discount = criterion.Discount
	default:
		return nil, fmt.Errorf("mdp: %s: %w: criterion %s is not valid: use average or discounted", m, ErrUnsupported, task.criterion)
	}
	return it, nil
}

// startValues returns the values that the settings start from, per step.
func startValues(task *task) []float64 {
	if task.settings.Values != nil {
		return vector.Scaled(task.settings.Values, rateOf(task.model))
	}
	return make([]float64, task.model.NumStates())
}

// inexactIteration sweeps, and steps where that is too slow.
type inexactIteration struct {
	task     *task
	model    Explicit
	discount float64
	sweeps   iteration // nil when it steps
	trend    trend
	steps    *implicitSteps // nil as long as it sweeps
	exact    iteration      // policy iteration at last, where steps end in rounding; nil before
}

// phase is what is under way.
func (it *inexactIteration) phase() iteration {
	switch {
	case it.exact != nil:
		return it.exact
	case it.steps != nil:
		return it.steps
	}
	return it.sweeps
}

func (it *inexactIteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	lower, upper, err = it.phase().Iterate(ctx)
	switch {
	case err != nil && it.exact != nil:
		return it.giveUpExact(err)
	case err != nil || it.exact != nil:
	case it.steps != nil:
		if it.steps.IsFinished() {
			err = it.finish(ctx)
		}
	case it.sweeps.exhausted() && it.discount == 1,
		!it.sweeps.IsFinished() && it.trend.tooSlow(upper-lower, func() float64 { return it.goal(lower, upper) }):
		it.step(it.sweeps.answer().values.High)
		err = it.steps.begin()
	}
	return lower, upper, err
}

// step goes over to steps, from values that it keeps.
func (it *inexactIteration) step(v []float64) {
	it.steps, it.sweeps = newImplicitSteps(it, v), nil
}

func (it *inexactIteration) IsFinished() bool { return it.phase().IsFinished() }

func (it *inexactIteration) exhausted() bool { return it.phase().exhausted() }

func (it *inexactIteration) answer() answer { return it.phase().answer() }

// finish goes over to policy iteration from the policy that steps ended with,
// where elimination is cheap. What they cannot resolve it can: differences of
// values down to double-double precision of each. Elsewhere it makes values for the
// bounds.
func (it *inexactIteration) finish(ctx context.Context) error {
	evaluator := it.steps.evaluator
	switch {
	case it.discount < 1 || evaluator == nil || it.steps.done && it.steps.confirmed():
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

// trend watches how the gap between the bounds closes from iteration to iteration.
// It judges after numbers of iterations that double each time.
type trend struct {
	next       int     // the number of iterations at which it judges next
	most       float64 // how many more iterations there may be
	iterations int
	half       float64 // the gap at half of next
}

// tooSlow takes down the gap after an iteration. It says whether the goal is too many
// iterations away at the pace of the later half of those so far.
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

// goal returns the gap between bounds at which the answer is good enough.
func (it *inexactIteration) goal(lower, upper float64) float64 {
	magnitude := max(math.Abs(lower), math.Abs(upper))
	if it.discount < 1 {
		magnitude = vector.LargestMagnitude(it.sweeps.answer().values.High) / rateOf(it.model)
	}
	return it.task.settings.Tolerance * magnitude / it.task.strictness
}
