package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/krylov"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// evaluator solves the equations of chains that may stop.
type evaluator interface {
	// evaluate sets x to an approximate solution of (I − P + excess·I)·x = b and
	// says whether the residual is within the tolerance. work is what that took,
	// in sweeps with a policy.
	evaluate(ctx context.Context, c *stoppingChain, x, b []float64, tolerance float64) (good bool, work float64, err error)
}

const (
	// denseSpeed is how many operations of elimination, on dense matrices, take
	// as long as one of a sweep.
	denseSpeed = 4
	// eliminationSweeps is what elimination takes besides, in sweeps.
	eliminationSweeps = 10
)

// chooseEvaluator picks elimination where that is the faster way.
func (it *implicitSteps) chooseEvaluator(ctx context.Context) (evaluator, error) {
	chain := it.chain.chain
	limit := evaluate.WorthOperations(len(chain.Columns))
	// What is too much for one policy is so for all actions together.
	plan, err := evaluate.Plan(ctx, &chain.Graph, it.task.settings.Workers, limit)
	if err == nil && evaluate.IsAffordable(plan.Forecast, limit) {
		plan, err = it.unionPlan(ctx, limit)
	}
	if err != nil {
		return nil, err
	}
	if !evaluate.IsAffordable(plan.Forecast, limit) {
		return newIterated(it.task), nil
	}
	factorization, err := evaluate.NewFactors(plan, it.task.sweeper.team)
	return &eliminated{factorization}, err
}

// unionPlan plans eliminations for all policies.
func (it *implicitSteps) unionPlan(ctx context.Context, operations float64) (*elimination.Plan, error) {
	union, err := rows.UnionGraph(ctx, it.model)
	if err != nil {
		return nil, err
	}
	return evaluate.Plan(ctx, union, it.task.settings.Workers, operations)
}

// eliminated evaluates by elimination, which is exact.
type eliminated struct{ elimination *elimination.Factorization }

func (e *eliminated) evaluate(ctx context.Context, c *stoppingChain, x, b []float64, _ float64) (good bool, work float64, err error) {
	work = eliminationSweeps + e.elimination.Plan.Forecast.Operations/denseSpeed/float64(max(len(c.chain.Columns), 1))
	e.elimination.Leaving = c.excess
	if err := evaluate.Factor(ctx, e.elimination, c.chain, nil); err != nil {
		return false, work, err
	}
	copy(x, e.elimination.Solve(b))
	return true, work, nil
}

// iterated evaluates by GMRES with a multigrid preconditioner, which it keeps as
// long as it is good. Where that fails on a chain of many components, it goes by
// components from then on.
type iterated struct {
	team    *parallel.Team
	workers int
	gmres   *krylov.GMRES
	chain   *graph.Chain // of matrix
	matrix  *krylov.Matrix
	grid    *krylov.Multigrid
	policy  []int32 // that grid was made for
	count   int     // iterations of the last solution
	ordered bool    // by components
}

const (
	// basisBytes bounds the memory for a Krylov basis, but for leastRestart
	// vectors of it, and as many that are preconditioned.
	basisBytes   = 1 << 30
	leastRestart = 10

	// A preconditioner is made anew where more than one in staleShare actions
	// has changed since, or some and it took more than staleIterations.
	staleShare, staleIterations = 50, 20

	// matrixSweeps, gridSweeps and iterationSweeps are what making a matrix, a
	// preconditioner, and an iteration with it, take, in sweeps with a policy.
	matrixSweeps, gridSweeps, iterationSweeps = 5, 40, 14
)

func newIterated(task *task) *iterated {
	team, n := task.sweeper.team, task.model.NumStates()
	gmres := krylov.NewGMRES(team, n)
	gmres.Restart = min(max(basisBytes/(16*n), leastRestart), krylov.DefaultRestart)
	return &iterated{team: team, workers: task.settings.Workers, gmres: gmres}
}

func (e *iterated) evaluate(ctx context.Context, c *stoppingChain, x, b []float64, tolerance float64) (good bool, work float64, err error) {
	if e.chain != c.chain {
		e.chain, e.matrix = c.chain, newChainMatrix(e.team, c.chain)
		e.ordered = e.ordered && scattered(e.chain)
		work += matrixSweeps
	}
	e.matrix.Shift(e.team, c.excess)
	if !e.ordered {
		var more float64
		good, more, err = e.iterate(ctx, c, x, b, tolerance)
		if work += more; good || err != nil {
			return good, work, err
		}
		if e.ordered = scattered(e.chain); !e.ordered {
			return false, work, nil
		}
	}
	good, err = e.byComponents(ctx, c, e.matrix.Operator(e.team), x, b, tolerance)
	return good, work + orderedSweeps, err
}

// iterate solves by GMRES.
func (e *iterated) iterate(ctx context.Context, c *stoppingChain, x, b []float64, tolerance float64) (good bool, work float64, err error) {
	if e.stale(c.policy) {
		e.grid = krylov.NewMultigrid(e.team, e.matrix)
		e.policy = append(e.policy[:0], c.policy...)
		work += gridSweeps
	}
	e.grid.Shift(c.excess)
	clear(x)
	outcome, err := e.gmres.Solve(ctx, e.matrix.Operator(e.team), e.grid.Apply, x, b, tolerance)
	e.count = outcome.Iterations
	return outcome.Converged, work + iterationSweeps*float64(e.count), err
}

// newChainMatrix returns I − P of a chain.
func newChainMatrix(team *parallel.Team, c *graph.Chain) *krylov.Matrix {
	return krylov.NewMatrix(team, c.Start, c.Columns, c.Probabilities, make([]float64, c.NumStates()))
}

// stale says whether the preconditioner is not good enough for a policy.
func (e *iterated) stale(policy []int32) bool {
	if e.grid == nil {
		return true
	}
	changed := 0
	for s, a := range policy {
		if a != e.policy[s] {
			changed++
		}
	}
	return changed > len(policy)/staleShare || changed > 0 && e.count > staleIterations
}
