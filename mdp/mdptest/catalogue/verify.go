package catalogue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Answer is what a solver says of a problem, by state: bounds on the optimum,
// an estimate of it, and the action to take.
type Answer struct {
	Lower, Value, Upper []float64
	Policy              []int32

	// Converged says that the estimates are as good as [Tolerance] wants.
	Converged bool
}

// Tolerance is how far an estimate that is said to have converged may be from
// the exact optimum, relative to the largest magnitude of an optimum.
const Tolerance = 1e-9

// slack is how far bounds may miss the optimum, relative to the largest magnitude of
// an optimum, where they are right for rounded numbers.
const slack = 1e-12

// maxFaults is how many faults are reported at most.
const maxFaults = 5

// Verify returns nil if an answer is right, else an error that names the states
// where it is not. It asks, in exact arithmetic, that
//
//   - the bounds of each state enclose the exact optimum and the estimate;
//   - what the policy achieves from each state lies between the bounds too, the
//     policy being evaluated anew;
//   - an answer that has converged is within [Tolerance] of the optimum.
func (p *Problem) Verify(a Answer) error { return p.verify(a, p.objective.rounded()) }

// verify allows slack where bounds are those of rounded numbers.
func (p *Problem) verify(a Answer, rounded bool) error {
	n := p.NumStates()
	if len(a.Lower) != n || len(a.Value) != n || len(a.Upper) != n || len(a.Policy) != n {
		return fmt.Errorf("%s: %d lower bounds, %d values, %d upper bounds and %d actions are not valid: use %d each",
			p.Name, len(a.Lower), len(a.Value), len(a.Upper), len(a.Policy), n)
	}
	for s, action := range a.Policy {
		if count := p.numActions(s); action < 0 || int(action) >= count {
			return fmt.Errorf("%s: action %d in state %s is not valid: use 0 … %d", p.Name, action, p.State(s), count-1)
		}
	}
	scale, room := zero, zero
	for _, x := range p.Optimum {
		if x != nil {
			scale = larger(scale, new(big.Rat).Abs(x))
		}
	}
	if rounded {
		room = mul(rational(slack), scale)
	}
	achieved := p.evaluate(a.Policy)
	var faults []error
	for s, optimum := range p.Optimum {
		lower, value, upper := a.Lower[s], a.Value[s], a.Upper[s]
		var fault string
		switch {
		case !(lower <= value && value <= upper):
			fault = fmt.Sprintf("value %v is not between its bounds %v and %v", value, lower, upper)
		case !within(lower, upper, optimum, room):
			fault = fmt.Sprintf("bounds %v and %v do not enclose the optimum %s", lower, upper, text(optimum))
		case !within(lower, upper, achieved[s], room):
			fault = fmt.Sprintf("bounds %v and %v do not enclose what the policy achieves, %s", lower, upper, text(achieved[s]))
		case a.Converged && !within(value, value, optimum, mul(rational(Tolerance), scale)):
			fault = fmt.Sprintf("value %v is not close to the optimum %s", value, text(optimum))
		}
		if fault != "" && len(faults) < maxFaults {
			faults = append(faults, fmt.Errorf("%s: state %s: %s", p.Name, p.State(s), fault))
		}
	}
	return errors.Join(faults...)
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
