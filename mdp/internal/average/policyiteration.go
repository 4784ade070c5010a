// Package average solves for the long-run average. It has policy iteration with exact
// evaluation (Howard 1960), relative value iteration, the bounds, and the division of
// models in which the optimal gain depends on the state.
package average

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// ErrNotCommunicating says that a model must be divided to be solved.
var ErrNotCommunicating = errors.New("the model is not communicating")

// Forecast forecasts what an elimination of all states takes for a policy of a model;
// without a limit on operations it returns zeros. A rough forecast, by levels, is enough
// if it is within the limits. The error is [ErrNotCommunicating] unless the model is
// communicating.
func Forecast(ctx context.Context, model rows.Lister, operations float64) (elimination.Forecast, error) {
	union, err := rows.UnionGraph(ctx, model)
	if err != nil {
		return elimination.Forecast{}, err
	}
	if count, _ := union.Components(); count > 1 {
		return elimination.Forecast{}, fmt.Errorf("%w (%d strongly connected components)", ErrNotCommunicating, count)
	}
	if math.IsInf(operations, 1) {
		return elimination.Forecast{}, nil
	}
	union = union.Undirected()
	if rough := elimination.ForecastLevels(union); evaluate.IsAffordable(ctx, rough, operations) {
		return rough, nil
	}
	plan, err := elimination.NewPlan(ctx, union, operations)
	if err != nil {
		return elimination.Forecast{}, err
	}
	return plan.Forecast, nil
}

// Iteration is policy iteration in progress.
type Iteration struct {
	task   *method.Task
	root   int32         // of the last evaluation
	answer method.Answer // the last policy that was evaluated; its Policy is nil before
	policy []int32       // the next
	seen   evaluate.Seen
	done   bool
}

// New starts policy iteration. If the task has no policy to start from, lookAhead finds
// one.
func New(ctx context.Context, task *method.Task) (*Iteration, error) {
	it := &Iteration{
		task: task, root: evaluate.NoRoot, seen: evaluate.Seen{}, policy: make([]int32, task.Model.NumStates()),
		answer: method.Answer{Values: vector.Of(task.StartValues(1)), Gain: math.NaN()},
	}
	if task.Policy != nil {
		copy(it.policy, task.Policy)
		return it, nil
	}
	return it, it.lookAhead(ctx, spells)
}

// lookAhead makes its sweeps in spells, and checks after each whether the policy still
// changes. Sweeps of a Sweeper are cheap, so that some thousand of them may improve the
// first policy.
const (
	spellSweeps = 100
	spells      = 20 // at most, for the first policy
	laterSpells = 4  // at most, after an evaluation
	plainSpells = 1  // for a model that is no Sweeper
)

// lookAhead makes the next policy greedy after sweeps of value iteration over the values
// of the answer. An evaluation finds the values of a policy, but an improvement reaches
// distant states only step by step (modified policy iteration, Puterman 1994, §8.7.1). If
// the run ends it keeps the policy so far.
func (it *Iteration) lookAhead(ctx context.Context, most int) error {
	sweeper, v, next := it.task.Sweeper, slices.Clone(it.answer.Values.High), make([]float64, len(it.policy))
	before, shift := make([]int32, len(it.policy)), 0.0
	if it.answer.Policy != nil {
		shift = Damping * it.answer.Gain // so that small values near the root stay small, with all their digits
	}
	if !sweeper.IsFused() {
		most = plainSpells
	}
	for range most {
		for i := 0; i < spellSweeps && ctx.Err() == nil; i++ {
			if err := method.CheckFinite(sweeper.Sweep(next, v, Damping, shift)); err != nil {
				return err
			}
			v, next = next, v
		}
		if it.answer.Policy == nil {
			it.answer.Values = vector.Of(v)
		}
		if ctx.Err() != nil {
			return nil
		}
		before, it.policy = it.policy, before
		sweeper.Blocks(func(_, lo, hi int) { it.task.Model.Backup(next, it.policy, v, lo, hi) })
		if slices.Equal(before, it.policy) {
			return nil
		}
	}
	return nil
}

// Iterate evaluates the policy and takes Howard's step to a better one in double-double
// precision; after the first evaluation it takes many steps at once, in float64. A policy
// whose evaluation underflows ends the iteration with the last answer.
func (it *Iteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	first := it.answer.Policy == nil
	e, err := it.evaluate(ctx)
	if errors.Is(err, limit.ErrPrecisionLimit) {
		it.done = true
		greedy := bound.Explicit(it.task.Listed, it.task.Sweeper, it.answer.Values, it.answer.Policy, slices.Clone(it.policy))
		return max(greedy.Lower, greedy.Cheapest), greedy.Upper, nil
	}
	if err != nil {
		return 0, 0, err
	}
	again := it.seen.Add(it.policy)
	greedy := bound.Explicit(it.task.Listed, it.task.Sweeper, it.answer.Values, it.policy, it.policy)
	it.done = !greedy.Changed || again
	switch {
	case first && !it.done:
		err = it.lookAhead(ctx, laterSpells)
	case it.done:
		if err = it.enclose(e); errors.Is(err, limit.ErrPrecisionLimit) {
			err = nil // the sum of the margins overflows: the bounds without them remain
		}
	}
	return greedy.Lower, greedy.Upper, err
}

// evaluate evaluates the policy, which becomes the answer.
func (it *Iteration) evaluate(ctx context.Context) (evaluate.Solution, error) {
	system, err := it.evaluable(ctx)
	if err != nil {
		return evaluate.Solution{}, err
	}
	e, err := system.Solve(system.Chain.Costs)
	if err != nil {
		return e, err
	}
	it.root = system.Classes[0].Root
	it.answer = method.Answer{Values: vector.Of(e.Values), Policy: slices.Clone(it.policy), Gain: e.Gain}
	refined, err := e.Refine(it.task.Sweeper.Team, evaluate.Roundoff)
	if err == nil {
		it.answer.Values = refined
	}
	return e, err
}

// IsFinished implements method.Iteration.
func (it *Iteration) IsFinished() bool { return it.done }

// IsExhausted implements method.Iteration.
func (it *Iteration) IsExhausted() bool { return it.done }

// Answer implements method.Iteration. A policy that was not evaluated is only preferred.
func (it *Iteration) Answer() method.Answer {
	answer := it.answer
	if answer.Policy == nil {
		answer.Policy = it.policy
	}
	return answer
}
