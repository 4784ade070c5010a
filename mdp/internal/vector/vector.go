package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// unitRoundoff is u = 2⁻⁵³, the largest relative error of rounding to float64.
const unitRoundoff = 0x1p-53

// extendedRoundoff is 2⁻¹⁰⁶, with room for terms of higher order: the unit in
// which the errors of double-double arithmetic are counted.
const extendedRoundoff = 0x1.0001p-106

// values are relative values in float64, or with a second part (high + low
// unevaluated) in double-double precision.
type values struct {
	high, low []float64 // low nil: zero

	// resolution is how far the values are from those of a policy, as a share
	// of what size returns; 0 where that is not known.
	resolution float64
}

// difference returns v(i) − v(j) in double-double.
func (v values) difference(i, j int) doubledouble.Number {
	d := doubledouble.TwoSum(v.high[i], -v.high[j])
	if v.low == nil {
		return d
	}
	return d.Add(doubledouble.TwoSum(v.low[i], -v.low[j]))
}

// orZero returns v(s), 0 where there are no values.
func (v values) orZero(s int) doubledouble.Number {
	switch {
	case v.high == nil:
		return doubledouble.Number{}
	case v.low == nil:
		return doubledouble.FromFloat(v.high[s])
	}
	return v.number(s)
}

// action returns c + Σ_j p_j·(v(j) − v(s)), the sum of the magnitudes of its
// terms, and a bound on the error of the sum. Only the entries off the diagonal
// count: the probability of staying is what they leave, exactly, so that no
// rounding of row sums enters.
func (v values) action(row []Entry, cost float64, s int) (sum doubledouble.Number, magnitude, err float64) {
	sum = doubledouble.FromFloat(cost)
	magnitude = math.Abs(cost)
	underflow := 0.0 // what a product loses whose second part is subnormal
	for _, e := range row {
		if int(e.State) == s {
			continue
		}
		difference := v.difference(int(e.State), s)
		term := difference.MulFloat(e.Probability)
		if difference.Hi != 0 && math.Abs(term.Hi) < 0x1p-960 {
			underflow = 0x1p-1070
		}
		sum = sum.Add(term)
		magnitude += math.Abs(term.Hi)
	}
	// In units of 2⁻¹⁰⁶ a difference errs by 3 of its magnitude, a product by 2,
	// and each of the additions by 3 of a sum that is at most the magnitude.
	return sum, magnitude, float64(3*len(row)+6) * (extendedRoundoff*magnitude + underflow)
}

// plus returns v + w, each with a second part.
func (v values) plus(w values) values {
	sum := values{high: make([]float64, len(v.high)), low: make([]float64, len(v.high)), resolution: v.resolution}
	for i := range sum.high {
		x := doubledouble.Number{Hi: v.high[i], Lo: v.low[i]}.Add(doubledouble.Number{Hi: w.high[i], Lo: w.low[i]})
		sum.high[i], sum.low[i] = x.Hi, x.Lo
	}
	return sum
}

// negative returns −v.
func (v values) negative() values {
	return values{high: scaled(v.high, -1), low: scaled(v.low, -1), resolution: v.resolution}
}

// size returns Σ_j p_j·(|v(j)| + |v(s)|), to which the resolution of the values
// in a row is relative.
func (v values) size(row []Entry, s int) float64 {
	size := 0.0
	for _, e := range row {
		if int(e.State) != s {
			size += e.Probability * (math.Abs(v.high[e.State]) + math.Abs(v.high[s]))
		}
	}
	return size
}

// relative returns the values in units of cost, that of state 0 being 0.
func (v values) relative(rate float64) []float64 {
	relative := make([]float64, len(v.high))
	for i := range relative {
		relative[i] = v.difference(i, 0).Hi / rate
	}
	return relative
}

// rateOf returns the steps per unit of time of a model.
func rateOf(model Model) float64 {
	if timed, ok := model.(Timed); ok {
		return timed.Rate()
	}
	return 1
}
