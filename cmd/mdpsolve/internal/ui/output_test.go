package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJSON(t *testing.T) {
	tenth := 0.1
	var out bytes.Buffer
	writeJSON(&out, record{
		{"number", tenth + 2*tenth},
		{"nan", math.NaN()},
		{"infinite", math.Inf(-1)},
		{"unknown", nil},
		{"text", "a \"b\" <ρ>"},
		{"curve", []int{1, -1}},
		{"rows", []record{{{"x", 1}}, {{"x", math.NaN()}, {"y", true}}}},
		{"none", []record{}},
	}, "\n")
	want := `{
  "number": 0.30000000000000004,
  "nan": null,
  "infinite": null,
  "unknown": null,
  "text": "a \"b\" <ρ>",
  "curve": [1,-1],
  "rows": [
    {"x": 1},
    {"x": null, "y": true}
  ],
  "none": []
}`
	assert.Equal(t, want, out.String())
	assert.True(t, json.Valid(out.Bytes()))
}

// TestBoundsAreRoundedOutward compares with exact decimals.
func TestBoundsAreRoundedOutward(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		x := random.NormFloat64() * math.Exp(30*random.NormFloat64())
		exact := new(big.Rat).SetFloat64(x)
		lower, ok := new(big.Rat).SetString(lowerText(x))
		require.True(t, ok)
		upper, ok := new(big.Rat).SetString(upperText(x))
		require.True(t, ok)
		assert.LessOrEqual(t, lower.Cmp(exact), 0, "%v: %s", x, lowerText(x))
		assert.GreaterOrEqual(t, upper.Cmp(exact), 0, "%v: %s", x, upperText(x))
		gap, _ := new(big.Rat).Sub(upper, lower).Float64()
		assert.LessOrEqual(t, gap, 2e-9*math.Abs(x))
	}
	assert.Equal(t, "0", lowerText(0))
	assert.Equal(t, "0.25", upperText(0.25))
	assert.Equal(t, "0.9999999999", lowerText(0.99999999999))
	assert.Equal(t, "1", upperText(0.99999999999))
}

func TestPercent(t *testing.T) {
	assert.Equal(t, "35.19%", percentText(0.351901))
	assert.Equal(t, "100%", percentText(1))
	assert.Equal(t, "99.9999%", percentText(0.999999))
	assert.Equal(t, "218.2%", percentText(2.182))
}

func TestColourOnTerminalsOnly(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, &out)
	assert.False(t, s.colour)
	assert.Equal(t, "x", s.styled(bold, "x"))
	s.colour = true
	assert.Equal(t, "\x1b[1mx\x1b[0m", s.styled(bold, "x"))
}
