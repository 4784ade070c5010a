package ui

// Answers in all formats, and numbers in them.

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJSON(t *testing.T) {
	tenth := 0.1
	var out bytes.Buffer
	require.NoError(t, writeJSON(&out, Record{
		{"number", tenth + 2*tenth},
		{"nan", math.NaN()},
		{"infinite", math.Inf(-1)},
		{"unknown", nil},
		{"text", "a \"b\" <ρ>"},
		{"curve", []int{1, -1}},
		{"rows", []Record{{{"x", 1}}, {{"x", math.NaN()}, {"y", true}}}},
		{"none", []Record{}},
		{"table", [][]int{{1, 2}, {3}}},
		{"inner", Record{{"a", "}],:"}, {"b", []Record{{{"c", "\\\""}}, {{"c", 2}}}}}},
		{"empty", Record{}},
	}))
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
  "none": [],
  "table": [[1,2],[3]],
  "inner": {"a": "}],:", "b": [{"c": "\\\""}, {"c": 2}]},
  "empty": {}
}
`
	assert.Equal(t, want, out.String())
	assert.True(t, json.Valid(out.Bytes()))

	out.Reset()
	require.NoError(t, writeJSON(&out, []Record{{{"x", 1}}, {{"x", 2}}}))
	require.NoError(t, writeJSON(&out, []Record{}))
	require.NoError(t, writeJSON(&out, Record{}))
	want = "[\n  {\"x\": 1},\n  {\"x\": 2}\n]\n[]\n{}\n"
	assert.Equal(t, want, out.String())
	assert.Error(t, writeJSON(&out, []float64{math.NaN()}))
}

// A struct prints as the record with its fields does.
func TestResults(t *testing.T) {
	type result struct {
		Name  string   `json:"name"`
		Cost  Number   `json:"cost"`
		Curve []Number `json:"curve" table:"-"`
		Count *int     `json:"count"`
	}
	found := result{"a <b>", Number(math.Inf(1)), []Number{1, Number(math.NaN())}, nil}
	record := Record{{"name", "a <b>"}, {"cost", Number(math.Inf(1))}, {"count", nil}}
	assert.Equal(t, record, recordOf(reflect.ValueOf(found)))
	assert.Equal(t, []string{"a <b>", "∞", ""}, record.cells(PlainText))
	var out bytes.Buffer
	require.NoError(t, writeJSON(&out, found))
	assert.JSONEq(t, `{"name": "a <b>", "cost": null, "curve": [1,null], "count": null}`, out.String())
}

// TestBoundsAreRoundedOutward compares with exact decimals.
func TestBoundsAreRoundedOutward(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		x := random.NormFloat64() * math.Exp(30*random.NormFloat64())
		exact := new(big.Rat).SetFloat64(x)
		lower, ok := new(big.Rat).SetString(LowerText(x))
		require.True(t, ok)
		upper, ok := new(big.Rat).SetString(UpperText(x))
		require.True(t, ok)
		assert.LessOrEqual(t, lower.Cmp(exact), 0, "%v: %s", x, LowerText(x))
		assert.GreaterOrEqual(t, upper.Cmp(exact), 0, "%v: %s", x, UpperText(x))
		gap, _ := new(big.Rat).Sub(upper, lower).Float64()
		assert.LessOrEqual(t, gap, 2e-9*math.Abs(x))
	}
	assert.Equal(t, "0", LowerText(0))
	assert.Equal(t, "0.25", UpperText(0.25))
	assert.Equal(t, "0.999999999", LowerText(0.99999999999))
	assert.Equal(t, "1", UpperText(0.99999999999))
}

func TestPercent(t *testing.T) {
	assert.Equal(t, "35.19%", PercentText(0.351901))
	assert.Equal(t, "100%", PercentText(1))
	assert.Equal(t, "99.9999%", PercentText(0.999999))
	assert.Equal(t, "218.2%", PercentText(2.182))
}

func TestColourOnTerminalsOnly(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, &out)
	assert.False(t, s.Colour)
	assert.Equal(t, "x", s.Styled(Bold, "x"))
	s.Colour = true
	assert.Equal(t, "\x1b[1mx\x1b[0m", s.Styled(Bold, "x"))
}
