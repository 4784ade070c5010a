package implicit

import (
	"context"
	"errors"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/krylov"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// iterative evaluates by GMRES with a multigrid preconditioner, which it keeps as
// long as it is good. Where that fails on a chain of many strongly connected
// components, it goes by components from then on.
type iterative struct {
	team       *parallel.Team
	workers    int
	gmres      *krylov.GMRES
	moves      *graph.Chain // of matrix
	matrix     *krylov.Matrix
	grid       *krylov.Multigrid
	policy     []int32 // that grid was made for
	iterations int     // of the last solution
	ordered    bool    // by components
}

const (
	// basisBytes bounds the memory for a Krylov basis, but for leastRestart
	// vectors of it, and as many that are preconditioned.
	basisBytes   = 1 << 30
	leastRestart = 10

	// A preconditioner is made anew where more than one in staleShare actions
	// has changed since, or some and it took more than staleIterations.
	staleShare, staleIterations = 50, 20

	// matrixSweeps, gridSweeps, iterationSweeps and orderedSweeps are what making a
	// matrix, a preconditioner, an iteration with it, and a solution component by
	// component take, in sweeps with a policy.
	matrixSweeps, gridSweeps, iterationSweeps, orderedSweeps = 5, 40, 14, 100

	// orderedCorrections bounds the solutions component by component, each for what
	// the one before has left.
	orderedCorrections = 4
)

// NewIterative returns an evaluator of chains of n states that does not eliminate
// them as a whole.
func NewIterative(team *parallel.Team, workers, n int) Evaluator {
	gmres := krylov.NewGMRES(team, n)
	gmres.Restart = min(max(basisBytes/(16*n), leastRestart), krylov.DefaultRestart)
	return &iterative{team: team, workers: workers, gmres: gmres}
}

// IsExact implements Evaluator.
func (*iterative) IsExact() bool { return false }

// Evaluate implements Evaluator.
func (e *iterative) Evaluate(ctx context.Context, c *Chain, x, b []float64, tolerance float64) (good bool, work float64, err error) {
	if e.moves != c.moves {
		e.moves = c.moves
		e.matrix = krylov.NewMatrix(e.team, e.moves.Start, e.moves.Columns, e.moves.Probabilities, make([]float64, e.moves.NumStates()))
		e.ordered = e.ordered && isScattered(e.moves)
		work += matrixSweeps
	}
	e.matrix.Shift(e.team, c.excess)
	if !e.ordered {
		var more float64
		good, more, err = e.iterate(ctx, c, x, b, tolerance)
		if work += more; good || err != nil {
			return good, work, err
		}
		if e.ordered = isScattered(e.moves); !e.ordered {
			return false, work, nil
		}
	}
	good, err = e.byComponents(ctx, c, x, b, tolerance)
	if errors.Is(err, limit.ErrPrecisionLimit) {
		err = nil // it is not good, which is said
	}
	return good, work + orderedSweeps, err
}

// iterate solves by GMRES.
func (e *iterative) iterate(ctx context.Context, c *Chain, x, b []float64, tolerance float64) (good bool, work float64, err error) {
	if e.isStale(c.Policy) {
		e.grid = krylov.NewMultigrid(e.team, e.matrix)
		e.policy = append(e.policy[:0], c.Policy...)
		work += gridSweeps
	}
	e.grid.Shift(c.excess)
	clear(x)
	outcome, err := e.gmres.Solve(ctx, e.matrix.Operator(e.team), e.grid.Apply, x, b, tolerance)
	e.iterations = outcome.Iterations
	return outcome.Converged, work + iterationSweeps*float64(e.iterations), err
}

// isStale says whether the preconditioner is not good enough for a policy.
func (e *iterative) isStale(policy []int32) bool {
	if e.grid == nil {
		return true
	}
	changed := Differences(policy, e.policy)
	return changed > len(policy)/staleShare || changed > 0 && e.iterations > staleIterations
}

// Differences returns in how many states two policies differ.
func Differences(a, b []int32) int {
	count := 0
	for s := range a {
		if a[s] != b[s] {
			count++
		}
	}
	return count
}

// byComponents solves the equations of a chain of several strongly connected
// components, one after the other, as [evaluate.Ordered] does. A chain may stay in
// many sets of states for long, so that the equations have as many nearly
// singular directions, which are too many for GMRES; but each of them is of one
// component, often a small one that is eliminated.
func (e *iterative) byComponents(ctx context.Context, c *Chain, x, b []float64, tolerance float64) (good bool, err error) {
	n := len(b)
	totals := evaluate.NewOrdered(e.team, e.workers, n+1)
	if err := totals.Prepare(ctx, c.ending()); err != nil {
		return false, err
	}
	multiply := e.matrix.Operator(e.team)
	left, product := append(slices.Clone(b), 0), make([]float64, n)
	clear(x)
	for range orderedCorrections {
		more, err := totals.Solve(left)
		if err != nil {
			return false, err
		}
		for i := range x {
			x[i] += more[i]
		}
		multiply(product, x)
		for i := range b {
			left[i] = b[i] - product[i]
		}
		if vector.LargestMagnitude(left[:n]) <= tolerance {
			return true, nil
		}
	}
	return false, nil
}

// isScattered says whether no strongly connected component has more than half of
// the states.
func isScattered(c *graph.Chain) bool {
	count, component := c.Components()
	sizes := make([]int, count)
	for _, k := range component {
		sizes[k]++
	}
	return slices.Max(sizes) <= len(component)/2
}
