package discounted

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/method"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// How the bounds of discounted values are proved. For any v
//
//	min_s (T v − v)(s)/(1−β) ≤ v*(s) − v(s) ≤ max_s (T v − v)(s)/(1−β)
//
// (MacQueen 1966; Puterman 1994, Theorem 6.6.2), so the lower and the upper bound of
// every state follow from one sweep over the final values of a method. The
// policy of the result attains T v, so the upper bound holds for its cost, too.
// Bounds move to 0 if the graph shows the sign of a value. Exact solutions
// have other bounds, proved row by row: see package total.

// Bounds enclose the values of all states.
type Bounds struct {
	Policy       []int32
	Value        []float64 // estimates
	Lower, Upper []float64
	Below, Above vector.Vector // the values that prove Lower and Upper, times the rate
}

// Shortfall returns the largest [bound.Shortfall] of a state.
func (b *Bounds) Shortfall(tolerance float64) (largest float64) {
	for s := range b.Lower {
		largest = max(largest, bound.Shortfall(b.Lower[s], b.Upper[s], tolerance))
	}
	return largest
}

// Enclose makes a fresh sweep in float64 over the final values v of a method, times the
// rate. If its bounds are not within the tolerance, it uses the signs of costs if the model
// lists its rows and there is time. If rounding is a large part of their width, it then
// makes a sweep in double-double.
func Enclose(ctx context.Context, task *method.Task, by *vector.Discount, v vector.Vector) (*Bounds, error) {
	n := len(v.High)
	b := &Bounds{
		Value: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n),
		Below: vector.New(n), Above: vector.New(n),
	}
	x, backup := b.Lower, b.Value // until the bounds are known
	task.Sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			x[s] = by.Factor * v.High[s]
		}
	})
	gap := bound.Backup(task.Model, task.Sweeper, task.Terms, task.Listed.RelativeError, backup, x, v.High)
	if by.RelativeError != 0 {
		off := (math.Abs(by.Factor+by.Complement.Hi-1) + 4*rounding.Unit) * vector.LargestMagnitude(v.High)
		gap.Lower, gap.Upper, gap.Widening = gap.Lower-off, gap.Upper+off, gap.Widening+off
	}
	err := b.shift(gap, task, by, vector.Of(v.High))
	if err != nil || task.Listed.Lister == nil || task.IsPressed(ctx) || b.Shortfall(task.Tolerance) == 0 {
		return b, err
	}
	const mostly = 4 // of such a width, higher precision narrows half or less
	err = b.clampSigns(task)
	if err != nil || gap.Upper-gap.Lower > mostly*gap.Widening || b.Shortfall(task.Tolerance) == 0 {
		return b, err
	}
	model := task.Listed
	model.Discount = by
	err = b.shift(bound.Explicit(model, task.Sweeper, v, nil, gap.Policy).Gap, task, by, v)
	if err == nil && b.Shortfall(task.Tolerance) > 0 {
		err = b.clampSigns(task)
	}
	return b, err
}

// shift sets the bounds to those that follow from bounds on T v − v.
func (b *Bounds) shift(gap bound.Gap, task *method.Task, by *vector.Discount, v vector.Vector) error {
	if v.Low != nil { // sums are rounded then
		off := 16 * rounding.Extended * (vector.LargestMagnitude(v.High) + max(-gap.Lower, gap.Upper)/by.Complement.Hi)
		gap.Lower, gap.Upper = gap.Lower-off, gap.Upper+off
	}
	down, up := Shift(gap.Lower, gap.Upper, by)
	if math.IsNaN(down) || math.IsNaN(up) {
		return limit.ErrNotFinite
	}
	b.Policy = gap.Policy
	middle := down + (up-down)/2
	task.Sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			below, above := v.AtOrZero(s).AddFloat(down), v.AtOrZero(s).AddFloat(up)
			b.Below.Set(s, below)
			b.Above.Set(s, above)
			b.Lower[s], b.Upper[s] = rounding.QuotientDown(below.RoundDown(), task.Rate), -rounding.QuotientDown(-above.RoundUp(), task.Rate)
			b.Value[s] = rounding.Between((v.High[s]+middle)/task.Rate, b.Lower[s], b.Upper[s])
		}
	})
	return nil
}

// Shift returns the bounds on v* − v that follow from bounds on T v − v: their quotients
// by 1−β, rounded outward.
func Shift(lower, upper float64, by *vector.Discount) (down, up float64) {
	divide := func(x float64) float64 { // rounded down
		if x == 0 {
			return 0
		}
		y := x / by.Complement.Hi
		return math.Nextafter(y-(4*rounding.Unit+by.RelativeError)*math.Abs(y), math.Inf(-1))
	}
	return divide(lower), -divide(-upper)
}

// clampSigns moves bounds to 0 if the graph and the signs of costs prove on which side of
// 0 a value lies. A value is not below 0 if no choices lead from its state to a negative
// cost; the policy's value is not above 0 if the policy leads to no positive cost. So
// values that are 0 get exact bounds. The proof remains valid: with L ≤ c + β·P·L for all
// choices, max(L, 0) satisfies that too on states that lead to no negative cost; and
// likewise upward.
func (b *Bounds) clampSigns(task *method.Task) error {
	isNear := false // 0, which moves no other bounds
	for s := range b.Lower {
		isNear = isNear || b.Lower[s] <= 0 && b.Upper[s] >= 0
	}
	if !isNear {
		return nil
	}
	all := task.Rows
	if all == nil {
		var err error
		if all, err = rows.Of(task.Listed); err != nil {
			return err
		}
	}
	n := all.NumStates()
	negative, positive := make([]bool, n), make([]bool, n) // whether such costs can follow from a state
	followed := make([]bool, all.NumChoices())
	for s := range n {
		first, end := all.Choices(s)
		followed[first+b.Policy[s]] = true
		positive[s] = all.Costs[first+b.Policy[s]] > 0
		negative[s] = slices.Min(all.Costs[first:end]) < 0
	}
	before := endcomponents.NewPredecessors(all)
	before.Towards(negative, nil, make([]int32, n))
	before.Towards(positive, followed, make([]int32, n))
	for s := range n {
		if !negative[s] && b.Lower[s] < 0 {
			b.Lower[s] = 0
			b.Below.Set(s, doubledouble.Number{})
		}
		if !positive[s] && b.Upper[s] > 0 {
			b.Upper[s] = 0
			b.Above.Set(s, doubledouble.Number{})
		}
		b.Value[s] = rounding.Between(b.Value[s], b.Lower[s], b.Upper[s])
	}
	return nil
}
