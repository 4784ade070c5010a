package mdp

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// placeSweeps is how many sweeps in place come before each sweep that bounds.
const placeSweeps = 3

// seidelIteration is discounted value iteration with sweeps in place.
type seidelIteration struct {
	*discountedIteration
	rows *rows.Rows
}

func (it *seidelIteration) Iterate(ctx context.Context) (lower, upper float64, err error) {
	if shift := it.discount * it.middle; shift != 0 && !math.IsInf(shift, 0) {
		for s := range it.x { // to the middle of the bounds
			it.x[s] += shift
		}
	}
	for range placeSweeps {
		it.task.sweeper.Blocks(func(_, lo, hi int) {
			copy(it.next[lo:hi], it.x[lo:hi])
			it.rows.BackupInPlace(it.next, it.x, it.discount, lo, hi)
		})
		it.x, it.next = it.next, it.x
	}
	return it.discountedIteration.Iterate(ctx)
}
