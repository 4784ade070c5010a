package figure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Ticks are few and within their range, however wide or narrow that is.
func TestNiceTicks(t *testing.T) {
	for _, test := range []struct{ low, high float64 }{
		{0, 1}, {0.01, 0.2}, {-3, 1e4}, {1e16, 1e16 + 2}, {1, math.Nextafter(1, 2)}, {1e-98, 1e-97}, {1e-300, 1e300}, {0, math.MaxFloat64}, {0, 5e-324},
	} {
		ticks := NiceTicks{Most: 11}.Ticks(test.low, test.high)
		assert.LessOrEqual(t, len(ticks), 12, "%v", test)
		for _, tick := range ticks {
			rounding := 2e-16 * max(math.Abs(test.low), math.Abs(test.high))
			assert.True(t, tick.Value >= test.low-rounding && tick.Value <= test.high+rounding, "%v: %v", test, tick.Value)
		}
	}
	labels := func(low, high float64) (labels []string) {
		for _, tick := range (NiceTicks{Most: 11}).Ticks(low, high) {
			labels = append(labels, tick.Label)
		}
		return labels
	}
	assert.Equal(t, []string{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"}, labels(0, 1))
	assert.Equal(t, []string{"−10", "−5", "0", "5", "10", "15", "20", "25", "30"}, labels(-11, 34.5))
}
