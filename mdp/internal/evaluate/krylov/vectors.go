package krylov

import (
	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// blockSize is the number of elements of a block of a vector: several blocks fit a
// second-level cache.
const blockSize = 4096

// space has the operations on vectors of one length, block by block.
type space struct {
	team *parallel.Team
	cuts []int
}

func newSpace(team *parallel.Team, n int) space {
	return space{team: team, cuts: parallel.Cuts(n, blockSize)}
}

// blocks runs body for every block of elements.
func (s space) blocks(body func(block, lo, hi int)) {
	s.team.For(len(s.cuts)-1, func(block int) { body(block, s.cuts[block], s.cuts[block+1]) })
}

// products returns the product of each of v with x.
func (s space) products(v [][]float64, x []float64) []float64 {
	parts := make([]float64, (len(s.cuts)-1)*len(v)) // by block
	s.blocks(func(block, lo, hi int) {
		for k := range v {
			parts[block*len(v)+k] = floats.Dot(v[k][lo:hi], x[lo:hi])
		}
	})
	sums := make([]float64, len(v))
	for i, part := range parts {
		sums[i%len(v)] += part
	}
	return sums
}

// product returns the product of x with y.
func (s space) product(x, y []float64) float64 { return s.products([][]float64{x}, y)[0] }

// combine adds Σ a[k]·v[k] to dst.
func (s space) combine(dst, a []float64, v [][]float64) {
	s.blocks(func(_, lo, hi int) {
		for k, x := range a {
			floats.AddScaled(dst[lo:hi], x, v[k][lo:hi])
		}
	})
}
