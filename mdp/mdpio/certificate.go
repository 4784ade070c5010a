package mdpio

import "math/big"

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
