package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// execute runs a command line without the program's name, words separated by
// single spaces.
func execute(t *testing.T, line string) (status int, stdout, stderr string) {
	t.Helper()
	return executeContext(t.Context(), line)
}

func executeContext(ctx context.Context, line string) (status int, stdout, stderr string) {
	var out, diagnostics bytes.Buffer
	status = app.Run(ctx, append([]string{"mdpsolve"}, splitLine(line)...), &out, &diagnostics)
	return status, out.String(), diagnostics.String()
}

// splitLine splits a command line at spaces, but not between single quotes.
func splitLine(line string) []string {
	parts := strings.Split(line, "'")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", "\x00")
	}
	words := strings.Split(strings.Join(parts, ""), " ")
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "\x00", " ")
	}
	return words
}

// replaced returns a command line in which a flag that is given again takes the place of
// the first, but for --class.
func replaced(line string) string {
	var words [][]string // flags with their values, and other words
	for word := range strings.SplitSeq(line, " ") {
		last := len(words) - 1
		if last >= 0 && len(words[last]) == 1 && strings.HasPrefix(words[last][0], "-") && !strings.HasPrefix(word, "--") {
			words[last] = append(words[last], word)
			continue
		}
		words = append(words, []string{word})
	}
	var kept []string
	for i, group := range words {
		again := slices.ContainsFunc(words[i+1:], func(later []string) bool { return later[0] == group[0] })
		if !again || group[0] == "--class" || !strings.HasPrefix(group[0], "--") {
			kept = append(kept, group...)
		}
	}
	return strings.Join(kept, " ")
}

// answer runs a command line with JSON output and returns the object.
func answer(t *testing.T, line string) map[string]any {
	t.Helper()
	status, stdout, stderr := execute(t, line+" --output json")
	require.Zero(t, status, stderr)
	return object(t, stdout)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var value map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

func TestBareProgramSaysHowToGoOn(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Equal(t, ui.ExitUsage, app.Run(t.Context(), []string{"mdpsolve"}, &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Contains(t, stderr.String(), "mdpsolve help")
	assert.Equal(t, 4, strings.Count(stderr.String(), "\n"))
	for line := range strings.Lines(stderr.String()) {
		if example, is := strings.CutPrefix(line, "  mdpsolve "); is {
			mustPrint(t, strings.TrimSpace(example))
		}
	}
}

func TestStaticKeys(t *testing.T) {
	got := answer(t, "static --lambda 0.1 --mu 1 --gamma 7/5 --buffer 5")
	for _, key := range []string{
		"robots", "cost", "rho", "rho_optimal", "starvation", "loss_rate", "loss_probability", "gamma_critical",
	} {
		assert.Contains(t, got, key)
	}
	// γ(5) = 7/5, so ρ* = 1, ten robots, and C = (γ+μ)/(K+1) = 0.4.
	assert.Equal(t, 10.0, got["robots"])
	assert.InEpsilon(t, 0.4, got["cost"], 1e-15)
	assert.InEpsilon(t, 1.4, got["gamma_critical"], 1e-15)
}

func TestFractionsAreRoundedOnce(t *testing.T) {
	fraction := answer(t, "static --lambda 1/20 --mu 3/3 --gamma 17/15 --buffer 30/2")
	decimal := answer(t, "static --lambda 0.05 --mu 1 --gamma 1.1333333333333333 --buffer 15")
	assert.Equal(t, decimal, fraction)
}

func TestSolveKeys(t *testing.T) {
	got := answer(t, "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4")
	for _, key := range []string{
		"gain", "gain_lower", "gain_upper", "status", "method", "iterations", "starvation", "loss_rate", "robots",
		"robots_mean", "robots_min", "robots_max", "curve_departure", "curve_arrival", "threshold", "monotone",
	} {
		assert.Contains(t, got, key)
	}
	// The cost in the caption of the paper's Figure 7.
	assert.InDelta(t, 0.25924, got["gain"], 5e-6)
	assert.Equal(t, got["gain"], got["cost"])
	assert.Equal(t, "converged", got["status"])
	assert.Equal(t, "policy-iteration", got["method"])
	assert.Len(t, got["curve_departure"], 17)
	assert.Len(t, got["curve_arrival"], 17)
	assert.Equal(t, -1.0, got["curve_arrival"].([]any)[0])
	assert.Equal(t, true, got["monotone"])
	assert.LessOrEqual(t, got["gain_lower"], got["gain"])
	assert.GreaterOrEqual(t, got["gain_upper"], got["gain"])
}

func TestMethodsAgree(t *testing.T) {
	const line = "robots solve --robots 9 --buffer 4 --lambda 1/3 --mu 2 --gamma 0.7"
	exact := answer(t, line)
	for _, method := range []string{ui.MethodValue, ui.MethodPolicy, ui.MethodPaper} {
		got := answer(t, line+" --method "+method)
		assert.Equal(t, method, got["method"])
		assert.LessOrEqual(t, got["gain_lower"], exact["gain_upper"], method)
		assert.GreaterOrEqual(t, got["gain_upper"], exact["gain_lower"], method)
		assert.InEpsilon(t, exact["gain"], got["gain"], 1e-4, method)
	}
}

func TestPaperMethod(t *testing.T) {
	got := answer(t, "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --method paper")
	assert.Equal(t, 254.0, got["iterations"]) // Figure 6
	assert.InDelta(t, 0.20907, got["gain"], 5e-6)
	assert.Equal(t, "stopped", got["status"])
	got = answer(t, "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --method paper --tolerance 0.01")
	assert.Equal(t, "converged", got["status"])
}

func TestSufficientRobots(t *testing.T) {
	got := answer(t, "robots solve --robots auto --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4")
	assert.Equal(t, 15.0, got["robots"])
	assert.Equal(t, got["robots"], got["robots_max"])
}

func TestLimits(t *testing.T) {
	for _, line := range []string{
		"robots solve --robots 16 --method rvi --max-iterations 5",
		"robots solve --robots 16 --method rvi --max-iterations 5 --workers 2",
	} {
		status, stdout, stderr := execute(t, line+" --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 -o json")
		assert.Equal(t, ui.ExitLimit, status, line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		got := object(t, stdout)
		assert.Equal(t, "iteration-limit", got["status"])
		assert.Less(t, got["gain_lower"], got["gain_upper"])
	}
	status, stdout, _ := execute(t, "robots solve --robots 400 --buffer 200 --lambda 1/200 --mu 1 --gamma 1.4 "+
		"--method rvi --tolerance 1e-12 --time-limit 1 -o json")
	assert.Equal(t, ui.ExitLimit, status)
	assert.Equal(t, "time-limit", object(t, stdout)["status"])
	status, stdout, _ = execute(t, "robots table --lambda 0.1 --buffer 5 --gamma 1,2 --method rvi --max-iterations 5 -o csv")
	assert.Equal(t, ui.ExitLimit, status)
	assert.Equal(t, 2, strings.Count(stdout, "iteration-limit"))
}

func TestTableMatchesSolve(t *testing.T) {
	_, one, _ := execute(t, "robots table --lambda 0.1,1/5 --buffer 5,6,7 --gamma 1,7/5 -o csv --workers 1")
	_, several, _ := execute(t, "robots table --lambda 0.1,1/5 --buffer 5,6,7 --gamma 1,7/5 -o csv --workers 5")
	assert.Equal(t, one, several)
	lines := strings.Split(strings.TrimSpace(one), "\n")
	require.Len(t, lines, 13)
	assert.True(t, strings.HasPrefix(lines[0], "lambda,K,gamma,C_static,N_static,C_dynamic,N_min,N_mean,N_max,iterations,"), lines[0])
	assert.True(t, strings.HasPrefix(lines[6], "0.1,7,1.4,"), lines[6])
	cells := strings.Split(lines[6], ",")
	single := answer(t, "robots solve --robots "+cells[4]+" --lambda 0.1 --buffer 7 --mu 1 --gamma 1.4")
	assert.Equal(t, cells[5], ui.ExactText(single["gain"].(float64)))
}

func TestRangesAreLists(t *testing.T) {
	const line = "robots table --lambda 1/10 -o csv "
	ranges := mustPrint(t, line+"--buffer 3,5:9:2 --gamma 0.5:1.5:1/4,3")
	assert.Equal(t, mustPrint(t, line+"--buffer 3,5,7,9 --gamma 1/2,0.75,1,1.25,1.5,3"), ranges)
	assert.Equal(t, 1+4*6, strings.Count(ranges, "\n"))
}

func TestSweeps(t *testing.T) {
	_, stdout, _ := execute(t, "static sweep --over ratio --from 1/2 --to 3 --steps 6 --mu 1 --gamma 1 -o csv")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, lines, 7)
	assert.Equal(t, "3,0.3333333333333333,1,1,3,0,1", lines[6])
	_, stdout, _ = execute(t, "static sweep --over buffer --from 2 --to 40 --lambda 0.1 --mu 1 --gamma 1 -o csv")
	assert.Equal(t, 40, strings.Count(stdout, "\n"))
	status, _, stderr := execute(t, "static sweep --over buffer --from 2 --to 4 --lambda 0.1 --mu 1 --gamma 1 --buffer 3")
	assert.Zero(t, status)
	assert.Contains(t, stderr, "warning: --buffer")
}
