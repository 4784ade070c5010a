package refresh

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

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
