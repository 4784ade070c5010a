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
	// basisBytes bounds the memory for directions, but for leastRestart of them.
	// mostRestart is how many are kept at most.
	basisBytes                = 1 << 30
	leastRestart, mostRestart = 10, 30

	// mostIterations bounds the iterations of a solve.
	mostIterations = 300

	// staleIterations is how many iterations show that the preconditioner of another
	// chain is not good enough.
	staleIterations = 20

	// progress is how far the iterations between two restarts must bring the
	// residual down.
	progress = 0.9
)

// New returns the solver of a chain that is left for good, beside its transitions, with
// the probability exit of each state. It must be sure to be left from every state.
func New(team *parallel.Team, chain *graph.Chain, exit []float64) *Solver {
	m := newMatrix(team, chain, exit)
	restart := min(max(basisBytes/(16*max(len(exit), 1)), leastRestart), mostRestart)
	return &Solver{team: team, matrix: m, grid: newMultigrid(team, m), chain: chain, steps: newConjugate(m, restart)}
}

// Follow makes it the solver of another chain of the same states, which is better than a
// new one if they have much in common: it keeps the preconditioner for as long as that is
// good.
func (s *Solver) Follow(chain *graph.Chain, exit []float64) {
	s.matrix = newMatrix(s.team, chain, exit)
	s.steps.matrix = s.matrix
	if s.iterations > staleIterations && chain != s.chain {
		s.grid, s.chain = newMultigrid(s.team, s.matrix), chain
	} else {
		s.grid.leave(exit)
	}
}

// Outcome says how a solve ended.
type Outcome struct {
	// Residual is the largest magnitude of what the solution leaves of the right-hand
	// side.
	Residual float64

	// Iterations counts the steps.
	Iterations int

	// Converged says that the residual is within the tolerance.
	Converged bool
}

// Solve solves for a right-hand side, until nothing larger than the tolerance is left of
// it. It gives up, with the best so far, where that takes too many iterations. The error is
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
		for !s.steps.isFull() && !(floats.Norm(r, math.Inf(1)) <= tolerance) {
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
	images     [][]float64 // what the matrix makes of them: orthogonal to each other
	sizes      []float64   // of the images, squared
	next       []float64   // what the preconditioner makes the next direction of
	most       int
}

func newConjugate(m *matrix, most int) *conjugate {
	return &conjugate{matrix: m, most: most, next: make([]float64, m.NumStates())}
}

// begin forgets the directions.
func (c *conjugate) begin() { c.sizes = c.sizes[:0] }

// isFull says that there is no room for another direction.
func (c *conjugate) isFull() bool { return len(c.sizes) == c.most }

// step adds to x the multiple of a new direction that brings the residual r down most, and
// updates r. It returns false where there is none.
//
// The preconditioner makes the first direction of the residual, and others of what the
// last image has that is orthogonal to the residual before it and to the images before:
// that is the basis of GMRES. To make them of the residual as it is would be the same in
// exact arithmetic for a linear preconditioner, but where a step brings the residual down
// by little the next one would hardly be a new one.
//
// Images are made orthogonal twice, which is as good as Householder's reflections
// (Giraud, Langou, Rozložník and van den Eshof 2005).
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
	for range 2 {
		if k == 0 {
			break
		}
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
