package bound

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// scaleRounds is the most rounds in which [Scale] raises a lower bound: values far from 0, which give such a
// bound at once, are mostly a few steps away.
const scaleRounds = 8

// Scale returns a lower bound h on the values of the absolute costs under a policy, by which most differences
// between the bounds of small values count, and the proof of it: h ≤ |c| + β·P·h for the choices of the policy. It
// begins with values below and above that satisfy the inequalities of lower and upper bounds for discounted or
// total costs:
//
//	h = max(below, −above, 0)
//
// satisfies that, too, and so do sweeps from h that raise it. They sweep over the states in which isMet(s, h(s)) is false,
// until there are none; if some are left, the result is no vector. Nor is it if costs have one sign, as h is not larger than the
// magnitudes of values then.
func Scale(r *rows.Rows, by *vector.Discount, relativeError float64, policy []int32, below, above vector.Vector, isMet func(s int, h float64) bool) vector.Vector {
	if !slices.ContainsFunc(r.Costs, func(c float64) bool { return c < 0 }) || !slices.ContainsFunc(r.Costs, func(c float64) bool { return c > 0 }) {
		return vector.Vector{}
	}
	h, open, longest := vector.New(len(policy)), []int32(nil), 0
	for s := range policy {
		h.Set(s, below.AtOrZero(s))
		if x := above.AtOrZero(s).Neg(); h.At(s).Less(x) {
			h.Set(s, x)
		}
		if h.High[s] <= 0 {
			h.Set(s, doubledouble.Number{})
		}
		if !isMet(s, h.At(s).RoundDown()) {
			open, longest = append(open, int32(s)), max(longest, len(r.Next(r.StateStart[s]+policy[s])))
		}
	}
	share := 1 - 2*BackupError(longest, relativeError)
	factor := share
	if by != nil {
		factor *= by.Factor * (1 - 2*by.RelativeError)
	}
	for round := 0; round < scaleRounds && len(open) > 0; round++ {
		left := open[:0]
		for _, s := range open {
			k, sum := r.StateStart[s]+policy[s], 0.0
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				sum += float64(r.Probabilities[e] * h.High[r.Columns[e]])
			}
			if x := share*math.Abs(r.Costs[k]) + factor*sum; x > rounding.Tiny && x > h.High[s] {
				h.Set(int(s), doubledouble.FromFloat(x))
			}
			if !isMet(int(s), h.High[s]) {
				left = append(left, s)
			}
		}
		open = left
	}
	if len(open) > 0 {
		return vector.Vector{}
	}
	return h
}
