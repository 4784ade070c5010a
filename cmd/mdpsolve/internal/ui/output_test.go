package ui

// Answers in all formats, and numbers in them.

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
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

// TestColumns prints two records, whose columns are declared once, in all formats.
func TestColumns(t *testing.T) {
	row := func(n int, cost float64, status mdp.Status) Record {
		return slices.Concat(Record{
			{"robots", Shown("N", n)},
			{"", Shown("twice", 2*n)},
			{"cost", Shown("cost", cost, Digits(3))},
			{"seconds", OnlyJSON(1.5)},
			{"lower", cost / 3},
			{"status", Shown("status", status)},
		}, When(n == 0, Record{{"never", 1}}))
	}
	rows := []Record{row(2, 0.123456, mdp.Converged), row(3, math.NaN(), mdp.TimeLimit)}
	for format, want := range map[string]string{
		FormatJSON: `[
  {"robots": 2, "cost": 0.123456, "seconds": 1.5, "lower": 0.041152, "status": "converged"},
  {"robots": 3, "cost": null, "seconds": 1.5, "lower": null, "status": "time-limit"}
]
`,
		FormatCSV:      "robots,cost,lower,status\n2,0.123456,0.041152,converged\n3,,,time-limit\n",
		FormatMarkdown: "| N | twice | cost | status |\n| --- | --- | --- | --- |\n| 2 | 4 | 0.123 | converged |\n| 3 | 6 |  | time-limit |\n",
		FormatText:     "  N  twice   cost      status\n─────────────────────────────\n  2      4  0.123   converged\n  3      6         time-limit\n",
	} {
		var out bytes.Buffer
		a := &Arguments{CLI: cli.NewContext(&cli.App{Writer: &out}, nil, nil), Format: format}
		require.NoError(t, a.PrintRecords(rows, func(s *Screen) { s.Records(rows) }))
		assert.Equal(t, want, out.String(), format)
	}
}

// TestTable finds rows several at once; they come in order, up to the first that fails.
func TestTable(t *testing.T) {
	for range 20 {
		var out bytes.Buffer
		found := Table[int]{
			Rows: 9, AtOnce: 4, Streams: true,
			Find: func(_ context.Context, i int, _ time.Duration) (int, error) {
				time.Sleep(time.Duration(rand.N(300)) * time.Microsecond)
				if i == 5 {
					return 0, mdp.ErrTimeLimit
				}
				return i, nil
			},
			Record: func(i int) Record { return Record{{"row", i}} },
		}
		err := found.Print(&Arguments{CLI: cli.NewContext(&cli.App{Writer: &out}, nil, &cli.Context{Context: t.Context()}), Format: FormatCSV})
		assert.Equal(t, ExitLimit, ExitStatus(err))
		assert.ErrorContains(t, err, "4 of 9 rows are missing")
		assert.Equal(t, "row\n0\n1\n2\n3\n4\n", out.String())
	}
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
