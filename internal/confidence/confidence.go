// Package confidence computes confidence intervals from simulated observations.
package confidence

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean x̄ of independent observations with equal normal
// distributions and the half-width of the confidence interval of their
// expectation. With n observations and s² = Σ(x−x̄)²/(n−1) the half-width is
// t·s/√n, where t is the quantile (1+level)/2 of Student's distribution with n−1
// degrees of freedom.
//
// Special cases are:
//
//	mean = NaN for no observations
//	halfWidth = NaN for fewer than 2 observations
//	halfWidth = NaN for a level that is not between 0 and 1
func Mean(observations []float64, level float64) (mean, halfWidth float64) {
	n := float64(len(observations))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	squares := 0.0
	for _, x := range observations {
		mean += x / n
	}
	for _, x := range observations {
		squares += (x - mean) * (x - mean)
	}
	if n < 2 || !(level > 0 && level < 1) {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.5 + level/2)
	return mean, t * math.Sqrt(squares/(n-1)/n)
}
