package krylov

// The multigrid preconditioner: its levels and the cycle over them.

import "github.com/mdpsolve/mdpsolve/internal/parallel"

const (
	// coarsest is the size from which down a level is solved by elimination.
	coarsest = 100

	// coarsening is the share of the rows of a level that the next one may have
	// for it to be worth having.
	coarsening = 0.8
)

// Multigrid approximates the inverse of a [Matrix] by a cycle over levels. A
// level joins states of the one above to sets of about four, is the chain of
// these sets, and corrects by a constant on each (aggregation: Notay 2010).
// Around that go a sweep of
// Gauss-Seidel forward and one backward, within blocks of states, which are
// Jacobi's to each other. Each level below the first is solved by up to two
// steps of a Krylov method whose preconditioner is the next one (K-cycle: Notay
// and Vassilevski 2008), so that it does not matter how many there are.
//
// That makes it a preconditioner that varies, for a method that allows it, as
// [GMRES] does.
type Multigrid struct {
	team   *parallel.Team
	levels []*level
}

// level is one of the matrices, with its vectors.
type level struct {
	matrix   *Matrix
	operator Operator
	space    *space
	sets     *partition // that make the next level; nil on the last one
	coarse   *space     // of the next level
	factors  *factors   // of the last one, if it is small

	right, x []float64 // of the first level those of Apply
	work     []float64

	// Of the steps of the K-cycle: the first direction, and what the matrix
	// makes of it and of the second one.
	direction, first, second []float64
}

// NewMultigrid makes the levels for a matrix, which it keeps.
func NewMultigrid(team *parallel.Team, m *Matrix) *Multigrid {
	g := &Multigrid{team: team}
	var mass []float64
	for {
		n := m.Size()
		l := &level{matrix: m, operator: m.Operator(team), space: newSpace(team, n), work: make([]float64, n)}
		if len(g.levels) > 0 {
			l.right, l.x = make([]float64, n), make([]float64, n)
			l.direction, l.first, l.second = make([]float64, n), make([]float64, n), make([]float64, n)
		}
		g.levels = append(g.levels, l)
		if n <= coarsest {
			l.factors = m.factor()
			return g
		}
		var sets *partition
		sets, mass = m.aggregates(team, mass)
		if float64(sets.count()) > coarsening*float64(n) {
			return g
		}
		m = m.coarse(team, sets)
		l.sets, l.coarse = sets, newSpace(team, m.Size())
	}
}

// Shift shifts the matrix and all levels below it (see [Matrix.Shift]).
func (g *Multigrid) Shift(by float64) {
	for _, l := range g.levels {
		l.matrix.Shift(g.team, by)
		if l.factors != nil {
			l.factors = l.matrix.factor()
		}
	}
}

// Apply sets dst to one cycle for the right-hand side x.
func (g *Multigrid) Apply(dst, x []float64) {
	l := g.levels[0]
	l.x, l.right = dst, x
	g.cycle(0)
	l.x, l.right = nil, nil
}
