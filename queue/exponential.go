package queue

import (
	"math"
	"math/rand/v2"
)

// Exponential is the law with density e^{−t/m}/m, m the mean: services without
// memory. Its Laplace transform is 1/(1+xm).
type Exponential struct{ mean float64 }

// NewExponential returns the law with the given mean, or an error if that is
// not a positive finite number.
func NewExponential(mean float64) (Exponential, error) {
	return Exponential{mean}, checkMean(mean)
}

// Mean implements [Law].
func (l Exponential) Mean() float64 { return l.mean }

// Variance returns mean².
func (l Exponential) Variance() float64 { return l.mean * l.mean }

// Laplace implements [Law].
func (l Exponential) Laplace(x float64) float64 { return exponentialLaplace(x * l.mean) }

// LaplaceComplement implements [Law].
func (l Exponential) LaplaceComplement(x float64) float64 {
	return exponentialComplement(x * l.mean)
}

// Arrivals implements [Law]; the number of arrivals is geometric.
func (l Exponential) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if ok {
		counts.fillGeometric(rate * l.mean)
	}
	return counts
}

// LaplaceExcess is as for [Deterministic]; here y²/(1+y) with y = x·mean.
func (l Exponential) LaplaceExcess(x float64) float64 { return exponentialExcess(x * l.mean) }

// String returns "exponential".
func (l Exponential) String() string { return "exponential" }

func (l Exponential) sampler() Sampler {
	return samplerFunc(func(random *rand.Rand) float64 { return l.mean * random.ExpFloat64() })
}

// exponentialLaplace returns 1/(1+y), NaN for y < 0.
func exponentialLaplace(y float64) float64 {
	if y < 0 {
		return math.NaN()
	}
	return 1 / (1 + y)
}

// exponentialComplement returns y/(1+y), NaN for y < 0.
func exponentialComplement(y float64) float64 {
	if y < 0 {
		return math.NaN()
	}
	if y > 1 {
		return 1 / (1 + 1/y) // also for y = +Inf
	}
	return y / (1 + y)
}

// exponentialExcess returns y²/(1+y), NaN for y < 0.
func exponentialExcess(y float64) float64 {
	switch {
	case y < 0:
		return math.NaN()
	case y > 1:
		return y / (1 + 1/y) // also for y = +Inf
	}
	return y * y / (1 + y)
}
