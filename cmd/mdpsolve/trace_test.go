package main

// --trace, of solve and robots solve.

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// traced runs a command with --trace and returns the columns of its file.
func traced(t *testing.T, line string, status int) (columns map[string][]float64, answer map[string]any) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.csv")
	got, stdout, stderr := execute(t, line+" -o json --bounds-out "+file)
	require.Equal(t, status, got, stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"iteration", "lower", "upper", "gap", "seconds"}, rows[0])
	columns = map[string][]float64{}
	for _, row := range rows[1:] {
		for i, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
			columns[rows[0][i]] = append(columns[rows[0][i]], x)
		}
	}
	return columns, object(t, stdout)
}

// The bounds of relative value iteration do not get further apart (Puterman 2005,
// theorem 8.5.6), enclose the optimum, and end where the solve says that it ends.
func TestTraceOfValueIteration(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{
		"robots solve --robots 12 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --method rvi",
		"robots solve --robots 12 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --method rvi --service erlang:2",
		"solve taxicab.json --criterion average --minimize --method rvi",
		"solve taxicab.json --criterion average --maximize --method rvi",
	} {
		columns, answer := traced(t, line, ui.ExitSolved)
		value, ok := answer["gain"].(float64)
		if !ok {
			value = answer["value"].(float64)
		}
		require.NotEmpty(t, columns["iteration"], line)
		assert.InDelta(t, answer["iterations"], columns["iteration"][len(columns["iteration"])-1], 0, line)
		const rounding = 1e-9
		for i, lower := range columns["lower"] {
			upper := columns["upper"][i]
			assert.InDelta(t, upper-lower, columns["gap"][i], 0)
			assert.LessOrEqual(t, lower, value+rounding, line)
			assert.GreaterOrEqual(t, upper, value-rounding, line)
			if i > 0 {
				assert.Greater(t, columns["iteration"][i], columns["iteration"][i-1])
				assert.GreaterOrEqual(t, columns["seconds"][i], columns["seconds"][i-1])
				assert.LessOrEqual(t, columns["upper"][i], columns["upper"][i-1]+rounding)
				assert.GreaterOrEqual(t, lower, columns["lower"][i-1]-rounding)
			}
		}
	}
}

// A solve that a limit ends has its trace, too; JSON lines hold what CSV does.
func TestTraceOfALimit(t *testing.T) {
	modelFolder(t)
	line := "solve taxicab.json --criterion discounted --discount 9/10 --maximize --method value-iteration --max-iterations 7"
	columns, _ := traced(t, line, ui.ExitLimit)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6, 7}, columns["iteration"])
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	status, _, stderr := execute(t, line+" --bounds-out "+file)
	require.Equal(t, ui.ExitLimit, status, stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 7)
	for i, line := range lines {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		for _, key := range []string{"iteration", "lower", "upper", "gap"} {
			assert.Equal(t, columns[key][i], row[key])
		}
	}
}
