package refresh

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every page has its freshness, also where the last block holds one page.
func TestFreshnessOfAllPages(t *testing.T) {
	for _, n := range []int{1, 2, 1 << 12, 1<<12 + 1, 3<<12 - 1} {
		pages := Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
		rates, want := make([]float64, n), make([]float64, n)
		for i := range n {
			pages.ChangeRates[i], pages.Weights[i], rates[i] = float64(1+i%7), float64(i), float64(1+i%5)
			want[i] = rates[i] / (rates[i] + pages.ChangeRates[i])
		}
		for _, workers := range []int{1, 3} {
			assert.InDeltaSlice(t, want, Freshness(Harmonic{}, pages, rates, nil, workers), 1e-15, "%d pages", n)
		}
	}
}

// A rate of 0, whatever its sign, and one so small that 1/rate overflows have no interval.
func TestInterval(t *testing.T) {
	assert.Equal(t, 0.25, Interval(4))
	for _, rate := range []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64} {
		assert.Zero(t, Interval(rate), "1/%v", rate)
	}
}
