package krylov

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Solver solves the equations
//
//	x(s) = b(s) + Σ_j p(s,j)·x(j)
//
// of one chain for right-hand sides b.
type Solver struct {
	team       *parallel.Team
	matrix     *matrix
	grid       multigrid
	chain      *graph.Chain // of grid: this one, or one before
	steps      *conjugate
	iterations int // of the last solution
}

const (
	// basisBytes bounds the memory for directions, of which at least leastRestart and at
	// most mostRestart are kept. Many help in a polling model, whose queues are served in turn: the
	// residual hardly falls until a change has gone round all queues.
	basisBytes                = 1 << 30
	leastRestart, mostRestart = 10, 64

	// accurate is the share of the residual at a restart below which updates of the residual are
	// only rounding.
	accurate = 0x1p-46

	// mostIterations bounds the iterations of a solve.
	mostIterations = 300

	// staleIterations is the number of iterations after which the preconditioner of another
	// chain counts as not good enough.
	staleIterations = 20

	// progress is the factor by which the iterations between two restarts must reduce the
	// residual.
	progress = 0.9
)

// New returns the solver of an absorbing chain: exit is the probability of each state of
// leaving the chain. From every state it must be left with probability 1.
func New(team *parallel.Team, chain *graph.Chain, exit []float64) *Solver {
	m := newMatrix(team, chain, exit)
	restart := min(max(basisBytes/(16*max(len(exit), 1)), leastRestart), mostRestart)
	return &Solver{team: team, matrix: m, grid: newMultigrid(team, m), chain: chain, steps: newConjugate(m, restart)}
}

// Follow makes s the solver of another chain of the same states. If the chains are
// similar that is faster than a new solver: it keeps the preconditioner while that is good.
func (s *Solver) Follow(chain *graph.Chain, exit []float64) {
	s.matrix = newMatrix(s.team, chain, exit)
	s.steps.matrix = s.matrix
	if s.iterations > staleIterations && chain != s.chain {
		s.grid, s.chain = newMultigrid(s.team, s.matrix), chain
	} else {
		s.grid.setExits(exit)
	}
}

// Outcome says how a solve ended.
type Outcome struct {
	// Residual is the largest magnitude of the residual.
	Residual float64

	// Iterations counts the steps.
	Iterations int

	// Converged says that the residual is within the tolerance.
	Converged bool
}

// Solve solves for a right-hand side, until no element of the residual exceeds the
// tolerance. After too many iterations it returns the best solution so far. The error is
// the context's.
func (s *Solver) Solve(ctx context.Context, b []float64, tolerance float64) (x []float64, outcome Outcome, err error) {
	x, r := make([]float64, len(b)), append([]float64(nil), b...)
	precondition := func(z, r []float64) { s.grid.cycle(0, z, r) }
	for norm := math.Inf(1); ; {
		outcome.Residual = floats.Norm(r, math.Inf(1))
		outcome.Converged = outcome.Residual <= tolerance
		before := norm
		norm = floats.Norm(r, 2)
		if outcome.Converged || outcome.Iterations >= mostIterations || !(norm <= progress*before) {
			s.iterations = outcome.Iterations
			return x, outcome, nil
		}
		s.steps.begin()
		enough := max(tolerance, accurate*outcome.Residual)
		for !s.steps.isFull() && !(floats.Norm(r, math.Inf(1)) <= enough) {
			if ctx.Err() != nil {
				return x, outcome, context.Cause(ctx)
			}
			outcome.Iterations++
			if !s.steps.step(x, r, precondition) {
				break
			}
		}
		s.matrix.residual(r, b, x)
	}
}

// conjugate takes steps of conjugate residuals.
type conjugate struct {
	*matrix
	directions [][]float64 // the steps so far since the last restart
	images     [][]float64 // the matrix times them: orthogonal to each other
	sizes      []float64   // of the images, squared
	next       []float64   // the preconditioner times this is the next direction
	most       int
}

func newConjugate(m *matrix, most int) *conjugate {
	return &conjugate{matrix: m, most: most, next: make([]float64, m.NumStates())}
}

// begin forgets the directions.
func (c *conjugate) begin() { c.sizes = c.sizes[:0] }

// isFull says that there is no room for another direction.
func (c *conjugate) isFull() bool { return len(c.sizes) == c.most }

// step adds to x the multiple of a new direction that reduces the residual r most, and
// updates r. It returns false if there is none.
//
// The first direction is the preconditioner times the residual. Each later one is the
// preconditioner times the part of the last image that is orthogonal to the residual before
// it and to the earlier images: the basis of GMRES. With a linear preconditioner and in
// exact arithmetic, the residual itself would serve as well; but after a step that reduces
// the residual only a little, it would give nearly the same direction again.
func (c *conjugate) step(x, r []float64, precondition func(z, r []float64)) bool {
	k := len(c.sizes)
	if len(c.directions) == k {
		c.directions, c.images = append(c.directions, make([]float64, len(x))), append(c.images, make([]float64, len(x)))
	}
	if k == 0 {
		copy(c.next, r)
	}
	direction, image := c.directions[k], c.images[k]
	precondition(direction, c.next)
	c.multiply(image, direction)
	if k > 0 {
		shares := c.space.products(c.images[:k], image)
		for i := range shares {
			shares[i] /= -c.sizes[i]
		}
		c.space.combine(image, shares, c.images)
		c.space.combine(direction, shares, c.directions)
	}
	products := c.space.products([][]float64{image, r}, image)
	size, along := products[0], products[1]
	if !(size > 0) {
		return false
	}
	copy(c.next, image)
	c.space.combine(c.next, []float64{-along / c.space.product(r, r)}, [][]float64{r})
	c.space.combine(x, []float64{along / size}, [][]float64{direction})
	c.space.combine(r, []float64{-along / size}, [][]float64{image})
	c.sizes = append(c.sizes, size)
	return true
}
