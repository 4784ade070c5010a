package mdp

// Rounded is a [Table] whose numbers are those that are meant, rounded: the
// decimals or fractions of a file, say, which float64 does not hold exactly. It
// is an [Inexact] model, so bounds on its optimum hold for the numbers that are
// meant. They are wider than those of the table by some 10⁻¹⁵ of the costs that
// are paid on the way.
//
// A probability may be off by rounding once, relative 2⁻⁵³. A cost may be a
// product of two such numbers or a sum of products of one sign, rounded once
// more.
type Rounded struct{ *Table }

// RelativeError implements [Inexact].
func (Rounded) RelativeError() float64 { return 4 * unitRoundoff }
