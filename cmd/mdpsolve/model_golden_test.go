package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The models of testdata, and what is asked about them elsewhere too.
//
//	taxicab.json    Howard, Dynamic Programming and Markov Processes (1960), the
//	                taxicab problem: gain 1588/119 by waiting at stands
//	islands.drn     multichain, with period 2
//	paths.drn       a shortest path problem with a trap
//	twoservers.tra  M/M/2/4: P(n customers) = 8/23·(1, 1, 1/2, 1/4, 1/8)
const (
	taxicabAverage    = "solve taxicab.json --criterion average --maximize"
	taxicabDiscounted = "solve taxicab.json --criterion discounted --discount 9/10 --maximize"
	taxicabFinite     = "solve taxicab.json --criterion finite --horizon 3 --maximize"
	islandsGreatest   = "solve islands.drn --criterion average --maximize --reward fish"
	islandsLeast      = "solve islands.drn --criterion average --minimize --reward fish"
	pathsLeast        = "solve paths.drn --criterion total --target goal --minimize"
	pathsGreatest     = "solve paths.drn --criterion total --target goal --maximize"
	serversAverage    = "solve twoservers.tra --criterion average"
	serversTotal      = "solve twoservers.tra --criterion total --target full"
)

// modelFolder goes to a folder with copies of the models.
func modelFolder(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for _, pattern := range []string{"*.drn", "*.json", "twoservers.*"} {
		names, err := filepath.Glob(filepath.Join("testdata", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(name)), text, 0o600))
		}
	}
	t.Chdir(folder)
}

func TestModelGoldenFiles(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	require.NoError(t, err)
	policyFiles(t)
	mustPrint(t, pathsLeast+" --out result.json")
	for name, line := range map[string]string{
		"model_help_solve":         "solve --help",
		"model_help_convert":       "convert --help",
		"model_help_info":          "info --help",
		"model_average":            taxicabAverage,
		"model_average_json":       taxicabAverage + " -o json",
		"model_average_csv":        taxicabAverage + " -o csv",
		"model_average_markdown":   taxicabAverage + " -o markdown",
		"model_discounted":         taxicabDiscounted,
		"model_exact":              taxicabAverage + " --method exact",
		"model_exact_json":         pathsLeast + " --method exact -o json",
		"model_exact_csv":          pathsLeast + " --method exact -o csv",
		"model_finite":             taxicabFinite,
		"model_finite_json":        taxicabFinite + " -o json",
		"model_multichain":         islandsGreatest,
		"model_multichain_json":    islandsLeast + " -o json",
		"model_total":              pathsLeast,
		"model_total_json":         pathsLeast + " -o json",
		"model_total_csv":          pathsGreatest + " -o csv",
		"model_total_markdown":     pathsGreatest + " -o markdown",
		"model_ctmc":               serversAverage,
		"model_ctmc_total":         serversTotal,
		"model_check":              "check paths.drn result.json",
		"model_check_json":         "check paths.drn result.json -o json",
		"model_check_csv":          "check paths.drn result.json -o csv",
		"model_check_markdown":     "check paths.drn result.json -o markdown",
		"model_help_check":         "check --help",
		"model_help_evaluate":      "evaluate --help",
		"model_help_simulate":      "simulate --help",
		"model_evaluate":           "evaluate taxicab.json --policy second.csv --criterion average",
		"model_evaluate_mixed":     "evaluate paths.drn --policy half.csv --criterion total --target goal --method exact",
		"model_evaluate_json":      "evaluate paths.drn --policy half.csv --criterion total --target goal --method exact -o json",
		"model_evaluate_csv":       "evaluate taxicab.json --policy second.csv --criterion average -o csv",
		"model_simulate":           "simulate twoservers.tra --policy servers.csv --criterion average --horizon 1000",
		"model_simulate_json":      "simulate taxicab.json --policy second.csv --criterion discounted --discount 9/10 -o json",
		"model_simulate_total":     "simulate paths.drn --policy half.csv --criterion total --target goal",
		"model_simulate_csv":       "simulate paths.drn --policy half.csv --criterion finite --horizon 5 -o csv",
		"model_check_policy":       "check taxicab.json howard.csv --criterion average --maximize",
		"model_check_values_json":  "check paths.drn values.csv --criterion total --target goal --minimize -o json",
		"model_info":               "info taxicab.json",
		"model_info_multichain":    "info islands.drn",
		"model_info_ctmc":          "info twoservers.tra",
		"model_info_json":          "info islands.drn -o json",
		"model_info_ctmc_json":     "info twoservers.tra -o json",
		"model_info_ctmc_csv":      "info twoservers.tra -o csv",
		"model_info_ctmc_markdown": "info twoservers.tra -o markdown",
		"model_convert":            "convert islands.drn islands.tra",
		"model_convert_json":       "convert twoservers.tra twoservers.json -o json",
		"model_convert_csv":        "convert twoservers.tra twoservers.json -o csv",
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := execute(t, line)
			require.Zero(t, status, stderr)
			assert.Empty(t, stderr)
			compareGolden(t, filepath.Join(golden, name+".golden"), withoutTimes(stdout))
		})
	}
}

// What differs from run to run, or with the rounding of a processor.
var (
	secondsText = regexp.MustCompile(`, [0-9.e-]+ s\n`)
	apartText   = regexp.MustCompile(`[0-9]\S* apart`)
)

func withoutTimes(text string) string {
	text = elapsed.ReplaceAllString(text, `"elapsed_seconds": 0`)
	text = secondsText.ReplaceAllString(text, ", 0 s\n")
	return apartText.ReplaceAllString(text, "0 apart")
}
