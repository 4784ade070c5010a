// This file makes confidence intervals of measures.

package operate

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Interval is a confidence interval: the mean of observations, and the distance that the
// expectation may have from it. HalfWidth is NaN if observations do not tell it: for a single
// one, and for starvation and losses that never happened, which may still be possible.
type Interval struct {
	Mean, HalfWidth float64
}

// Lower returns Mean − HalfWidth.
func (i Interval) Lower() float64 { return i.Mean - i.HalfWidth }

// Upper returns Mean + HalfWidth.
func (i Interval) Upper() float64 { return i.Mean + i.HalfWidth }

// Contains reports whether x is in the interval, bounds included.
func (i Interval) Contains(x float64) bool { return i.Lower() <= x && x <= i.Upper() }

// Estimates are confidence intervals of [robots.Measures], of all classes of robots together.
type Estimates struct {
	Gain, Starvation, LossRate, RobotsMean Interval
	PagesMean, ActivationRate              Interval
	Observations                           int
}

func estimate(observed []robots.Measures, level float64) Estimates {
	values := make([]float64, len(observed))
	of := func(value func(robots.Measures) float64) Interval {
		for i, m := range observed {
			values[i] = value(m)
		}
		mean, halfWidth := confidence.Mean(values, level)
		return Interval{mean, halfWidth}
	}
	rare := func(value func(robots.Measures) float64) Interval {
		found := of(value)
		if found.Mean == 0 {
			found.HalfWidth = math.NaN()
		}
		return found
	}
	return Estimates{
		Gain:           of(func(m robots.Measures) float64 { return m.Gain }),
		Starvation:     rare(func(m robots.Measures) float64 { return m.Starvation }),
		LossRate:       rare(func(m robots.Measures) float64 { return m.LossRate }),
		RobotsMean:     of(func(m robots.Measures) float64 { return m.RobotsMean }),
		PagesMean:      of(func(m robots.Measures) float64 { return m.PagesMean }),
		ActivationRate: of(func(m robots.Measures) float64 { return m.ActivationRate }),
		Observations:   len(observed),
	}
}

// averages are the measures that simulations average over time.
func averages(m *robots.Measures) []*float64 {
	return []*float64{&m.Starvation, &m.LossRate, &m.RobotsMean, &m.PagesMean, &m.ActivationRate}
}
