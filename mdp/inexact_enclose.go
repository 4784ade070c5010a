package mdp

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

const (
	// encloseStop is the probability of stopping at which the equations of the
	// margins are solved: so small that it hardly counts beside the margins.
	encloseStop = 0x1p-30
	// encloseShare is the share of the tolerance that the solution may leave.
	encloseShare = 1.0 / 32
)

// confirmed says whether the bounds of the best values are within the tolerance with
// what the model admits, which sweeps leave out: they look for the solution of the
// table as it is.
func (it *implicitSteps) confirmed() bool {
	inexact := relativeError(it.model)
	if inexact == 0 || !it.extended {
		return true
	}
	from := answer{values: vector.Vector{High: it.best.values, Low: it.best.low}, policy: it.policy}
	c, cheapest := explicitBounds(it.model, it.task.sweeper, from)
	return it.task.met(max(c.Lower, cheapest), c.Upper)
}

// enclose makes values for the bounds, as [policyIteration.enclose] does, where
// elimination is too much. The error that a row may have is what keeps bounds apart
// that are the same for all states, although a state with large numbers may hardly
// ever be visited. With δ the solution of
//
//	δ = m + (1−σ)·P·δ
//
// for margins m that outweigh the errors and a small probability σ of stopping, T h
// − h rises by m in every state for the values h − δ, and falls by σ·P·δ, which is
// about the mean of m, the same number for all states. The solution need not be
// closer than a share of the tolerance.
func (it *implicitSteps) enclose(ctx context.Context) error {
	if err := it.goBack(&it.best); err != nil {
		return err
	}
	margin, inexact := make([]float64, len(it.x)), relativeError(it.model)
	it.task.sweeper.blocks(func(_, lo, hi int) {
		var row []Entry
		var cost float64
		for s := lo; s < hi; s++ {
			row, cost = it.model.AppendRow(row[:0], s, int(it.policy[s]))
			_, magnitude, err := it.values.Action(row, cost, s)
			margin[s] = 2 * (err + inexact*magnitude) / (1 - encloseStop)
		}
	})
	gain := max(it.lowest, -it.highest, 0)
	shift := vector.Vector{High: make([]float64, len(it.x)), Low: make([]float64, len(it.x))}
	it.chain.follow(it.model, it.policy, encloseStop, it.task.sweeper)
	_, _, err := it.evaluator.evaluate(ctx, &it.chain, shift.High, margin, encloseShare*it.task.settings.Tolerance*gain)
	if err != nil {
		return err
	}
	it.policy = append([]int32(nil), it.policy...)
	it.below, it.above = it.values.Plus(shift.Negative()), it.values.Plus(shift)
	return nil
}
