package confidence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/internal/confidence"
)

func ExampleMean() {
	mean, halfWidth := confidence.Mean([]float64{9.8, 10.1, 10.4, 9.9}, 0.95)
	fmt.Printf("%.2f ± %.2f\n", mean, halfWidth)
	// Output: 10.05 ± 0.42
}

// The quantiles are from Student's table: t of 97.5% is 4.303 at 2 degrees of
// freedom and 2.262 at 9.
func TestMean(t *testing.T) {
	mean, halfWidth := confidence.Mean([]float64{1, 2, 3}, 0.95)
	assert.InDelta(t, 2, mean, 1e-15)
	assert.InDelta(t, 4.3027/math.Sqrt(3), halfWidth, 1e-4)
	_, halfWidth = confidence.Mean([]float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 0.95)
	assert.InDelta(t, 2.2622*math.Sqrt(10*0.25/9/10), halfWidth, 1e-4)
}

func TestMeanOutsideItsDomain(t *testing.T) {
	mean, halfWidth := confidence.Mean(nil, 0.95)
	assert.True(t, math.IsNaN(mean) && math.IsNaN(halfWidth))
	mean, halfWidth = confidence.Mean([]float64{1}, 0.95)
	assert.Equal(t, 1.0, mean)
	assert.True(t, math.IsNaN(halfWidth))
	for _, level := range []float64{-0.5, 0, 1, math.NaN()} {
		_, halfWidth = confidence.Mean([]float64{1, 2}, level)
		assert.True(t, math.IsNaN(halfWidth), "level %v", level)
	}
}

// Of 4,000 intervals with confidence 0.9 some 3,600 contain the expectation.
func TestMeanCovers(t *testing.T) {
	random, covered := rand.New(rand.NewPCG(4, 4)), 0
	for range 4000 {
		observations := make([]float64, 5)
		for k := range observations {
			observations[k] = 3 + 2*random.NormFloat64()
		}
		if mean, halfWidth := confidence.Mean(observations, 0.9); math.Abs(mean-3) <= halfWidth {
			covered++
		}
	}
	assert.InDelta(t, 3600, covered, 5*math.Sqrt(4000*0.9*0.1))
}
