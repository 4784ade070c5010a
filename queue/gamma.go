package queue

import (
	"fmt"
	"math"
)

// Gamma is the law with density proportional to t^{r−1}·e^{−rt/m}, r the shape
// and m the mean. Its Laplace transform is (1+xm/r)^{−r}; its variance is
// m²/r, so that shapes below 1 vary more than the exponential law and shapes
// above 1 less.
type Gamma struct{ shape, mean float64 }

// NewGamma returns the law with the given shape and mean, or an error if one
// of them is not a positive finite number or mean/shape is not one.
func NewGamma(shape, mean float64) (Gamma, error) {
	if err := checkMean(mean); err != nil {
		return Gamma{}, err
	}
	if !isPositive(shape) || !isPositive(mean/shape) {
		return Gamma{}, fmt.Errorf("shape %v found; a finite number above 0 is allowed", shape)
	}
	return Gamma{shape, mean}, nil
}

// Shape returns r.
func (l Gamma) Shape() float64 { return l.shape }

// Mean implements [Law].
func (l Gamma) Mean() float64 { return l.mean }

// Variance returns mean²/r.
func (l Gamma) Variance() float64 { return l.mean * (l.mean / l.shape) }

// Laplace implements [Law]: exp(−r·ln(1+xm/r)).
func (l Gamma) Laplace(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return math.Exp(-l.exponent(x))
}

// LaplaceComplement implements [Law].
func (l Gamma) LaplaceComplement(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return -math.Expm1(-l.exponent(x))
}

// exponent returns r·ln(1+xm/r).
func (l Gamma) exponent(x float64) float64 {
	ratio := x * l.mean / l.shape
	if math.IsInf(ratio, 1) && !math.IsInf(x, 1) { // its logarithm is a number
		return l.shape * (math.Log(x) + math.Log(l.mean) - math.Log(l.shape))
	}
	return l.shape * math.Log1p(ratio)
}

// Arrivals implements [Law]; the number of arrivals is negative binomial. It
// takes time proportional to n and the mean number of arrivals. The relative
// error of a_k is a few units in the last place times k + |ln a_0|, since one
// rounding of the ratio of successive terms enters k times.
func (l Gamma) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if ok {
		counts.fillNegativeBinomial(rate*l.mean, l.shape)
	}
	return counts
}

// String returns "gamma:shape".
func (l Gamma) String() string { return "gamma:" + formatNumber(l.shape) }
