package sequence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// When more is due than fits, a page with a least rate keeps its interval, and others get longer ones.
func TestPastKeepsLeastRates(t *testing.T) {
	const pages, slots = 40, 400
	past := Past{Rates: make([]float64, pages), Accessed: make([]float64, pages), Spacings: make([]refresh.Spacing, pages)}
	for page := range pages {
		past.Rates[page], past.Accessed[page], past.Spacings[page] = 1./pages, -1, refresh.SpacingOf(0.5)
		if page >= 20 {
			past.Accessed[page] = math.NaN()
		}
	}
	past.Rates[0] *= 4 // more than there is
	past.Rates[1] *= 3
	past.LeastRates = make([]float64, pages)
	past.LeastRates[0] = past.Rates[0]
	visits, outlook := past.Visits(slots)
	require.Greater(t, outlook.Price, 1.)
	assert.Equal(t, -1+1/past.Rates[0], visits[0].Due)
	assert.Greater(t, visits[1].Due, -1+1/past.Rates[1])
	past.LeastRates[0] /= 2
	visits, _ = past.Visits(slots)
	assert.LessOrEqual(t, visits[0].Due, -1+2/past.Rates[0])
}
