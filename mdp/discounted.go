package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
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
	// Discount is β, in [0, 1). With 0 only the first step counts.
	Discount float64

	// Complement is 1−β where β is meant to be a number that is no float64, such as
	// 0.999999999, each rounded by itself: so close to 1 the digits of 1−β count, and
	// Discount does not hold them. Bounds are then for that β, up to a relative 2⁻⁵³
	// of either. 0 stands for 1−Discount, exactly.
	Complement float64

	// Sense is the direction; zero minimises.
	Sense Sense
}

// String returns "discounted".
func (Discounted) String() string { return "discounted" }

func (d Discounted) check(Model) error {
	switch off := math.Abs(d.Discount + d.Complement - 1); {
	case d.Complement == 0 && !(d.Discount >= 0 && d.Discount < 1):
		return fmt.Errorf("mdp: Discounted.Discount %v is not valid: use a number in [0, 1)", d.Discount)
	case d.Complement != 0 && !(d.Discount >= 0 && d.Complement > 0 && off <= 2*rounding.Unit):
		return fmt.Errorf("mdp: Discounted.Complement %v is not valid with Discount %v: use 1−β, or 0", d.Complement, d.Discount)
	}
	return d.Sense.check()
}

func (d Discounted) sense() Sense { return d.Sense }

func (d Discounted) minimized() Criterion {
	d.Sense = Minimize
	return d
}

// leave returns 1−β, and bounds its relative error, as well as that of β.
func (d Discounted) leave() (complement doubledouble.Number, inexact float64) {
	if d.Complement == 0 {
		return doubledouble.TwoSum(1, -d.Discount), 0
	}
	return doubledouble.FromFloat(d.Complement), 2 * rounding.Unit
}

const (
	// few is the number of states up to which exact evaluation takes no time.
	few = 64
	// slowDiscount is how close to 1 a discount factor is with which values are
	// sums of so many steps that float64 does not hold their digits.
	slowDiscount = 1e-6
)

func (d Discounted) solve(r *run, model Model) (*Result, error) {
	if d.Discount == 0 {
		return d.once(r, model)
	}
	explicit, ok := model.(Explicit)
	_, exact := r.settings.Method.(PolicyIteration)
	leave, _ := d.leave()
	switch chosen := r.settings.Method == nil; {
	case ok && (exact || chosen && (model.NumStates() <= few || leave.Hi < slowDiscount)):
		return d.exactly(r, explicit)
	case !ok || !chosen:
		return r.solve(model, d, r.settings)
	}
	result, err := r.solve(model, d, r.settings)
	if err != nil || !errors.Is(r.limits.End, ErrPrecisionLimit) {
		return result, err
	}
	// Values of some states are too small beside others for one number that bounds
	// them all, or too large for float64.
	r.measure(model, d, result)
	if result.met(r.settings.Tolerance) {
		return result, nil
	}
	r.limits.End = nil
	r.settings.Policy = result.Policy
	return d.exactly(r, explicit)
}

// once solves for a discount of 0: one step.
func (d Discounted) once(r *run, model Model) (*Result, error) {
	r.settings.Method = nil
	result, err := FiniteHorizon{Steps: 1, Sense: d.Sense}.solve(r, model)
	if err != nil {
		return nil, err
	}
	b := result.bounds.(stateBounds)
	b.proof = [2]Witness{{Value: Vector{High: b.lower}}, {Value: Vector{High: b.upper}}}
	result.bounds = b
	return result, nil
}

func (Discounted) choose(_ context.Context, model Model, _ int) (method Method, why string, err error) {
	if _, ok := model.(Explicit); ok {
		return InexactPolicyIteration{}, "it sweeps for as long as that gets on", nil
	}
	if _, ok := model.(PolicyBackuper); ok {
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
	v := answer.values.High
	x, backup := make([]float64, len(v)), make([]float64, len(v))
	task.sweeper.Blocks(func(_, lo, hi int) {
		for s := lo; s < hi; s++ {
			x[s] = d.Discount * v[s]
		}
	})
	certificate := backupBounds(task.model, task.sweeper, backup, x, v)
	if d.Complement != 0 {
		off := (math.Abs(d.Discount+d.Complement-1) + 4*rounding.Unit) * vector.LargestMagnitude(v)
		certificate.Lower, certificate.Upper = certificate.Lower-off, certificate.Upper+off
	}
	result := d.enclose(certificate, task, v, backup)
	if explicit, ok := task.model.(Explicit); ok && !result.met(task.settings.Tolerance) {
		certificate = d.certifyExplicit(explicit, task.sweeper, v)
		result = d.enclose(certificate, task, v, backup)
	}
	if math.IsNaN(result.Lower) || math.IsNaN(result.Upper) {
		return nil, limit.ErrNotFinite
	}
	if explicit, ok := task.model.(Explicit); ok && !result.met(task.settings.Tolerance) {
		result.setBounds(signedBounds{result.bounds, signsOf(explicit, result.Policy)}, result.scale)
		for s, x := range result.Value {
			lower, upper := result.Bounds(s)
			result.Value[s] = between(x, lower, upper)
		}
	}
	return result, nil
}

// enclose turns bounds on T v − v into a result, whose values it writes to dst.
func (d Discounted) enclose(gap bound.Gap, task *task, v, dst []float64) *Result {
	rate := rateOf(task.model)
	leave, inexact := d.leave()
	down, up := shiftDown(gap.Lower, leave, inexact), -shiftDown(-gap.Upper, leave, inexact)
	middle := down + (up-down)/2
	task.sweeper.Blocks(func(_, lo, hi int) {
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

// certifyExplicit returns bounds on T v − v by a sweep in double-double, over
//
//	c(s,a) + β·Σ_{j≠s} p(j|s,a)·(v(j) − v(s)) − (1−β)·v(s).
func (d Discounted) certifyExplicit(model Explicit, sweeper *sweep.Sweeper, v []float64) bound.Gap {
	leave, rounded := d.leave()
	policy := make([]int32, len(v))
	inexact := relativeError(model)
	sweeper.Blocks(func(block, lo, hi int) {
		least, greatest := math.Inf(1), math.Inf(-1)
		var row []Entry
		for s := lo; s < hi; s++ {
			var best doubledouble.Number
			floor, ceiling := math.Inf(1), math.Inf(1)
			rest := leave.MulFloat(v[s])
			for a := range model.NumActions(s) {
				var cost float64
				row, cost = model.AppendRow(row[:0], s, a)
				moves, magnitude, err := vector.Vector{High: v}.Action(row, 0, s)
				value := moves.MulFloat(d.Discount).AddFloat(cost).Sub(rest)
				magnitude += math.Abs(cost)
				err += 16*rounding.Extended*(magnitude+math.Abs(rest.Hi)) + (inexact+rounded)*magnitude + rounded*math.Abs(rest.Hi)
				if v[s] != 0 && math.Abs(rest.Hi) < rounding.Tiny || moves.Hi != 0 && math.Abs(moves.Hi) < rounding.Tiny {
					err += rounding.Subnormal // what products lose that are subnormal
				}
				if a == 0 || value.Less(best) {
					best, policy[s] = value, int32(a)
					ceiling = value.AddFloat(err).RoundUp()
				}
				floor = min(floor, value.AddFloat(-err).RoundDown())
			}
			least, greatest = min(least, floor), max(greatest, ceiling)
		}
		sweeper.Least[block], sweeper.Most[block] = least, greatest
	})
	lower, upper := sweeper.Extremes()
	return bound.Gap{Lower: lower, Upper: upper, Policy: policy}
}
