package mdpio

// This file holds what a certificate is; result_json.go how it is written.

import (
	"fmt"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// Certificate holds the vectors that prove the bounds of a [Result] from the model
// alone: docs/certificates.md states what they prove, and why. They are in the
// signs of the rewards of the model: Lower proves lower bounds.
//
// The side of the bound that no policy beats (Lower where costs are minimised,
// Upper where rewards are maximised) satisfies an inequality for every choice of
// every state, the other side for the choices of a policy.
type Certificate struct {
	Lower, Upper Witness

	// Policy is that of the side that follows one; nil stands for Result.Policy.
	Policy []int32

	// Scale proves what the absolute rewards under the policy come to at least,
	// to which the tolerance of a result is relative; nil for no such proof.
	Scale *Witness

	// Cycle proves totals of −Inf; nil where there are none.
	Cycle *Cycle
}

// Witness is one side of a [Certificate]: values by state and, for a long-run
// average, gains beside relative values.
type Witness struct {
	Gain, Value Vector
}

// Cycle proves that costs can be made to fall without bound: a policy with closed
// classes whose mean cost is negative, and relative values that show it.
type Cycle struct {
	Policy []int32
	Value  Vector
}

// Vector is a number for each state: High[s] + Low[s], or Exact[s]. A vector of
// one element stands for the same number in every state, an empty one for zeros.
type Vector struct {
	High, Low []float64 // Low nil: zeros
	// Exact holds fractions and is nil otherwise; nil elements are infinite, with
	// the sign of High.
	Exact []*big.Rat
}

// At returns the number at state s as the sum of two float64, which is the number
// itself unless the vector is one of fractions: then it is next to it, and NaN where
// they are beyond 2^1000 or within 2^−900. Infinite numbers have low = 0.
func (v *Vector) At(s int) (high, low float64) {
	if s = v.index(s); s < 0 {
		return 0, 0
	}
	high = v.High[s]
	switch {
	case len(v.Exact) > 0 && v.Exact[s] != nil:
		x := doubledouble.FromRat(v.Exact[s])
		return x.Hi, x.Lo
	case v.Low != nil:
		low = v.Low[s]
	}
	return high, low
}

// Rat returns the number at state s exactly, nil for an infinite one. It may
// share memory with the vector.
func (v *Vector) Rat(s int) *big.Rat {
	switch s = v.index(s); {
	case s < 0:
		return zero
	case v.Exact != nil:
		return v.Exact[s]
	case math.IsInf(v.High[s], 0):
		return nil
	}
	high, low := v.At(s)
	return doubledouble.Number{Hi: high, Lo: low}.Rat()
}

// index returns the place of the number of state s, −1 in an empty vector.
func (v *Vector) index(s int) int {
	if len(v.High) < 2 {
		return len(v.High) - 1
	}
	return s
}

// Validate reports the first thing that is wrong with a certificate about n
// states in itself: vectors that have neither a number for each state nor one for
// all, NaN, policies of another length. Which actions there are it cannot know. No
// certificate (nil) is in order.
func (c *Certificate) Validate(n int) error {
	if c == nil {
		return nil
	}
	for _, p := range c.policies() {
		if len(p.policy) != n {
			return fmt.Errorf("%s of the certificate: %d actions found; one for each of %d states is allowed", p.name, len(p.policy), n)
		}
		for s, a := range p.policy {
			if a < 0 {
				return fmt.Errorf("%s of the certificate: action %d found in state %d; one from 0 up is allowed", p.name, a, s)
			}
		}
	}
	for _, p := range c.vectors() {
		if err := p.vector.validate(n); err != nil {
			return fmt.Errorf("%s of the certificate: %w", p.name, err)
		}
	}
	return nil
}

type namedPolicy struct {
	name   string
	policy []int32
}

func (c *Certificate) policies() []namedPolicy {
	var list []namedPolicy
	if c.Policy != nil {
		list = append(list, namedPolicy{"policy", c.Policy})
	}
	if c.Cycle != nil {
		list = append(list, namedPolicy{"policy of the cycle", c.Cycle.Policy})
	}
	return list
}

type namedVector struct {
	name   string
	vector *Vector
}

func (c *Certificate) vectors() []namedVector {
	list := []namedVector{
		{"lower gain", &c.Lower.Gain},
		{"lower value", &c.Lower.Value},
		{"upper gain", &c.Upper.Gain},
		{"upper value", &c.Upper.Value},
	}
	if c.Scale != nil {
		list = append(list, namedVector{"scale gain", &c.Scale.Gain}, namedVector{"scale value", &c.Scale.Value})
	}
	if c.Cycle != nil {
		list = append(list, namedVector{"cycle value", &c.Cycle.Value})
	}
	return list
}

// numStates returns how many states a certificate is about, as far as it shows.
func (c *Certificate) numStates() int {
	n := 0
	for _, p := range c.policies() {
		n = max(n, len(p.policy))
	}
	for _, v := range c.vectors() {
		n = max(n, len(v.vector.High))
	}
	return n
}

func (v *Vector) validate(n int) error {
	if m := len(v.High); m > 1 && m != n {
		return fmt.Errorf("%d numbers found; one for each of %d states, or one for all, is allowed", m, n)
	}
	if v.Low != nil && len(v.Low) != len(v.High) || v.Exact != nil && (len(v.Exact) != len(v.High) || v.Low != nil) {
		return fmt.Errorf("%d numbers with %d low parts and %d fractions found; as many low parts or fractions, not both, are allowed",
			len(v.High), len(v.Low), len(v.Exact))
	}
	for s, high := range v.High {
		infinite := math.IsInf(high, 0)
		if v.Exact != nil {
			if v.Exact[s] == nil && !infinite {
				return fmt.Errorf("no fraction found in place %d; one for each finite number is allowed", s)
			}
			continue
		}
		low := 0.0
		if v.Low != nil {
			low = v.Low[s]
		}
		if math.IsNaN(high) || math.IsNaN(low) || math.IsInf(low, 0) || infinite && low != 0 {
			return fmt.Errorf("%v with low part %v found in place %d; a number with a finite low part is allowed", high, low, s)
		}
	}
	return nil
}
