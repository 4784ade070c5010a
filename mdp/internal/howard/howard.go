// Package howard is policy iteration with exact evaluation (Howard 1960), for the
// long-run average of communicating models.
package howard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// ErrNotCommunicating says that a model is to be divided before it can be solved.
var ErrNotCommunicating = errors.New("the model is not communicating")

// Plan is what policy iteration knows of an explicit, communicating model before it
// starts: whether it is affordable, above all.
type Plan struct {
	predecessors *graph.Graph // by all actions
	plan         *elimination.Plan
}

// NewPlan returns [ErrNotCommunicating] unless the model is communicating, and the
// cause of the end of ctx. The plan is for evaluations of at most so many
// operations, see [elimination.NewPlan].
func NewPlan(ctx context.Context, model rows.Lister, workers int, operations float64) (*Plan, error) {
	union, err := rows.UnionGraph(ctx, model)
	if err != nil {
		return nil, err
	}
	reverse := union.Reverse()
	if !union.StronglyConnected(reverse) {
		count, _ := union.Components()
		return nil, fmt.Errorf("%w (%d strongly connected components)", ErrNotCommunicating, count)
	}
	plan, err := elimination.NewPlan(ctx, union.Undirected(reverse), workers, operations)
	return &Plan{predecessors: reverse, plan: plan}, err
}

// Forecast returns what an evaluation takes.
func (p *Plan) Forecast() elimination.Forecast { return p.plan.Forecast }

// IsAffordable says whether evaluations take about a second at most.
func (p *Plan) IsAffordable() bool {
	return evaluate.IsAffordable(p.plan.Forecast, evaluate.Operations)
}

// Iteration is policy iteration under way.
type Iteration struct {
	task         *method.Task
	model        bound.Lister
	predecessors *graph.Graph
	factors      *elimination.Factorization
	root         int32         // of the last evaluation
	current      method.Answer // values of the last evaluation, and the policy that is next
	best         method.Answer // of the least gain so far, as it was evaluated
	fine         bool          // policies are compared in extended precision
	seen         evaluate.Seen // the policies compared in extended precision so far
	done         bool
}

// New starts policy iteration by a plan, or without one where the run ends before the
// first iteration.
func New(ctx context.Context, task *method.Task, plan *Plan) (*Iteration, error) {
	it := &Iteration{
		task: task, model: task.Listed, root: evaluate.NoRoot, seen: evaluate.Seen{},
		current: method.Answer{Values: vector.Of(task.StartValues(1)), Policy: make([]int32, task.Model.NumStates()), Gain: math.NaN()},
	}
	if task.Policy != nil {
		copy(it.current.Policy, task.Policy)
	}
	if plan == nil {
		return it, nil
	}
	factors, err := elimination.New(plan.plan, task.Limits.Workers)
	if err != nil {
		return nil, fmt.Errorf("mdp: policy iteration: %w", err)
	}
	it.predecessors, it.factors = plan.predecessors, factors
	if task.Policy == nil {
		_, _, err = it.lookAhead(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, limit.ErrTimeLimit) {
		return nil, err
	}
	return it, nil
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

// Iterate evaluates the policy and finds a better one: at first in float64 by
// looking ahead, for as long as that brings the gain down by much, then in
// extended precision by Howard's step.
//
// Rounding has decided between actions where the gain rises, or where a policy
// cannot be evaluated though the one before could. The best policy is then
// looked at in extended precision, and where that has happened it is the answer.
func (it *Iteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	e, err := it.evaluate(ctx)
	known := it.best.Policy != nil
	refused := errors.Is(err, limit.ErrPrecisionLimit)
	if refused && !known {
		lower, upper = it.stop()
		return lower, upper, nil
	}
	if refused || known && e.Gain > it.best.Gain+riseTolerance*math.Abs(it.best.Gain) {
		it.done, it.fine = it.fine, true
		copy(it.current.Policy, it.best.Policy)
		e, err = it.evaluate(ctx)
	}
	if err != nil {
		return 0, 0, err
	}
	it.fine = it.fine || known && !(e.Gain < it.best.Gain-coarseFall*math.Abs(it.best.Gain))
	it.keep(e)
	if !it.fine {
		lower, upper, err = it.lookAhead(ctx)
		if errors.Is(err, limit.ErrTimeLimit) {
			return lower, upper, nil // the run ends before the next iteration
		}
		it.fine = slices.Equal(it.current.Policy, it.best.Policy)
		if err != nil || !it.fine {
			return lower, upper, err
		}
	}
	refined, err := e.Refine(it.task.Sweeper.Team, evaluate.Roundoff)
	if errors.Is(err, limit.ErrPrecisionLimit) {
		it.current = it.best
		lower, upper = it.stop()
		return lower, upper, nil
	}
	if err != nil {
		return 0, 0, err
	}
	it.current.Values = refined
	it.best.Values = it.current.Values
	again := it.seen.Add(it.best.Policy)
	greedy := bound.Explicit(it.model, it.task.Sweeper, it.current.Values, it.current.Policy, it.current.Policy)
	it.done = it.done || !greedy.Changed || again
	if it.done {
		it.current = it.best
		if err = it.enclose(e); errors.Is(err, limit.ErrPrecisionLimit) {
			err = nil // the margins sum up to more than float64 holds: there are the other bounds
		}
	}
	return greedy.Lower, greedy.Upper, err
}

// stop ends with what is known where a policy is beyond exact evaluation.
func (it *Iteration) stop() (lower, upper float64) {
	it.done = true
	greedy := bound.Explicit(it.model, it.task.Sweeper, it.current.Values, it.current.Policy, slices.Clone(it.current.Policy))
	return max(greedy.Lower, greedy.Cheapest), greedy.Upper
}

// evaluate factors the chain of the current policy and solves for its costs.
func (it *Iteration) evaluate(ctx context.Context) (evaluate.Solution, error) {
	system, err := it.evaluable(ctx)
	if err != nil {
		return evaluate.Solution{}, err
	}
	return system.Solve(system.Chain.Costs)
}

// keep takes the policy that was evaluated as the best so far.
func (it *Iteration) keep(e evaluate.Solution) {
	it.root = e.System.Classes[0].Root
	it.current.Gain, it.current.Values = e.Gain, vector.Of(e.Values)
	it.best = it.current
	it.best.Policy = slices.Clone(it.current.Policy)
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.done }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.done }

// Answer implements method.Iteration.
func (it *Iteration) Answer() method.Answer { return it.current }
