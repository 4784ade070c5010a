package mdp

import "github.com/mdpsolve/mdpsolve/mdp/internal/rounding"

// Rounded is a [Table] whose numbers were rounded to float64, such as the decimals or
// fractions of a file. It is an [Approximate] model: bounds on its optimum hold for the
// numbers before rounding. They are wider than those of the table by some 10⁻¹⁵ of the
// absolute costs that add up.
//
// The probabilities before rounding are v_j/V, for numbers v_j > 0 with the sum V.
// [NewTable] was given the nearest float64 v_j·(1+δ_j), |δ_j| ≤ u = 2⁻⁵³, none
// of them subnormal. Let W = Σ v_j·(1+δ_j) be their sum, so that W = V·(1+δ) with
// |δ| ≤ u. Up to terms of order u², the relative error of an entry is
//
//	in a row that was not divided:  v_j·(1+δ_j)/(v_j/V) − 1 = δ_j − δ + (W−1), at most 2u + |W−1|
//	in a row that was:              δ_j − δ, and the rounding of W and of the quotient, at most 4u
//
// for rows of any length. If V is 1, W is 1 to within u. A cost may be off
// by 4u: it may be a product of two rounded numbers, or a sum of such
// products of one sign with probabilities that sum to 1, rounded once more.
type Rounded struct{ *Table }

// RelativeError implements [Approximate]: it returns 4u, or 2u plus the largest |W − 1|
// of a row that was not divided, if that is more: at most u times the length of the row
// plus 1. A factor covers the terms of order u².
func (r Rounded) RelativeError() float64 {
	return max(4*rounding.Unit, 2*rounding.Unit+r.excess) * (1 + 0x1p-40)
}
