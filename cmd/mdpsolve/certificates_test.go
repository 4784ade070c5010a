package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// docsFolder is where the guides are, and the checker beside docs/certificates.md.
var docsFolder = func() string {
	path, err := filepath.Abs("../../docs")
	if err != nil {
		panic(err)
	}
	return path
}()

// A judged case is a result that the checker beside docs/certificates.md has to
// judge.
type judgedCase struct {
	line          string // that gave the result
	model, result string // their files
	forged        string // the bound that is false; "" for none
}

// judgeAll is a program that runs the checker, whose file it is given, on each pair
// of files that its standard input names. Behind what the checker prints it prints
// the exit status, and how many lines are on standard error.
const judgeAll = `
import contextlib, io, runpy, sys
script = sys.argv[1]
for line in sys.stdin:
    sys.argv, errors = [script, *line.split()], io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        print("errors:", errors.getvalue().count("\n"))
        print("status:", end.code)
`

// judge returns by case the verdict on each kind of claim, beside "errors" and
// "status".
func judge(t *testing.T, cases []judgedCase) []map[string]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 found: docs/certificates.py is not run")
	}
	script := filepath.Join(docsFolder, "certificates.py")
	_, err = os.Stat(script) // so that go test runs again where it has changed
	require.NoError(t, err)
	var input, stderr strings.Builder
	for _, c := range cases {
		input.WriteString(c.model + " " + c.result + "\n")
	}
	command := exec.CommandContext(t.Context(), python, "-c", judgeAll, script)
	command.Stdin, command.Stderr = strings.NewReader(input.String()), &stderr
	stdout, err := command.Output()
	require.NoError(t, err, stderr.String())
	all, verdicts := []map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(stdout)) {
		kind, verdict, found := strings.Cut(strings.TrimSpace(line), ": ")
		require.True(t, found, line)
		verdicts[kind], _, _ = strings.Cut(verdict, " ")
		if kind == "status" {
			all, verdicts = append(all, verdicts), map[string]string{}
		}
	}
	require.Len(t, all, len(cases), stderr.String())
	return all
}

// smallModels are models with what the theorems tell apart.
var smallModels = map[string]string{
	// Going round 0 → 1 → 0 costs −1, and the goal can be reached from both.
	"gain.json": `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [2], "to": [[1, 1]]}, {"rewards": [7], "to": [[2, 1]]}]},
		{"actions": [{"rewards": [-3], "to": [[0, 1]]}, {"to": [[0, "1/2"], [2, "1/2"]]}]},
		{"actions": [{"rewards": [1], "to": [[2, 1]]}]},
		{"actions": [{"rewards": [5], "to": [[0, "1/3"], [2, "2/3"]]}, {"to": [[3, 1]]}]}]}`,
	// Going round is free, and so is waiting in 1: only a policy that reaches the
	// goal has a finite total.
	"free.json": `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"to": [[1, 1]]}, {"rewards": [7], "to": [[2, 1]]}]},
		{"actions": [{"to": [[0, 1]]}, {"to": [[1, 1]]}]},
		{"actions": [{"to": [[2, 1]]}]}]}`,
	// Decimals that do not sum to 1, rewards of transitions, and a trap.
	"thirds.json": `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"rewards": [0.1], "actions": [
			{"to": [[0, 0.3333333333, [1]], [1, 0.3333333333], [2, 0.3333333333, [-0.7]]]},
			{"rewards": [0.2], "to": [[0, 0.9999999999], [1, 1e-10]]}]},
		{"actions": [{"rewards": [1e-3], "to": [[0, 1]]}, {"to": [[3, 0.1], [2, 0.9]]}]},
		{"actions": [{"rewards": [3], "to": [[2, 1]]}]},
		{"rewards": [0.5], "actions": [{"to": [[3, 1]]}]}]}`,
	// Rates far apart, a reward of a loop, and a state that nothing leaves.
	"rates.json": `{"kind": "ctmc", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"rewards": [1], "actions": [{"to": [[1, 1e6], [0, 3, [0.5]]]}]},
		{"rewards": [-0.25], "actions": [{"rewards": [0.125], "to": [[0, 0.1], [2, 1e-3]]}]},
		{"actions": [{"to": [[1, 2]]}]},
		{"rewards": [4], "actions": [{"to": []}]}]}`,
	// Rates with choices: an action that stays for ever, loops with rewards, rewards per unit of
	// time, and a trap.
	"choices.json": `{"kind": "ctmdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"rewards": [-1], "actions": [{"to": [[1, 3], [0, "1/3", [0.5]]]}, {"rewards": [2], "to": [[2, 0.1]]}, {"to": []}]},
		{"rewards": [-0.25], "actions": [{"reward_rates": [0.3], "to": [[0, 0.1], [2, 1e-3]]}, {"to": [[1, 7, [0.25]], [2, 2, [-1]]]}]},
		{"actions": [{"to": [[2, 5]]}, {"to": []}]},
		{"rewards": [4], "actions": [{"to": [[0, 0.7], [1, 0.3]]}, {"rewards": [-3], "to": [[2, 1e3]]}]}]}`,
	// Mean sojourn times, with probabilities that do not sum to 1.
	"times.json": `{"kind": "smdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"rewards": [1], "actions": [{"duration": 0.3, "to": [[1, 0.3333333333], [0, 0.6666666666, [0.5]]]}, {"duration": 7, "rewards": [2], "to": [[2, 1]]}]},
		{"actions": [{"duration": "1/3", "reward_rates": [0.7], "to": [[0, 0.9], [2, 0.1]]}, {"duration": 2, "to": [[1, "1/2"], [2, "1/2", [3]]]}]},
		{"actions": [{"duration": 1, "to": [[2, 1]]}]},
		{"rewards": [0.5], "actions": [{"duration": 4, "to": [[3, 1]]}, {"duration": 0.01, "rewards": [9], "to": [[0, 1]]}]}]}`,
	// All totals of all steps: one that may stop in 0, a mean above 0 in 2 and 3 (rewards of both
	// signs), one below 0 in 4, and 5, which leads to any.
	"sums.json": `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"to": [[1, 1]]}, {"rewards": [-4], "to": [[1, 1]]}]},
		{"actions": [{"to": [[0, 1]]}, {"rewards": [3], "to": [[0, "1/3"], [2, "2/3"]]}, {"rewards": [5], "to": [[0, 1]]}]},
		{"actions": [{"rewards": [-3], "to": [[3, 1]]}]},
		{"actions": [{"rewards": [2], "to": [[3, "1/2"], [2, "1/2"]]}]},
		{"actions": [{"rewards": [1], "to": [[5, 1]]}]},
		{"actions": [{"rewards": [-2], "to": [[4, 1]]}, {"rewards": [9], "to": [[0, "1/2"], [4, "1/2"]]}]}]}`,
}

// smallQuestions are asked of each of the small models, but discounts and horizons
// only in discrete time, and rates only in continuous time.
var smallQuestions = []string{
	"--criterion average",
	"--criterion total --target goal",
	"--criterion total",
	"--criterion discounted --discount 0.999",
	"--criterion discounted --discount 2/3",
	"--criterion finite --horizon 7",
	"--criterion discounted --rate 1/3",
	"--criterion discounted --rate 1e-3",
}

// isAsked says whether a question has an answer for a small model.
func isAsked(text, question string) bool {
	switch {
	case strings.Contains(question, "average"), strings.Contains(question, "total"):
		return true
	case strings.Contains(text, `"smdp"`):
		return false
	}
	return strings.Contains(question, "--rate") == (strings.Contains(text, `"ctmc"`) || strings.Contains(text, `"ctmdp"`))
}

// Every result of solve holds by the certificate in it, and by a checker that
// shares nothing with this program. What has been forged does not.
func TestCertificatesInPython(t *testing.T) {
	modelFolder(t)
	for _, name := range []string{"machine.json", "ferry.json", "turns.json", "small.json", "leak.drn", "rare.drn", "penalty.drn"} {
		text, err := os.ReadFile(filepath.Join(docsFolder, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	questions := []string{
		taxicabAverage, taxicabDiscounted, taxicabFinite, islandsGreatest, islandsLeast, pathsLeast, pathsGreatest,
		serversAverage, serversTotal,
		"solve machine.json --criterion total --target worn_out --minimize",
		"solve ferry.json --criterion average --minimize",
		"solve turns.json --criterion average",
		"solve small.json --criterion discounted --discount 0.999 --maximize",
		"solve leak.drn --criterion total --target over --maximize",
		"solve rare.drn --criterion average --minimize",
		"solve penalty.drn --criterion total --target target",
	}
	for name, text := range smallModels {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		for _, question := range smallQuestions {
			if isAsked(text, question) {
				questions = append(questions, "solve "+name+" "+question+" --minimize", "solve "+name+" "+question+" --maximize")
			}
		}
	}
	require.NoError(t, os.WriteFile("care.json", []byte(intervalModel), 0o600))
	require.NoError(t, os.WriteFile("near.json", []byte(distanceModel), 0o600))
	for _, criterion := range []string{"average", "total --target worn", "discounted --discount 0.999", "finite --horizon 7"} {
		for _, how := range []string{"worst --minimize", "worst --maximize", "best --minimize", "best --maximize"} {
			questions = append(questions, "solve care.json --criterion "+criterion+" --uncertainty "+how, "solve near.json --criterion "+criterion+" --uncertainty "+how)
		}
	}
	// Nature can avoid state 2.
	require.NoError(t, os.WriteFile("gap.json", []byte(`{"kind": "mdp", "reward_models": ["cost"], "states": [
		{"actions": [{"to": [[0, [0.6, 1]], [1, [0.1, 0.3]], [2, [0, 0.3]]]}]},
		{"rewards": [1], "actions": [{"to": [[0, 1]]}]}, {"rewards": [9], "actions": [{"to": [[0, 1]]}]}]}`), 0o600))
	questions = append(questions, "solve gap.json --criterion average --minimize --uncertainty best", "solve gap.json --criterion average --maximize --uncertainty worst")
	// Nature can lead to state 1, which is listed with 0.
	require.NoError(t, os.WriteFile("listed.json", []byte(`{"kind": "mdp", "reward_models": ["r"], "states": [
		{"rewards": [1], "actions": [{"to": [[1, 0, [2]], [0, 1]], "distance": "5/16"}]},
		{"actions": [{"rewards": [-1], "to": [[0, 0.875], [1, 0.125]]}]}]}`), 0o600))
	for _, criterion := range []string{"average", "discounted --discount 0.95", "finite --horizon 7"} {
		for _, how := range []string{"worst --minimize", "best --minimize"} {
			questions = append(questions, "solve listed.json --criterion "+criterion+" --uncertainty "+how)
		}
	}
	var cases []judgedCase
	for i, question := range questions {
		for _, method := range []string{"auto", "exact"} {
			if method == "exact" && strings.Contains(question, "uncertainty") {
				continue
			}
			c := judgedCase{line: question + " --method " + method, result: fmt.Sprintf("result%d%s.json", i, method)}
			mustPrint(t, c.line+" --out "+c.result)
			c.model = strings.Split(question, " ")[1]
			if name, is := strings.CutSuffix(c.model, ".json"); !is {
				c.model = name + ".json"
				mustPrint(t, "convert "+name+" "+c.model+" --numbers rational")
			}
			cases = append(cases, c)
			for _, side := range []string{"lower", "upper"} {
				if name := side + c.result; forge(t, c.result, name, side) {
					cases = append(cases, judgedCase{line: c.line, model: c.model, result: name, forged: side})
				}
			}
		}
	}
	for i, verdicts := range judge(t, cases) {
		c := cases[i]
		if c.forged != "" {
			assert.NotEqual(t, "holds", verdicts[c.forged], "%s: %s forged", c.line, c.forged)
			assert.Equal(t, "3", verdicts["status"], c.line)
			continue
		}
		want := map[string]string{
			"lower": "holds", "upper": "holds", "values": "holds", "converged": "holds", "policy": "holds",
			"errors": "0", "status": "0",
		}
		if strings.HasSuffix(c.line, "exact") {
			want["exact_values"] = "holds"
		}
		assert.Equal(t, want, verdicts, c.line)
	}
}

// forge moves a finite bound of state 0 past the other one, and the number that
// proves it too, where there is one. It reports whether it could.
func forge(t *testing.T, name, forgedName, side string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	result := object(t, string(text))
	other, direction := "upper", 1.0
	if side == "upper" {
		other, direction = "lower", -1
	}
	limit, finite := result[other].([]any)[0].(float64)
	if !finite {
		return false
	}
	moved := limit + direction*max(1e-6, 1e-6*math.Abs(limit))
	result[side].([]any)[0] = moved
	if certificate, is := result["certificate"].(map[string]any); is {
		witness, _ := certificate[side].(map[string]any)
		for _, name := range []string{"gain", "value"} {
			if list, is := witness[name].([]any); is {
				list[0] = moved
			}
		}
	}
	forged, err := json.Marshal(result)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(forgedName, forged, 0o600))
	return true
}

// Bad input is answered by one line and status 2.
func TestCertificatesInPythonOfBadInput(t *testing.T) {
	modelFolder(t)
	mustPrint(t, taxicabFinite+" --out result.json")
	var cases []judgedCase
	for name, text := range map[string]string{
		"list.json":    `[]`,
		"half.json":    `{"criterion": "average", "sense": "minim`,
		"huge.json":    `{"criterion": "average", "sense": "minimize", "lower": [1e999999999, 0, 0]}`,
		"sense.json":   `{"criterion": "average", "sense": "least"}`,
		"short.json":   `{"criterion": "average", "sense": "minimize", "lower": [1, 2]}`,
		"action.json":  `{"criterion": "average", "sense": "minimize", "policy": [0, 0, -1]}`,
		"target.json":  `{"criterion": "total", "target": "town B", "sense": "minimize", "policy": [0, 9, 0]}`,
		"actions.json": `{"criterion": "finite", "horizon": 2, "sense": "minimize", "policy": [0, 9, 0]}`,
		"one.json":     `{"criterion": "discounted", "discount": 1, "sense": "minimize", "lower": [1, 2, 3]}`,
		"label.json":   `{"criterion": "total", "target": "nowhere", "sense": "minimize", "lower": [1, 2, 3]}`,
		"reward.json":  `{"criterion": "average", "reward": "none", "sense": "minimize", "lower": [1, 2, 3]}`,
		"nan.json":     `{"criterion": "average", "sense": "minimize", "lower": [NaN, 2, 3]}`,
		"value.json":   `{"criterion": "average", "sense": "minimize", "initial": 0, "values": [1, 2, 3], "value": 2}`,
		"exact.json":   `{"criterion": "average", "sense": "minimize", "initial": 0, "values": [1, 2, 3], "exact_values": ["1", "2", "3"], "exact_value": "9/7"}`,
		"beta.json":    `{"criterion": "discounted", "discount": 0.5, "exact_discount": "1/3", "sense": "minimize", "values": [1, 2, 3]}`,
		"rate.json":    `{"criterion": "discounted", "rate": 0.1, "sense": "minimize", "values": [1, 2, 3]}`,
		"twice.json":   `{"criterion": "average", "sense": "minimize", "values": [1, 2, 3], "values": [1, 2, 4]}`,
		"status.json":  `{"criterion": "average", "sense": "minimize", "values": [1, 2, 3], "status": "done"}`,
		"unknown.json": `{"criterion": "average", "sense": "minimize", "values": [1, 2, 3], "valuez": [1, 2, 3]}`,
		"mixed.json":   `{"criterion": "average", "sense": "minimize", "values": [1, 2, 3], "evaluated": true}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		cases = append(cases, judgedCase{model: "taxicab.json", result: name})
		if name != "actions.json" && name != "target.json" { // an action that is missing is a claim that is refuted
			status, _, stderr := execute(t, "check taxicab.json "+name)
			assert.Equal(t, ui.ExitUsage, status, "%s: %s", name, stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		}
	}
	for _, model := range []string{"nowhere.json", "result.json", "paths.drn", ""} {
		cases = append(cases, judgedCase{model: model, result: "result.json"})
	}
	for i, found := range judge(t, cases) {
		assert.Equal(t, map[string]string{"errors": "1", "status": "2"}, found, "%v", cases[i])
	}
}

// The value of one policy is judged as that, and not as an optimum.
func TestCertificatesInPythonOfPolicies(t *testing.T) {
	policyFiles(t)
	mustPrint(t, "convert paths.drn paths.json --numbers rational")
	var cases []judgedCase
	for _, question := range []string{
		"taxicab.json --policy cruise.csv --criterion average",
		"taxicab.json --policy cruise.csv --criterion discounted --discount 9/10",
		"taxicab.json --policy cruise.csv --criterion finite --horizon 3",
		"paths.json --policy gamble.csv --criterion total --target goal",
	} {
		c := judgedCase{line: question, model: strings.Split(question, " ")[0], result: fmt.Sprintf("value%d.json", len(cases))}
		mustPrint(t, "evaluate "+question+" --out "+c.result)
		assert.Contains(t, mustPrint(t, "check "+c.model+" "+c.result), "holds")
		cases = append(cases, c)
	}
	for i, verdicts := range judge(t, cases) {
		assert.Equal(t, "0", verdicts["status"], "%s: %v", cases[i].line, verdicts)
	}
}

// A cycle is no proof of −Inf where its costs are positive on the whole, though
// some inequality holds, and strictly; and nothing proves an average of −Inf.
func TestCertificatesInPythonOfFalseCycles(t *testing.T) {
	t.Chdir(t.TempDir())
	const model = `{"kind": "mdp", "labels": {"goal": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [1], "to": [[1, 1]]}, {"rewards": [7], "to": [[2, 1]]}]},
		{"actions": [{"rewards": [1], "to": [[0, 1]]}]},
		{"actions": [{"to": [[2, 1]]}]}]}`
	require.NoError(t, os.WriteFile("model.json", []byte(model), 0o600))
	var cases []judgedCase
	for _, question := range []string{`"criterion": "total", "target": "goal"`, `"criterion": "average"`} {
		result := `{` + question + `, "sense": "minimize", "upper": ["-Infinity", 8, 0], "policy": [1, 0, 0],
			"certificate": {"cycle": {"policy": [0, 0, 0], "value": [0, 5, 0]}}}`
		name := fmt.Sprintf("result%d.json", len(cases))
		require.NoError(t, os.WriteFile(name, []byte(result), 0o600))
		cases = append(cases, judgedCase{model: "model.json", result: name})
	}
	for i, found := range judge(t, cases) {
		assert.NotEqual(t, "holds", found["upper"], "%v", cases[i])
		assert.Equal(t, "3", found["status"], "%v", cases[i])
	}
}
