package refresh

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// The marginal value is the derivative of the value, the demand its inverse, and
// the slope the demand's derivative: by differences, for every objective.
func TestDemandInvertsTheMarginalValue(t *testing.T) {
	for _, objective := range objectives(0.1) {
		for _, delta := range []float64{1e-3, 0.2, 0.9, 0.97} {
			pages := Pages{ChangeRates: []float64{delta}, Weights: []float64{1.7}}
			measure := func(rate float64) (value, marginal float64) {
				var values, marginals [1]float64
				objective.Measure(values[:], marginals[:], pages, []float64{rate})
				if objective.Minimizes() {
					return -values[0], marginals[0]
				}
				return values[0], marginals[0]
			}
			demand := func(multiplier float64) (rate, slope float64) {
				var rates, slopes [1]float64
				objective.Demand(rates[:], slopes[:], pages, multiplier)
				return rates[0], slopes[0]
			}
			for _, rate := range []float64{0.05, 0.3, 0.8} {
				_, marginal := measure(rate)
				h := 1e-4 * rate
				up, _ := measure(rate + h)
				down, _ := measure(rate - h)
				// The values agree to 1e-16, the difference in them is h·marginal.
				assert.InDelta(t, marginal, (up-down)/(2*h), 1e-6*marginal+1e-11/h, "%v Δ=%v x=%v", objective, delta, rate)

				back, slope := demand(marginal)
				conditioning := max(1, slope/rate)
				if conditioning < 1e8 {
					assert.InEpsilon(t, rate, back, 1e-13*max(conditioning, 1), "%v Δ=%v x=%v", objective, delta, rate)
				}
				more, _ := demand(marginal * math.Exp(-1e-5))
				less, _ := demand(marginal * math.Exp(+1e-5))
				if conditioning < 1e3 {
					assert.InEpsilon(t, slope, (more-less)/2e-5, 1e-4, "%v Δ=%v x=%v", objective, delta, rate)
				}
			}
			never, slope := demand(math.Inf(1))
			assert.Zero(t, never, "%v", objective)
			assert.Zero(t, slope, "%v", objective)
			always, slope := demand(0)
			assert.True(t, math.IsInf(always, 1), "%v", objective)
			assert.Zero(t, slope, "%v", objective)
		}
		for _, idle := range []Pages{
			{ChangeRates: []float64{0}, Weights: []float64{1}}, {ChangeRates: []float64{0.5}, Weights: []float64{0}}, {ChangeRates: []float64{0}, Weights: []float64{0}},
		} {
			for _, multiplier := range []float64{0, 1e-300, 1, math.Inf(1)} {
				rates, slopes := []float64{-1}, []float64{-1}
				objective.Demand(rates, slopes, idle, multiplier)
				assert.Zero(t, rates[0], "%v %v λ=%v", objective, idle, multiplier)
				assert.Zero(t, slopes[0])
			}
			objective.Measure([]float64{0}, []float64{0}, idle, []float64{0})
		}
	}
}

func TestParseObjective(t *testing.T) {
	law := must(queue.NewExponential(1))
	for _, name := range []string{"fixed-order", "random", "discrete", "decaying", "age", "harmonic", "signals", "coffman", "coffman-randomized"} {
		objective, err := ParseObjective(name, law)
		require.NoError(t, err)
		assert.Equal(t, name, objective.String())
	}
	_, err := ParseObjective("coffman", nil)
	assert.ErrorContains(t, err, "needs a law")
	_, err = ParseObjective("best", law)
	assert.ErrorContains(t, err, "fixed-order, random, discrete, decaying, age, harmonic, signals, coffman or coffman-randomized")
	assert.Panics(t, func() { NewCoffman(nil) })
}

// The fixed-order optimum of five pages with 300 bits: λ by bisection. Its numbers are those
// of TestFivePages of package rates.
func TestFixedOrderAgainstBigFloats(t *testing.T) {
	rates := func(multiplier *big.Float) (all []*big.Float, sum *big.Float) {
		sum = wide(0)
		for delta := 1.0; delta <= 5; delta++ {
			rate := wide(0)
			if c := times(multiplier, wide(delta)); c.Cmp(wide(1)) < 0 {
				rate = over(wide(delta), exactFreshness(c, minus(wide(1), c)))
			}
			all = append(all, rate)
			sum = plus(sum, rate)
		}
		return all, sum
	}
	low, high := wide(0.2), wide(0.22)
	for range 70 {
		middle := over(plus(low, high), wide(2))
		if _, sum := rates(middle); sum.Cmp(wide(5)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	want, _ := rates(low)
	multiplier, found, slopes := near(low), make([]float64, 5), make([]float64, 5)
	FixedOrder{}.Demand(found, slopes, Pages{ChangeRates: []float64{1, 2, 3, 4, 5}}, multiplier)
	for i, rate := range found {
		assert.InDelta(t, near(want[i]), rate, 1e-14)
	}
}
