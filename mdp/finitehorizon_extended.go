package mdp

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// extendedInduction is backward induction in double-double with a lower and an upper
// bound for each state: where values of states differ by decades, one bound on the
// error of all, as the induction in float64 keeps, says little of the small ones.
type extendedInduction struct {
	model  Explicit
	policy []int32

	inexact             float64
	lower, upper, scale stage // scale: lower bounds on the sum of absolute costs, by any policy
}

// stage holds values before a step and after it.
type stage struct{ before, after vector.Vector }

func newStage(terminal []float64) stage {
	return stage{vector.New(len(terminal)), vector.Extended(slices.Clone(terminal))}
}

// back makes the values before a step those after the next.
func (s *stage) back() { s.before, s.after = s.after, s.before }

// extend goes back again from the terminal costs, and replaces values and bounds of the
// result unless the context or the time ends before.
func (f FiniteHorizon) extend(r *run, model Explicit, sweeper *sweep.Sweeper, terminal []float64, result *Result) {
	n := model.NumStates()
	e := &extendedInduction{model: model, policy: make([]int32, n), inexact: relativeError(model)}
	e.lower, e.upper, e.scale = newStage(terminal), newStage(terminal), newStage(terminal)
	for s, x := range terminal {
		e.scale.after.High[s] = math.Abs(x)
	}
	for range f.Steps {
		if r.limits.Ctx.Err() != nil || r.limits.IsOverdue() {
			return
		}
		sweeper.Blocks(func(_, lo, hi int) {
			var row []Entry
			for s := lo; s < hi; s++ {
				row = e.backup(row, s)
			}
		})
		e.lower.back()
		e.upper.back()
		e.scale.back()
	}
	b := stateBounds{lower: make([]float64, n), upper: make([]float64, n)}
	magnitude := stateBounds{lower: make([]float64, n), upper: slices.Repeat([]float64{math.Inf(1)}, n)}
	for s := range n {
		b.lower[s], b.upper[s] = e.lower.after.At(s).RoundDown(), e.upper.after.At(s).RoundUp()
		magnitude.lower[s] = max(e.scale.after.At(s).RoundDown(), 0)
		result.Value[s] = between(result.Value[s], b.lower[s], b.upper[s])
	}
	result.setBounds(b, scale{bounds: magnitude})
	result.Policy = e.policy
}

// backup goes back one step in a state. It returns row to save its memory.
func (e *extendedInduction) backup(row []Entry, s int) []Entry {
	for a := range e.model.NumActions(s) {
		var cost float64
		row, cost = e.model.AppendRow(row[:0], s, a)
		e.minimize(&e.lower, row, cost, s, a, -1)
		e.minimize(&e.scale, row, math.Abs(cost), s, a, -1)
		if e.minimize(&e.upper, row, cost, s, a, 1) {
			e.policy[s] = int32(a)
		}
	}
	return row
}

// minimize sets v before the step in s to c + Σ_j p_j·v(j), v after the step, for action a
// if that is the first or the least so far, which it returns. The sum is moved outward in
// a direction by what rounding and the relative error of the model can do.
func (e *extendedInduction) minimize(v *stage, row []Entry, cost float64, s, a int, direction float64) bool {
	sum, magnitude, err := v.after.Action(row, cost, s)
	value := sum.Add(v.after.At(s))
	value = value.AddFloat(direction * (err + e.inexact*magnitude + 8*rounding.Extended*(magnitude+math.Abs(value.Hi))))
	if a > 0 && !value.Less(v.before.At(s)) {
		return false
	}
	v.before.Set(s, value)
	return true
}
