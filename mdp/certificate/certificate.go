// This file holds what a certificate is, and checks whether it is valid.

package certificate

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
)

// Certificate holds the vectors that prove the bounds of a [Result] from the model
// alone: docs/certificates.md states what they prove, and why. They are in the
// signs of the rewards of the model: Lower proves lower bounds.
//
// The side of the bound that no policy beats (Lower where costs are minimised,
// Upper where rewards are maximised) satisfies an inequality for every choice of
// every state, the other side for the choices of a policy.
type Certificate struct {
	Lower Witness `json:"lower"`
	Upper Witness `json:"upper"`

	// Policy is that of the side that follows one; nil stands for Result.Policy.
	Policy []int32 `json:"policy,omitzero"`

	// Scale proves a lower bound on the value of the absolute rewards under the policy, to which the
	// tolerance of a result is relative; nil for no such proof.
	Scale *Witness `json:"scale,omitempty"`

	// Cycle proves totals of −Inf and, for a total of all steps, the sign of the mean cost in other end
	// components; nil if there is nothing of the kind to prove.
	Cycle *Cycle `json:"cycle,omitempty"`
}

// Witness is one side of a [Certificate]: values by state and, for a long-run
// average, gains beside relative values.
type Witness struct {
	Gain, Value Vector
}

// Cycle proves that costs can be made to fall without bound: a policy with closed
// classes whose mean cost is negative, and relative values that show it. For a total of all steps,
// relative values of other states show that the mean cost is above 0 for ever, whatever the policy.
type Cycle struct {
	Policy []int32
	Value  Vector
}

// cycle returns the cycle of a certificate, if there is one.
func (c *Certificate) cycle() *Cycle {
	if c == nil {
		return nil
	}
	return c.Cycle
}

// Vector is a number for each state: High[s] + Low[s], or Exact[s]. A vector of
// one element stands for the same number in every state, an empty one for zeros.
type Vector struct {
	High, Low []float64 // Low nil: zeros
	// Exact holds fractions and is nil otherwise; nil elements are infinite, with
	// the sign of High.
	Exact []*big.Rat
}

// Validate reports the first thing that is wrong with a certificate about n
// states in itself: vectors that have neither a number for each state nor one for
// all, NaN, policies of another length. It does not know which actions the states
// have. A nil certificate is valid.
func (c *Certificate) Validate(n int) error {
	if c == nil {
		return nil
	}
	policies := map[string][]int32{"policy": c.Policy}
	vectors := map[string]*Vector{
		"lower gain":  &c.Lower.Gain,
		"lower value": &c.Lower.Value,
		"upper gain":  &c.Upper.Gain,
		"upper value": &c.Upper.Value,
	}
	if c.Scale != nil {
		vectors["scale gain"], vectors["scale value"] = &c.Scale.Gain, &c.Scale.Value
	}
	if c.Cycle != nil {
		policies["policy of the cycle"], vectors["cycle value"] = c.Cycle.Policy, &c.Cycle.Value
	}
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		p := policies[name]
		if len(p) != n && (p != nil || name != "policy") {
			return fmt.Errorf("certificate: %s: %d actions do not fit %d states", name, len(p), n)
		}
		if s := slices.IndexFunc(p, func(a int32) bool { return a < 0 }); s >= 0 {
			return fmt.Errorf("certificate: %s: state %d has action %d", name, s, p[s])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vectors)) {
		if err := vectors[name].validate(n); err != nil {
			return fmt.Errorf("certificate: %s: %w", name, err)
		}
	}
	return nil
}

func (v *Vector) validate(n int) error {
	high, low, fractions := len(v.High), len(v.Low), len(v.Exact)
	switch {
	case high > 1 && high != n:
		return fmt.Errorf("%d numbers are neither one for each of %d states nor one for all", high, n)
	case v.Low != nil && low != high || v.Exact != nil && (fractions != high || v.Low != nil):
		return fmt.Errorf("%d numbers have %d low parts and %d fractions: use as many of one kind, and none of the other", high, low, fractions)
	}
	if v.Exact == nil && areFinite(v.High) && areFinite(v.Low) {
		return nil
	}
	for s, x := range v.High {
		infinite, rest := math.IsInf(x, 0), 0.0
		if v.Low != nil {
			rest = v.Low[s]
		}
		switch {
		case v.Exact != nil:
			if v.Exact[s] == nil && !infinite {
				return fmt.Errorf("place %d has no fraction", s)
			}
		case math.IsNaN(x) || math.IsNaN(rest) || math.IsInf(rest, 0) || infinite && rest != 0:
			return fmt.Errorf("place %d: %v with low part %v is not valid", s, x, rest)
		}
	}
	return nil
}

// areFinite reports whether no number is infinite or NaN.
func areFinite(list []float64) bool {
	for _, x := range list {
		if x-x != 0 { // NaN for infinite numbers and for NaN
			return false
		}
	}
	return true
}
