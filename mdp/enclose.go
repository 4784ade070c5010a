package mdp

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// enclose makes values for the bounds. The bounds are the extremes over states
// of T h − h with the error that it may have, and where that error is large
// (values are, and differences of them) they suffer, although such states are
// rarely visited. So the policy, whose chain the system has factored, is
// evaluated for costs that are lower by a margin m that is larger than the
// error: T h − h is then larger than the new gain by that margin, which
// outweighs the error, while the gain falls by no more than the stationary mean
// of the margin. Likewise upward. By linearity the values change by the solution
// δ of
//
//	δ = m − mean(m) + P·δ,
//
// down and up.
//
// The margin of a state is, twice over, the error of its row, and what values
// in double-double precision cannot resolve: some of the residual to which they
// were refined, which is relative to the values next to it, not to their
// differences. Where a state is so far out that the values around it are 10⁴⁰
// times the gain, T h − h is nothing but rounding there, and the margin is what
// keeps it above the gain.
func (it *policyIteration) enclose(e evaluate.Solution) error {
	m, err := e.System.Solve(margins(it.task.sweeper, it.model, it.current.values, it.current.policy))
	if err != nil {
		return err
	}
	shift, err := m.Refine(marginResidual)
	if err != nil {
		return err
	}
	it.current.above = it.current.values.Plus(shift)
	it.current.below = it.current.values.Plus(shift.Negative())
	return nil
}

// margins returns the margin of each state for values of a policy.
func margins(sweeper *sweep.Sweeper, model Explicit, v vector.Vector, policy []int32) []float64 {
	margin, inexact := make([]float64, len(policy)), relativeError(model)
	sweeper.Blocks(func(_, lo, hi int) {
		var row []Entry
		var cost float64
		for s := lo; s < hi; s++ {
			row, cost = model.AppendRow(row[:0], s, int(policy[s]))
			_, magnitude, err := v.Action(row, cost, s)
			margin[s] = 2 * (err + inexact*magnitude)
			if v.Resolution > 0 {
				margin[s] += enclosures * v.Resolution * v.Size(row, s)
			}
		}
	})
	return margin
}

// marginResidual is how far the values of margins are refined: what remains is
// far below any margin, which is some 2⁻¹⁰³ of the values or more.
const marginResidual = 0x1p-75

// enclosures is how many times the resolution of the values goes into a margin:
// twice for rounding the values with the margins, twice for actions that are no
// worse as far as can be told, and as much again.
const enclosures = 8

const (
	// encloseStop is the probability of stopping at which the equations of the
	// margins are solved: so small that it hardly counts beside the margins.
	encloseStop = 0x1p-30

	// encloseShare is the share of the tolerance that the solution may leave.
	encloseShare = 1.0 / 32
)

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
	margin := margins(it.task.sweeper, it.model, it.values, it.policy)
	for s := range margin {
		margin[s] /= 1 - encloseStop
	}
	gain := max(it.lowest, -it.highest, 0)
	shift := vector.New(len(it.x))
	it.chain.Follow(it.task.sweeper.Team, it.model, it.policy, encloseStop)
	_, _, err := it.evaluator.Evaluate(ctx, &it.chain, shift.High, margin, encloseShare*it.task.settings.Tolerance*gain)
	if err != nil {
		return err
	}
	it.policy = slices.Clone(it.policy)
	it.below, it.above = it.values.Plus(shift.Negative()), it.values.Plus(shift)
	return nil
}
