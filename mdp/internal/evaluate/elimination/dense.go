package elimination

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// smallestPivot is the smallest normal float64: below it a pivot has lost digits, and
// its inverse may overflow.
const smallestPivot = 0x1p-1022

// unblocked is the size up to which a matrix is eliminated row by row, and mostPivots the
// number of rows that are eliminated at a time from a large one.
const (
	unblocked  = 32
	mostPivots = 1024
)

// uninterrupted is about how many multiplications are made before the next look at the
// context: those of a fraction of a second.
const uninterrupted = 1 << 30

// FactorDense overwrites a dense matrix with its factors L, below the diagonal, and U.
// Off the diagonal its elements are ≤ 0, and exit holds the excess of the diagonal
// over the sum of their magnitudes in each row; the elements on the diagonal are
// ignored. It overwrites exit. It returns the first row whose pivot is too small for
// float64, or −1. If ctx ends, it returns early, and the factors are of no use.
//
// It divides the matrix in two. For the first part, the second part and the exit together
// are the exit.
func FactorDense(ctx context.Context, a blas64.General, exit []float64) (stuck int) {
	n := a.Rows
	if n <= unblocked {
		return factorRows(a, exit)
	}
	h := min(n/2, mostPivots)
	first, above, below, second := block(a, 0, 0, h, h), block(a, 0, h, h, n-h), block(a, h, 0, n-h, h), block(a, h, h, n-h, n-h)
	leave := make([]float64, h)
	for i := range leave {
		leave[i] = exit[i] - floats.Sum(row(above, i))
	}
	if stuck = FactorDense(ctx, first, leave); stuck >= 0 {
		return stuck
	}
	subtractPivots(ctx, first, above, below, second)
	if ctx.Err() != nil {
		return -1
	}
	blas64.Trsv(blas.NoTrans, unitLower(first), vector(exit[:h]))
	blas64.Gemv(blas.NoTrans, -1, below, vector(exit[:h]), 1, vector(exit[h:]))
	if stuck = FactorDense(ctx, second, exit[h:]); stuck >= 0 {
		return h + stuck
	}
	return -1
}

// factorRows is FactorDense for a small matrix.
func factorRows(a blas64.General, exit []float64) (stuck int) {
	for k := range a.Rows {
		pivot := row(a, k)
		pivot[k] = exit[k] - floats.Sum(pivot[k+1:])
		if !(pivot[k] >= smallestPivot) {
			return k
		}
		for i := k + 1; i < a.Rows; i++ {
			if next := row(a, i); next[k] != 0 {
				next[k] /= pivot[k]
				floats.AddScaled(next[k+1:], -next[k], pivot[k+1:])
				exit[i] -= next[k] * exit[k]
			}
		}
	}
	return -1
}

// subtractPivots computes the parts of U and L that lie to the right of and below factors, and
// subtracts their product from the rest. It does so in strips, between which ctx may end.
func subtractPivots(ctx context.Context, factors, right, below, rest blas64.General) {
	square := factors.Rows * factors.Rows
	strips(ctx, right.Cols, square, func(j, columns int) {
		blas64.Trsm(blas.Left, blas.NoTrans, 1, unitLower(factors), block(right, 0, j, right.Rows, columns))
	})
	strips(ctx, below.Rows, square, func(i, rows int) {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upper(factors), block(below, i, 0, rows, below.Cols))
	})
	strips(ctx, rest.Rows, below.Cols*rest.Cols, func(i, rows int) {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, block(below, i, 0, rows, below.Cols), right, 1, block(rest, i, 0, rows, rest.Cols))
	})
}

// strips divides n lines into strips that take about uninterrupted multiplications each, given the
// number for one line, and calls do for each strip until ctx ends.
func strips(ctx context.Context, n, multiplications int, do func(at, lines int)) {
	for at := 0; at < n && ctx.Err() == nil; {
		lines := min(max(1, uninterrupted/max(1, multiplications)), n-at)
		do(at, lines)
		at += lines
	}
}

// SolveDense overwrites the right-hand side x with the solution.
func SolveDense(factors blas64.General, x []float64) {
	blas64.Trsv(blas.NoTrans, unitLower(factors), vector(x))
	blas64.Trsv(blas.NoTrans, upper(factors), vector(x))
}

// unitLower returns L, and upper U, of a matrix that holds both.
func unitLower(a blas64.General) blas64.Triangular {
	return blas64.Triangular{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: blas.Lower, Diag: blas.Unit}
}

func upper(a blas64.General) blas64.Triangular {
	return blas64.Triangular{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
}

// block returns the submatrix of rows × columns elements that begins at row i and column j.
func block(a blas64.General, i, j, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: a.Stride, Data: a.Data[i*a.Stride+j:]}
}

func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
