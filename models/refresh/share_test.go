package refresh

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A rate of 0, whatever its sign, and one so small that 1/rate overflows have no interval.
func TestInterval(t *testing.T) {
	assert.Equal(t, 0.25, Interval(4))
	for _, rate := range []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64} {
		assert.Zero(t, Interval(rate), "1/%v", rate)
	}
}
