package figure

import (
	"math"
	"strings"
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

// Powers of ten are labelled where they are, and steps of very small and large numbers
// have labels that are short and true.
func TestTicksOfPowers(t *testing.T) {
	for _, tick := range (decades{5}).Ticks(-12.3, 1.2) {
		power := tick.Value
		assert.Equal(t, math.Round(power), power)
		assert.Equal(t, "10"+raised(int(power)), tick.Label)
	}
	assert.Len(t, (decades{5}).Ticks(-12.3, 1.2), 5)
	assert.Equal(t, "10⁻¹²", (decades{2}).Ticks(-12.3, -11.5)[0].Label)
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 1e-9, "0 0.2·10⁻⁹ 0.4·10⁻⁹ 0.6·10⁻⁹ 0.8·10⁻⁹ 1.0·10⁻⁹"},
		{0, 3e8, "0 0.5·10⁸ 1.0·10⁸ 1.5·10⁸ 2.0·10⁸ 2.5·10⁸ 3.0·10⁸"},
		{-2e7, 2e7, "−2·10⁷ −1·10⁷ 0 1·10⁷ 2·10⁷"},
		{1e6, 2e6, "1000000 1200000 1400000 1600000 1800000 2000000"},
		{0, 1e-4, "0.00000 0.00002 0.00004 0.00006 0.00008 0.00010"},
	} {
		ticks := NiceTicks{Most: 6}.Ticks(test.low, test.high)
		labels := make([]string, len(ticks))
		for i, tick := range ticks {
			labels[i] = tick.Label
		}
		assert.Equal(t, test.want, strings.Join(labels, " "))
	}
}
