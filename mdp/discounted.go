package mdp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
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

// discount returns β for sweeps, which need one below 1 even where it only shows in
// the Complement.
func (d Discounted) discount() float64 { return min(d.Discount, 1-rounding.Unit) }

func (Discounted) choose(_ context.Context, model Model, _ int) (method Method, why string, err error) {
	if _, ok := model.(Explicit); ok {
		return InexactPolicyIteration{}, "it sweeps for as long as that gets on", nil
	}
	if _, ok := model.(PolicyBackuper); ok {
		return ModifiedPolicyIteration{}, "the model does not list its rows", nil
	}
	return ValueIteration{}, "the model neither lists its rows nor sweeps with a fixed policy", nil
}
