package figure

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
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
		exponent, isPower := strings.CutPrefix(strings.ReplaceAll(tick.Label, "−", "-"), "10^")
		require.True(t, isPower, tick.Label)
		x, err := strconv.ParseFloat(exponent, 64)
		require.NoError(t, err)
		assert.Equal(t, tick.Value, x)
	}
	assert.Len(t, decades(-12.3, 1.2, 5), 5)
	assert.Equal(t, "10^−12", decades(-12.3, -11.5, 2)[0].Label)
	assert.Equal(t, "0.01", decades(-2.3, 1.5, 9)[0].Label)
	words := func(ticks []plot.Tick) string {
		labels := make([]string, len(ticks))
		for i, tick := range ticks {
			labels[i] = tick.Label
		}
		return strings.Join(labels, " ")
	}
	assert.Equal(t, "2×10^−5 5×10^−5 10^−4 2×10^−4", words(logTicks(-4.8, -3.5, 9)), "a range with one power of ten")
	assert.Equal(t, "10^−4", words(logTicks(-4.8, -3.5, 3)), "no room")
	assert.Equal(t, "4×10^−6 6×10^−6 8×10^−6", words(logTicks(-5.5, -5.05, 5)), "less than a power of ten")
	assert.Equal(t, "0.05 0.1 0.2 0.5 1 2", words(logTicks(-1.5, 0.5, 9)))
	assert.Equal(t, "1 10 100", words(logTicks(0, 2.5, 11)))
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 1e-9, "0 2×10^−10 4×10^−10 6×10^−10 8×10^−10 1×10^−9"},
		{0, 3e8, "0 5×10^7 1×10^8 1.5×10^8 2×10^8 2.5×10^8 3×10^8"},
		{-2e7, 2e7, "−2×10^7 −1×10^7 0 1×10^7 2×10^7"},
		{1e6, 2e6, "1000000 1200000 1400000 1600000 1800000 2000000"},
		{0, 1e-4, "0.00000 0.00002 0.00004 0.00006 0.00008 0.00010"},
	} {
		assert.Equal(t, test.want, words(niceTicks(Axis{}, test.low, test.high, 6)))
	}
}

// An exponent is as wide as it is drawn, above the line, and right-aligned labels end where
// others do.
func TestRaisedExponents(t *testing.T) {
	style := words(10, black, text.XRight, text.YBottom)
	style.Handler = raised{plot.DefaultTextHandler}
	var record recorder.Canvas
	style.Handler.Draw(&record, "10^−12", style, vg.Point{X: 100, Y: 50})
	var drawn []*recorder.FillString
	for _, action := range record.Actions {
		if one, is := action.(*recorder.FillString); is {
			drawn = append(drawn, one)
		}
	}
	require.Len(t, drawn, 2)
	assert.Equal(t, []string{"10", "−12"}, []string{drawn[0].String, drawn[1].String})
	assert.Greater(t, drawn[1].Point.Y, drawn[0].Point.Y)
	assert.Less(t, drawn[1].Size, drawn[0].Size)
	face := plot.DefaultTextHandler.Cache().Lookup(drawn[1].Font, drawn[1].Size)
	assert.InDelta(t, 100, float64(drawn[1].Point.X+face.Width("−12")), 1e-9)
	assert.InDelta(t, 100-float64(style.Width("10^−12")), float64(drawn[0].Point.X), 1e-9)
}
