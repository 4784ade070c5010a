package krylov

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/dense"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// blockSize is the number of elements of a block of a vector: several of them
// fit a second-level cache.
const blockSize = 4096

// space does what goes over all elements of vectors of one length, block by
// block.
type space struct {
	team *parallel.Team
	cuts []int
	part [][]float64 // by block, for sums of several products
}

func newSpace(team *parallel.Team, n int) *space {
	s := &space{team: team, cuts: parallel.Cuts(n, blockSize)}
	s.part = make([][]float64, len(s.cuts)-1)
	s.widen(1)
	return s
}

// widen makes room for as many sums at a time.
func (s *space) widen(width int) {
	for i := range s.part {
		s.part[i] = make([]float64, width)
	}
}

// blocks runs body for every block of elements.
func (s *space) blocks(body func(block, lo, hi int)) {
	s.team.For(len(s.part), func(block int) { body(block, s.cuts[block], s.cuts[block+1]) })
}

// products sets dst[k] to the product of v[k] with x.
func (s *space) products(dst []float64, v [][]float64, x []float64) {
	s.blocks(func(block, lo, hi int) {
		for k := range dst {
			s.part[block][k] = dense.Dot(v[k][lo:hi], x[lo:hi])
		}
	})
	clear(dst)
	for _, part := range s.part {
		for k := range dst {
			dst[k] += part[k]
		}
	}
}

// product returns the product of x with y.
func (s *space) product(x, y []float64) float64 {
	var sum [1]float64
	s.products(sum[:], [][]float64{x}, y)
	return sum[0]
}

// norm returns the length of x.
func (s *space) norm(x []float64) float64 { return math.Sqrt(s.product(x, x)) }

// combine adds Σ a[k]·v[k] to dst.
func (s *space) combine(dst, a []float64, v [][]float64) {
	s.blocks(func(_, lo, hi int) {
		for k, x := range a {
			dense.AddScaled(dst[lo:hi], x, v[k][lo:hi])
		}
	})
}

// copy copies x to dst.
func (s *space) copy(dst, x []float64) {
	s.blocks(func(_, lo, hi int) { copy(dst[lo:hi], x[lo:hi]) })
}

// divide divides x by a number.
func (s *space) divide(x []float64, by float64) {
	s.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] /= by
		}
	})
}

// subtract sets dst to x − y and returns its largest magnitude, NaN where there
// is one.
func (s *space) subtract(dst, x, y []float64) (largest float64) {
	s.blocks(func(block, lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			dst[i] = x[i] - y[i]
			most = max(most, math.Abs(dst[i]))
		}
		s.part[block][0] = most
	})
	for _, part := range s.part {
		largest = max(largest, part[0])
	}
	return largest
}
