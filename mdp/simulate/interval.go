package simulate

// This file makes confidence intervals.

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// Interval is a confidence interval of an expectation, Mean ± HalfWidth; Mean is that of the
// observations. HalfWidth is NaN if they do not determine it, such as a single one.
type Interval struct {
	Mean, HalfWidth float64
}

// NewInterval returns the mean x̄ of independent observations with equal normal
// distributions and the half-width of the confidence interval of their
// expectation. With n observations and s² = Σ(x−x̄)²/(n−1) the half-width is
// t·s/√n, where t is the quantile (1+confidence)/2 of Student's distribution with n−1
// degrees of freedom.
//
// Special cases are:
//
//	Mean = NaN for no observations
//	HalfWidth = NaN for fewer than 2 observations
//	HalfWidth = NaN for a confidence that is not between 0 and 1
func NewInterval(observations []float64, confidence float64) Interval {
	n := float64(len(observations))
	if n == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	var sum doubledouble.Number
	for _, x := range observations {
		sum = sum.AddFloat(x)
	}
	mean := sum.Quo(doubledouble.FromFloat(n)).Float()
	if math.IsNaN(mean) || math.IsInf(mean, 0) { // the sum may leave float64 where the mean does not
		mean = 0
		for _, x := range observations {
			mean += x / n
		}
	}
	squares := 0.0
	for _, x := range observations {
		squares += (x - mean) * (x - mean)
	}
	if n < 2 || !(confidence > 0 && confidence < 1) {
		return Interval{mean, math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.5 + confidence/2)
	return Interval{mean, t * math.Sqrt(squares/(n-1)/n)}
}

// Lower returns Mean − HalfWidth.
func (i Interval) Lower() float64 { return i.Mean - i.HalfWidth }

// Upper returns Mean + HalfWidth.
func (i Interval) Upper() float64 { return i.Mean + i.HalfWidth }

// Contains reports whether x is in the interval, bounds included.
func (i Interval) Contains(x float64) bool { return i.Lower() <= x && x <= i.Upper() }
