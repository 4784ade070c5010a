package number_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

func TestParseValues(t *testing.T) {
	cases := map[string]float64{
		"0": 0, "-0.0": 0, "1": 1, "+1": 1, "-2.5": -2.5, ".5": 0.5, "5.": 5,
		"1e-3": 1e-3, "1E+3": 1000, "17/15": 17.0 / 15, "1.5/2": 0.75, "-1/3": -1.0 / 3,
		"1e300/1e-8": 1e308, "1e400/1e399": 10, "0/5": 0, "0e999999999": 0,
		"5e-324": 5e-324, "1.7976931348623157e308": math.MaxFloat64,
		// 2^53 + 1 over 1 lies half-way: ties go to even.
		"9007199254740993/1": 9007199254740992,
	}
	for text, want := range cases {
		got, err := number.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestParseRoundsOnce takes fractions where dividing the rounded parts is off
// by an ulp.
func TestParseRoundsOnce(t *testing.T) {
	got, err := number.Parse("0.7/0.1")
	require.NoError(t, err)
	assert.Equal(t, 7.0, got)
	tenth, seven := 0.1, 0.7
	assert.NotEqual(t, 7.0, seven/tenth)
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "1 ", " 1", "abc", "NaN", "nan", "Inf", "-inf", "infinity", "0x1p3", "1_000", "1,5",
		"1e", "e5", ".", "-", "+-1", "1/", "/2", "1/2/3", "1/-2", "1/0", "1/0.0e5", "0/0", "1e400", "-1e400", "1e-400",
		"1e308/1e-308", "1e-300/1e300", "1e2000/1e1999", "1e999999999/3", "1/1e-999999999999999999999", "1e1.5", "٣",
		strings.Repeat("9", 1001),
	} {
		_, err := number.Parse(text)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "\n")
		assert.ErrorAs(t, err, new(*number.Error))
		assert.ErrorContains(t, err, " is not valid: use ")
	}
}

// FuzzParse compares Parse with exact rational arithmetic on all texts that it accepts.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"17/15", "1.1333", "1e-3", "", "NaN", "1/0", "-5/7.25e-3", "1e400", "..", "1e-400/1e-400"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := number.Parse(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		require.False(t, math.IsNaN(got) || math.IsInf(got, 0), text)
		if strings.ContainsAny(text, "eE") && len(text) > 12 {
			return // exact arithmetic on long exponents takes too long here
		}
		numerator, denominator, fraction := strings.Cut(text, "/")
		if !fraction {
			denominator = "1"
		}
		above, ok := new(big.Rat).SetString(numerator)
		require.True(t, ok, text)
		below, ok := new(big.Rat).SetString(denominator)
		require.True(t, ok, text)
		want, _ := above.Quo(above, below).Float64()
		assert.Equal(t, want, got, text)
	})
}
