package mdp

import "context"

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

// chooseTotals picks exact elimination where it is affordable.
func (c *component) chooseTotals() (totals, error) {
	end := int32(len(c.states))
	graph := unionGraph(c.links).without(end)
	plan := newPlan(graph.undirected(graph.reverse()), c.run.settings.Workers)
	elimination, err := newElimination(plan, c.sweeper.team)
	if err != nil {
		return nil, err
	}
	elimination.end = end
	return &eliminatedTotals{elimination: elimination}, nil
}

// eliminatedTotals are totals by elimination.
type eliminatedTotals struct {
	elimination *elimination
	system      *system
}

func (t *eliminatedTotals) prepare(ctx context.Context, chain *chain) (err error) {
	t.system, err = newSystem(ctx, t.elimination, chain, t.elimination.end)
	return err
}

func (t *eliminatedTotals) solve(costs []float64) ([]float64, error) { return t.system.sumUp(costs) }

func (*eliminatedTotals) iterative() bool { return false }
