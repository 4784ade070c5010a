package petsc

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

const (
	// encloseStop is the probability of stopping at which the equations of the margins are
	// solved: so small that it hardly counts beside the margins.
	encloseStop = 0x1p-30

	// encloseShare is the residual of the solution, as a share of the margins.
	encloseShare = 1e-2

	// rowError bounds the rounding error of a row in double-double, relative to the magnitude
	// of its terms, also for long rows.
	rowError = 0x1p-96
)

// enclose makes values that give closer bounds on the gain if rounding keeps them apart,
// and returns [mdp.ErrPrecisionLimit] if they are still not close enough. Bounds that
// hold for all states are as far apart as the largest error of a row, even if its state is
// hardly ever visited. Let δ solve
//
//	δ = m + (1−σ)·P·δ
//
// for margins m that outweigh the errors and a small probability σ of stopping. Under the
// policy, T h − h of h − δ is that of h, plus m, which covers the error of each row, minus
// σ·P·δ, which is about the long-run mean of m, the same for all states. So h − δ gives the
// lower bound and h + δ the upper one.
func (it *iteration) enclose(ctx context.Context) error {
	if it.discount < 1 {
		return mdp.ErrPrecisionLimit
	}
	it.proves = true
	it.restore(&it.best)
	if err := it.measure(ctx); err != nil {
		return err
	}
	it.margins(it.residual.values)
	it.system.Of(it.share, it.policy, encloseStop)
	it.world.setMatrix(it.system.Start, it.system.Columns, it.system.Values, it.states)
	used, _ := it.evaluate(encloseShare)
	it.krylov += used

	delta := it.correction.values
	it.add(delta, -1, 0)
	if err := it.measure(ctx); err != nil {
		return err
	}
	lower := it.lower
	it.restore(&it.best)
	it.add(delta, 1, 0)
	if err := it.measure(ctx); err != nil {
		return err
	}
	it.best.lower = max(it.best.lower, lower)
	if it.upper < it.best.upper {
		it.best.upper = it.upper
		copy(it.best.policy, it.policy)
	}
	it.best.met = mdp.Within(it.best.lower, it.best.upper, 0, it.tolerance)
	if it.met = it.best.met; it.met {
		return nil
	}
	return mdp.ErrPrecisionLimit
}

// margins writes to margin twice the largest error of each row.
func (it *iteration) margins(margin []float64) {
	relative := it.share.RelativeError() + rowError
	h := it.high.values
	var row []mdp.Entry
	for s, action := range it.policy {
		var cost float64
		row, cost = it.share.AppendRow(row[:0], s, int(action))
		magnitude := math.Abs(cost)
		for _, e := range row {
			magnitude += e.Probability * math.Abs(h[e.State]-h[s])
		}
		margin[s] = 2 * relative * magnitude
	}
}
