// Package special computes functions whose plain formulas lose digits.
package special

import "math"

// ExpExcess returns e^{−y} − 1 + y: the expected number y of events of a Poisson process minus the
// probability of at least one. It is close to y²/2 for small y. The relative error is a few units in
// the last place for every y ≥ 0.
//
// Special cases are:
//
//	ExpExcess(y) = NaN for y < 0 or y = NaN
//	ExpExcess(+Inf) = +Inf
func ExpExcess(y float64) float64 {
	switch {
	case y < 0:
		return math.NaN()
	case y >= 1:
		return y - 1 + math.Exp(-y)
	}
	sum := 0.0
	for j := len(excessSeries) - 1; j >= 0; j-- {
		sum = excessSeries[j] - y*sum
	}
	return y * y * sum
}

// excessSeries are the coefficients 1/(j+2)! of Σ_j (−y)^j/(j+2)!, which is the
// excess over y². For y ≤ 1 the omitted terms are below 10⁻¹⁷.
var excessSeries = func() (series [19]float64) {
	factorial := 1.0 // j!, exact up to 22!
	for j := range series {
		n := float64(j)
		series[j] = 1 / (factorial * (n + 1) * (n + 2))
		factorial *= n + 1
	}
	return series
}()
