package horizon

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Extended is backward induction in double-double with a lower and an upper bound for
// each state. If values of states differ by orders of magnitude, the one bound on all
// errors that [Induction] keeps is useless for the small ones.
type Extended struct {
	Policy       []int32
	Lower, Upper vector.Vector
	Scale        vector.Vector // a lower bound on the sum of absolute costs, by any policy

	model               bound.Lister
	lower, upper, scale stage
}

// stage holds values before a step and after it.
type stage struct{ before, after vector.Vector }

func newStage(terminal []float64) stage {
	return stage{vector.New(len(terminal)), vector.Extended(slices.Clone(terminal))}
}

// back turns the values before a step into those after the next.
func (s *stage) back() { s.before, s.after = s.after, s.before }

// Extend goes back the given number of steps from the terminal costs. It returns nil if
// the context or the time limit ends it.
func Extend(ctx context.Context, model bound.Lister, sweeper *sweep.Sweeper, terminal []float64, steps int) *Extended {
	e := &Extended{model: model, Policy: make([]int32, len(terminal))}
	e.lower, e.upper, e.scale = newStage(terminal), newStage(terminal), newStage(terminal)
	for s, x := range terminal {
		off := model.RelativeError * math.Abs(x)
		e.lower.after.Set(s, e.lower.after.At(s).AddFloat(-off))
		e.upper.after.Set(s, e.upper.after.At(s).AddFloat(off))
		e.scale.after.High[s] = math.Abs(x) - off
	}
	for range steps {
		if ctx.Err() != nil {
			return nil
		}
		sweeper.Blocks(func(_, lo, hi int) {
			var row []rows.Entry
			for s := lo; s < hi; s++ {
				row = e.backup(row, s)
			}
		})
		e.lower.back()
		e.upper.back()
		e.scale.back()
	}
	e.Lower, e.Upper, e.Scale = e.lower.after, e.upper.after, e.scale.after
	return e
}

// backup goes back one step in a state. It returns row, to reuse its memory.
func (e *Extended) backup(row []rows.Entry, s int) []rows.Entry {
	for a := range e.model.NumActions(s) {
		var cost float64
		row, cost = e.model.AppendRow(row[:0], s, a)
		e.minimize(&e.lower, row, cost, s, a, -1)
		e.minimize(&e.scale, row, math.Abs(cost), s, a, -1)
		if e.minimize(&e.upper, row, cost, s, a, 1) {
			e.Policy[s] = int32(a)
		}
	}
	return row
}

// minimize sets v before the step in s to c + Σ_j p_j·v(j), v after the step, for action a
// if that is the first or the least so far, and reports whether it is. It moves the sum
// in a direction by rounding and the relative error of the model.
func (e *Extended) minimize(v *stage, row []rows.Entry, cost float64, s, a int, direction float64) bool {
	sum, magnitude, err := v.after.Action(row, cost, s)
	value := sum.Add(v.after.At(s))
	if cost == 0 && !slices.ContainsFunc(row, func(e rows.Entry) bool { return v.after.High[e.State] != 0 }) {
		value, magnitude, err = doubledouble.Number{}, 0, 0 // also where the value after the step is not 0
	}
	value = value.AddFloat(direction * (err + e.model.RelativeError*magnitude + 8*rounding.Extended*(magnitude+math.Abs(value.Hi))))
	if a > 0 && !value.Less(v.before.At(s)) {
		return false
	}
	v.before.Set(s, value)
	return true
}
