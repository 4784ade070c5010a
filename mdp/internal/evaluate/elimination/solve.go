package elimination

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Solve returns x with (I − P)·x = b: the expected sum of b over the visits
// before the exit, from each state.
func (e *Factorization) Solve(b []float64) []float64 {
	return e.solve(b, func(x kept, pivots, border blas64.Vector) {
		blas64.Trsv(blas.NoTrans, unitLower(x.pivots), pivots)
		blas64.Gemv(blas.NoTrans, -1, x.back, pivots, 1, border)
	}, func(x kept, pivots, border blas64.Vector) {
		blas64.Gemv(blas.NoTrans, -1, x.border, border, 1, pivots)
		blas64.Trsv(blas.NoTrans, upper(x.pivots), pivots)
	})
}

// SolveTransposed returns y with yᵀ·(I − P) = bᵀ: the expected number of
// visits to each state before the exit, if the chain starts b ≥ 0 times in each.
func (e *Factorization) SolveTransposed(b []float64) []float64 {
	return e.solve(b, func(x kept, pivots, border blas64.Vector) {
		blas64.Trsv(blas.Trans, upper(x.pivots), pivots)
		blas64.Gemv(blas.Trans, -1, x.border, pivots, 1, border)
	}, func(x kept, pivots, border blas64.Vector) {
		blas64.Gemv(blas.Trans, -1, x.back, border, 1, pivots)
		blas64.Trsv(blas.Trans, unitLower(x.pivots), pivots)
	})
}

// solve goes through the fronts in their order, and then in the opposite one. up solves
// for the pivots of a front and updates its border; down solves for the pivots given the
// border.
func (e *Factorization) solve(b []float64, up, down func(x kept, pivots, border blas64.Vector)) []float64 {
	p := e.Plan
	y, x := make([]float64, len(b)), make([]float64, len(b))
	for place, s := range p.order {
		y[place] = b[s]
	}
	room := make([]float64, p.widest)
	for i := range p.front {
		f := &p.front[i]
		border := room[:len(f.border)]
		clear(border)
		up(e.keptOf(f).withoutExit(), vector(y[f.first:f.last]), vector(border))
		for k, place := range f.border {
			y[place] += border[k]
		}
	}
	for i := range slices.Backward(p.front) {
		f := &p.front[i]
		border := room[:len(f.border)]
		for k, place := range f.border {
			border[k] = y[place]
		}
		down(e.keptOf(f).withoutExit(), vector(y[f.first:f.last]), vector(border))
	}
	for place, s := range p.order {
		x[s] = y[place]
	}
	return x
}

// withoutExit returns the matrices without the column for the exit.
func (x kept) withoutExit() kept {
	x.border.Cols--
	return x
}
