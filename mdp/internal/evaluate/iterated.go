package evaluate

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/krylov"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// iterated are totals by GMRES with a multigrid preconditioner, for chains that
// are too much for elimination.
type iterated struct {
	ctx    context.Context
	team   *parallel.Team
	end    int32
	gmres  *krylov.GMRES
	matrix *krylov.Matrix
	grid   *krylov.Multigrid
}

const (
	// iteratedResidual is how much of a right-hand side a solution may leave:
	// refinement does the rest.
	iteratedResidual = 1e-4

	// maxIterations bounds the iterations of a solution.
	maxIterations = 3000
)

func newIterated(ctx context.Context, team *parallel.Team, end int32) *iterated {
	gmres := krylov.NewGMRES(team, int(end))
	gmres.Iterations = maxIterations
	return &iterated{ctx: ctx, team: team, end: end, gmres: gmres}
}

// Prepare makes the matrix I − P of the states other than the end.
func (t *iterated) Prepare(_ context.Context, chain *Chain) error {
	start := make([]int, 1, t.end+1)
	excess := make([]float64, t.end)
	columns, weights := make([]int32, 0, len(chain.Columns)), make([]float64, 0, len(chain.Columns))
	for s := range t.end {
		next, probabilities := chain.Row(s)
		for i, j := range next {
			if j == t.end {
				excess[s] += probabilities[i]
				continue
			}
			columns, weights = append(columns, j), append(weights, probabilities[i])
		}
		start = append(start, len(columns))
	}
	t.matrix = krylov.NewMatrix(t.team, start, columns, weights, excess)
	t.grid = krylov.NewMultigrid(t.team, t.matrix)
	return nil
}

// Solve implements Totals.
func (t *iterated) Solve(costs []float64) ([]float64, error) {
	x, b := make([]float64, t.end+1), costs[:t.end]
	outcome, err := t.gmres.Solve(t.ctx, t.matrix.Operator(t.team), t.grid.Apply, x[:t.end], b, iteratedResidual*vector.LargestMagnitude(b))
	if err == nil && !outcome.Converged {
		err = fmt.Errorf("mdp: evaluating a policy: the residual is %v after %d iterations: %w", outcome.Residual, outcome.Iterations, limit.ErrPrecisionLimit)
	}
	return x, err
}

// IsIterative implements Totals.
func (*iterated) IsIterative() bool { return true }
