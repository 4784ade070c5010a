package queue

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/internal/special"
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
		return Gamma{}, fmt.Errorf("shape %v is not valid: use a finite number above 0", shape)
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

// LaplaceExcess is as for [Deterministic]. With y = x·mean, u = y/r and
// v = r·ln(1+u) it is (e^{−v} − 1 + v) + (y − v), both terms being positive.
func (l Gamma) LaplaceExcess(x float64) float64 {
	u := x * l.mean / l.shape
	if y := x * l.mean; math.IsInf(u, 1) {
		return y - l.LaplaceComplement(x) // v = r·ln(1+u) is nothing beside y = ru
	}
	return special.ExpExcess(l.shape*math.Log1p(u)) + l.shape*logDeficit(u)
}

// String returns "gamma:shape".
func (l Gamma) String() string { return "gamma:" + formatNumber(l.shape) }

// sampler rejects from a cubed normal variable. A shape below 1 is raised
// by 1 and the draw multiplied by U^{1/shape}.
func (l Gamma) sampler() Sampler {
	shape := l.shape
	if shape < 1 {
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	scale := l.mean / l.shape
	return samplerFunc(func(random *rand.Rand) float64 {
		for {
			x := random.NormFloat64()
			v := 1 + c*x
			if v <= 0 {
				continue
			}
			v = v * v * v
			if math.Log(1-random.Float64()) >= x*x/2+d-d*v+d*math.Log(v) {
				continue
			}
			if l.shape < 1 {
				return scale * d * v * math.Pow(1-random.Float64(), 1/l.shape)
			}
			return scale * d * v
		}
	})
}

// logDeficit returns u − ln(1+u) for u ≥ 0, NaN for u < 0.
func logDeficit(u float64) float64 {
	if !(u < 1) {
		return u - math.Log1p(u)
	}
	if u < 0 {
		return math.NaN()
	}
	// With q = u/(2+u), ln(1+u) = 2·artanh(q) = 2q + 2q³/3 + 2q⁵/5 + …, and
	// u − 2q = uq.
	q := u / (2 + u)
	sum := 0.0
	for k := 35; k >= 3; k -= 2 {
		sum = 1/float64(k) + q*q*sum
	}
	return q * (u - 2*q*q*sum)
}
