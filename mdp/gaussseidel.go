package mdp

import (
	"context"
	"math"
)

// placeSweeps is how many sweeps in place come before each sweep that bounds.
const placeSweeps = 3

// seidelIteration is discounted value iteration with sweeps in place.
type seidelIteration struct {
	*discountedIteration
	table *Table
}

func (it *seidelIteration) iterate(ctx context.Context) (lower, upper float64, err error) {
	if shift := it.discount * it.middle; shift != 0 && !math.IsInf(shift, 0) {
		for s := range it.x { // to the middle of the bounds
			it.x[s] += shift
		}
	}
	for range placeSweeps {
		it.task.sweeper.blocks(func(_, lo, hi int) {
			copy(it.next[lo:hi], it.x[lo:hi])
			it.table.backupInPlace(it.next, it.x, it.discount, lo, hi)
		})
		it.x, it.next = it.next, it.x
	}
	return it.discountedIteration.iterate(ctx)
}

// backupInPlace sets x = β·(T x) for the states lo … hi−1, from the last to the
// first, using what has been set already; values of other states are those of
// old, so that blocks do not depend on each other.
func (t *Table) backupInPlace(x, old []float64, discount float64, lo, hi int) {
	for s := hi - 1; s >= lo; s-- {
		best := math.Inf(1)
		for k := t.stateStart[s]; k < t.stateStart[s+1]; k++ {
			sum := t.costs[k]
			for e := t.rowStart[k]; e < t.rowStart[k+1]; e++ {
				v := old
				if j := int(t.columns[e]); lo <= j && j < hi {
					v = x
				}
				sum += float64(t.probabilities[e] * v[t.columns[e]])
			}
			best = min(best, sum)
		}
		x[s] = discount * best
	}
}
