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

	lower, upper, scale stage
}

// At lists the rows of a step for the values after it, which nature sees if it chooses
// rows: for a lower bound (side −1), for an upper one (1), or for the scale (0).
type At func(step int, values vector.Vector, side float64) (bound.Lister, error)

// stage holds values before a step and after it, and the rows for these.
type stage struct {
	before, after vector.Vector
	model         bound.Lister
}

func newStage(terminal []float64) stage {
	return stage{before: vector.New(len(terminal)), after: vector.Extended(slices.Clone(terminal))}
}

// back turns the values before a step into those after the next.
func (s *stage) back() { s.before, s.after = s.after, s.before }

// Extend goes back the given number of steps from the terminal costs, and calls tell with the
// values before each step and its policy. It returns nil if the context or the time limit
// ends it, tell returns an error, or a step has no rows.
func Extend(ctx context.Context, at At, relativeError float64, sweeper *sweep.Sweeper, terminal []float64, steps int, discount Factor,
	tell func(step int, values []float64, policy []int32) error,
) *Extended {
	e := &Extended{Policy: make([]int32, len(terminal))}
	e.lower, e.upper, e.scale = newStage(terminal), newStage(terminal), newStage(terminal)
	for s, x := range terminal {
		off := relativeError * math.Abs(x)
		e.lower.after.Set(s, e.lower.after.At(s).AddFloat(-off))
		e.upper.after.Set(s, e.upper.after.At(s).AddFloat(off))
		e.scale.after.High[s] = math.Abs(x) - off
	}
	for step := steps - 1; step >= 0; step-- {
		if ctx.Err() != nil {
			return nil
		}
		if discount.Value != 1 {
			for direction, values := range map[float64]vector.Vector{-1: e.lower.after, 1: e.upper.after, 0: e.scale.after} {
				discount.scale(values, direction)
			}
		}
		for side, stage := range map[float64]*stage{-1: &e.lower, 1: &e.upper, 0: &e.scale} {
			var err error
			if stage.model, err = at(step, stage.after, side); err != nil {
				return nil
			}
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
		if tell(step, e.upper.after.High, e.Policy) != nil {
			return nil
		}
	}
	e.Lower, e.Upper, e.Scale = e.lower.after, e.upper.after, e.scale.after
	return e
}

// scale multiplies values by the factor, and moves the products by rounding and the error of the
// factor: up for direction 1, down for −1. Values of direction 0, those of Extended.Scale, move
// down, too.
func (f Factor) scale(values vector.Vector, direction float64) {
	if direction == 0 {
		direction = -1
	}
	for s := range values.High {
		x := values.At(s).MulFloat(f.Value)
		values.Set(s, x.AddFloat(direction*(f.RelativeError+8*rounding.Extended)*math.Abs(x.Hi)))
	}
}

// backup goes back one step in a state. It returns row, to reuse its memory.
func (e *Extended) backup(row []rows.Entry, s int) []rows.Entry {
	for a := range e.lower.model.NumActions(s) {
		row, _ = e.lower.minimize(row, s, a, -1, false)
		row, _ = e.scale.minimize(row, s, a, -1, true)
		var isLeast bool
		if row, isLeast = e.upper.minimize(row, s, a, 1, false); isLeast {
			e.Policy[s] = int32(a)
		}
	}
	return row
}

// minimize computes c + Σ_j p_j·v(j) for action a, with the values v after the step. If a is
// the first action, or its sum is the least so far, minimize sets the value before the step to
// the sum, and isLeast is true. It moves the sum in the given direction by rounding and the
// relative error of the model. With absolute, it takes |c|.
func (s *stage) minimize(row []rows.Entry, state, a int, direction float64, absolute bool) (next []rows.Entry, isLeast bool) {
	row, cost := s.model.AppendRow(row[:0], state, a)
	if absolute {
		cost = math.Abs(cost)
	}
	sum, magnitude, err := s.after.Action(row, cost, state)
	value := sum.Add(s.after.At(state))
	if cost == 0 && !slices.ContainsFunc(row, func(e rows.Entry) bool { return s.after.High[e.State] != 0 }) {
		value, magnitude, err = doubledouble.Number{}, 0, 0 // exactly, although the value of this state after the step may not be 0
	}
	value = value.AddFloat(direction * (err + s.model.RelativeError*magnitude + 8*rounding.Extended*(magnitude+math.Abs(value.Hi))))
	if a > 0 && !value.Less(s.before.At(state)) {
		return row, false
	}
	s.before.Set(state, value)
	return row, true
}
