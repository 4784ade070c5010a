package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// How the bounds of discounted values are proved. For any v whatever
//
//	min_s (T v − v)(s)/(1−β) ≤ v*(s) − v(s) ≤ max_s (T v − v)(s)/(1−β)
//
// (MacQueen 1966; Puterman 1994, Theorem 6.6.2), so the lower and the upper bound of
// every state follow from one sweep over the values that a method ended with. The
// policy of the result attains T v, so the upper bound holds for what it costs, too:
//
//   - certify bounds T v − v by a sweep in float64 with a bound on its rounding
//     (mdp/internal/bound/backup.go) and, where that is not good enough and the rows
//     can be listed, a sweep in double-double (mdp/internal/bound/explicit.go);
//   - enclose divides by 1−β, rounding outward, and shiftedBounds (bounds.go) adds v,
//     rounding outward, too;
//   - signedBounds moves bounds to 0 where the sign of a value is known from the graph.
//
// Exact solutions have bounds of their own, proved row by row: see Discounted.exactly
// and package mdp/internal/ssp.

// certify returns a result with bounds from fresh sweeps.
func (d Discounted) certify(task *method.Task, answer method.Answer) (*Result, error) {
	v := answer.Values.High
	x, backup := make([]float64, len(v)), make([]float64, len(v))
	task.Sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			x[s] = d.Discount * v[s]
		}
	})
	gap := bound.Backup(task.Model, task.Sweeper, task.Terms, task.Listed.Inexact, backup, x, v)
	if d.Complement != 0 {
		off := (math.Abs(d.Discount+d.Complement-1) + 4*rounding.Unit) * vector.LargestMagnitude(v)
		gap.Lower, gap.Upper = gap.Lower-off, gap.Upper+off
	}
	result := d.enclose(gap, task, v, backup)
	closer := task.Listed.Lister != nil && !task.IsPressed() // there are rows, and time, for closer bounds
	if closer && !result.met(task.Tolerance) {
		gap = bound.Explicit(d.lister(task.Listed), task.Sweeper, vector.Of(v), nil, gap.Policy).Gap
		result = d.enclose(gap, task, v, backup)
	}
	if math.IsNaN(result.Lower) || math.IsNaN(result.Upper) {
		return nil, limit.ErrNotFinite
	}
	if closer && !result.met(task.Tolerance) {
		result.setBounds(signedBounds{result.bounds, signsOf(task.Listed.Lister, result.Policy)}, result.scale)
		for s, x := range result.Value {
			lower, upper := result.Bounds(s)
			result.Value[s] = between(x, lower, upper)
		}
	}
	return result, nil
}

// lister returns a model that is swept with the discount.
func (d Discounted) lister(model bound.Lister) bound.Lister {
	leave, inexact := d.leave()
	model.Discount = &vector.Discount{Factor: d.Discount, Complement: leave, Inexact: inexact}
	return model
}

// enclose turns bounds on T v − v into a result, whose values it writes to dst.
func (d Discounted) enclose(gap bound.Gap, task *method.Task, v, dst []float64) *Result {
	rate := task.Rate
	leave, inexact := d.leave()
	down, up := shiftDown(gap.Lower, leave, inexact), -shiftDown(-gap.Upper, leave, inexact)
	middle := down + (up-down)/2
	task.Sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			dst[s] = (v[s] + middle) / rate
		}
	})
	result := &Result{Policy: gap.Policy, Value: dst}
	result.setBounds(shiftedBounds{v, down, up, rate}, scale{})
	return result
}

// shiftDown returns a bound on x over 1−β, from below.
func shiftDown(x float64, leave doubledouble.Number, inexact float64) float64 {
	if x == 0 {
		return 0
	}
	shift := x / leave.Hi
	return math.Nextafter(shift-(4*rounding.Unit+inexact)*math.Abs(shift), math.Inf(-1))
}

// signs are what the graph and the signs of costs say of values for certain: from
// where no negative cost can come by any choice no value is below 0, and from where
// no positive one comes by the policy that of the policy is not above 0. So values
// that are 0, which no bound with a tolerance around them shows to be, are known
// exactly.
type signs struct{ notBelow, notAbove []bool }

// signsOf looks at all costs, and at those of a policy.
func signsOf(model rows.Lister, policy []int32) signs {
	all := graphOf(model)
	before := endcomponents.NewPredecessors(all)
	n := model.NumStates()
	reach := func(counts func(s, a int, cost float64) bool, allowed []bool) []bool {
		may := make([]bool, n)
		var row []Entry
		for s := range n {
			for a := 0; a < model.NumActions(s) && !may[s]; a++ {
				var cost float64
				row, cost = model.AppendRow(row[:0], s, a)
				may[s] = counts(s, a, cost)
			}
		}
		before.Towards(may, allowed, make([]int32, n))
		for s := range may {
			may[s] = !may[s]
		}
		return may
	}
	followed := make([]bool, all.NumChoices())
	for s, a := range policy {
		followed[all.StateStart[s]+a] = true
	}
	return signs{
		notBelow: reach(func(_, _ int, cost float64) bool { return cost < 0 }, nil),
		notAbove: reach(func(s, a int, cost float64) bool { return cost > 0 && int32(a) == policy[s] }, followed),
	}
}

// signedBounds are bounds moved to 0 where a sign is known. They are as good a
// proof: with L ≤ c + β·P·L for all choices, max(L, 0) satisfies that too on states
// that lead to no negative cost; and likewise upward.
type signedBounds struct {
	bounds
	signs
}

func (b signedBounds) of(s int) (lower, upper float64) {
	lower, upper = b.bounds.of(s)
	if b.notBelow[s] {
		lower = max(lower, 0)
	}
	if b.notAbove[s] {
		upper = min(upper, 0)
	}
	return lower, upper
}

func (b signedBounds) witnesses() (lower, upper Witness) {
	lower, upper = b.bounds.witnesses()
	lower.Value.raise(b.notBelow, 1)
	upper.Value.raise(b.notAbove, -1)
	return lower, upper
}

// raise sets the numbers whose sign is not that of a direction to 0, where that is
// so for certain.
func (v Vector) raise(certain []bool, direction float64) {
	for s, is := range certain {
		if is && !math.Signbit(-direction*v.High[s]) && v.High[s] != 0 {
			v.High[s], v.Low[s] = 0, 0
		}
	}
}
