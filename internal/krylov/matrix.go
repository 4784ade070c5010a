package krylov

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Matrix is D − W: weights W ≥ 0 off the diagonal, and a diagonal D that exceeds
// what the weights of its row sum to by some excess E ≥ 0. With W the transition
// probabilities between different states of a chain that is left for good with
// some probability in each step, and E that probability, it is I − P.
//
// What is kept is E, not what is left of D, so that however small it is it has
// all its digits. Solving needs D > 0.
type Matrix struct {
	start    []int // first weight of each row, and the number of weights
	columns  []int32
	weights  []float64
	excess   []float64 // without the shift
	shift    float64
	diagonal []float64
}

// NewMatrix returns the matrix with weights weights[start[i]] …
// weights[start[i+1]−1] in row i, in columns that are not i; one may come twice.
// It keeps the slices. It panics unless lengths fit each other.
func NewMatrix(team *parallel.Team, start []int, columns []int32, weights, excess []float64) *Matrix {
	return newMatrix(team, start, columns, weights, excess, 0)
}

func newMatrix(team *parallel.Team, start []int, columns []int32, weights, excess []float64, shift float64) *Matrix {
	n := len(excess)
	if len(start) != n+1 || start[n] != len(columns) || len(columns) != len(weights) {
		panic(fmt.Sprintf("krylov: matrix of %d rows with %d starts, %d columns and %d weights", n, len(start), len(columns), len(weights)))
	}
	m := &Matrix{start: start, columns: columns, weights: weights, excess: excess, diagonal: make([]float64, n)}
	m.Shift(team, shift)
	return m
}

// Size returns the number of rows.
func (m *Matrix) Size() int { return len(m.diagonal) }

// Shift makes the excess of each row larger by the given number than it was when
// the matrix was made, whatever it has been shifted by since. It may be negative
// as long as no excess is.
func (m *Matrix) Shift(team *parallel.Team, by float64) {
	m.shift = by
	newSpace(team, m.Size()).blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			sum := m.excess[i] + by
			for _, w := range m.weights[m.start[i]:m.start[i+1]] {
				sum += w
			}
			m.diagonal[i] = sum
		}
	})
}

// Operator returns the product of the matrix with a vector, shared by the team.
func (m *Matrix) Operator(team *parallel.Team) Operator {
	space := newSpace(team, m.Size())
	return func(dst, x []float64) {
		space.blocks(func(_, lo, hi int) {
			entry := m.start[lo]
			for i := lo; i < hi; i++ {
				sum := 0.0
				for end := m.start[i+1]; entry < end; entry++ {
					sum += float64(m.weights[entry] * x[m.columns[entry]])
				}
				dst[i] = float64(m.diagonal[i]*x[i]) - sum
			}
		})
	}
}

// transpose returns the weights by columns. It has no diagonal.
func (m *Matrix) transpose() *Matrix {
	rows := graph.Chain{Graph: graph.Graph{Start: m.start, Columns: m.columns}, Probabilities: m.weights}
	columns := rows.Entering()
	return &Matrix{start: columns.Start, columns: columns.Columns, weights: columns.Probabilities}
}
