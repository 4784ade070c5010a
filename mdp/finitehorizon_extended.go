package mdp

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// extendedInduction is backward induction in double-double with a lower and an upper
// bound for each state: where values of states differ by decades, one bound on the
// error of all, as the induction in float64 keeps, says little of the small ones.
type extendedInduction struct {
	model        Explicit
	inexact      float64
	lower, upper vector.Vector
	scale        vector.Vector // a lower bound on the sum of absolute costs, by any policy
	policy       []int32
}

// extend goes back again from the terminal costs, and takes over what it finds
// unless the context or the time ends before.
func (f FiniteHorizon) extend(r *run, model Explicit, sweeper *sweep.Sweeper, terminal []float64, result *Result) {
	n := model.NumStates()
	e := &extendedInduction{
		model: model, inexact: relativeError(model), policy: make([]int32, n),
		lower: vector.New(n), upper: vector.New(n), scale: vector.New(n),
	}
	copy(e.lower.High, terminal)
	copy(e.upper.High, terminal)
	for s, x := range terminal {
		e.scale.High[s] = math.Abs(x)
	}
	lower, upper, scaleNext := vector.New(n), vector.New(n), vector.New(n)
	for range f.Steps {
		if r.limits.Ctx.Err() != nil || r.limits.IsOverdue() {
			return
		}
		sweeper.Blocks(func(_, lo, hi int) {
			var row []Entry
			for s := lo; s < hi; s++ {
				row = e.backup(row, s, lower, upper, scaleNext)
			}
		})
		e.lower, lower = lower, e.lower
		e.upper, upper = upper, e.upper
		e.scale, scaleNext = scaleNext, e.scale
	}
	b := stateBounds{lower: make([]float64, n), upper: make([]float64, n)}
	magnitude := stateBounds{lower: make([]float64, n), upper: slices.Repeat([]float64{math.Inf(1)}, n)}
	for s := range n {
		b.lower[s], b.upper[s] = e.lower.At(s).RoundDown(), e.upper.At(s).RoundUp()
		magnitude.lower[s] = max(e.scale.At(s).RoundDown(), 0)
		result.Value[s] = between(result.Value[s], b.lower[s], b.upper[s])
	}
	result.setBounds(b, scale{bounds: magnitude})
	result.Policy = e.policy
}

// backup goes back one step in a state.
func (e *extendedInduction) backup(row []Entry, s int, lower, upper, scale vector.Vector) []Entry {
	for a := range e.model.NumActions(s) {
		var cost float64
		row, cost = e.model.AppendRow(row[:0], s, a)
		low, high := e.after(row, cost, s, e.lower, -1), e.after(row, cost, s, e.upper, 1)
		sum := e.after(row, math.Abs(cost), s, e.scale, -1)
		if a == 0 || low.Less(lower.At(s)) {
			lower.Set(s, low)
		}
		if a == 0 || high.Less(upper.At(s)) {
			upper.Set(s, high)
			e.policy[s] = int32(a)
		}
		if a == 0 || sum.Less(scale.At(s)) {
			scale.Set(s, sum)
		}
	}
	return row
}

// after returns c + Σ_j p_j·v(j), moved outward in a direction by what rounding and
// the inexactness of the model can do.
func (e *extendedInduction) after(row []Entry, cost float64, s int, v vector.Vector, direction float64) doubledouble.Number {
	sum, magnitude, err := v.Action(row, cost, s)
	value := sum.Add(v.At(s))
	return value.AddFloat(direction * (err + e.inexact*magnitude + 8*rounding.Extended*(magnitude+math.Abs(value.Hi))))
}
