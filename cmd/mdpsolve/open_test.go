package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openModels are models whose answers rounding could leave open.
var openModels = map[string]string{
	// Every policy is in 1 for ever, or goes round 0 → 1 → 0 at a cost.
	"transient.json": `{"kind": "mdp", "reward_models": ["r"], "states": [
		{"actions": [{"to": [[2, 1]]}]},
		{"actions": [{"to": [[2, "1/4"], [0, "1/4"], [1, 0.5, [-5]]], "distance": "7/4"}, {"to": [[1, 1]]}]},
		{"actions": [{"to": [[1, 1, [-9]]]}]}]}`,
	// Nature may have all of state 1, and pays for it.
	"all.json": `{"kind": "mdp", "reward_models": ["r"], "states": [
		{"actions": [{"to": [[1, 1]]}]},
		{"actions": [{"rewards": [-4], "to": [[2, 1]]}]},
		{"actions": [{"to": [[2, 1]]}, {"to": [[0, [0, 1]], [1, [0, 1]], [2, [0, 1], [-3]]]}]}]}`,
	"staying.json": `{"kind": "ctmc", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"rewards": [3], "actions": [{"to": [[0, [0, 2]], [1, "1/2"]]}]}, {"actions": [{"to": []}]}]}`,
	"waiting.json": `{"kind": "mdp", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"actions": [{"rewards": [2], "to": [[0, [0, "3/4"]], [1, ["1/4", 1]]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`,
	"before.json": `{"kind": "ctmc", "labels": {"goal": [2]}, "reward_models": ["r"], "states": [
		{"actions": [{"to": [[1, ["1/3", "1/2"]]]}]}, {"actions": [{"rewards": [7], "to": [[2, 2]]}]}, {"actions": [{"to": []}]}]}`,
	"cancels.json": `{"kind": "dtmc", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"actions": [{"rewards": ["1/3"], "to": [[1, ["1/3", 1], ["-1/3"]]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`,
	"round.json": `{"kind": "mdp", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"actions": [{"rewards": [-3], "to": [[2, 1]]}]}, {"actions": [{"to": [[1, 1]]}]},
		{"rewards": [-1], "actions": [{"rewards": [4], "to": [[0, 1]], "distance": "1/9"}, {"to": [[1, 1]]}]}]}`,
	"nothing.json": `{"kind": "ctmc", "reward_models": ["r"], "states": [{"actions": [{"to": [[0, [0, 3], [2]]]}]}]}`,
	"steps.json": `{"kind": "mdp", "reward_models": ["r"], "states": [
		{"rewards": [-5], "actions": [{"to": [[0, 1]], "distance": "1/4"}]},
		{"actions": [{"to": [[1, 1]]}, {"rewards": [5], "to": [[0, 1]]}]}]}`,
	"falls.json": `{"kind": "mdp", "labels": {"goal": [0]}, "reward_models": ["r"], "states": [
		{"actions": [{"to": [[0, 1]]}]},
		{"actions": [{"rewards": [-1], "to": [[1, 1]]}, {"to": [[0, ["1/2", 1]], [1, ["1/8", "1/2"]]]}]}]}`,
	// Gains differ, and what leads to the smaller one looks good.
	"leads.json": `{"kind": "mdp", "reward_models": ["r"], "states": [
		{"actions": [{"to": [[0, 1]], "distance": 0.1}, {"rewards": [4], "to": [[0, [0, 1]], [1, [1e-80, 1]]]}]},
		{"actions": [{"rewards": [-2], "to": [[1, 1]]}]}]}`,
}

// Evident answers about models with intervals converge, and both checkers prove them.
func TestOpenAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range openModels {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile("run.csv", []byte("state,action\n0,0\n1,1\n"), 0o600))
	below := math.Inf(-1)
	var cases []judgedCase
	for _, test := range []struct {
		question string
		want     []float64
	}{
		{"solve transient.json --criterion average --maximize --uncertainty worst", []float64{0, 0, 0}},
		{"solve all.json --criterion average --maximize --uncertainty worst", []float64{0, 0, 0}},
		{"solve staying.json --criterion total --target goal --minimize --uncertainty worst", []float64{6, 0}},
		{"solve staying.json --criterion total --target goal --maximize --uncertainty worst", []float64{6, 0}},
		{"solve waiting.json --criterion total --target goal --minimize --uncertainty worst", []float64{8, 0}},
		{"solve waiting.json --criterion total --target goal --minimize --uncertainty best", []float64{2, 0}},
		{"solve before.json --criterion total --target goal --minimize --uncertainty worst", []float64{7, 7, 0}},
		{"solve before.json --criterion total --target goal --maximize --uncertainty worst", []float64{7, 7, 0}},
		{"solve cancels.json --criterion total --target goal --minimize --uncertainty worst", []float64{0, 0}},
		{"solve cancels.json --criterion total --target goal --maximize --uncertainty best", []float64{0, 0}},
		{"solve round.json --criterion total --target goal --minimize --uncertainty worst", []float64{-4, 0, -1}},
		{"solve round.json --criterion total --target goal --minimize --uncertainty best", []float64{-4, 0, -1}},
		{"solve nothing.json --criterion average --maximize --uncertainty worst", []float64{0}},
		{"solve nothing.json --criterion average --minimize --uncertainty best", []float64{0}},
		{"solve steps.json --criterion finite --horizon 2 --minimize --uncertainty worst", []float64{-10, 0}},
		{"solve falls.json --criterion total --target goal --minimize --uncertainty worst", []float64{0, below}},
		{"solve falls.json --criterion total --target goal --minimize --uncertainty best", []float64{0, below}},
		{"solve leads.json --criterion average --maximize --uncertainty best", []float64{0, -2}},
		{"evaluate steps.json --policy run.csv --criterion average --minimize --uncertainty worst", []float64{-5, -5}},
		{"evaluate all.json --policy all.csv --criterion average --maximize --uncertainty worst", []float64{0, 0, 0}},
		{"evaluate falls.json --policy run.csv --criterion total --target goal --minimize --uncertainty worst", []float64{0, 0}},
	} {
		require.NoError(t, os.WriteFile("all.csv", []byte("state,action\n2,0\n"), 0o600))
		c := judgedCase{line: test.question, model: strings.Split(test.question, " ")[1], result: fmt.Sprintf("open%d.json", len(cases))}
		mustPrint(t, test.question+" --out "+c.result)
		assert.Contains(t, mustPrint(t, "check "+c.model+" "+c.result), "holds", c.line)
		text, err := os.ReadFile(c.result)
		require.NoError(t, err)
		result := object(t, string(text))
		assert.Equal(t, "converged", result["status"], c.line)
		for _, side := range []string{"lower", "upper"} {
			for s, want := range test.want {
				if got := result[side].([]any)[s]; math.IsInf(want, -1) {
					assert.Equal(t, "-Infinity", got, c.line)
				} else {
					assert.InDelta(t, want, got, 1e-12*math.Abs(want), "%s: state %d", c.line, s)
				}
			}
		}
		cases = append(cases, c)
	}
	for i, verdicts := range judge(t, cases) {
		assert.Equal(t, "0", verdicts["status"], "%s: %v", cases[i].line, verdicts)
	}
}

// What nature does is a model of its own, in which the policy has the value found.
func TestNatureWhereStayingIsUnknown(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("waiting.json", []byte(openModels["waiting.json"]), 0o600))
	mustPrint(t, "solve waiting.json --criterion total --target goal --minimize --uncertainty worst --nature-out nature.json")
	result := object(t, mustPrint(t, "solve nature.json --criterion total --target goal --minimize -o json"))
	assert.InDelta(t, 8, result["value"], 1e-12)
}

// Results of properties are judged by both checkers, and what has been forged does not hold.
func TestCertificatesInPythonOfProperties(t *testing.T) {
	t.Chdir(t.TempDir())
	models := map[string]string{
		"choices.json": `{"kind": "mdp", "labels": {"goal": [2], "bad": [3]}, "reward_models": ["cost"], "states": [
			{"rewards": [1], "actions": [{"to": [[1, "1/2"], [3, "1/2"]]}, {"rewards": [2], "to": [[1, 1]]}]},
			{"actions": [{"to": [[2, "2/3"], [0, "1/3"]]}, {"rewards": ["1/3"], "to": [[2, 1]]}]},
			{"actions": [{"to": [[2, 1]]}]}, {"actions": [{"rewards": [-2], "to": [[3, "1/4"], [1, "3/4"]]}]}]}`,
		"rates.json": `{"kind": "ctmc", "labels": {"goal": [2], "bad": [1]}, "reward_models": ["cost"], "states": [
			{"rewards": [1], "actions": [{"to": [[1, 2], [2, "1/3"]]}]}, {"rewards": [2], "actions": [{"to": [[0, 1], [2, 4]]}]}, {"actions": [{"to": []}]}]}`,
	}
	properties := []string{
		`P%s [ F "goal" ]`, `P%s [ G !"bad" ]`, `P%s [ !"bad" U "goal" ]`, `P%s [ !"bad" W "goal" & true ]`, `P%s [ X "bad" | "goal" ]`,
		`S%s [ "goal" => "bad" ]`, `LRA%s [ "init" <=> "bad" ]`, `R%s [ F "goal" ]`, `R{"cost"}%s [ S ]`, `R%s [ C ]`,
	}
	inSteps := []string{`P%s [ F<=3 "goal" ]`, `P%s [ G<2 !"bad" ]`, `P%s [ !"bad" W<=2 "goal" ]`, `R%s [ C<=4 ]`, `R%s [ I=2 ]`}
	var cases []judgedCase
	for name, text := range models {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		for i, form := range append(properties, inSteps...) {
			if name == "rates.json" && i >= len(properties) {
				continue
			}
			for _, asked := range []string{"min=?", "max=?", "max>=1/2", "min<0.3"} {
				if name == "rates.json" {
					asked = asked[3:]
				}
				require.NoError(t, os.WriteFile("asked.props", fmt.Appendf(nil, form, asked), 0o600))
				c := judgedCase{line: name + " " + fmt.Sprintf(form, asked), model: name, result: fmt.Sprintf("result%d.json", len(cases))}
				_, _, stderr := execute(t, "solve "+name+" --property asked.props --out "+c.result)
				require.FileExists(t, c.result, "%s: %s", c.line, stderr)
				assert.Contains(t, mustPrint(t, "check "+name+" "+c.result), "holds", c.line)
				cases = append(cases, c)
				for _, side := range []string{"lower", "upper"} {
					if forged := side + c.result; !strings.ContainsAny(asked, "<>") && forge(t, c.result, forged, side) {
						cases = append(cases, judgedCase{line: c.line, model: name, result: forged, forged: side})
					}
				}
			}
		}
	}
	for i, verdicts := range judge(t, cases) {
		if c := cases[i]; c.forged != "" {
			assert.NotEqual(t, "holds", verdicts[c.forged], "%s: %s forged", c.line, c.forged)
			assert.Equal(t, "3", verdicts["status"], c.line)
		} else {
			assert.Equal(t, "0", verdicts["status"], "%s: %v", c.line, verdicts)
		}
	}
}
