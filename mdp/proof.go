package mdp

import "github.com/mdpsolve/mdpsolve/mdp/internal/vector"

// Proof holds the vectors that prove the bounds of a [Result], whatever method found
// them: anybody can check the inequalities below from the model alone. Costs are
// those of the model, with their signs changed where it is to be maximised: then
// lower and upper bounds change places too.
//
// With c the cost and P the transition row of a choice, for every choice of every
// state
//
//	Discounted        L(s) ≤ c + β·P·L
//	TotalCost         L(s) ≤ c + P·L, outside the target, where L = 0
//	LongRunAverage    g(s) ≤ P·g, and g(s) + h(s) ≤ c + P·h where the choice stays
//	                  in its maximal end component,
//
// which proves L, or g, to be a lower bound on what any policy costs; and with ≥
// in place of ≤ for the choices of the policy, which proves an upper bound. For a
// [Timed] model costs are per unit of time, so that L and h count in units of cost
// times the rate, and g in costs per unit of time.
//
// Infinite bounds of TotalCost follow from the graph of the model, but for totals
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

// Cycle is a policy with closed classes whose mean cost is negative, and values
// that show it.
type Cycle struct {
	Policy []int32
	Value  Vector
}

// Vector is a number High[s] + Low[s] for each state. One of length 1 stands for
// the same number in every state, one of length 0 for zeros; Low may be nil.
type Vector struct{ High, Low []float64 }

// Proof returns the vectors that prove the bounds of the result.
func (r *Result) Proof() Proof { return r.proof }

// vectorOf returns values as a Vector that shares their memory.
func vectorOf(v vector.Vector) Vector { return Vector{High: v.High, Low: v.Low} }

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
