package main

// The verbs of refresh together, and files of all kinds.

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/countdown"
)

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

func TestRatesKeys(t *testing.T) {
	refreshFolder(t)
	got := answer(t, "refresh rates --input pages.csv --bandwidth 5")
	for _, key := range []string{
		"pages", "active", "bandwidth", "objective", "value", "bound", "multiplier", "seconds", "read_seconds", "write_seconds",
	} {
		assert.Contains(t, got, key)
	}
	// The mean freshness 0.373889 of the five pages, to the digits that are
	// known, and from duality.
	assert.InDelta(t, 5*0.373889, got["value"], 5*5e-7)
	assert.InEpsilon(t, got["value"], got["bound"], 1e-12)
	assert.Equal(t, 4.0, got["active"])
	age := answer(t, "refresh rates --input pages.csv --bandwidth 5 --objective age")
	assert.InDelta(t, 5*0.250335, age["value"], 5*5e-7)
}

// column returns a column of CSV as numbers, NaN where it is empty.
func column(t *testing.T, text string, index int) []float64 {
	t.Helper()
	var numbers []float64
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		cell := strings.Split(line, ",")[index]
		number := math.NaN()
		if cell != "" {
			var err error
			number, err = strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// The freshness of a page is that of its rate: with weights 1, its sum is the
// value, whatever the objective (for costs, the number of pages less the cost).
func TestRatesOfAllObjectives(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "slow.csv", "id,change_rate\na,0.1\nb,0.2\nc,0.3\nd,0.4\ne,0.5\n") // probabilities, for discrete
	writeFile(t, "signals.csv", "id,change_rate,recall\na,0.1,0.5\nb,0.2,0.1\nc,0.3,0.9\nd,0.4,0\ne,0.5,0.2\n")
	for _, objective := range objectiveNames {
		list := "slow.csv"
		if objective == "signals" {
			list = "signals.csv"
		}
		line := "refresh rates --input " + list + " --bandwidth 1/2 --objective " + objective
		status, rates, stderr := execute(t, line+" --output csv")
		require.Zero(t, status, stderr)
		summary := answer(t, line)
		assert.Equal(t, objective, summary["objective"])
		assert.InEpsilon(t, summary["value"], summary["bound"], 1e-12, objective)
		sum, fresh := 0.0, 0.0
		freshness := column(t, rates, 3)
		for i, rate := range column(t, rates, 1) {
			sum += rate
			fresh += freshness[i]
		}
		assert.InEpsilon(t, 0.5, sum, 1e-12, objective)
		switch objective {
		case "age", "harmonic":
		case "coffman", "coffman-randomized":
			assert.InEpsilon(t, 5-summary["value"].(float64), fresh, 1e-12, objective)
		default:
			assert.InEpsilon(t, summary["value"], fresh, 1e-12, objective)
		}
	}
}

func TestAccessTimes(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "times", "1 2 3\n")
	const line = "refresh rates --input pages.csv --bandwidth 5 --objective coffman"
	constant := answer(t, line)["value"].(float64)
	assert.Equal(t, constant, answer(t, line+" --access-time deterministic")["value"])
	assert.Equal(t, constant, answer(t, line+" --access-mean 1/5")["value"])
	// With constant access times the cost is that of evenly spaced accesses.
	fixed := answer(t, "refresh rates --input pages.csv --bandwidth 5")["value"].(float64)
	assert.InEpsilon(t, 5-fixed, constant, 1e-12)
	// The more the access times vary, the higher the cost (increasing convex order).
	last := constant
	for _, law := range []string{"uniform:1,2", "uniform:0,2", "gamma:2", "exponential", "hyperexponential:1/2@1/2,1/2@2"} {
		value := answer(t, line+" --access-time "+law)["value"].(float64)
		assert.Greater(t, value, last, law)
		last = value
	}
	assert.InEpsilon(t, answer(t, line+" --access-time gamma:3")["value"], answer(t, line+" --access-time erlang:3")["value"], 1e-12)
	assert.Greater(t, answer(t, line+" --access-time sample:times")["value"], constant)
}

func TestFilesOfAllKinds(t *testing.T) {
	refreshFolder(t)
	want := answer(t, "refresh rates --input pages.csv --bandwidth 5")["value"]
	status, direct, _ := execute(t, "refresh rates --input pages.csv --bandwidth 5 -o csv")
	require.Zero(t, status)
	var lines strings.Builder
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		lines.WriteString(`{"url": "` + id + `", "weight": 1, "change_rate": ` + strconv.Itoa(i+1) + "}\n")
	}
	writeFile(t, "pages.jsonl", lines.String())
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(lines.String()))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	writeFile(t, "pages.jsonl.gz", packed.String())
	for _, name := range []string{"pages.jsonl", "pages.jsonl.gz"} {
		assert.Equal(t, want, answer(t, "refresh rates --input "+name+" --bandwidth 5")["value"], name)
	}
	slots := ""
	for _, name := range []string{"out.csv", "out.jsonl", "out.csv.gz", "out.jsonl.zst", "out.parquet"} {
		got := answer(t, "refresh rates --input pages.csv --bandwidth 5 --out "+name)
		assert.Equal(t, want, got["value"])
		status, stdout, stderr := execute(t, "refresh schedule --input "+name+" --length 50")
		require.Zero(t, status, stderr)
		if slots == "" {
			slots = stdout
			assert.Equal(t, 51, strings.Count(stdout, "\n"))
		}
		assert.Equal(t, slots, stdout, name)
	}
	assert.Equal(t, direct, readFile(t, "out.csv"))
}

func TestStandardInput(t *testing.T) {
	refreshFolder(t)
	file, err := os.Open("pages.csv")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	before := os.Stdin
	os.Stdin = file
	defer func() { os.Stdin = before }()
	got := answer(t, "refresh rates --input - --bandwidth 5")
	assert.Equal(t, 5.0, got["pages"])
}

func TestRowsThatCannotBeUsed(t *testing.T) {
	refreshFolder(t)
	status, stdout, stderr := execute(t, "refresh rates --input weighted.csv --bandwidth 1 --allow-left-out 100% -o json")
	assert.Zero(t, status)
	assert.Equal(t, 3.0, object(t, stdout)["unusable"])
	assert.Equal(t, 3.0, object(t, stdout)["pages"])
	for _, place := range []string{"weighted.csv:2:", "weighted.csv:5:", "weighted.csv:6:", "3 of 6 rows"} {
		assert.Contains(t, stderr, place)
	}
	var many strings.Builder
	many.WriteString("id,change_rate\ngood,1\n")
	for i := range 1000 {
		many.WriteString(strconv.Itoa(i) + ",NaN\n")
	}
	writeFile(t, "many.csv", many.String())
	status, _, stderr = execute(t, "refresh rates --input many.csv --bandwidth 1 --allow-left-out 100% -o json")
	assert.Zero(t, status)
	assert.Contains(t, stderr, "980 more invalid rows")
	assert.Equal(t, 22, strings.Count(stderr, "\n"))
}

// r of a page with gaps of d slots is 1 − (1 − e^{−μdx})/(μdx).
func TestEvaluateRoundRobin(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "two.csv", "id,change_rate,weight\na,1,3\nb,2,1/1\n")
	writeFile(t, "alternate.csv", "slot,id\n1,a\n2,b\n")
	got := answer(t, "refresh evaluate --input two.csv --schedule alternate.csv --bandwidth 4")
	obsolescence := func(z float64) float64 { return 1 - (1-math.Exp(-z))/z }
	assert.InEpsilon(t, 3*obsolescence(0.5)+obsolescence(1), got["cost"], 1e-13)
	assert.InEpsilon(t, got["cost"], got["bound_same_frequencies"], 1e-13) // even gaps cannot be beaten
	assert.LessOrEqual(t, got["bound"], got["cost"])
	assert.Equal(t, 2.0, got["slots"])
}

// A schedule of the best rates comes close to the bound, and golden ratio within
// 5% of it (Coffman, Liu and Weber, section 5).
func TestScheduleIsWorthItsRates(t *testing.T) {
	refreshFolder(t)
	require.NotEmpty(t, answer(t, "refresh rates --input pages.csv --bandwidth 5 --objective coffman --out best.csv"))
	for method, most := range map[string]float64{methodDeadline: 1.05, methodGolden: 1.05, methodRandom: 1.2} {
		line := "refresh schedule --input best.csv --length 987 --out " + method + ".csv --method " + method
		if method == methodGolden {
			line += " --cycle 987"
		}
		require.NotEmpty(t, answer(t, line))
		got := answer(t, "refresh evaluate --input pages.csv --bandwidth 5 --schedule "+method+".csv")
		assert.GreaterOrEqual(t, got["ratio"], 1.0, method)
		assert.LessOrEqual(t, got["ratio"], most, method)
	}
}

func TestEstimateFeedsRates(t *testing.T) {
	refreshFolder(t)
	got := answer(t, "refresh estimate --input history.csv --out estimated.csv")
	assert.Equal(t, 4.0, got["pages"])
	assert.Equal(t, 3.0, got["estimated"])
	assert.Equal(t, 2.0, got["smoothed"])
	// Changed after gaps {1,2}, unchanged after {1,3}.
	assert.InDelta(t, 0.374159, column(t, readFile(t, "estimated.csv"), 1)[0], 5e-7)
	assert.Equal(t, 3.0, answer(t, "refresh rates --input estimated.csv --bandwidth 1")["pages"])
	require.NotEmpty(t, answer(t, "refresh estimate --input history.csv --out estimated.jsonl"))
	assert.Equal(t, answer(t, "refresh rates --input estimated.csv --bandwidth 1")["value"],
		answer(t, "refresh rates --input estimated.jsonl --bandwidth 1")["value"])
}

func TestCompareCurves(t *testing.T) {
	refreshFolder(t)
	status, stdout, stderr := execute(t, "refresh compare --steps 4 --from 1/1000 -o csv")
	require.Zero(t, status, stderr)
	optimum, bound := column(t, stdout, 4), column(t, stdout, 5)
	require.Len(t, optimum, 8)
	for i := range optimum {
		assert.InEpsilon(t, optimum[i], bound[i], 1e-12)
		for rule := 6; rule <= 11; rule++ {
			assert.LessOrEqual(t, column(t, stdout, rule)[i], optimum[i])
		}
		assert.GreaterOrEqual(t, column(t, stdout, 12)[i], 0.985) // the paper: 99% of the optimum
	}
	status, stdout, _ = execute(t, "refresh compare --steps 4 --input pages.csv -o csv")
	assert.Zero(t, status)
	assert.Equal(t, 5, strings.Count(stdout, "\n"))
}

func TestRefreshCancelledBeforeTheStart(t *testing.T) {
	refreshFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{
		"refresh rates --input pages.csv --bandwidth 5",
		"refresh schedule --input rates.csv --length 5",
		"refresh evaluate --input pages.csv --schedule slots.csv --bandwidth 5",
		"refresh estimate --input history.csv",
		"refresh compare",
	} {
		status, _, stderr := executeContext(ctx, line)
		assert.Equal(t, ui.ExitInterrupted, status, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// However early a solve is interrupted, what is printed makes sense.
func TestRatesInterruptedAnywhere(t *testing.T) {
	refreshFolder(t)
	for _, objective := range []string{"fixed-order", "age"} {
		statuses := map[int]int{}
		for asked := range 60 {
			for _, format := range []string{"text", "json"} {
				status, stdout, stderr := executeContext(countdown.New(asked), "refresh rates --input pages.csv --bandwidth 5 --workers 1 --objective "+objective+" -o "+format)
				statuses[status]++
				assert.NotContains(t, stdout+stderr, "Inf")
				assert.NotContains(t, stdout+stderr, "NaN")
				if status == ui.ExitInterrupted && stdout != "" && format == "json" {
					got := object(t, stdout)
					assert.Equal(t, "interrupted", got["status"])
					assert.LessOrEqual(t, got["used"], 5.0)
					if got["bound"] != nil && objective == "fixed-order" {
						assert.GreaterOrEqual(t, got["bound"], got["value"])
					}
				}
			}
		}
		assert.Len(t, statuses, 2, "%v: both ends are there", statuses)
	}
}
