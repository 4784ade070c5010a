package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// The quantiles are from Student's table: t of 97.5% is 4.303 at 2 degrees of
// freedom and 2.262 at 9.
func TestInterval(t *testing.T) {
	three := simulate.NewInterval([]float64{1, 2, 3}, 0.95)
	assert.InDelta(t, 2, three.Mean, 1e-15)
	assert.InDelta(t, 4.3027/math.Sqrt(3), three.HalfWidth, 1e-4)
	ten := simulate.NewInterval([]float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 0.95)
	assert.InDelta(t, 2.2622*math.Sqrt(10*0.25/9/10), ten.HalfWidth, 1e-4)
}

// The mean of equal numbers is that number, to the bit, and that of the greatest
// is finite.
func TestIntervalOfEqualNumbers(t *testing.T) {
	for _, x := range []float64{0.1, 1. / 3, 1e300 / 7} {
		for n := 1; n < 2000; n = 2*n + 1 {
			assert.Equal(t, x, simulate.NewInterval(slices.Repeat([]float64{x}, n), 0.95).Mean, "%v %d", x, n)
		}
	}
	assert.InEpsilon(t, 1.5e308, simulate.NewInterval([]float64{1.5e308, 1.5e308, 1.5e308}, 0.95).Mean, 1e-15)
	assert.True(t, math.IsInf(simulate.NewInterval([]float64{1, math.Inf(1)}, 0.95).Mean, 1))
}

func TestIntervalOutsideItsDomain(t *testing.T) {
	none := simulate.NewInterval(nil, 0.95)
	assert.True(t, math.IsNaN(none.Mean) && math.IsNaN(none.HalfWidth))
	one := simulate.NewInterval([]float64{1}, 0.95)
	assert.Equal(t, 1.0, one.Mean)
	assert.True(t, math.IsNaN(one.HalfWidth))
	for _, level := range []float64{-0.5, 0, 1, math.NaN()} {
		assert.True(t, math.IsNaN(simulate.NewInterval([]float64{1, 2}, level).HalfWidth), "level %v", level)
	}
}

// Of 4,000 intervals with confidence 0.9 some 3,600 contain the expectation.
func TestIntervalCovers(t *testing.T) {
	random, covered := rand.New(rand.NewPCG(4, 4)), 0
	for range 4000 {
		observations := make([]float64, 5)
		for k := range observations {
			observations[k] = 3 + 2*random.NormFloat64()
		}
		if simulate.NewInterval(observations, 0.9).Contains(3) {
			covered++
		}
	}
	assert.InDelta(t, 3600, covered, 5*math.Sqrt(4000*0.9*0.1))
}
