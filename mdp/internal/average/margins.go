package average

import (
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// enclose makes values for the bounds. The bounds are the extremes over states of T h −
// h, moved outward by its error. That error is large in states with large values, which
// are often rarely visited. So the policy, whose chain the system has factored, is
// evaluated for costs that are lower by a margin m larger than the error. T h − h then
// exceeds the new gain by the margin, which outweighs the error, while the gain falls
// only by the stationary mean of the margin. For the upper bound, costs are raised by
// the margin. By linearity the values become h − δ and h + δ, with the solution δ of
//
//	δ = m − mean(m) + P·δ,
//
// in which mean(m) is that stationary mean.
//
// The margin of a state is twice the error of its row, plus the resolution of values in
// double-double: a share of the residual to which they were refined, which is relative
// to the values and not to their differences. If the values around a state are 10⁴⁰
// times the gain, T h − h is only rounding there, and the margin keeps it above the
// gain.
func (it *Iteration) enclose(e evaluate.Solution) error {
	m, err := e.System.Solve(Margins(it.task.Sweeper, it.task.Listed, it.answer.Values, it.answer.Policy))
	if err != nil {
		return err
	}
	shift, err := m.Refine(it.task.Sweeper.Team, marginResidual)
	if err != nil {
		return err
	}
	it.answer.Above = it.answer.Values.Plus(shift)
	it.answer.Below = it.answer.Values.Plus(shift.Negative())
	return nil
}

// Margins returns the margin of each state for values of a policy.
func Margins(sweeper *sweep.Sweeper, model bound.Lister, v vector.Vector, policy []int32) []float64 {
	margin := make([]float64, len(policy))
	sweeper.Blocks(func(_, lo, hi int) {
		var row []rows.Entry
		var cost float64
		for s := lo; s < hi; s++ {
			row, cost = model.AppendRow(row[:0], s, int(policy[s]))
			_, magnitude, err := v.Action(row, cost, s)
			margin[s] = 2 * (err + model.RelativeError*magnitude)
			if v.Resolution > 0 {
				margin[s] += enclosures * v.Resolution * v.Size(row, s)
			}
		}
	})
	return margin
}

// marginResidual is the residual to which the values of margins are refined. It is far
// below any margin, which is some 2⁻¹⁰³ of the values or more.
const marginResidual = 0x1p-75

// enclosures is the multiple of the resolution of the values in a margin: 2 for rounding
// the values with the margins, 2 for actions that may be worse within rounding, and as
// much again for safety.
const enclosures = 8
