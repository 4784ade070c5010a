package ui

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIntervals(t *testing.T) {
	for _, test := range []struct {
		lower, upper float64
		want         string
	}{
		{1 - 2.5e-15, 1 + 2.8e-15, "1 ± 3e-15"},
		{0.259240, 0.259242, "0.259241 ± 1e-06"},
		{0.7, 0.7, "0.7"},
		{math.Inf(1), math.Inf(1), "∞"},
		{0, 0.874, "between 0 and 0.874"},
		{0.25924, 0.25967, "between 0.2592 and 0.2597"},
		{0.006957830473, 1.277638551, "between 0.006957 and 1.278"},
		{-1.8e-12, 3e-12, "between -1.8e-12 and 3e-12"},
		{3, math.Inf(1), "between 3 and ∞"},
		{math.NaN(), 1, "not known"},
		{2, 1, "between 2 and 1"},
		{123456, 123457, "123456.5 ± 0.5"},
		{-2.000001, -1.999999, "-2 ± 1e-06"},
	} {
		assert.Equal(t, test.want, Interval(test.lower, test.upper), "%v %v", test.lower, test.upper)
	}
	assert.Equal(t, "1 ± 3e-15", ValueText(1, 1-2.5e-15, 1+2.8e-15))
	assert.Equal(t, "0.3, proved to be between 0.2 and 0.4", ValueText(0.3, 0.2, 0.4))
	assert.Equal(t, "0.5, proved to be 0.4", ValueText(0.5, 0.4, 0.4))
	assert.Equal(t, "0.402 ± 0.024", EstimateText(0.4025, 0.379, 0.426))
	assert.Equal(t, "0.4025", EstimateText(0.4025, math.NaN(), math.NaN()))
	assert.Equal(t, "10", EstimateText(10, 10, 10))
}

// TestIntervalsArePrintedOutward reads what is printed back exactly: it contains the
// interval, and is at most a quarter wider.
func TestIntervalsArePrintedOutward(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	plusMinus := 0
	for range 5_000 {
		lower := (random.Float64() - 0.3) * math.Pow(10, float64(random.IntN(40)-20))
		upper := lower + math.Abs(lower)*math.Pow(10, -17*random.Float64())
		if random.IntN(50) == 0 {
			lower, upper = math.Ldexp(lower, -1000), math.Ldexp(lower, -1000)+math.SmallestNonzeroFloat64
		}
		if random.IntN(10) == 0 {
			upper = math.Nextafter(lower, math.Inf(1))
		}
		if lower == upper {
			continue
		}
		text := Interval(lower, upper)
		var low, high *big.Rat
		if centre, radius, is := strings.Cut(text, " ± "); is {
			plusMinus++
			c, r := parsed(t, centre), parsed(t, radius)
			low, high = new(big.Rat).Sub(c, r), new(big.Rat).Add(c, r)
		} else {
			from, to, _ := strings.Cut(strings.TrimPrefix(text, "between "), " and ")
			low, high = parsed(t, from), parsed(t, to)
		}
		exactLow, exactHigh := parsed(t, ExactText(lower)), parsed(t, ExactText(upper))
		require.LessOrEqual(t, low.Cmp(exactLow), 0, "%v %v: %s", lower, upper, text)
		require.GreaterOrEqual(t, high.Cmp(exactHigh), 0, "%v %v: %s", lower, upper, text)
		width := new(big.Rat).Sub(exactHigh, exactLow)
		printed := new(big.Rat).Sub(high, low)
		require.LessOrEqual(t, printed.Cmp(width.Mul(width, big.NewRat(5, 4))), 0, "%v %v: %s", lower, upper, text)
	}
	assert.Greater(t, plusMinus, 2_500)
}

func parsed(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return x
}
