package figure

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Ticks are few and within their range, however wide or narrow that is.
func TestNiceTicks(t *testing.T) {
	for _, test := range []struct{ low, high float64 }{
		{0, 1}, {0.01, 0.2}, {-3, 1e4}, {1e16, 1e16 + 2}, {1, math.Nextafter(1, 2)}, {1e-98, 1e-97}, {1e-300, 1e300}, {0, math.MaxFloat64}, {0, 5e-324},
	} {
		ticks := niceTicks(Axis{}, test.low, test.high, 11)
		assert.LessOrEqual(t, len(ticks), 12, "%v", test)
		for _, tick := range ticks {
			rounding := 2e-16 * max(math.Abs(test.low), math.Abs(test.high))
			assert.True(t, tick.Value >= test.low-rounding && tick.Value <= test.high+rounding, "%v: %v", test, tick.Value)
		}
	}
	labels := func(low, high float64) (labels []string) {
		for _, tick := range niceTicks(Axis{}, low, high, 11) {
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
	for _, tick := range decades(-12.3, 1.2, 5) {
		assert.Equal(t, math.Round(tick.Value), tick.Value)
		x, err := strconv.ParseFloat(strings.ReplaceAll(tick.Label, "−", "-"), 64)
		require.NoError(t, err)
		assert.InDelta(t, tick.Value, math.Log10(x), 1e-12)
	}
	assert.Len(t, decades(-12.3, 1.2, 5), 5)
	assert.Equal(t, "1e−12", decades(-12.3, -11.5, 2)[0].Label)
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 1e-9, "0 2e−10 4e−10 6e−10 8e−10 1e−09"},
		{0, 3e8, "0 5e+07 1e+08 1.5e+08 2e+08 2.5e+08 3e+08"},
		{-2e7, 2e7, "−2e+07 −1e+07 0 1e+07 2e+07"},
		{1e6, 2e6, "1000000 1200000 1400000 1600000 1800000 2000000"},
		{0, 1e-4, "0.00000 0.00002 0.00004 0.00006 0.00008 0.00010"},
	} {
		ticks := niceTicks(Axis{}, test.low, test.high, 6)
		labels := make([]string, len(ticks))
		for i, tick := range ticks {
			labels[i] = tick.Label
		}
		assert.Equal(t, test.want, strings.Join(labels, " "))
	}
}
