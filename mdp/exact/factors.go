package exact

import (
	"context"
	"math/big"
)

// factors are the triangular factors of a matrix modulo a prime, in the order of
// a pattern.
type factors struct {
	pattern    *pattern
	field      *field
	left       [][]uint64 // entries of the factor below the diagonal, where lower says
	right      [][]uint64 // entries above the diagonal, where upper says
	reciprocal []uint64   // of the pivots
}

// factorize eliminates modulo the prime of a field. It returns nil if a pivot
// is a multiple of the prime.
func factorize(ctx context.Context, rows [][]term, p *pattern, f *field) (*factors, error) {
	n := len(rows)
	l := &factors{pattern: p, field: f, left: make([][]uint64, n), right: make([][]uint64, n), reciprocal: make([]uint64, n)}
	work := make([]uint64, n) // the current row, by position
	var scratch big.Int
	for at, i := range p.order {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, t := range rows[i] {
			j := p.position[t.column]
			work[j] = f.plus(work[j], f.of(t.factor, &scratch))
		}
		l.left[at] = make([]uint64, len(p.lower[at]))
		for e, k := range p.lower[at] {
			factor := f.times(l.reciprocal[k], work[k])
			work[k] = 0
			l.left[at][e] = factor
			if factor == 0 {
				continue
			}
			for e, j := range p.upper[k] {
				work[j] = f.minus(work[j], f.times(l.right[k][e], factor))
			}
		}
		if work[at] == 0 {
			return nil, nil
		}
		l.reciprocal[at] = f.reciprocal(work[at])
		work[at] = 0
		l.right[at] = make([]uint64, len(p.upper[at]))
		for e, j := range p.upper[at] {
			l.right[at][e], work[j] = work[j], 0
		}
	}
	return l, nil
}

// solve returns the solution, by unknown, for a right side, by row.
func (l *factors) solve(right []uint64) []uint64 {
	f, p := l.field, l.pattern
	x, y := make([]uint64, len(right)), make([]uint64, len(right))
	for at, i := range p.order {
		sum := right[i]
		for e, k := range p.lower[at] {
			sum = f.minus(sum, f.times(l.left[at][e], y[k]))
		}
		y[at] = sum
	}
	for at := len(y) - 1; at >= 0; at-- {
		sum := y[at]
		for e, j := range p.upper[at] {
			sum = f.minus(sum, f.times(l.right[at][e], y[j]))
		}
		y[at] = f.times(l.reciprocal[at], sum)
		x[p.order[at]] = y[at]
	}
	return x
}
