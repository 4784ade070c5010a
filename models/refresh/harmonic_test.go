package refresh

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where all pages have the same ratio of weight to change rate, x/Δ is the same for
// all, and hence x_i = RΔ_i/ΣΔ.
func TestHarmonicInProportion(t *testing.T) {
	pages := Pages{ChangeRates: []float64{1, 2, 5}, Weights: []float64{3, 6, 15}}
	s := solve(t, Problem{Pages: pages, Objective: Harmonic{}, Bandwidth: 4})
	assert.InDeltaSlice(t, []float64{0.5, 1, 2.5}, s.Rates, 1e-14)
	assert.InEpsilon(t, 24*math.Log(3), s.Value, 1e-14)
	// At Δ = 1, x = 1/2 and w = 3 the marginal value is wΔ/(x(x+Δ)) = 4.
	assert.InEpsilon(t, 4.0, s.Multiplier, 1e-13)
}

// Two pages by brute force over the rate of the first.
func TestHarmonicByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 30 {
		pages := Pages{ChangeRates: []float64{r.ExpFloat64(), r.ExpFloat64()}, Weights: []float64{r.ExpFloat64(), r.ExpFloat64()}}
		bandwidth := 3 * r.ExpFloat64()
		cost := func(x float64) float64 {
			return pages.Weights[0]*math.Log1p(pages.ChangeRates[0]/x) + pages.Weights[1]*math.Log1p(pages.ChangeRates[1]/(bandwidth-x))
		}
		low, high := 0.0, bandwidth // golden section: the cost is convex
		for range 200 {
			a, b := high-(high-low)/math.Phi, low+(high-low)/math.Phi
			if cost(a) < cost(b) {
				high = b
			} else {
				low = a
			}
		}
		s := solve(t, Problem{Pages: pages, Objective: Harmonic{}, Bandwidth: bandwidth})
		assert.InEpsilon(t, cost(low), s.Value, 1e-14)
		assert.InDelta(t, low, s.Rates[0], 1e-6*bandwidth, "golden section finds half of the digits")
	}
}

// A page that changes and is accessed at random times, played: the mean over time of
// H(n), n being the changes since the last access.
func TestHarmonicStalenessSimulated(t *testing.T) {
	const events = 4_000_000
	r := rand.New(rand.NewPCG(7, 0))
	for _, delta := range []float64{0.3, 2, 9} { // accesses at rate 1
		n, harmonic, sum, time := 0, 0.0, 0.0, 0.0
		for range events {
			dt := r.ExpFloat64() / (1 + delta)
			sum += dt * harmonic
			time += dt
			if r.Float64() < 1/(1+delta) {
				n, harmonic = 0, 0
			} else {
				n++
				harmonic += 1 / float64(n)
			}
		}
		value, _ := measureOne(Harmonic{}, delta, 1, 1)
		require.InEpsilon(t, value, sum/time, 0.005) // some 3 standard deviations
	}
}
