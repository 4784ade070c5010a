package implicit

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
)

// evaluator solves the equations of policies whose chains stop.
type evaluator struct {
	task   *method.Task
	totals *evaluate.Totals
	policy []int32      // the last one
	moves  *graph.Chain // of it
}

// follow sets the chain to that of a policy.
func (e *evaluator) follow(policy []int32) {
	if e.moves == nil || !slices.Equal(e.policy, policy) {
		e.moves = &evaluate.NewChain(e.task.Listed.Lister, policy).Chain
		e.policy = append(e.policy[:0], policy...)
	}
}

// operations returns how many operations an elimination for the policy takes; +Inf if it is not
// affordable.
func (e *evaluator) operations(ctx context.Context, policy []int32) (float64, error) {
	e.follow(policy)
	return e.totals.Operations(ctx, e.moves)
}

// solve solves (I − (1−s)·P)·x = b for the chain of a policy that stops in each step
// with a probability s. It does so in the form
//
//	(I − P + s/(1−s)·I)·x = b/(1−s),
//
// in which P does not depend on s. It overwrites b. good reports whether the residual is
// within the tolerance.
func (e *evaluator) solve(ctx context.Context, policy []int32, b []float64, stop, tolerance float64) (x []float64, good bool, err error) {
	e.follow(policy)
	exit := slices.Repeat([]float64{stop / (1 - stop)}, len(b))
	if err := e.totals.Prepare(ctx, evaluate.Absorbing{Chain: e.moves, Exit: exit}); err != nil {
		return nil, false, err
	}
	for i := range b {
		b[i] /= 1 - stop
	}
	return e.totals.Solve(ctx, b, tolerance)
}
