package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// reported makes a report, and returns what it reports. The file loads nothing.
func reported(t *testing.T, line string, wantStatus int) (report map[string]any, size int) {
	t.Helper()
	status, stdout, stderr := execute(t, line+" --out report.html")
	require.Equal(t, wantStatus, status, stderr)
	assert.Contains(t, stdout, "report.html: report written, ")
	page, err := os.ReadFile("report.html")
	require.NoError(t, err)
	for _, loading := range []string{`<link rel="stylesheet"`, `<script src`, `src="`, `@import`, `url(h`, `url("`, `fetch("http`, `<!-- report -->`} {
		assert.NotContains(t, string(page), loading)
	}
	assert.Contains(t, string(page), "Content-Security-Policy")
	found := regexp.MustCompile(`<script type="application/json" id="report">(.*?)</script>`).FindSubmatch(page)
	require.NotNil(t, found)
	require.NoError(t, json.Unmarshal(found[1], &report))
	assert.ElementsMatch(t, strings.Fields("mdpsolve "+line+" --out report.html"), strings.Fields(report["command"].(string)))
	return report["answers"].(map[string]any), len(page)
}

func TestReportRobots(t *testing.T) {
	t.Chdir(t.TempDir())
	const queue = " --buffer 5 --lambda 1/10 --mu 1 --gamma 1.4"
	got, size := reported(t, "report robots --robots 16"+queue, 0)
	assert.Less(t, size, 400_000)
	want := answer(t, "robots solve --robots 16"+queue)
	delete(want, "elapsed_seconds")
	delete(got["robots"].(map[string]any), "elapsed_seconds")
	assert.Equal(t, want, got["robots"])
	assert.Contains(t, got["picture"], ">When a page leaves: activate a robot?</text>")
	assert.Equal(t, want["static_cost"], got["static"].(map[string]any)["cost"])
	byGamma := got["robots/sweep?over=gamma"].([]any)
	require.Len(t, byGamma, 16)
	assert.InEpsilon(t, want["gain"], byGamma[3].(map[string]any)["gain"], 1e-9) // γ itself
	byRobots := got["robots/sweep?over=robots"].([]any)
	require.Len(t, byRobots, 32)
	assert.InEpsilon(t, want["gain"], byRobots[15].(map[string]any)["gain"], 1e-9)

	got, _ = reported(t, "report robots --robots auto"+queue, 0)
	assert.Equal(t, 15.0, got["robots"].(map[string]any)["robots"])
	got, _ = reported(t, "report robots --class 3@1/20 --class 2@1/5 --buffer 5 --mu 1 --gamma 1.4 --robot-cost 0.01", 0)
	assert.Len(t, got["robots/sweep?over=gamma"], 16)
	assert.NotContains(t, got, "robots/sweep?over=robots")
	const limited = " --robots 16 --buffer 5 --lambda 1/10 --mu 1 --service erlang:2 --max-loss 1%"
	got, _ = reported(t, "report robots"+limited, 0)
	assert.Equal(t, answer(t, "robots solve"+limited), got["robots"])
	assert.Contains(t, got["picture"], "at most 1% of the pages lost; with ")
	assert.Len(t, got, 2)
	got, _ = reported(t, "report robots --robots 16 --method rvi --max-iterations 3"+queue, ui.ExitLimit)
	assert.Equal(t, "iteration-limit", got["robots"].(map[string]any)["status"])
}

func TestReportRefresh(t *testing.T) {
	refreshFolder(t)
	got, _ := reported(t, "report refresh --input weighted.csv --bandwidth 5 --allow-left-out 50%", 0)
	summary := got["refresh/rates"].(map[string]any)
	rows := got["rows"].([]any)
	assert.Len(t, rows, int(got["rows_total"].(float64)))
	sum, value := 0.0, 0.0
	for _, row := range rows {
		row := row.(map[string]any)
		sum += row["rate"].(float64)
		value += row["weight"].(float64) * row["freshness"].(float64)
		assert.Contains(t, row, "change_rate")
	}
	assert.InEpsilon(t, 5, sum, 1e-9)
	assert.InEpsilon(t, summary["value"], value, 1e-9)
	around := got["refresh/rates?around"].([]any)
	require.Len(t, around, 9)
	before := 0.0
	for _, other := range around {
		other := other.(map[string]any)["value"].(float64)
		assert.Greater(t, other, before) // more visits, fresher pages
		before = other
	}
	assert.InEpsilon(t, summary["value"], around[4].(map[string]any)["value"], 1e-12)
}

func TestReportModel(t *testing.T) {
	modelFolder(t)
	got, _ := reported(t, "report model --criterion average --maximize taxicab.json", 0)
	result := got["solve"].(map[string]any)
	assert.InEpsilon(t, 1588.0/119, result["value"], 1e-9)
	assert.NotContains(t, result, "certificate")
	assert.Equal(t, "MDP", got["info"].(map[string]any)["kind"])
	assert.Contains(t, got["convert"], "states")

	const states = 3000
	name := chainFile(t, states)
	got, size := reported(t, "report model --criterion average --max-iterations 2 --method rvi "+name, ui.ExitLimit)
	assert.Len(t, got["solve"].(map[string]any)["values"], 1000)
	assert.NotContains(t, got, "convert")
	assert.Less(t, size, 500_000)
}

func TestReportRefusals(t *testing.T) {
	modelFolder(t)
	writeFile(t, "pages.html", "id,change_rate\na,1\n")
	writeFile(t, "law.html", "1 2 3\n")
	for line, want := range map[string]string{
		"report robots --robots 0 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --out a.html":                         "--robots: 0 is not valid: use",
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --out a.html":                                   `--gamma: missing: give a number above 0 ("mdpsolve report robots -h" has examples)`,
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --gamma 1":                                      "--out: missing",
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --out a.pdf":                          `--out: "a.pdf" is not valid`,
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --service ph:law.html --out law.html": "is also an input",
		"report refresh --input pages.html --bandwidth 1 --out pages.html":                                       "is also an input",
		"report refresh --input - --bandwidth 1 --out a.html":                                                    "--input: - is not valid here",
		"report model nothing.drn --criterion average --out a.html":                                              "nothing.drn: no such file",
		"report model taxicab.json --criterion average --out a.html":                                             "give --minimize or --maximize",
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --plot a.svg --out a.html":            "--plot",
		"report robots --robots 3 --buffer 5 --lambda 0.1 --mu 1 --gamma 1 --out nowhere/a.html":                 "--out: ",
	} {
		status, stdout, stderr := execute(t, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
		assert.NoFileExists(t, "a.html", line)
	}
}
