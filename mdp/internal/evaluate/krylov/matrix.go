package krylov

import (
	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// matrix is I − P of an absorbing chain: the weights off the diagonal, negated, and a
// diagonal that exceeds their sum by the exit.
//
// It keeps the exit and not the difference of diagonal and weights, so that a small exit
// has all its digits.
type matrix struct {
	graph.Chain
	exit     []float64
	diagonal []float64
	space    space
}

func newMatrix(team *parallel.Team, chain *graph.Chain, exit []float64) *matrix {
	m := &matrix{Chain: *chain, exit: exit, diagonal: make([]float64, len(exit)), space: newSpace(team, len(exit))}
	m.findDiagonal()
	return m
}

func (m *matrix) findDiagonal() {
	m.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, weights := m.Row(int32(i))
			m.diagonal[i] = m.exit[i] + floats.Sum(weights)
		}
	})
}

// multiply sets dst to the product of the matrix with x.
func (m *matrix) multiply(dst, x []float64) {
	m.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			columns, weights := m.Row(int32(i))
			sum := 0.0
			for e, j := range columns {
				sum += float64(weights[e] * x[j])
			}
			dst[i] = float64(m.diagonal[i]*x[i]) - sum
		}
	})
}

// residual sets dst to b − A·x.
func (m *matrix) residual(dst, b, x []float64) {
	m.multiply(dst, x)
	m.space.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = b[i] - dst[i]
		}
	})
}

// coarse returns the matrix of the sets of a partition: the mean of the rows of
// the states of a set, weighted by their share in it, with columns added up and without
// the weights that lead back into the set. If the shares are those of the long run, it is
// the matrix of the chain of the sets.
func (m *matrix) coarse(team *parallel.Team, p *partition) *matrix {
	count := len(p.members)
	chain, exit := graph.NewChain(count), make([]float64, count)
	chain.Columns, chain.Probabilities = make([]int32, 0, len(m.Columns)), make([]float64, 0, len(m.Columns))
	last, place := make([]int32, count), make([]int, count) // the last row that had a column, plus 1, and where
	for k, members := range p.members {
		for _, i := range members {
			share := p.share[i]
			exit[k] += float64(share * m.exit[i])
			columns, weights := m.Row(i)
			for e, to := range columns {
				j, w := p.set[to], share*weights[e]
				switch {
				case int(j) == k:
				case int(last[j]) == k+1:
					chain.Probabilities[place[j]] += w
				default:
					last[j], place[j] = int32(k+1), len(chain.Columns)
					chain.Add(j, w)
				}
			}
		}
		chain.EndState()
	}
	return newMatrix(team, chain, exit)
}
