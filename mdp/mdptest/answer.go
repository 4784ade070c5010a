package mdptest

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Answer is what a solver says of a problem, by state: bounds on the optimum,
// an estimate of it, and the action to take.
type Answer struct {
	Lower, Upper []float64
	Value        []float64
	Policy       []int32

	// Converged says that the estimates are as good as [Tolerance] wants.
	Converged bool
}

// AnswerOf returns what a result of mdp.Solve says.
func AnswerOf(result *mdp.Result) Answer {
	a := Answer{Policy: result.Policy, Converged: result.Status == mdp.Converged}
	for s := range result.Policy {
		lower, upper := result.Bounds(s)
		a.Lower, a.Upper = append(a.Lower, lower), append(a.Upper, upper)
		a.Value = append(a.Value, result.Optimum(s))
	}
	return a
}

// Tolerance is how far an estimate that is said to have converged may be from
// the exact optimum, relative to the largest magnitude of an optimum.
const Tolerance = 1e-9

// slack is how far bounds may miss the optimum, relative to the largest
// magnitude of an optimum, where they are right for a model of rounded numbers
// and no form says that these are rounded.
const slack = 1e-12

// maxFaults is how many faults are told of one thing.
const maxFaults = 5

// Verify returns nil if an answer is right, else an error that names the states
// where it is not. It asks, in exact arithmetic, that
//
//   - the bounds of each state enclose the exact optimum and the estimate;
//   - what the policy achieves from each state lies between the bounds too, the
//     policy being evaluated anew;
//   - an answer that has converged is within [Tolerance] of the optimum.
func (f Form) Verify(a Answer) error {
	n := f.problem.NumStates()
	for name, length := range map[string]int{"Lower": len(a.Lower), "Upper": len(a.Upper), "Value": len(a.Value), "Policy": len(a.Policy)} {
		if length != n {
			return fmt.Errorf("%v: %s of length %d is not valid: use one for each of the %d states", f, name, length, n)
		}
	}
	for s, action := range a.Policy {
		if count := len(f.problem.exact.states[s]); action < 0 || int(action) >= count {
			return fmt.Errorf("%v: action %d in state %s is not valid: use 0 … %d", f, action, f.problem.State(s), count-1)
		}
	}
	achieved := f.problem.evaluate(a.Policy)
	scale := f.problem.scale()
	room, tolerance := zero, mul(rational(Tolerance), scale)
	if !f.enclosed {
		room = mul(rational(slack), scale)
	}
	var faults []error
	for s, optimum := range f.problem.Optimum {
		if err := f.verifyState(a, s, optimum, achieved[s], room, tolerance); err != nil && len(faults) < maxFaults {
			faults = append(faults, fmt.Errorf("%v: state %s: %w", f, f.problem.State(s), err))
		}
	}
	return errors.Join(faults...)
}

// scale returns the largest magnitude of a finite optimum.
func (p *Problem) scale() *big.Rat {
	scale := new(big.Rat)
	for _, x := range p.Optimum {
		if x != nil && magnitude(x).Cmp(scale) > 0 {
			scale = magnitude(x)
		}
	}
	return scale
}

func (f Form) verifyState(a Answer, s int, optimum, achieved, room, tolerance *big.Rat) error {
	lower, value, upper := a.Lower[s], a.Value[s], a.Upper[s]
	if f.sign < 0 {
		lower, value, upper = -upper, -value, -lower
	}
	if !(lower <= value && value <= upper) {
		return fmt.Errorf("value %v is not between its bounds %v and %v", value, lower, upper)
	}
	if !within(lower, upper, optimum, room) {
		return fmt.Errorf("bounds %v and %v do not enclose the optimum %s", lower, upper, text(optimum))
	}
	if !within(lower, upper, achieved, room) {
		return fmt.Errorf("bounds %v and %v do not enclose what the policy achieves, %s", lower, upper, text(achieved))
	}
	if a.Converged && !within(value, value, optimum, tolerance) {
		return fmt.Errorf("value %v is not close to the optimum %s", value, text(optimum))
	}
	return nil
}

// within says whether lower − room ≤ x ≤ upper + room; x nil is +Inf.
func within(lower, upper float64, x, room *big.Rat) bool {
	if x == nil {
		return math.IsInf(upper, 1)
	}
	// A float64 below the one nearest to x is below x too.
	if f := nearest(x); lower < f && f < upper {
		return true
	}
	above := math.IsInf(lower, -1) || !math.IsInf(lower, 1) && rational(lower).Cmp(add(x, room)) <= 0
	below := math.IsInf(upper, 1) || !math.IsInf(upper, -1) && rational(upper).Cmp(sub(x, room)) >= 0
	return above && below
}

// text returns an exact number as a fraction, and in decimals where that is
// long or no whole number.
func text(x *big.Rat) string {
	switch {
	case x == nil:
		return "+Inf"
	case x.IsInt():
		return x.RatString()
	case len(x.RatString()) > 30:
		return x.FloatString(20)
	default:
		return x.RatString() + " = " + x.FloatString(12)
	}
}
