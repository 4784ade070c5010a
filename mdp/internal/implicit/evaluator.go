package implicit

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Evaluator solves the equations of chains that may stop.
type Evaluator interface {
	// Evaluate sets x to an approximate solution of (I − P + excess·I)·x = b and
	// says whether the residual is within the tolerance. work is what that took,
	// in sweeps with a policy.
	Evaluate(ctx context.Context, c *Chain, x, b []float64, tolerance float64) (good bool, work float64, err error)

	// IsExact says that it evaluates by elimination, and that this is cheap.
	IsExact() bool
}

// NewEvaluator picks elimination for all policies of a model where that is faster than
// GMRES, judging first by the chain of one policy: what is too much for it is so for
// all actions together.
func NewEvaluator(ctx context.Context, team *parallel.Team, workers int, model rows.Lister, c *Chain) (Evaluator, error) {
	limit := evaluate.WorthOperations(len(c.moves.Columns))
	plan, err := evaluate.Plan(ctx, &c.moves.Graph, workers, limit)
	if err == nil && evaluate.IsAffordable(plan.Forecast, limit) {
		union, failed := rows.UnionGraph(ctx, model)
		if failed != nil {
			return nil, failed
		}
		plan, err = evaluate.Plan(ctx, union, workers, limit)
	}
	if err != nil {
		return nil, err
	}
	if !evaluate.IsAffordable(plan.Forecast, limit) {
		return NewIterative(team, workers, model.NumStates()), nil
	}
	factors, err := evaluate.NewFactors(plan, team)
	return &eliminating{factors}, err
}

// eliminating evaluates by elimination.
type eliminating struct{ factors *elimination.Factorization }

const (
	// denseSpeed is how many operations of elimination, on dense matrices, take
	// as long as one of a sweep.
	denseSpeed = 4

	// eliminationSweeps is what elimination takes besides, in sweeps.
	eliminationSweeps = 10
)

// Evaluate implements Evaluator.
func (e *eliminating) Evaluate(ctx context.Context, c *Chain, x, b []float64, _ float64) (good bool, work float64, err error) {
	work = eliminationSweeps + e.factors.Plan.Forecast.Operations/denseSpeed/float64(max(len(c.moves.Columns), 1))
	e.factors.Leaving = c.excess
	if err := evaluate.Factor(ctx, e.factors, c.moves, nil); err != nil {
		return false, work, err
	}
	copy(x, e.factors.Solve(b))
	return true, work, nil
}

// IsExact implements Evaluator.
func (*eliminating) IsExact() bool { return true }
