package mdp

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// totals evaluates what the policies of a [component] cost until the end.
type totals interface {
	// prepare makes the chain of a policy ready, which gets to the end for sure.
	prepare(ctx context.Context, chain *chain) error

	// solve returns approximately what costs sum up to until the end. It may
	// overwrite costs.
	solve(costs []float64) ([]float64, error)

	// iterative says that solve takes longer the more digits are missing.
	iterative() bool
}

// coarseResolution is how far values are refined, while policies still change,
// where digits take time.
const coarseResolution = 1e-8

// exactOperations is how many operations for a transition elimination may take:
// as many as take the time of an iterative solution.
const exactOperations = 3000

// chooseTotals picks elimination for all policies of the component where it is
// affordable, or asked for.
func (c *component) chooseTotals() (totals, error) {
	workers, limit := c.run.settings.Workers, min(chooseOperations, exactOperations*float64(len(c.links.columns)))
	if _, exact := c.run.settings.Method.(PolicyIteration); exact {
		limit = math.Inf(1)
	}
	ctx := c.run.ctx
	union, err := unionGraph(ctx, c.links)
	var totals *eliminatedTotals
	if err == nil {
		totals, err = newEliminatedTotals(ctx, c.sweeper.team, workers, union, limit)
	}
	if err != nil && (!math.IsInf(limit, 1) || ctx.Err() != nil) {
		return &orderedTotals{team: c.sweeper.team, workers: workers, place: make([]int32, c.links.NumStates())}, nil
	}
	return totals, err
}

// chooseTotals picks elimination for a chain where it is affordable.
func chooseTotals(ctx context.Context, team *parallel.Team, workers int, chain *chain) totals {
	totals, err := newEliminatedTotals(ctx, team, workers, &chain.Graph, min(chooseOperations, exactOperations*float64(len(chain.Columns))))
	if err != nil {
		return newIteratedTotals(ctx, team, int32(chain.NumStates()-1))
	}
	return totals
}

// newEliminatedTotals plans eliminations of chains with transitions in a graph,
// whose last state is the end.
func newEliminatedTotals(ctx context.Context, team *parallel.Team, workers int, transitions *graph.Graph, operations float64) (*eliminatedTotals, error) {
	end := int32(transitions.NumStates() - 1)
	transitions = transitions.Without(end)
	plan, err := elimination.NewPlan(ctx, transitions.Undirected(transitions.Reverse()), workers, operations)
	if err != nil {
		return nil, err
	}
	factorization, err := newElimination(plan, team)
	if err == nil && plan.Forecast.Operations > operations {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	factorization.End = end
	return &eliminatedTotals{elimination: factorization}, nil
}

// eliminatedTotals are totals by elimination.
type eliminatedTotals struct {
	elimination *elimination.Factorization
	system      *system
}

func (t *eliminatedTotals) prepare(ctx context.Context, chain *chain) (err error) {
	t.system, err = newSystem(ctx, t.elimination, chain, t.elimination.End)
	return err
}

func (t *eliminatedTotals) solve(costs []float64) ([]float64, error) { return t.system.sumUp(costs) }

func (*eliminatedTotals) iterative() bool { return false }
