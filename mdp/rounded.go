package mdp

import "github.com/mdpsolve/mdpsolve/mdp/internal/rounding"

// Rounded is a [Table] whose numbers are those that are meant, rounded: the
// decimals or fractions of a file, say, which float64 does not hold exactly. It
// is an [Approximate] model, so bounds on its optimum hold for the numbers that are
// meant. They are wider than those of the table by some 10⁻¹⁵ of the costs that
// are paid on the way.
//
// The probabilities that are meant are v_j/V for numbers v_j > 0 with the sum V, of
// which [NewTable] was given the nearest float64 v_j·(1+δ_j), |δ_j| ≤ u = 2⁻⁵³, none
// of them subnormal. Let W = Σ v_j·(1+δ_j) be their sum, so that W = V·(1+δ) with
// |δ| ≤ u. Up to terms of order u², the relative error of an entry is
//
//	where the row was not divided:  v_j·(1+δ_j)/(v_j/V) − 1 = δ_j − δ + (W−1), at most 2u + |W−1|
//	where it was:                   δ_j − δ, the rounding of W and that of the quotient, at most 4u
//
// whatever the length of the row. W is 1 to within u where V is 1. A cost may be off
// by 4u: it may be a product of two numbers that are rounded, or a sum of such
// products of one sign with probabilities that sum to 1, rounded once more.
type Rounded struct{ *Table }

// RelativeError implements [Approximate]: 4u, or 2u and the most by which the sum W of a
// row that was not divided is off 1, up to u times the length of the row and 1 more.
// The factor stands for the terms of order u².
func (r Rounded) RelativeError() float64 {
	return max(4*rounding.Unit, 2*rounding.Unit+r.excess) * (1 + 0x1p-40)
}
