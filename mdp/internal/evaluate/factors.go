package evaluate

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// Eliminations as the engine uses them: which are affordable, and their errors.

// What an elimination may hold and do where it is one way among others: about a
// second on one core.
const (
	Bytes      = 1 << 30
	Operations = 4e9
)

// IsAffordable says whether an elimination takes at most so many operations, and
// little memory.
func IsAffordable(f elimination.Forecast, operations float64) bool {
	return !f.Partial && f.Operations <= operations && f.Bytes <= Bytes
}

// WorthOperations returns how many operations an elimination may take that
// competes with an iterative solution, for a chain of so many transitions: as many
// as take the same time.
func WorthOperations(transitions int) float64 { return 3000 * float64(transitions) }

// Plan plans the elimination of all states of a graph.
func Plan(ctx context.Context, g *graph.Graph, workers int, operations float64) (*elimination.Plan, error) {
	return elimination.NewPlan(ctx, g.Undirected(g.Reverse()), workers, operations)
}

// NewFactors makes room for eliminations by a plan.
func NewFactors(plan *elimination.Plan, team *parallel.Team) (*elimination.Factorization, error) {
	factors, err := elimination.New(plan, team)
	if err != nil {
		return nil, fmt.Errorf("mdp: %w: %w", limit.ErrTooLarge, err)
	}
	return factors, nil
}

// Factor makes the factors those of a chain.
func Factor(ctx context.Context, factors *elimination.Factorization, chain *graph.Chain, roots []int32) error {
	err := factors.Factor(ctx, chain, roots)
	if stuck, ok := errors.AsType[*elimination.StuckError](err); ok {
		return stuckIn(stuck.State)
	}
	return err
}

// stuckError says in which state an elimination underflows.
type stuckError struct{ elimination.StuckError }

func stuckIn(state int32) *stuckError { return &stuckError{elimination.StuckError{State: state}} }

func (e *stuckError) Error() string { return "mdp: " + e.StuckError.Error() }

// Unwrap returns [limit.ErrPrecisionLimit].
func (*stuckError) Unwrap() error { return limit.ErrPrecisionLimit }
