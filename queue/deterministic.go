package queue

import (
	"math"
	"math/rand/v2"

	"github.com/mdpsolve/mdpsolve/internal/special"
)

// Deterministic is the law of services that all take the same time d. Its
// Laplace transform is e^{−xd}.
type Deterministic struct{ mean float64 }

// NewDeterministic returns the law of services of the given length, or an
// error if that is not a positive finite number.
func NewDeterministic(mean float64) (Deterministic, error) {
	return Deterministic{mean}, checkMean(mean)
}

// Mean implements [Law].
func (l Deterministic) Mean() float64 { return l.mean }

// Variance returns 0.
func (l Deterministic) Variance() float64 { return 0 }

// Laplace implements [Law].
func (l Deterministic) Laplace(x float64) float64 { return pointLaplace(x * l.mean) }

// LaplaceComplement implements [Law].
func (l Deterministic) LaplaceComplement(x float64) float64 { return pointComplement(x * l.mean) }

// Arrivals implements [Law]; the number of arrivals is Poisson.
func (l Deterministic) Arrivals(rate float64, n int) Arrivals {
	counts, ok := newArrivals(rate, n)
	if ok {
		counts.fillPoisson(rate * l.mean)
	}
	return counts
}

// LaplaceExcess returns E[e^{−xS} − 1 + xS] = x·E[S] − LaplaceComplement(x): how
// much the probability of an arrival of rate x during a service falls short of
// the expected number of arrivals. It is close to x²·E[S²]/2 for small x, where
// that subtraction would lose every digit. The relative error is a few units in
// the last place for every x ≥ 0.
//
// Special cases are:
//
//	LaplaceExcess(x) = NaN for x < 0 or x = NaN
//	LaplaceExcess(+Inf) = +Inf
func (l Deterministic) LaplaceExcess(x float64) float64 { return special.ExpExcess(x * l.mean) }

// String returns "deterministic".
func (l Deterministic) String() string { return "deterministic" }

func (l Deterministic) sampler() Sampler {
	return samplerFunc(func(*rand.Rand) float64 { return l.mean })
}

// pointLaplace returns e^{−y}, NaN for y < 0.
func pointLaplace(y float64) float64 {
	if y < 0 {
		return math.NaN()
	}
	return math.Exp(-y)
}

// pointComplement returns 1 − e^{−y}, NaN for y < 0.
func pointComplement(y float64) float64 {
	if y < 0 {
		return math.NaN()
	}
	return -math.Expm1(-y)
}
