package discounted

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
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

	// Scale proves, as [bound.Scale] does, that bounds are within the tolerance; no vector if they are without it.
	Scale vector.Vector
}

// Shortfall returns the largest [bound.Shortfall] of a state.
func (b *Bounds) Shortfall(tolerance float64) (largest float64) {
	if b.Scale.High != nil {
		return 0
	}
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
	isRounding := gap.Upper-gap.Lower <= mostly*gap.Widening
	err = b.nearZero(task, by, isRounding)
	if err != nil || !isRounding || b.Shortfall(task.Tolerance) == 0 {
		return b, err
	}
	model := task.Listed
	model.Discount = by
	err = b.shift(bound.Explicit(model, task.Sweeper, v, nil, gap.Policy).Gap, task, by, v)
	if err == nil && b.Shortfall(task.Tolerance) > 0 {
		err = b.nearZero(task, by, true)
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

// nearZero judges values near 0, which have bounds on both sides of it, by more than the bounds: it moves these to
// 0 if the graph and the signs of costs prove on which side of 0 a value lies. So values that are 0 get exact
// bounds. If others are too wide, and were before or isLast, it looks for the scale.
func (b *Bounds) nearZero(task *method.Task, by *vector.Discount, isLast bool) error {
	var near []int32
	for s := range b.Lower {
		if b.Lower[s] <= 0 && b.Upper[s] >= 0 {
			near = append(near, int32(s))
		}
	}
	all := task.Rows
	if all == nil && len(near) == 0 {
		return nil
	}
	if all == nil {
		var err error
		if all, err = rows.Of(task.Listed); err != nil {
			return err
		}
	}
	if len(near) > 0 {
		b.clamp(all, near, b.Lower, b.Below, 1)
		b.clamp(all, near, b.Upper, b.Above, -1)
	}
	for _, s := range near {
		b.Value[s] = rounding.Between(b.Value[s], b.Lower[s], b.Upper[s])
	}
	if (isLast || task.Strictness > 1) && b.Shortfall(task.Tolerance) > 0 {
		b.Scale = bound.Scale(all, by, task.Listed.RelativeError, b.Policy, b.Below, b.Above, func(s int, h float64) bool {
			return bound.Within(b.Lower[s], b.Upper[s], rounding.QuotientDown(h, task.Rate), task.Tolerance)
		})
	}
	return nil
}

// clamp moves the bounds on one side, lower ones with sign 1, of states near 0 to 0, except those of states whose
// choices, or those of the policy for upper bounds, may lead through such states to a cost or to a bound on that side of 0.
// The proof remains valid: with L ≤ c + β·P·L for all choices, L = 0 satisfies that too where c ≥ 0 and L ≥ 0 in the
// states that follow; and likewise upward.
func (b *Bounds) clamp(all *rows.Rows, near []int32, limits []float64, proof vector.Vector, sign float64) {
	place := make([]int32, len(limits)) // in near, from 1
	for i, s := range near {
		place[s] = int32(i) + 1
	}
	g, beyond := graph.New(len(near)), []int32(nil)
	for i, s := range near {
		first, end := all.Choices(int(s))
		if sign < 0 {
			first, end = first+b.Policy[s], first+b.Policy[s]+1
		}
		isBeyond := false
		for k := first; k < end; k++ {
			isBeyond = isBeyond || sign*all.Costs[k] < 0
			for _, j := range all.Next(k) {
				if place[j] > 0 {
					g.Add(place[j] - 1)
				}
				isBeyond = isBeyond || place[j] == 0 && sign*limits[j] < 0
			}
		}
		if g.EndState(); isBeyond {
			beyond = append(beyond, int32(i))
		}
	}
	_, reaches := g.Reverse().Reached(beyond, make([]bool, len(near)))
	for i, s := range near {
		if !reaches[i] && sign*limits[s] < 0 {
			limits[s] = 0
			proof.Set(int(s), doubledouble.Number{})
		}
	}
}
