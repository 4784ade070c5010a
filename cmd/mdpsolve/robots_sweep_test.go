package main

// The verb robots sweep.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// sweepRows returns the rows of a sweep as JSON has them.
func sweepRows(t *testing.T, line string) []map[string]any {
	t.Helper()
	status, stdout, stderr := execute(t, line+" -o json")
	require.Equal(t, ui.ExitSolved, status, stderr)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &rows))
	return rows
}

// A row has what robots solve says with that value.
func TestSweepIsSolve(t *testing.T) {
	queue := map[string]string{"robots": "12", "buffer": "5", "lambda": "0.1", "mu": "1", "gamma": "1.4"}
	classes := map[string]string{"class": "3@0.1", "buffer": "4", "mu": "1", "gamma": "1.4"}
	for _, test := range []struct {
		over, from, to string
		others         map[string]string
		more           string
		values         []float64
	}{
		{"gamma", "1/2", "2", queue, "", []float64{0.5, 1, 1.5, 2}},
		{"lambda", "0.05", "0.2", queue, "--method rvi", []float64{0.05, 0.1, 0.15, 0.2}},
		{"mu", "1", "1.75", queue, "--service erlang:2 --holding-cost 0.01", []float64{1, 1.25, 1.5, 1.75}},
		{"buffer", "2", "6", queue, "--method paper", []float64{2, 3, 5, 6}},
		{"robots", "1", "16", queue, "--activation-cost 1/20", []float64{1, 6, 11, 16}},
		{"mu", "1/2", "2", classes, "--class 2@0.3 --robot-cost 0.01", []float64{0.5, 1, 1.5, 2}},
	} {
		flags := strings.TrimPrefix(test.more+" ", " ")
		for name, value := range test.others {
			if name != test.over {
				flags += "--" + name + " " + value + " "
			}
		}
		flags = strings.TrimSpace(flags)
		rows := sweepRows(t, fmt.Sprintf("robots sweep --over %s --from %s --to %s --steps 4 %s", test.over, test.from, test.to, flags))
		require.Len(t, rows, 4)
		for i, row := range rows {
			assert.InEpsilon(t, test.values[i], row[test.over], 1e-15)
			want := answer(t, fmt.Sprintf("robots solve --%s %v %s", test.over, row[test.over], flags))
			for key, value := range row {
				if key != test.over {
					assert.Equal(t, want[key], value, "%s = %v: %s", test.over, row[test.over], key)
				}
			}
		}
	}
}

// The static column is the least cost of any number of robots up to N, and switching
// never costs more. More robots, or more weight, never make that cheaper or dearer.
func TestSweepAgainstFixedNumbers(t *testing.T) {
	last := math.Inf(1)
	for n, row := range sweepRows(t, "robots sweep --over robots --from 1 --to 14 --buffer 4 --lambda 0.15 --mu 1 --gamma 1") {
		least := math.Inf(1)
		for fixed := range n + 1 {
			cost := answer(t, fmt.Sprintf("static --robots %d --buffer 4 --lambda 0.15 --mu 1 --gamma 1", fixed+1))["cost"].(float64)
			least = min(least, cost)
		}
		assert.InEpsilon(t, least, row["static_cost"], 1e-14)
		gain := row["gain"].(float64)
		assert.LessOrEqual(t, row["gain_lower"], least)
		assert.LessOrEqual(t, gain, last*(1+1e-14))
		assert.InDelta(t, 1-gain/least, row["saving"], 1e-14)
		last = gain
	}
}

// As many robots as lower the cost, for each value.
func TestSweepOfSufficientRobots(t *testing.T) {
	for _, row := range sweepRows(t, "robots sweep --robots auto --over lambda --from 0.1 --to 0.2 --steps 2 --buffer 5 --mu 1 --gamma 1") {
		want := answer(t, fmt.Sprintf("robots solve --robots auto --lambda %v --buffer 5 --mu 1 --gamma 1", row["lambda"]))
		assert.Equal(t, want["gain"], row["gain"])
	}
}

const sweepLine = "robots sweep --over gamma --from 0.25 --to 2 --steps 8 --robots 9 --buffer 4 --lambda 0.2 --mu 1"

func TestSweepHasTheSameBits(t *testing.T) {
	_, want, _ := execute(t, sweepLine+" -o csv --workers 1")
	require.Equal(t, 9, strings.Count(want, "\n"))
	for _, workers := range []string{"2", "3", "20"} {
		_, got, _ := execute(t, sweepLine+" -o csv --workers "+workers)
		assert.Equal(t, want, got)
	}
}

// cancelling calls cancel when so many lines have been written to it.
type cancelling struct {
	text   bytes.Buffer
	lines  int
	cancel func()
}

func (c *cancelling) Write(text []byte) (int, error) {
	n, err := c.text.Write(text)
	if bytes.Count(c.text.Bytes(), []byte("\n")) >= c.lines {
		c.cancel()
	}
	return n, err
}

// An interrupted sweep has printed the rows that were found.
func TestInterruptedSweep(t *testing.T) {
	line := strings.Replace(sweepLine, "--steps 8", "--steps 100", 1) + " --workers 1 -o csv"
	_, want, _ := execute(t, line)
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &cancelling{lines: 4, cancel: cancel}
	var stderr bytes.Buffer
	status := app.Run(ctx, append([]string{"mdpsolve"}, strings.Fields(line)...), stdout, &stderr)
	assert.Equal(t, ui.ExitInterrupted, status)
	assert.Contains(t, stderr.String(), "rows are missing")
	got := stdout.text.String()
	lines := strings.SplitAfter(got, "\n")
	found := strings.Join(lines[:len(lines)-2], "") // but the row whose solve was interrupted
	assert.True(t, strings.HasPrefix(want, found))
	assert.GreaterOrEqual(t, len(lines), 4)
	assert.Less(t, len(got), len(want))
}

// A row that a limit ended is printed with its bounds.
func TestSweepAtTheTimeLimit(t *testing.T) {
	status, stdout, stderr := execute(t, "robots sweep --over gamma --from 1 --to 2 --steps 3 --robots 400 --buffer 200 --lambda 1/200 --mu 1 "+
		"--method rvi --tolerance 1e-12 --time-limit 0.4 -o csv")
	assert.Equal(t, ui.ExitLimit, status)
	assert.Contains(t, stdout, ",time-limit\n")
	assert.Contains(t, stderr, "limit")
}

func TestTableWithANumberOfRobots(t *testing.T) {
	status, stdout, stderr := execute(t, "robots table --lambda 0.1 --buffer 5 --gamma 0.5,3 --robots 10 -o json")
	require.Equal(t, ui.ExitSolved, status, stderr)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &rows))
	for i, gamma := range []string{"0.5", "3"} {
		want := answer(t, "robots solve --robots 10 --lambda 0.1 --mu 1 --buffer 5 --gamma "+gamma)
		assert.Equal(t, want["gain"], rows[i]["C_dynamic"])
		assert.Equal(t, want["static_robots"], rows[i]["N_static"]) // 12 would be better than 10 for γ = 3
		assert.InEpsilon(t, want["static_cost"], rows[i]["C_static"], 1e-14)
	}
}
