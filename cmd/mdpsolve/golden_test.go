package main

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	update   = flag.Bool("update", false, "rewrite the golden files")
	atLength = flag.Bool("long", false, "kill the program while it writes longer schedules, and solve 20,000 hostile models")
)

const (
	solveExample = "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 7/5"
	sweepExample = "static sweep --over gamma --from 1/2 --to 5/2 --steps 5 --lambda 0.1 --mu 1 --buffer 5"
	// Two classes of robots, which cost while they are active.
	classesExample  = "robots solve --class 8@1/20 --class 4@0.2 --buffer 5 --mu 1 --gamma 7/5 --robot-cost 0.01"
	frontierExample = "robots frontier --from 1/2 --to 5 --points 8 --robots 16 --buffer 5 --lambda 0.1 --mu 1"
	tableExample    = "robots table --lambda 1/20,0.1 --buffer 5,10 --gamma 1,7/5"
)

func TestGoldenFiles(t *testing.T) {
	for name, line := range map[string]string{
		"static":                "static --lambda 1/20 --mu 1 --gamma 6/5 --buffer 10",
		"static_robots":         "static --lambda 0.1 --mu 1 --gamma 1.4 --buffer 5 --robots 12 --service erlang:3",
		"static_json":           "static --lambda 1/20 --mu 1 --gamma 6/5 --buffer 10 -o json",
		"static_csv":            "static --lambda 1/20 --mu 1 --gamma 6/5 --buffer 10 -o csv",
		"static_markdown":       "static --lambda 1/20 --mu 1 --gamma 6/5 --buffer 10 -o markdown",
		"sweep":                 sweepExample,
		"sweep_ratio":           "static sweep --over ratio --from 1/2 --to 3 --steps 6 --mu 1 --gamma 1",
		"sweep_json":            sweepExample + " -o json",
		"sweep_csv":             sweepExample + " -o csv",
		"sweep_markdown":        sweepExample + " -o markdown",
		"solve":                 solveExample,
		"solve_json":            solveExample + " -o json",
		"solve_csv":             solveExample + " -o csv",
		"solve_markdown":        solveExample + " -o markdown",
		"solve_paper":           solveExample + " --method paper",
		"solve_large":           "robots solve --robots 150 --buffer 40 --lambda 0.02 --mu 1 --gamma 1",
		"solve_classes":         classesExample,
		"solve_classes_json":    classesExample + " -o json",
		"solve_classes_csv":     classesExample + " -o csv",
		"solve_phases":          solveExample + " --service erlang:3",
		"solve_phases_json":     solveExample + " --service erlang:3 -o json",
		"solve_costs":           solveExample + " --holding-cost 0.01 --activation-cost 1/10",
		"frontier":              frontierExample,
		"frontier_json":         frontierExample + " -o json",
		"frontier_csv":          frontierExample + " -o csv",
		"frontier_markdown":     frontierExample + " -o markdown",
		"help_robots_frontier":  "robots frontier --help",
		"help_robots_simulate":  "robots simulate --help",
		"table":                 tableExample,
		"table_json":            tableExample + " -o json",
		"table_csv":             tableExample + " -o csv",
		"table_markdown":        tableExample + " -o markdown",
		"table_sufficient":      tableExample + " --robots auto",
		"reproduce":             "robots reproduce",
		"reproduce_json":        "robots reproduce -o json",
		"reproduce_csv":         "robots reproduce -o csv",
		"reproduce_table2":      "robots reproduce --table 2 -o markdown",
		"reproduce_figure7":     "robots reproduce --figure 7",
		"help":                  "--help",
		"help_robots_solve":     "robots solve --help",
		"help_robots_reproduce": "robots reproduce --help",
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := execute(t, line)
			require.Zero(t, status, stderr)
			assert.Empty(t, stderr)
			compareGolden(t, filepath.Join("testdata", name+".golden"), elapsed.ReplaceAllString(stdout, `"elapsed_seconds": 0`))
		})
	}
}

// elapsed is what differs from run to run.
var elapsed = regexp.MustCompile(`"elapsed_seconds": [0-9.e-]+`)

var numeral = regexp.MustCompile(`\d+(\.\d+)?(e[-+]?\d+)?`)

// compareGolden wants the same text, with numbers that differ by no more than
// the tenth digit: other processors round the last ones otherwise.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644)) //nolint:gosec // read by everyone
		return
	}
	text, err := os.ReadFile(name)
	require.NoError(t, err, "go test ./cmd/mdpsolve -update writes it")
	compareText(t, name, string(text), got)
}

// compareText is compareGolden for what the file holds.
func compareText(t *testing.T, name, want, got string) {
	t.Helper()
	if !assert.Equal(t, numeral.ReplaceAllString(want, "#"), numeral.ReplaceAllString(got, "#")) {
		return
	}
	wanted, found := numeral.FindAllString(want, -1), numeral.FindAllString(got, -1)
	for i := range wanted {
		x, err := strconv.ParseFloat(wanted[i], 64)
		require.NoError(t, err)
		y, err := strconv.ParseFloat(found[i], 64)
		require.NoError(t, err)
		assert.LessOrEqual(t, math.Abs(x-y), 2e-9*math.Abs(x), "number %d of %s: %s, not %s", i+1, name, found[i], wanted[i])
	}
}
