package mdp

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

const (
	// reducedCost is how far below 0 the reduced cost of an action must be for
	// the simplex method to take it up; costs are of magnitude up to 1.
	reducedCost = 1e-12
	// infeasible is how far below 0 gonum lets no variable of the start be.
	infeasible = -1e-13
	// programSteps bounds the steps of the simplex method, per action. It takes
	// one or two, or goes round in circles.
	programSteps = 20
)

// minimize returns the solution of a program by choice: the sum of costs over the
// choices is least, subject to equations to which a choice adds a column. The
// start is a choice for each state, which together solve the equations.
func (m *programModel) minimize(ctx context.Context, costs, right []float64, start []int, fill func(k int, column []float64)) ([]float64, error) {
	var (
		number    = make([]int, len(costs)) // of the column of each choice
		choices   []int                     // of each column
		objective []float64
		entries   []float64
	)
	for k, c := range costs {
		column := make([]float64, m.n)
		fill(k, column)
		if largestMagnitude(column) == 0 { // it stays for ever, which the simplex method cannot take
			continue
		}
		number[k] = len(choices)
		choices, objective, entries = append(choices, k), append(objective, c), append(entries, column...)
	}
	// Simplex panics where it cannot start, so it is known here that it can.
	x, err := m.vertex(start, right, fill)
	if err != nil {
		return nil, err
	}
	for s, share := range x {
		if share < infeasible {
			return nil, fmt.Errorf("the start is not feasible: %v of the action of state %d", share, s)
		}
	}
	y := make([]float64, len(costs))
	if len(choices) == m.n { // nothing to choose, which Simplex treats apart
		for s, k := range start {
			y[k] = x[s]
		}
		return y, nil
	}
	basis := make([]int, m.n)
	for s, k := range start {
		basis[s] = number[k]
	}
	if x, err = simplex(ctx, objective, mat.NewDense(len(choices), m.n, entries).T(), right, basis); err != nil {
		return nil, err
	}
	for i, k := range choices {
		y[k] = x[i]
	}
	return y, nil
}

// simplex is lp.Simplex with an end: it can go round in circles for ever, and
// knows of no context. All that it calls of ours is the matrix, of which every
// step reads a column.
func simplex(ctx context.Context, objective []float64, matrix mat.Matrix, right []float64, basis []int) (x []float64, err error) {
	rows, columns := matrix.Dims()
	defer func() {
		if stop := recover(); stop != nil {
			end, ok := stop.(stopped)
			if !ok {
				panic(stop)
			}
			x, err = nil, end.error
		}
	}()
	limited := &limitedMatrix{Matrix: matrix, ctx: ctx, reads: programSteps * rows * columns}
	_, x, err = lp.Simplex(objective, limited, right, reducedCost, basis)
	return x, err
}

// limitedMatrix is a matrix that panics with a value of type stopped after a
// number of reads or at the end of a context.
type limitedMatrix struct {
	mat.Matrix
	ctx   context.Context
	reads int
}

// stopped is why a matrix ended the simplex method.
type stopped struct{ error }

var errCircles = errors.New("the simplex method goes round in circles")

// At returns an entry.
func (l *limitedMatrix) At(i, j int) float64 {
	l.reads--
	switch {
	case l.reads < 0:
		panic(stopped{errCircles})
	case l.reads%1024 == 0 && l.ctx.Err() != nil:
		panic(stopped{context.Cause(l.ctx)})
	}
	return l.Matrix.At(i, j)
}

// vertex solves the equations by one choice for each of them.
func (m *programModel) vertex(choices []int, right []float64, fill func(k int, column []float64)) ([]float64, error) {
	columns := mat.NewDense(m.n, m.n, nil)
	for i, k := range choices {
		fill(k, columns.RawRowView(i))
	}
	matrix := mat.DenseCopyOf(columns.T()) // laid out as Simplex does, for the same rounding
	return solveDense(matrix, right)
}

// solveDense solves a·x = b, and refuses where rounding leaves no digit.
func solveDense(a *mat.Dense, b []float64) ([]float64, error) {
	var x mat.VecDense
	if err := x.SolveVec(a, mat.NewVecDense(len(b), b)); err != nil {
		return nil, err
	}
	return x.RawVector().Data, nil
}
