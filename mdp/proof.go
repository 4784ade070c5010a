package mdp

import "github.com/mdpsolve/mdpsolve/mdp/internal/vector"

// Proof holds vectors that prove the bounds of a [Result], whatever method found
// them: the inequalities below can be checked from the model alone. When maximising,
// costs are the rewards of the model with their signs changed, and lower and upper
// bounds change places.
//
// With c the cost and P the transition row of a choice, every choice of every
// state satisfies
//
//	Discounted        L(s) ≤ c + β·P·L
//	TotalCost         L(s) ≤ c + P·L, outside the target, where L = 0
//	LongRunAverage    g(s) ≤ P·g, and g(s) + h(s) ≤ c + P·h where the choice stays
//	                  in its maximal end component,
//
// which proves that L, or g, is a lower bound on the cost of any policy. The choices of
// the policy satisfy these with ≥ in place of ≤, which proves an upper bound. For a
// [Timed] model costs and g are per unit of time, and L and h are in units of cost
// times the rate.
//
// Infinite bounds of TotalCost follow from the graph of the model, except totals
// of −Inf, which Cycle proves: c + P·x ≤ x in every state of some closed classes
// of its policy, and < x in a state of each.
//
// FiniteHorizon has no such vectors: its proof is backward induction.
type Proof struct {
	Lower, Upper Witness
	Scale        *Witness // proves that the absolute costs under the policy have at least the value Result.Scale; nil for none
	Cycle        *Cycle   // nil for none
}

// Witness is one side of a [Proof].
type Witness struct {
	Gain  Vector // g; empty for criteria other than LongRunAverage
	Value Vector // L, or h
}

// Cycle is a policy with closed classes of negative mean cost, and values that prove it.
type Cycle struct {
	Policy []int32
	Value  Vector
}

// Vector is a number High[s] + Low[s] for each state; Low may be nil. A vector of length 1
// stands for the same number in every state, one of length 0 for zeros.
type Vector struct{ High, Low []float64 }

// Proof returns the vectors that prove the bounds of the result.
func (r *Result) Proof() Proof { return r.proof }

// vectorOf returns values as a Vector that shares their memory.
func vectorOf(v vector.Vector) Vector { return Vector{High: v.High, Low: v.Low} }

// inner is the reverse of vectorOf.
func (v Vector) inner() vector.Vector { return vector.Vector{High: v.High, Low: v.Low} }

// negative returns −v, without −0.
func (v Vector) negative() Vector { return Vector{High: opposite(v.High), Low: opposite(v.Low)} }

func (w Witness) negative() Witness {
	return Witness{Gain: w.Gain.negative(), Value: w.Value.negative()}
}

// opposite returns −x, without −0, and nil for nil.
func opposite(x []float64) []float64 {
	if x == nil {
		return nil
	}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = 0 - x[i]
	}
	return y
}
