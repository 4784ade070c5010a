package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
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

func (m PolicyIteration) start(ctx context.Context, task *task) (iteration, error) {
	if err := onlyAverage(task, m); err != nil {
		return nil, err
	}
	model, ok := task.model.(Explicit)
	if !ok {
		return nil, fmt.Errorf("mdp: policy iteration: %w: it does not list its rows (interface Explicit)", ErrUnsupported)
	}
	planned, err := planIteration(ctx, model, task.settings.Workers, math.Inf(1))
	switch {
	case errors.Is(err, errNotCommunicating):
		return nil, fmt.Errorf("mdp: policy iteration: %w: %w", ErrUnsupported, err)
	case err != nil: // the run ends before the first iteration
		return newPolicyIteration(task), nil
	}
	return planned.start(ctx, task)
}

// plannedIteration is PolicyIteration on an explicit, communicating model whose
// evaluations have been planned.
type plannedIteration struct {
	PolicyIteration
	predecessors *graph.Graph // by all actions
	plan         *elimination.Plan
}

// planIteration returns [errNotCommunicating] unless the model is communicating,
// and the cause of the end of ctx. The plan is for evaluations of at most so many
// operations, see [elimination.NewPlan].
func planIteration(ctx context.Context, model Explicit, workers int, operations float64) (plannedIteration, error) {
	union, err := rows.UnionGraph(ctx, model)
	if err != nil {
		return plannedIteration{}, err
	}
	reverse := union.Reverse()
	if !union.StronglyConnected(reverse) {
		count, _ := union.Components()
		return plannedIteration{}, fmt.Errorf("%w (%d strongly connected components)", errNotCommunicating, count)
	}
	plan, err := elimination.NewPlan(ctx, union.Undirected(reverse), workers, operations)
	return plannedIteration{predecessors: reverse, plan: plan}, err
}

func (m plannedIteration) start(ctx context.Context, task *task) (iteration, error) {
	factorization, err := evaluate.NewFactors(m.plan, task.sweeper.Team)
	if err != nil {
		return nil, fmt.Errorf("mdp: policy iteration: %w", err)
	}
	it := newPolicyIteration(task)
	it.predecessors, it.elimination = m.predecessors, factorization
	if task.settings.Policy != nil {
		return it, nil
	}
	if _, _, err = it.lookAhead(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, ErrTimeLimit) {
		return nil, err
	}
	return it, nil
}

type policyIteration struct {
	task         *task
	model        Explicit
	predecessors *graph.Graph
	elimination  *elimination.Factorization
	root         int32         // of the last evaluation
	current      answer        // values of the last evaluation, and the policy that is next
	best         answer        // of the least gain so far, as it was evaluated
	fine         bool          // policies are compared in extended precision
	seen         evaluate.Seen // the policies compared in extended precision so far
	done         bool
}

// newPolicyIteration returns an iteration that knows what the settings say to
// start from, and yet has no plan to evaluate by.
func newPolicyIteration(task *task) *policyIteration {
	n := task.model.NumStates()
	it := &policyIteration{
		task:    task,
		model:   task.model.(Explicit),
		root:    evaluate.NoRoot,
		seen:    evaluate.Seen{},
		current: answer{values: vector.Vector{High: make([]float64, n)}, policy: make([]int32, n), gain: math.NaN()},
	}
	if start := task.settings.Values; start != nil {
		it.current.values.High = vector.Scaled(start, rateOf(it.model))
	}
	if start := task.settings.Policy; start != nil {
		copy(it.current.policy, start)
	}
	return it
}

const (
	// coarseFall is the relative fall of the gain below which policies are
	// compared in extended precision from then on.
	coarseFall = 0.1

	// riseTolerance is the relative rise of the gain that shows that rounding
	// decided between actions: in exact arithmetic it never rises, and the
	// elimination knows it to far more digits than this.
	riseTolerance = 1e-9
)

// iterate evaluates the policy and finds a better one: at first in float64 by
// looking ahead, for as long as that brings the gain down by much, then in
// extended precision by Howard's step.
//
// Rounding has decided between actions where the gain rises, or where a policy
// cannot be evaluated though the one before could. The best policy is then
// looked at in extended precision, and where that has happened it is the answer.
func (it *policyIteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	e, err := it.evaluate(ctx)
	known := it.best.policy != nil
	refused := errors.Is(err, ErrPrecisionLimit)
	if refused && !known {
		lower, upper = it.stop()
		return lower, upper, nil
	}
	if refused || known && e.Gain > it.best.gain+riseTolerance*math.Abs(it.best.gain) {
		it.done, it.fine = it.fine, true
		copy(it.current.policy, it.best.policy)
		e, err = it.evaluate(ctx)
	}
	if err != nil {
		return 0, 0, err
	}
	it.fine = it.fine || known && !(e.Gain < it.best.gain-coarseFall*math.Abs(it.best.gain))
	it.keep(e)
	if !it.fine {
		lower, upper, err = it.lookAhead(ctx)
		if errors.Is(err, ErrTimeLimit) {
			return lower, upper, nil // the run ends before the next iteration
		}
		it.fine = slices.Equal(it.current.policy, it.best.policy)
		if err != nil || !it.fine {
			return lower, upper, err
		}
	}
	refined, err := e.Refine(evaluate.Roundoff)
	if errors.Is(err, ErrPrecisionLimit) {
		it.current = it.best
		lower, upper = it.stop()
		return lower, upper, nil
	}
	if err != nil {
		return 0, 0, err
	}
	it.current.values = refined
	it.best.values = it.current.values
	again := it.seen.Add(it.best.policy)
	lower, upper, changed := bound.Improve(listed(it.model), it.task.sweeper, it.current.values, it.current.policy, it.current.policy)
	it.done = it.done || !changed || again
	if it.done {
		it.current = it.best
		if err = it.enclose(e); errors.Is(err, ErrPrecisionLimit) {
			err = nil // the margins sum up to more than float64 holds: there are the other bounds
		}
	}
	return lower, upper, err
}

// stop ends with what is known where a policy is beyond exact evaluation.
func (it *policyIteration) stop() (lower, upper float64) {
	it.done = true
	c, cheapest := certifyExplicit(it.model, it.task.sweeper, it.current)
	return max(c.Lower, cheapest), c.Upper
}

// evaluate factors the chain of the current policy and solves for its costs.
func (it *policyIteration) evaluate(ctx context.Context) (evaluate.Solution, error) {
	system, err := it.evaluable(ctx)
	if err != nil {
		return evaluate.Solution{}, err
	}
	return system.Solve(system.Chain.Costs)
}

// keep takes the policy that was evaluated as the best so far.
func (it *policyIteration) keep(e evaluate.Solution) {
	it.root = e.System.Classes[0].Root
	it.current.gain, it.current.values = e.Gain, vector.Vector{High: e.Values}
	it.best = it.current
	it.best.policy = slices.Clone(it.current.policy)
}

func (it *policyIteration) IsFinished() bool { return it.done }

func (it *policyIteration) exhausted() bool { return it.done }

func (it *policyIteration) answer() answer { return it.current }
