package krylov

// The preconditioner: a cycle over levels, each of which joins states of the one before.

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
)

const (
	// coarsest is the largest size of a level that is solved by elimination.
	coarsest = 100

	// coarsening is the largest useful ratio of the sizes of a level and the one before.
	coarsening = 0.8

	// cycleSteps is the most steps on a level below the first. enough is the factor by
	// which the first step must reduce the residual to make the second one unnecessary
	// (Notay 2010).
	cycleSteps, enough = 2, 0.25
)

// multigrid approximates the inverse of a matrix by a cycle over levels. The states of a
// level are sets of about four states of the level above; it corrects the solution by a
// constant on each set (aggregation: Notay 2010). Before that comes a Gauss-Seidel sweep
// forward, after it one backward, within blocks of states; between blocks the sweeps are
// Jacobi's. Each level below the first is solved by up to two steps of conjugate
// residuals, preconditioned by the cycle from there on (K-cycle: Notay and
// Vassilevski 2008), so that convergence does not depend on the number of levels.
type multigrid []*level

// level is one of the matrices, with its vectors.
type level struct {
	*matrix
	sets    *partition      // that make the next level; nil on the last one
	factors *blas64.General // of the last one, if it is small

	right, x, work []float64
	steps          *conjugate
}

// newMultigrid makes the levels for a matrix.
func newMultigrid(team *parallel.Team, m *matrix) multigrid {
	var g multigrid
	var mass []float64
	for {
		n := m.NumStates()
		l := &level{matrix: m, work: make([]float64, n)}
		if len(g) > 0 {
			l.right, l.x, l.steps = make([]float64, n), make([]float64, n), newConjugate(m, cycleSteps)
		}
		g = append(g, l)
		if n <= coarsest {
			l.factors = m.factor()
			return g
		}
		var sets *partition
		sets, mass = m.aggregates(mass)
		if float64(len(sets.members)) > coarsening*float64(n) {
			return g
		}
		m = m.coarse(team, sets)
		l.sets = sets
	}
}

// setExits replaces the exits of the chain for which the levels were made.
func (g multigrid) setExits(exit []float64) {
	for i, l := range g {
		l.exit = exit
		l.findDiagonal()
		if l.factors != nil {
			l.factors = l.factor()
		}
		if l.sets != nil {
			exit = make([]float64, len(l.sets.members))
			l.sets.restrict(g[i+1].space, exit, l.exit)
		}
	}
}

// factor returns the dense factors of the matrix.
func (m *matrix) factor() *blas64.General {
	n := m.NumStates()
	f := &blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for i := range n {
		columns, weights := m.Row(int32(i))
		for e, j := range columns {
			f.Data[i*n+int(j)] -= weights[e]
		}
	}
	elimination.FactorDense(context.Background(), *f, append([]float64(nil), m.exit...))
	return f
}

// cycle sets x to an approximate solution for a right-hand side on a level.
func (g multigrid) cycle(i int, x, right []float64) {
	l := g[i]
	if l.factors != nil {
		copy(x, right)
		elimination.SolveDense(*l.factors, x)
		return
	}
	l.forward(x, right)
	if l.sets != nil {
		next := g[i+1]
		l.residual(l.work, right, x)
		l.sets.restrict(next.space, next.right, l.work)
		g.solve(i + 1)
		l.space.blocks(func(_, lo, hi int) {
			for s := lo; s < hi; s++ {
				x[s] += next.x[l.sets.set[s]]
			}
		})
	}
	l.backward(x, right)
}

// solve sets x of a level to an approximate solution for its right-hand side, which it
// overwrites.
func (g multigrid) solve(i int) {
	l := g[i]
	if l.factors != nil {
		g.cycle(i, l.x, l.right)
		return
	}
	clear(l.x)
	l.steps.begin()
	before := l.space.product(l.right, l.right)
	for range cycleSteps {
		if !l.steps.step(l.x, l.right, func(z, r []float64) { g.cycle(i, z, r) }) ||
			l.space.product(l.right, l.right) <= enough*enough*before {
			return
		}
	}
}

// forward sets x to the result of one Gauss-Seidel sweep that starts from 0 and goes
// through each block from first to last. Blocks do not use each other's new values.
func (l *level) forward(x, right []float64) {
	l.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := right[i]
			columns, weights := l.Row(int32(i))
			for e, j := range columns {
				if int(j) >= lo && int(j) < i {
					sum += float64(weights[e] * x[j])
				}
			}
			x[i] = sum / l.diagonal[i]
		}
	})
}

// backward improves x by a Gauss-Seidel sweep through each block from last to first.
func (l *level) backward(x, right []float64) {
	copy(l.work, x)
	l.space.blocks(func(_, lo, hi int) {
		for i := hi - 1; i >= lo; i-- {
			sum := right[i]
			columns, weights := l.Row(int32(i))
			for e, j := range columns {
				y := l.work[j] // of other blocks, before the sweep
				if int(j) >= lo && int(j) < hi {
					y = x[j]
				}
				sum += float64(weights[e] * y)
			}
			x[i] = sum / l.diagonal[i]
		}
	})
}

// partition divides states into sets.
type partition struct {
	set     []int32   // of each state
	members [][]int32 // by set, ascending
	share   []float64 // of each state in the mass of its set; see aggregates
}

// alone returns the partition into single states.
func alone(n int) *partition {
	set := make([]int32, n)
	for i := range set {
		set[i] = int32(i)
	}
	return &partition{set: set, members: graph.Members(set, n)}
}

// restrict sets dst to the mean of x over each set, weighted by the shares of the states.
func (p *partition) restrict(sets space, dst, x []float64) {
	sets.blocks(func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			sum := 0.0
			for _, i := range p.members[k] {
				sum += float64(p.share[i] * x[i])
			}
			dst[k] = sum
		}
	})
}
