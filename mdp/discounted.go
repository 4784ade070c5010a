package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// Discounted is the expected total cost where a cost that is paid after t steps
// counts β^t times,
//
//	v(s) = E[ Σ_t β^t·c_t ] from s,
//
// minimised over all policies (Puterman 1994, chapter 6).
//
// The cost of a step of a [Timed] model of rate Λ is its cost per unit of time
// over Λ. With β = Λ/(Λ+α) the value is then (Λ+α)/Λ times that of the
// continuous-time process discounted at rate α.
type Discounted struct {
	// Discount is β, in (0, 1).
	Discount float64

	// Sense is the direction; zero minimises.
	Sense Sense
}

// String returns "discounted".
func (Discounted) String() string { return "discounted" }

func (d Discounted) check(Model) error {
	if !(d.Discount > 0 && d.Discount < 1) {
		return fmt.Errorf("mdp: Discounted.Discount %v found; a number between 0 and 1 is allowed", d.Discount)
	}
	return d.Sense.check()
}

func (d Discounted) sense() Sense { return d.Sense }

func (d Discounted) solve(r *run, model Model) (*Result, error) {
	explicit, ok := model.(Explicit)
	if _, exact := r.settings.Method.(PolicyIteration); ok && exact {
		return d.exactly(r, explicit)
	}
	return r.solve(model, d, r.settings)
}

func (Discounted) choose(_ context.Context, model Model, _ int) (method Method, why string, err error) {
	if _, ok := model.(Explicit); ok {
		return InexactPolicyIteration{}, "it sweeps for as long as that gets on", nil
	}
	if _, ok := model.(Follower); ok {
		return ModifiedPolicyIteration{}, "the model does not list its rows", nil
	}
	return ValueIteration{}, "the model neither lists its rows nor sweeps with a fixed policy", nil
}

// certify uses that for any v
//
//	min_s (T v − v)(s)/(1−β) ≤ v*(s) − v(s) ≤ max_s (T v − v)(s)/(1−β)
//
// (MacQueen 1966; Puterman 1994, Theorem 6.6.2), first by a sweep in float64
// with a bound on its rounding, and where that is not good enough and the rows
// can be listed, in double-double.
func (d Discounted) certify(task *task, answer answer) (*Result, error) {
	v := answer.values.high
	x, backup := make([]float64, len(v)), make([]float64, len(v))
	task.sweeper.blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			x[s] = d.Discount * v[s]
		}
	})
	certificate := backupBounds(task.model, task.sweeper, backup, x, v)
	result := d.enclose(certificate, task, v, backup)
	if explicit, ok := task.model.(Explicit); ok && !result.bounds.met(task.settings) {
		certificate = d.certifyExplicit(explicit, task.sweeper, v)
		result = d.enclose(certificate, task, v, backup)
	}
	if math.IsNaN(result.Lower) || math.IsNaN(result.Upper) {
		return nil, errNaN
	}
	return result, nil
}

var errNaN = errors.New("mdp: a backup gave NaN; costs and values must stay finite numbers")

// enclose turns bounds on T v − v into a result, whose values it writes to dst.
func (d Discounted) enclose(c Certificate, task *task, v, dst []float64) *Result {
	rate := rateOf(task.model)
	leave := 1 - d.Discount // exact for β ≥ ½, and within 2⁻⁵³ below
	lower, upper := c.Lower/leave, c.Upper/leave
	middle := lower + (upper-lower)/2
	task.sweeper.blocks(func(block, lo, hi int) {
		for s := lo; s < hi; s++ {
			dst[s] = (v[s] + middle) / rate
		}
		task.sweeper.most[block] = largestMagnitude(dst[lo:hi])
	})
	largest := slices.Max(task.sweeper.most)
	// Four roundings lie between the bounds and the values.
	radius := ((upper-lower)/2*(1+8*unitRoundoff) + 2*unitRoundoff*math.Abs(middle)) / rate
	radius += 4 * unitRoundoff * largest
	if largest > 0 {
		radius += underflowed
	}
	result := &Result{Certificate: c, Values: dst, bounds: radiusBounds{dst, radius, largest}}
	result.Lower, result.Upper = result.Bounds(0)
	return result
}

// certifyExplicit returns bounds on T v − v by a sweep in double-double, over
//
//	c(s,a) + β·Σ_{j≠s} p(j|s,a)·(v(j) − v(s)) − (1−β)·v(s).
func (d Discounted) certifyExplicit(model Explicit, sweeper *sweeper, v []float64) Certificate {
	leave := doubledouble.TwoSum(1, -d.Discount)
	policy := make([]int32, len(v))
	inexact := relativeError(model)
	sweeper.blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		var row []Entry
		for s := lo; s < hi; s++ {
			var best doubledouble.Number
			floor, ceiling := math.Inf(1), math.Inf(1)
			rest := leave.MulFloat(v[s])
			for a := range model.NumActions(s) {
				var cost float64
				row, cost = model.AppendRow(row[:0], s, a)
				moves, magnitude, err := values{high: v}.action(row, 0, s)
				value := moves.MulFloat(d.Discount).AddFloat(cost).Sub(rest)
				magnitude += math.Abs(cost)
				err += 16*extendedRoundoff*(magnitude+math.Abs(rest.Hi)) + inexact*magnitude
				if a == 0 || value.Less(best) {
					best, policy[s] = value, int32(a)
					ceiling = value.AddFloat(err).RoundUp()
				}
				floor = min(floor, value.AddFloat(-err).RoundDown())
			}
			least, greatest = min(least, floor), max(greatest, ceiling)
		}
		sweeper.least[block], sweeper.most[block] = least, greatest
	})
	lower, upper := sweeper.extremes()
	return Certificate{Lower: lower, Upper: upper, Policy: policy}
}
