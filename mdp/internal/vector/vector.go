// Package vector holds vectors over the states of a model: plain ones in float64,
// and those in double-double arithmetic, whose differences keep their digits if
// values are large and close to each other.
package vector

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// Vector is a number for each state: High in float64, or High + Low, not added
// up, in double-double. The zero value is no vector.
type Vector struct {
	High, Low []float64 // Low nil: zero

	// Resolution is the error of the values of a policy, as a share of what Size
	// returns; 0 if it is not known.
	Resolution float64
}

// New returns zeros in double-double.
func New(n int) Vector {
	return Vector{High: make([]float64, n), Low: make([]float64, n)}
}

// Of returns the vector of High without Low; it keeps the slice.
func Of(high []float64) Vector { return Vector{High: high} }

// Extended returns the vector of High in double-double, with a Low of zeros.
func Extended(high []float64) Vector {
	return Vector{High: high, Low: make([]float64, len(high))}
}

// At returns v(s) of a vector with both parts.
func (v Vector) At(s int) doubledouble.Number {
	return doubledouble.Number{Hi: v.High[s], Lo: v.Low[s]}
}

// AtOrZero returns v(s) of any vector, 0 for no vector.
func (v Vector) AtOrZero(s int) doubledouble.Number {
	switch {
	case v.High == nil:
		return doubledouble.Number{}
	case v.Low == nil:
		return doubledouble.FromFloat(v.High[s])
	}
	return v.At(s)
}

// Set sets v(s) of a vector with both parts.
func (v Vector) Set(s int, x doubledouble.Number) { v.High[s], v.Low[s] = x.Hi, x.Lo }

// Difference returns v(i) − v(j) in double-double.
func (v Vector) Difference(i, j int) doubledouble.Number {
	d := doubledouble.TwoSum(v.High[i], -v.High[j])
	if v.Low == nil {
		return d
	}
	return d.Add(doubledouble.TwoSum(v.Low[i], -v.Low[j]))
}

// Action returns c + Σ_j p_j·(v(j) − v(s)), the sum of the magnitudes of its
// terms, and a bound on the error of the sum. Only the entries off the diagonal
// count: the probability of staying is what they leave, exactly, so that no
// rounding of row sums enters.
func (v Vector) Action(row []rows.Entry, cost float64, s int) (sum doubledouble.Number, magnitude, err float64) {
	sum = doubledouble.FromFloat(cost)
	magnitude = math.Abs(cost)
	underflow := 0.0
	for _, e := range row {
		if int(e.State) == s {
			continue
		}
		difference := v.Difference(int(e.State), s)
		term := difference.MulFloat(e.Probability)
		if difference.Hi != 0 && math.Abs(term.Hi) < 0x1p-960 {
			underflow = rounding.Subnormal
		}
		sum = sum.Add(term)
		magnitude += math.Abs(term.Hi)
	}
	// In units of 2⁻¹⁰⁶ a difference errs by 3 of its magnitude, a product by 2,
	// and each of the additions by 3 of a sum that is at most the magnitude.
	return sum, magnitude, float64(3*len(row)+6) * (rounding.Extended*magnitude + underflow)
}

// ActionFloor returns a lower bound on what [Vector.Action] sums, or [Vector.DiscountedAction] if
// there is a discount, less a relative error of its terms. It is computed in float64, in a fraction
// of the time: enough to tell that an action is far from the best one.
func (v Vector) ActionFloor(row []rows.Entry, cost float64, s int, d *Discount, relativeError float64) float64 {
	sum, magnitude, here := 0.0, 0.0, v.High[s]
	for _, e := range row {
		if int(e.State) != s {
			there := v.High[e.State]
			sum += float64(e.Probability * (there - here))
			magnitude += float64(e.Probability * (math.Abs(there) + math.Abs(here)))
		}
	}
	if d != nil {
		rest := float64(d.Complement.Hi * here)
		sum = float64(d.Factor*sum) - rest
		magnitude += math.Abs(rest)
		relativeError += d.RelativeError
	}
	sum, magnitude = sum+cost, magnitude+math.Abs(cost)
	// In units of 2⁻⁵³ of the magnitude, the Low of the values count for 1, a difference
	// and a product for 2, each addition for 1, the discount and its complement for 3, and the
	// rest is for terms of higher order.
	return sum - (float64(len(row)+16)*rounding.Unit+relativeError)*magnitude - rounding.Underflow(len(row)+2)
}

// Discount is a discount factor β with its complement 1−β, and a bound on the relative
// error of either.
type Discount struct {
	Factor        float64
	Complement    doubledouble.Number
	RelativeError float64
}

// DiscountedAction returns c + β·Σ_j p_j·(v(j) − v(s)) − (1−β)·v(s), and magnitude and
// error as [Vector.Action] does.
func (v Vector) DiscountedAction(row []rows.Entry, cost float64, s int, d *Discount) (sum doubledouble.Number, magnitude, err float64) {
	moves, magnitude, err := v.Action(row, 0, s)
	rest := d.Complement.Mul(v.AtOrZero(s))
	sum = moves.MulFloat(d.Factor).AddFloat(cost).Sub(rest)
	magnitude += math.Abs(cost)
	err += (16*rounding.Extended + d.RelativeError) * (magnitude + math.Abs(rest.Hi))
	if v.High[s] != 0 && math.Abs(rest.Hi) < rounding.Tiny || moves.Hi != 0 && math.Abs(moves.Hi) < rounding.Tiny {
		err += rounding.Subnormal // what products lose that are subnormal
	}
	return sum, magnitude, err
}

// Size returns Σ_j p_j·(|v(j)| + |v(s)|), to which the resolution of the values
// in a row is relative.
func (v Vector) Size(row []rows.Entry, s int) float64 {
	size := 0.0
	for _, e := range row {
		if int(e.State) != s {
			size += e.Probability * (math.Abs(v.High[e.State]) + math.Abs(v.High[s]))
		}
	}
	return size
}

// Plus returns v + w, each with both parts.
func (v Vector) Plus(w Vector) Vector {
	sum := New(len(v.High))
	sum.Resolution = v.Resolution
	for i := range sum.High {
		sum.Set(i, v.At(i).Add(w.At(i)))
	}
	return sum
}

// Negative returns −v.
func (v Vector) Negative() Vector {
	return Vector{High: Scaled(v.High, -1), Low: Scaled(v.Low, -1), Resolution: v.Resolution}
}

// Relative returns v(s) − v(0), over a rate, in float64.
func (v Vector) Relative(rate float64) []float64 {
	relative := make([]float64, len(v.High))
	for i := range relative {
		relative[i] = v.Difference(i, 0).Hi / rate
	}
	return relative
}
