package krylov

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Operator sets dst to the product of a matrix, or of a preconditioner, with x.
// dst does not overlap x.
type Operator func(dst, x []float64)

// Defaults of [GMRES].
const (
	// DefaultRestart is the number of iterations between restarts.
	DefaultRestart = 30
	// DefaultIterations bounds the iterations of a solve.
	DefaultIterations = 120
)

// GMRES is the method of generalized minimal residuals (Saad and Schultz 1986)
// with restarts and a preconditioner on the right that may change from one
// iteration to the next (FGMRES: Saad 1993). The basis is orthogonalized by
// classical Gram-Schmidt done twice, which is as good as Householder's and goes
// over the vectors block by block (Giraud, Langou, Rozložník and van den Eshof
// 2005).
//
// It keeps up to 2·Restart + 4 vectors for the next solve. Make one with
// [NewGMRES].
type GMRES struct {
	// Restart is the number of iterations between restarts; 0 stands for
	// DefaultRestart.
	Restart int

	// Iterations bounds the iterations of a solve; 0 stands for
	// DefaultIterations.
	Iterations int

	space                 *space
	v, z                  [][]float64 // the basis, and what the preconditioner made of it
	trial, work, residual []float64
	triangle              [][]float64 // what rotations make of Hessenberg's matrix, by column
	cos, sin, right       []float64   // the rotations, and what they make of the right-hand side
	sums                  []float64
	peak                  float64 // largest element of a residual over its root mean square, as last seen in the solve at hand
}

// Outcome says how a solve ended.
type Outcome struct {
	// Residual is the largest magnitude of b − A·x, computed anew for the x
	// that was returned.
	Residual float64

	// Iterations counts what the preconditioner was applied.
	Iterations int

	// Converged says that the residual is within the tolerance.
	Converged bool

	// Stagnated says that the iterations between two restarts brought the
	// residual down by less than a tenth, where the solve gave up.
	Stagnated bool
}

const (
	// firstPeak is the largest element of a residual over its root mean square
	// where nothing is known of it yet.
	firstPeak = 8

	// headroom is how far below the norm that was not enough the next one lies.
	headroom = 0.7

	// progress is how far the iterations between two restarts must bring the
	// residual down.
	progress = 0.9
)

// NewGMRES returns the method for systems of n equations.
func NewGMRES(team *parallel.Team, n int) *GMRES {
	return &GMRES{
		space:    newSpace(team, n),
		trial:    make([]float64, n),
		work:     make([]float64, n),
		residual: make([]float64, n),
	}
}

// Solve solves A·x = b, from the x that it is given, until no element of
// b − A·x is larger than the tolerance. m approximates the inverse of A.
//
// The error is the context's. x is the best so far, whatever the outcome.
func (g *GMRES) Solve(ctx context.Context, a, m Operator, x, b []float64, tolerance float64) (Outcome, error) {
	restart, limit := g.Restart, g.Iterations
	if restart == 0 {
		restart = DefaultRestart
	}
	if limit == 0 {
		limit = DefaultIterations
	}
	g.prepare(restart)
	g.peak = firstPeak
	a(g.work, x)
	outcome := Outcome{Residual: g.space.subtract(g.residual, b, g.work)}
	norm := g.space.norm(g.residual)
	for {
		outcome.Converged = outcome.Residual <= tolerance
		if outcome.Converged || outcome.Stagnated || outcome.Iterations >= limit {
			return outcome, nil
		}
		count, residual, err := g.cycle(ctx, a, m, x, b, norm, tolerance, min(restart, limit-outcome.Iterations))
		if err != nil {
			return outcome, err
		}
		before := norm
		norm = g.space.norm(g.residual)
		outcome.Iterations += count
		outcome.Stagnated = !(norm <= progress*before) // also where it is NaN
		if norm <= before {
			g.space.copy(x, g.trial)
			outcome.Residual = residual
		}
	}
}

// prepare makes room for the small matrices; vectors come when they are needed.
func (g *GMRES) prepare(restart int) {
	if len(g.triangle) >= restart {
		return
	}
	g.triangle = make([][]float64, restart)
	for j := range g.triangle {
		g.triangle[j] = make([]float64, j+2)
	}
	g.cos, g.sin = make([]float64, restart), make([]float64, restart)
	g.right, g.sums = make([]float64, restart+1), make([]float64, restart+1)
	g.space.widen(restart + 1)
}

// vector returns the j-th vector of a basis.
func (g *GMRES) vector(basis *[][]float64, j int) []float64 {
	if len(*basis) == j {
		*basis = append(*basis, make([]float64, len(g.trial)))
	}
	return (*basis)[j]
}

// cycle does up to limit iterations from x, whose residual has the given norm.
// It sets trial to what it found and residual to the residual of that, and
// returns the largest element.
func (g *GMRES) cycle(ctx context.Context, a, m Operator, x, b []float64, norm, tolerance float64, limit int) (count int, largest float64, err error) {
	first := g.vector(&g.v, 0)
	g.space.copy(first, g.residual)
	g.space.divide(first, norm)
	clear(g.right)
	g.right[0] = norm
	root := math.Sqrt(float64(len(b)))
	for j := range limit {
		if ctx.Err() != nil {
			return j, 0, context.Cause(ctx)
		}
		z, next := g.vector(&g.z, j), g.vector(&g.v, j+1)
		m(z, g.v[j])
		a(next, z)
		length := g.orthogonalize(j)
		g.rotate(j)
		// The norm of the residual is known without it, its largest element is not.
		estimate := math.Abs(g.right[j+1])
		last := j == limit-1 || length == 0
		if !last && estimate*g.peak > tolerance*root {
			continue
		}
		g.space.copy(g.trial, x)
		g.space.combine(g.trial, g.coefficients(j+1), g.z)
		a(g.work, g.trial)
		largest = g.space.subtract(g.residual, b, g.work)
		if last || largest <= tolerance {
			return j + 1, largest, nil
		}
		g.peak = largest * root / (headroom * estimate)
	}
	panic("krylov: a cycle without an iteration")
}

// orthogonalize makes the vector after the j-th orthogonal to those up to it and
// of length 1. It leaves a column of Hessenberg's matrix in the triangle, and
// returns the length that the vector had.
func (g *GMRES) orthogonalize(j int) (length float64) {
	column, next, basis := g.triangle[j], g.v[j+1], g.v[:j+1]
	clear(column)
	sums := g.sums[:j+1]
	for range 2 {
		g.space.products(sums, basis, next)
		for k, s := range sums {
			column[k] += s
			sums[k] = -s
		}
		g.space.combine(next, sums, basis)
	}
	length = g.space.norm(next)
	column[j+1] = length
	if length > 0 {
		g.space.divide(next, length)
	}
	return length
}

// rotate makes the j-th column one of a triangle.
func (g *GMRES) rotate(j int) {
	column := g.triangle[j]
	for k := range j {
		x, y := column[k], column[k+1]
		column[k] = float64(g.cos[k]*x) + float64(g.sin[k]*y)
		column[k+1] = float64(g.cos[k]*y) - float64(g.sin[k]*x)
	}
	length := math.Hypot(column[j], column[j+1])
	g.cos[j], g.sin[j] = 1, 0
	if length > 0 {
		g.cos[j], g.sin[j] = column[j]/length, column[j+1]/length
	}
	column[j], column[j+1] = length, 0
	g.right[j+1] = -g.sin[j] * g.right[j]
	g.right[j] *= g.cos[j]
}

// coefficients returns those of the first vectors of z that make the residual
// least. A column of zeros, which a singular matrix has, gets none.
func (g *GMRES) coefficients(count int) []float64 {
	y := make([]float64, count)
	for i := count - 1; i >= 0; i-- {
		sum := g.right[i]
		for k := i + 1; k < count; k++ {
			sum -= float64(g.triangle[k][i] * y[k])
		}
		if g.triangle[i][i] != 0 {
			y[i] = sum / g.triangle[i][i]
		}
	}
	return y
}
