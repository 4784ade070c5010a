package main

// The verb check, on answers that hold and answers that do not.

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

func TestCheckAcceptsWhatSolveFinds(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{
		taxicabAverage, taxicabDiscounted, taxicabFinite, islandsGreatest, islandsLeast,
		pathsLeast, pathsGreatest, serversAverage, serversTotal,
		taxicabAverage + " --method rvi",
		taxicabDiscounted + " --method value-iteration",
		strings.ReplaceAll(taxicabFinite, "--maximize", "--minimize"),
	} {
		stdout := mustPrint(t, line+" --out result.json.gz -o json")
		require.NoError(t, os.WriteFile("printed.json", []byte(stdout), 0o600))
		model := strings.Split(line, " ")[1]
		for _, name := range []string{"result.json.gz", "printed.json"} {
			got := answer(t, "check "+model+" "+name)
			for _, key := range []string{"verdict", "bounds", "values", "policy", "status"} {
				assert.Equal(t, "holds", got[key], "%s: %s", line, key)
			}
			if strings.Contains(line, "average") {
				assert.Equal(t, "holds", got["classification"], line)
			} else {
				assert.NotContains(t, got, "classification", line)
			}
			assert.Empty(t, got["faults"], line)
		}
	}
}

func TestCheckRefusesWhatIsWrong(t *testing.T) {
	modelFolder(t)
	for _, test := range []struct {
		line    string
		spoil   func(*certificate.Result)
		refuted string
	}{
		{taxicabAverage, func(r *certificate.Result) { r.Upper[1] = 13 }, "bounds"},
		{taxicabAverage, func(r *certificate.Result) { r.Lower[2] = 13.4 }, "bounds"},
		{taxicabAverage, func(r *certificate.Result) { r.Policy[0] = 0 }, "policy"},
		{taxicabAverage, func(r *certificate.Result) { r.Policy[1] = 2 }, "policy"},
		{taxicabAverage, func(r *certificate.Result) { r.Values[2] = 20 }, "values"},
		{taxicabAverage, func(r *certificate.Result) { r.Lower[0] = 10 }, "status"},
		{taxicabAverage, func(r *certificate.Result) { r.Classification = "multichain" }, "classification"},
		{pathsLeast, func(r *certificate.Result) { r.Policy[0] = 0 }, "policy"},
		{pathsLeast, func(r *certificate.Result) { r.Values[3], r.Lower[3], r.Upper[3] = 9, 9, 9 }, "bounds"},
		{serversTotal, func(r *certificate.Result) { r.Sense, r.Upper[0] = "maximize", 15 }, "bounds"},
	} {
		mustPrint(t, test.line+" --out result.json")
		r, err := certificate.ReadFile("result.json")
		require.NoError(t, err)
		test.spoil(r)
		r.Value = r.Values[r.Initial]
		require.NoError(t, certificate.WriteFile("spoilt.json", r))
		for _, format := range []string{"text", "json", "csv", "markdown"} {
			status, stdout, stderr := execute(t, "check "+strings.Split(test.line, " ")[1]+" spoilt.json -o "+format)
			assert.Equal(t, ui.ExitLimit, status, test.refuted)
			assert.Regexp(t, `^mdpsolve: spoilt\.json: .* is refuted: `, stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			assert.Contains(t, stdout, "refuted")
			if format == "json" {
				assert.Equal(t, "refuted", object(t, stdout)[test.refuted], stdout)
			}
		}
	}
}

// Answers of others are judged by certificates that are made for them: policies by
// what they achieve (see [policyFiles] for what that is), values by the optimum.
func TestCheckAnswersOfOthers(t *testing.T) {
	policyFiles(t)
	const (
		average = " --criterion average --maximize"
		total   = " --criterion total --target goal"
	)
	mustPrint(t, "evaluate taxicab.json --policy cruise.csv --criterion average --out cruise.json")
	mustPrint(t, "evaluate paths.drn --policy half.csv --criterion total --target goal --out half.json.gz")
	for _, test := range []struct {
		line, claim, verdict string
		state                any
		lower, upper         any
	}{
		{"check taxicab.json howard.csv" + average, "policy", "holds", 0., 1588. / 119, 1588. / 119},
		{"check taxicab.json second.csv" + average, "policy", "refuted", 0., 13.15, 13.15},
		{"check taxicab.json second.csv" + average + " --tolerance 0.1", "policy", "holds", 0., 13.15, 13.15},
		{"check taxicab.json mixed.csv" + average, "policy", "refuted", 0., 743. / 58, 743. / 58},
		{"check taxicab.json mean.csv --policy cruise.csv --criterion average", "values", "holds", 0., 9.2, 9.2},
		{"check taxicab.json mean.csv" + average, "values", "refuted", 0., 1588. / 119, 1588. / 119},
		{"check taxicab.json cruise.json --policy cruise.csv", "bounds", "holds", 0., 9.2, 9.2},
		{"check taxicab.json cruise.json", "bounds", "holds", 0., 9.2, 9.2},
		{"check taxicab.json cruise.json", "policy", "holds", 0., 9.2, 9.2},
		{"check taxicab.json cruise.json --policy second.csv", "bounds", "refuted", 0., 13.15, 13.15},
		{"check paths.drn values.csv --minimize" + total, "values", "holds", 0., 8. / 3, 8. / 3},
		{"check paths.drn values.csv --minimize --tolerance 1e-9" + total, "values", "refuted", 4., 35. / 12, 35. / 12},
		{"check paths.drn wrong.csv --minimize" + total, "values", "refuted", 4., 35. / 12, 35. / 12},
		{"check paths.drn values.csv --maximize" + total, "values", "refuted", 0., 5., 5.},
		{"check paths.drn half.csv --minimize" + total, "policy", "refuted", 0., 38. / 9, 38. / 9},
		{"check paths.drn gamble.csv --maximize" + total, "policy", "holds", 0., 5., 5.},
		{"check paths.drn gamble.csv --minimize" + total, "policy", "refuted", 0., 5., 5.},
		{"check paths.drn storm.json --minimize" + total, "policy", "holds", 0., 8. / 3, 8. / 3},
		{"check paths.drn mixed.json --minimize" + total, "policy", "refuted", 0., 38. / 9, 38. / 9},
		{"check paths.drn half.json.gz --policy half.csv", "values", "holds", 0., 38. / 9, 38. / 9},
		{"check taxicab.json howard.csv --criterion discounted --discount 9/10 --maximize", "policy", "holds", 0., 121.65, 121.65},
		{"check taxicab.json howard.csv --criterion finite --horizon 3 --maximize", "policy", "holds", 0., 29.6640625, 29.6640625},
		{"check taxicab.json cruise.csv --criterion finite --horizon 3 --maximize", "policy", "refuted", 0., 28.828125, 28.828125},
	} {
		status, stdout, stderr := execute(t, test.line+" -o json")
		want := ui.ExitSolved
		if test.verdict != "holds" {
			want = ui.ExitLimit
		}
		require.Equal(t, want, status, "%s: %s", test.line, stderr)
		found := false
		for _, c := range object(t, stdout)["claims"].([]any) {
			claim := c.(map[string]any)
			if claim["claim"] != test.claim {
				continue
			}
			found = true
			assert.Equal(t, test.verdict, claim["verdict"], test.line)
			assert.Equal(t, test.state, claim["state"], test.line)
			assert.InDelta(t, test.lower, claim["lower"], 0.005, test.line)
			assert.InDelta(t, test.upper, claim["upper"], 0.005, test.line)
			assert.LessOrEqual(t, claim["lower"], claim["upper"], test.line)
		}
		assert.True(t, found, test.line)
	}
	status, _, stderr := execute(t, "check paths.drn half.json.gz")
	assert.Equal(t, ui.ExitUsage, status)
	assert.Contains(t, stderr, "has the value of a randomised policy, but not the policy: give its file with --policy")
	for _, format := range []string{"text", "csv", "markdown"} {
		assert.Contains(t, mustPrint(t, "check taxicab.json howard.csv --criterion average --maximize -o "+format), "holds")
	}
}

// A result of an earlier version has no certificate.
func TestCheckMakesCertificates(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{taxicabAverage, taxicabDiscounted, islandsGreatest, pathsLeast, pathsGreatest, serversTotal} {
		mustPrint(t, line+" --out result.json")
		r, err := certificate.ReadFile("result.json")
		require.NoError(t, err)
		require.NotNil(t, r.Certificate, line)
		r.Certificate = nil
		require.NoError(t, certificate.WriteFile("earlier.json", r))
		got := answer(t, "check "+strings.Split(line, " ")[1]+" earlier.json")
		assert.Equal(t, "holds", got["verdict"], line)
		assert.Equal(t, "made", got["certificate"], line)
		got = answer(t, "check "+strings.Split(line, " ")[1]+" result.json")
		assert.Equal(t, "given", got["certificate"], line)
		assert.GreaterOrEqual(t, len(got["claims"].([]any)), 4)
	}
}

// Right answers are confirmed even if they are closer to the optimum than floating point
// can tell: that of the taxicab is 1588/119, and these bounds are next to it.
func TestCheckMakesCertificatesInFractions(t *testing.T) {
	modelFolder(t)
	result := func(lower, upper string) string {
		return `{"criterion": "average", "sense": "maximize", "lower": [` + strings.Repeat(lower+", ", 2) + lower + `],
			"upper": [` + strings.Repeat(upper+", ", 2) + upper + `]}`
	}
	for text, want := range map[string]string{
		result("13.34453781512605", "13.344537815126051"):  "holds",
		result("13.344537815126051", "13.344537815126053"): "refuted",
		result("13.344537815126048", "13.34453781512605"):  "refuted",
	} {
		require.NoError(t, os.WriteFile("next.json", []byte(text), 0o600))
		_, stdout, stderr := execute(t, "check taxicab.json next.json -o json")
		assert.Equal(t, want, object(t, stdout)["verdict"], "%s: %s", text, stderr)
	}
}

// Where floating point has no certificate, as a reward is beyond it, fractions have.
func TestCheckBeyondFloatingPoint(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("fast.json", []byte(`{"kind": "ctmc", "reward_models": ["r"], "states": [
		{"actions": [{"rewards": [1e250], "to": [[1, 1e250]]}]}, {"actions": [{"to": [[0, 1e-300]]}]}]}`), 0o600))
	require.NoError(t, os.WriteFile("value.csv", []byte("state,value\n0,1e-50\n1,1e-50\n"), 0o600))
	mustPrint(t, "check fast.json value.csv --criterion average")
}

// A scheduler needs no action in the target, nor in states that it never reaches.
func TestCheckOfASchedulerWithGaps(t *testing.T) {
	modelFolder(t)
	for text, line := range map[string]string{
		`[{"c": [{"index": 1, "prob": 1}], "s": 0}]`: "check paths.drn gaps.json --criterion total --target goal --minimize",
		`[{"c": [{"index": 3, "prob": 1}], "s": 1}]`: "check taxicab.json gaps.json --criterion total --target init --minimize",
	} {
		require.NoError(t, os.WriteFile("gaps.json", []byte(text), 0o600))
		status, _, stderr := execute(t, line)
		assert.NotEqual(t, ui.ExitUsage, status, stderr)
		assert.Contains(t, stderr, "that the policy never reaches")
	}
}

// Bounds of a solve that was stopped early hold, too.
func TestCheckOfAnEarlyEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	name := chainFile(t, 300)
	status, _, _ := execute(t, "solve "+name+" --criterion average --method rvi --max-iterations 10 --out result.json")
	require.Equal(t, ui.ExitLimit, status)
	got := answer(t, "check "+name+" result.json")
	assert.Equal(t, "iteration-limit", got["solve_status"])
	assert.Equal(t, "holds", got["verdict"])
}

// Bounds hold for the numbers in the file where rewards cancel, too: the rewards
// of a step come to 1e-7 and 3e-7 here, and float64 has 0.3 to 5e-17.
func TestRewardsThatCancel(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `{"kind": "dtmc", "reward_models": ["r"], "states": [
		{"rewards": [0.3], "actions": [{"rewards": [-0.2999999], "to": [[0, 0.3], [1, 0.7]]}]},
		{"rewards": [0.1], "actions": [{"to": [[0, 0.7, [-0.0999997]], [1, 0.3, [-0.0999997]]]}]}]}`
	require.NoError(t, os.WriteFile("cancel.json", []byte(text), 0o600))
	r := solved(t, "solve cancel.json --criterion average --out result.json")
	assertExact(t, r, "1/5000000", "1/5000000")
	assert.Equal(t, "holds", answer(t, "check cancel.json result.json")["verdict"])
}
