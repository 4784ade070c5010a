package queue

import (
	"fmt"
	"math"
)

// What mixtures of laws have in common.

// mixed returns Σ p_i·f(x_i).
func mixed(probabilities, values []float64, f func(x float64) float64) float64 {
	sum := 0.0
	for i, x := range values {
		sum += probabilities[i] * f(x)
	}
	return sum
}

// mixedArrivals returns the arrivals of a mixture: fill sets those of branch i,
// which has the value x_i and probability p_i.
func mixedArrivals(rate float64, n int, probabilities, values []float64, fill func(branch Arrivals, x float64)) Arrivals {
	counts, ok := newArrivals(rate, n)
	if !ok {
		return counts
	}
	branch, _ := newArrivals(rate, n)
	for i, x := range values {
		fill(branch, x)
		counts.add(probabilities[i], branch)
	}
	return counts
}

// normalized returns the weights divided by their sum. The greatest is divided
// out first, so that the sum does not overflow.
func normalized(weights []float64) []float64 {
	greatest := 0.0
	for _, weight := range weights {
		greatest = math.Max(greatest, weight)
	}
	shares, sum := make([]float64, len(weights)), 0.0
	for i, weight := range weights {
		shares[i] = weight / greatest
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// scaledToMean returns the values times the factor that makes their weighted
// mean the given one.
func scaledToMean(probabilities, values []float64, mean float64) ([]float64, error) {
	greatest := 0.0
	for _, value := range values {
		greatest = math.Max(greatest, value)
	}
	scaled, now := make([]float64, len(values)), 0.0
	for i, value := range values {
		scaled[i] = value / greatest
		now += probabilities[i] * scaled[i]
	}
	if !isPositive(mean / now) {
		return nil, fmt.Errorf("the values cannot be scaled to a mean of %v", mean)
	}
	for i := range scaled {
		scaled[i] *= mean / now
	}
	return scaled, nil
}
