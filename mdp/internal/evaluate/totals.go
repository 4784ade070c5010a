package evaluate

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Totals evaluates what chains cost until they end, in their last state.
type Totals interface {
	// Prepare makes a chain ready, which reaches the end with probability 1.
	Prepare(ctx context.Context, chain *Chain) error

	// Solve returns approximately what costs sum up to until the end. It may
	// overwrite costs.
	Solve(costs []float64) ([]float64, error)

	// IsIterative says that more digits take Solve more time.
	IsIterative() bool
}

// NewTotals picks elimination for all policies of a model, whose last state is the
// end, where that is affordable; with always, whatever it takes.
func NewTotals(ctx context.Context, team *parallel.Team, workers int, model *rows.Rows, always bool) (Totals, error) {
	operations := math.Inf(1)
	if !always {
		operations = min(Operations, WorthOperations(len(model.Columns)))
	}
	union, err := rows.UnionGraph(ctx, model)
	var totals *eliminated
	if err == nil {
		totals, err = newEliminated(ctx, team, workers, union, operations)
	}
	if err != nil && (!always || ctx.Err() != nil) {
		return NewOrdered(team, workers, model.NumStates()), nil
	}
	return totals, err
}

// newTotals picks elimination for one chain where that is affordable, else GMRES.
func newTotals(ctx context.Context, team *parallel.Team, workers int, chain *Chain) Totals {
	totals, err := newEliminated(ctx, team, workers, &chain.Graph, min(Operations, WorthOperations(len(chain.Columns))))
	if err != nil {
		return newIterated(ctx, team, int32(chain.NumStates()-1))
	}
	return totals
}

// eliminated are totals by elimination.
type eliminated struct {
	factors *elimination.Factorization
	system  *System
}

// newEliminated plans eliminations of chains with transitions in a graph, whose
// last state is the end.
func newEliminated(ctx context.Context, team *parallel.Team, workers int, transitions *graph.Graph, operations float64) (*eliminated, error) {
	end := int32(transitions.NumStates() - 1)
	plan, err := Plan(ctx, transitions.Without(end), workers, operations)
	if err != nil {
		return nil, err
	}
	factors, err := NewFactors(plan, team)
	if err == nil && plan.Forecast.Operations > operations {
		err = limit.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	factors.End = end
	return &eliminated{factors: factors}, nil
}

// Prepare implements Totals.
func (t *eliminated) Prepare(ctx context.Context, chain *Chain) (err error) {
	t.system, err = NewSystem(ctx, t.factors, chain, t.factors.End)
	return err
}

// Solve implements Totals.
func (t *eliminated) Solve(costs []float64) ([]float64, error) { return t.system.SumUp(costs) }

// IsIterative implements Totals.
func (*eliminated) IsIterative() bool { return false }
