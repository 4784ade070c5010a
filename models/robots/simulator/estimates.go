// This file makes confidence intervals of measures.

package simulator

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/simulate"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Estimates are confidence intervals of [robots.Measures], in the same units, for all classes of
// robots together. Observations is the number of observations. HalfWidth is NaN for starvation and
// losses that never happened, since that does not prove them impossible.
type Estimates struct {
	Gain, Starvation, LossRate, RobotsMean simulate.Interval
	PagesMean, ActivationRate              simulate.Interval
	Observations                           int
}

func estimate(observed []robots.Measures, level float64) Estimates {
	values := make([]float64, len(observed))
	of := func(value func(robots.Measures) float64) simulate.Interval {
		for i, m := range observed {
			values[i] = value(m)
		}
		return simulate.NewInterval(values, level)
	}
	rare := func(value func(robots.Measures) float64) simulate.Interval {
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
