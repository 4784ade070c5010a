package queue

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
