package robots

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval: the mean of observations and how far the
// expectation may be from it.
type Interval struct {
	Mean, HalfWidth float64
}

// Lower returns Mean − HalfWidth.
func (i Interval) Lower() float64 { return i.Mean - i.HalfWidth }

// Upper returns Mean + HalfWidth.
func (i Interval) Upper() float64 { return i.Mean + i.HalfWidth }

// Contains reports whether x is in the interval, bounds included.
func (i Interval) Contains(x float64) bool { return i.Lower() <= x && x <= i.Upper() }

// MeanInterval returns the confidence interval of the expectation of
// independent observations with equal normal distributions: with n of them and
// s² = Σ(x−x̄)²/(n−1), it is x̄ ± t·s/√n, t the quantile of Student's distribution
// with n−1 degrees of freedom that the confidence asks for.
//
// Special cases are:
//
//	HalfWidth = NaN for fewer than 2 observations
//	Mean = NaN for none
//	HalfWidth = NaN for a confidence that is not between 0 and 1
func MeanInterval(observations []float64, confidence float64) Interval {
	n := float64(len(observations))
	mean, squares := 0.0, 0.0
	for _, x := range observations {
		mean += x / n
	}
	for _, x := range observations {
		squares += (x - mean) * (x - mean)
	}
	if n == 0 {
		mean = math.NaN()
	}
	if n < 2 || !(confidence > 0 && confidence < 1) {
		return Interval{mean, math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.5 + confidence/2)
	return Interval{mean, t * math.Sqrt(squares/(n-1)/n)}
}

// Estimates are confidence intervals of [FleetMeasures].
type Estimates struct {
	Gain, Starvation, LossRate, RobotsMean Interval
	PagesMean, ActivationRate              Interval
	RobotsMeanByClass                      []Interval
	Observations                           int
}

func estimate(observed []FleetMeasures, confidence float64) Estimates {
	values := make([]float64, len(observed))
	of := func(value func(FleetMeasures) float64) Interval {
		for i, m := range observed {
			values[i] = value(m)
		}
		return MeanInterval(values, confidence)
	}
	e := Estimates{
		Gain:           of(func(m FleetMeasures) float64 { return m.Gain }),
		Starvation:     of(func(m FleetMeasures) float64 { return m.Starvation }),
		LossRate:       of(func(m FleetMeasures) float64 { return m.LossRate }),
		RobotsMean:     of(func(m FleetMeasures) float64 { return m.RobotsMean }),
		PagesMean:      of(func(m FleetMeasures) float64 { return m.PagesMean }),
		ActivationRate: of(func(m FleetMeasures) float64 { return m.ActivationRate }),
		Observations:   len(observed),
	}
	for c := range observed[0].RobotsMeanByClass {
		e.RobotsMeanByClass = append(e.RobotsMeanByClass, of(func(m FleetMeasures) float64 { return m.RobotsMeanByClass[c] }))
	}
	return e
}
