package refresh_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

func TestSyntheticPages(t *testing.T) {
	zipf := refresh.SyntheticPages(20_000, false, 9)
	ones := 0
	for i, weight := range zipf.Weights {
		require.True(t, weight >= 1 && weight <= 10_000 && weight == math.Floor(weight))
		require.True(t, zipf.ChangeRates[i] >= 0 && zipf.ChangeRates[i] < 1)
		if weight == 1 {
			ones++
		}
	}
	// P(1) = 1/Σ_{k≤10⁴} k⁻² = 0.60796; 5 standard errors
	assert.InDelta(t, 0.60796, float64(ones)/20_000, 5*math.Sqrt(0.24/20_000))
	assert.Equal(t, zipf, refresh.SyntheticPages(20_000, false, 9))
	uniform := refresh.SyntheticPages(20_000, true, 9)
	assert.InDelta(t, 0.5, uniform.TotalWeight()/20_000, 5*math.Sqrt(1./12/20_000))
}
