package queue

import "math"

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

// String returns "deterministic".
func (l Deterministic) String() string { return "deterministic" }

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
