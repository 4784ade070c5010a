package average

import (
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
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

// marginResidual is how far the values of margins are refined: what remains is
// far below any margin, which is some 2⁻¹⁰³ of the values or more.
const marginResidual = 0x1p-75

// enclosures is how many times the resolution of the values goes into a margin:
// twice for rounding the values with the margins, twice for actions that are no
// worse as far as can be told, and as much again.
const enclosures = 8
