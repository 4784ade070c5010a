package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// tripModel is a model of three states. Names of states, of actions and of the variables of
// states are left out if they are empty. In the last state, the goal, there is a choice, too.
func tripModel(variables string, names [3]string, slow, fast string) string {
	state := func(name, rest string) string {
		if name != "" {
			name = fmt.Sprintf(`"name": %q, `, name)
		}
		return "{" + name + `"actions": [` + rest + "]}"
	}
	action := func(name string, cost, fuel int, to string) string {
		if name != "" {
			name = fmt.Sprintf(`"name": %q, `, name)
		}
		return fmt.Sprintf(`{%s"rewards": [%d, %d, 0], "to": [%s]}`, name, cost, fuel, to)
	}
	if variables != "" {
		variables = fmt.Sprintf(`"state_variables": %q, `, variables)
	}
	return fmt.Sprintf(`{"kind": "mdp", "initial": [0], "labels": {"goal": [2]}, "reward_models": ["cost", "fuel", "in"], %s"states": [%s, %s, %s]}`, variables,
		state(names[0], action(slow, 5, 0, "[0, 0.5], [1, 0.5]")+", "+action(fast, 0, 4, "[1, 1]")),
		state(names[1], action(slow, 3, 0, `[0, 0.5], [2, 0.5]`)+", "+action(fast, 0, 1, "[0, 1]")),
		strings.Replace(state(names[2], action(slow, 1, 1, "[0, 1]")+", "+action(fast, 2, 2, "[1, 1]")), `"actions"`, `"rewards": [0, 0, 1], "actions"`, 1))
}

// trip is a question, in flags of solve, and the flags own, with which evaluate, simulate and
// check ask what its policy is worth.
type trip struct {
	model, solve, own string
	sense             string // more flags for check of a file with nothing but a policy; other if they would ask another question
	refused           bool   // the policy, because it is not stationary
}

const other = "other"

// TestPoliciesRoundTrip has every form in which solve writes a policy, for every kind of
// question, read by evaluate, simulate and check. What they say of the policy is what solve said
// of it, or the file is refused in one line.
func TestPoliciesRoundTrip(t *testing.T) {
	modelFolder(t)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("plain.json", tripModel("", [3]string{"a", "b", "c"}, "slow", "fast"))
	write("digits.json", tripModel("", [3]string{"2", "0", "1"}, "1", "0"))
	write("shifted.json", tripModel("", [3]string{"1", "2", "3"}, "1", "2"))
	write("nameless.json", tripModel("", [3]string{}, "", ""))
	write("variables.json", tripModel("(x,y)", [3]string{"(1,0)", "(0,0)", "(0,1)"}, "slow", "fast"))
	write("columns.json", tripModel("(lower,name)", [3]string{"(1,0)", "(0,0)", "(0,1)"}, "slow", "fast"))
	write("one.json", tripModel("x", [3]string{"2", "0", "1"}, "slow", "fast"))
	// A policy that stays in one of two states is better than any that goes back and forth.
	write("islands.json", `{"kind": "mdp", "initial": [0], "labels": {"goal": [1]}, "reward_models": ["cost", "fuel", "in"], "states": [
		{"name": "a", "actions": [{"rewards": [0, 1, 0], "to": [[0, 1]]}, {"rewards": [9, 0, 0], "to": [[1, 1]]}]},
		{"name": "b", "rewards": [0, 0, 1], "actions": [{"rewards": [1, 0, 0], "to": [[1, 1]]}, {"rewards": [9, 0, 0], "to": [[0, 1]]}]}]}`)
	write("trap.json", `{"kind": "mdp", "initial": [0], "labels": {"goal": [1]}, "reward_models": ["cost", "fuel", "in"], "states": [
		{"actions": [{"name": "safe", "rewards": [2, 1, 0], "to": [[0, 0.5], [1, 0.25], [2, 0.25]]}, {"name": "bold", "rewards": [0, 1, 0], "to": [[1, 0.25], [2, 0.75]]}]},
		{"rewards": [0, 0, 1], "actions": [{"name": "stay", "to": [[1, 1]]}]},
		{"actions": [{"name": "stay", "to": [[2, 1]]}]}]}`)
	write("ranges.json", `{"kind": "mdp", "initial": [0], "reward_models": ["cost"], "states": [
		{"name": "1", "actions": [{"name": "1", "rewards": [4], "to": [[0, [0.25, 0.5]], [1, [0.5, 0.75]]]}, {"name": "0", "rewards": [3], "to": [[0, 1]]}]},
		{"name": "0", "actions": [{"name": "1", "rewards": [1], "to": [[0, 1]]}, {"name": "0", "rewards": [2], "to": [[0, [0.25, 1]], [1, [0, 0.75]]]}]}]}`)
	var trips []trip
	models := []string{"digits", "columns", "plain", "shifted", "nameless", "variables", "one"}
	if testing.Short() {
		models = models[:2]
	}
	for _, model := range models {
		for _, question := range []string{
			"--criterion average --reward cost", "--criterion discounted --discount 9/10 --reward cost", "--criterion total --target goal --reward cost",
			"--criterion finite --horizon 1 --reward cost",
		} {
			trips = append(trips, trip{model, question + " --minimize", question, " --minimize", false})
			if !strings.Contains(question, "finite") {
				trips = append(trips, trip{model, question + " --minimize --constraint 'fuel<=18/10'", question, other, false})
			}
		}
		trips = append(
			trips,
			trip{model, "--criterion average --maximize --reward fuel", "--criterion average --reward fuel", " --maximize", false},
			trip{model, "--criterion finite --horizon 3 --minimize --reward cost", "--criterion finite --horizon 3 --reward cost", " --minimize", false},
			trip{model, "--criterion average --minimize --reward cost --pareto fuel", "--criterion average --reward cost", other, true},
			trip{model, `--property 'R{"cost"}min=? [F "goal"]'`, "--criterion total --target goal --reward cost", other, false},
			trip{model, `--property 'R{"cost"}min=? [C<=3]'`, "--criterion finite --horizon 3 --reward cost", other, false},
			trip{model, `--property 'R{"cost"}min=? [S]'`, "--criterion average --reward cost", other, false},
			trip{model, `--property 'Smax=? ["goal"]'`, "--criterion average --reward in", other, false},
			trip{model, `--property 'Pmax=? [F "goal"]'`, "--criterion average --reward in", other, true}, // the goal has a choice, which the property ignores
			trip{model, `--property 'Pmax=? [F<=3 "goal"]'`, "--criterion average --reward in", other, true},
		)
	}
	trips = append(
		trips,
		trip{"islands", "--criterion average --minimize --reward cost --constraint 'fuel<=1/2'", "--criterion average --reward cost", other, true},
		trip{"trap", `--property 'Pmax=? [F "goal"]'`, "--criterion average --reward in", other, false},
		trip{"trap", `--property 'Pmin=? [F "goal"]'`, "--criterion average --reward in", other, false},
		trip{"ranges", "--criterion average --minimize --uncertainty worst", "--criterion average --minimize --uncertainty worst", "", false},
		trip{"ranges", "--criterion discounted --discount 1/2 --maximize --uncertainty best", "--criterion discounted --discount 1/2 --maximize --uncertainty best", "", false},
		trip{"ranges", "--criterion finite --horizon 4 --minimize --uncertainty best", "--criterion finite --horizon 4 --minimize --uncertainty best", "", false},
	)
	read := map[string]int{}
	for _, q := range trips {
		line := "solve " + q.model + ".json " + q.solve
		lower, upper := bestOf(t, line, q.solve)
		for _, file := range writtenPolicies(t, line) {
			for _, verb := range []string{"evaluate", "simulate", "check"} {
				q.read(t, verb, file, lower, upper, read)
			}
		}
	}
	for _, cell := range []string{"evaluate p.csv", "evaluate p.json", "evaluate r.json.gz", "evaluate r.npz", "evaluate own.csv", "evaluate own.json", "simulate p.csv", "simulate r.npz", "check p.csv", "check r.npz"} {
		assert.Positive(t, read[cell], cell)
	}
}

// bestOf returns the bounds that solve has for a question; none for a trade-off.
func bestOf(t *testing.T, line, flags string) (lower, upper float64) {
	t.Helper()
	if strings.Contains(flags, "--pareto") {
		return math.Inf(-1), math.Inf(1)
	}
	r := solved(t, line)
	if r.Constraints != nil {
		return r.ValueBounds[0], r.ValueBounds[1]
	}
	return r.Lower[r.Initial], r.Upper[r.Initial]
}

// writtenPolicies writes the answer to a question in all forms, and returns the files.
func writtenPolicies(t *testing.T, line string) (files []string) {
	t.Helper()
	for _, form := range []string{"csv", "json", "markdown", "text"} {
		name := map[string]string{"csv": "p.csv", "json": "p.json", "markdown": "md.csv", "text": "text.csv"}[form]
		require.NoError(t, os.WriteFile(name, []byte(mustPrint(t, line+" --output "+form)), 0o600))
		files = append(files, name)
	}
	for _, flag := range []string{"out r.json", "out r.json.gz", "out r.npz", "policy-out own.json", "policy-out own.csv", "policy-out own.txt"} {
		name := strings.Fields(flag)[1]
		status, _, stderr := execute(t, line+" --"+flag)
		if status == ui.ExitUsage {
			assert.NoFileExists(t, name)
			assertOneLine(t, stderr, line)
			continue
		}
		require.Zero(t, status, stderr)
		files = append(files, name)
	}
	return files
}

func assertOneLine(t *testing.T, stderr, line string) {
	t.Helper()
	assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", line, stderr)
	assert.LessOrEqual(t, len([]rune(stderr)), 301, "%s: %s", line, stderr)
}

// read has a verb read a file of a policy, whose value is between bounds, and counts the files
// that were read.
func (q trip) read(t *testing.T, verb, file string, lower, upper float64, count map[string]int) {
	t.Helper()
	defer func() {
		if file == "own.json" || file == "own.csv" || file == "own.txt" || strings.HasPrefix(file, "r.") {
			if verb == "check" { // the last verb
				require.NoError(t, os.Remove(file))
			}
		}
	}()
	line := verb + " " + q.model + ".json --policy " + file + " " + q.own
	isPolicy := !slices.Contains([]string{"md.csv", "text.csv", "own.txt"}, file) && !q.refused
	switch verb {
	case "simulate":
		line = strings.NewReplacer(" --minimize", "", " --maximize", "", " --uncertainty worst", "", " --uncertainty best", "").Replace(line) + " --confidence 0.99999 --replications 100"
		isPolicy = isPolicy && q.model != "ranges"
	case "check":
		line = "check " + q.model + ".json " + file
		if isResult := file == "p.json" || strings.HasPrefix(file, "r."); isResult {
			isPolicy = !strings.Contains(q.solve, "--pareto")
		} else {
			line += " " + q.own + q.sense
			if q.sense == other {
				return
			}
			isPolicy = isPolicy || file == "p.csv" || file == "own.csv" // for a finite horizon, check takes the policy of the first step
		}
	}
	if strings.Contains(line, "average") && verb == "simulate" {
		line += " --horizon 2000"
	}
	status, stdout, stderr := execute(t, line+" --output json")
	if status == ui.ExitUsage {
		assertOneLine(t, stderr, line)
		assert.False(t, isPolicy, "%s, after %s: %s", line, q.solve, stderr)
		return
	}
	require.Zero(t, status, "%s, after %s: %s", line, q.solve, stderr)
	assert.True(t, isPolicy, "%s, after %s", line, q.solve)
	count[verb+" "+file]++
	found := object(t, stdout)
	switch verb {
	case "evaluate":
		r := solved(t, line)
		assert.LessOrEqual(t, r.Lower[r.Initial], upper, "%s, after %s", line, q.solve)
		assert.GreaterOrEqual(t, r.Upper[r.Initial], lower, "%s, after %s", line, q.solve)
	case "simulate":
		assert.LessOrEqual(t, found["lower"], upper, "%s, after %s", line, q.solve)
		assert.GreaterOrEqual(t, found["upper"], lower, "%s, after %s", line, q.solve)
	default:
		assert.Equal(t, "holds", found["verdict"], "%s, after %s", line, q.solve)
	}
}

// TestEvaluatedPoliciesComeBack has what evaluate writes read by it again, also with a finite
// horizon: the policy is for all steps.
func TestEvaluatedPoliciesComeBack(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("m.json", []byte(tripModel("", [3]string{"2", "0", "1"}, "1", "0")), 0o600))
	require.NoError(t, os.WriteFile("p.csv", []byte("name,policy\n2,1\n0,0\n1,0\n"), 0o600))
	for _, question := range []string{"--criterion finite --horizon 4", "--criterion average", "--criterion total --target goal"} {
		line := "evaluate m.json --reward cost " + question + " --policy "
		want := solved(t, line+"p.csv")
		assert.Equal(t, []int32{1, 0, 0}, want.Policy)
		for _, form := range []string{"csv", "json"} {
			require.NoError(t, os.WriteFile("again."+form, []byte(mustPrint(t, line+"p.csv --output "+form)), 0o600))
		}
		mustPrint(t, line+"p.csv --out again.npz")
		for _, form := range []string{"csv", "json", "npz"} {
			got := solved(t, line+"again."+form)
			assert.Equal(t, want.Policy, got.Policy)
			assert.Equal(t, want.Values, got.Values)
		}
	}
}

// TestOtherAnswersAreNoPolicies reads what is no policy, though it looks like one.
func TestOtherAnswersAreNoPolicies(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write("m.json", tripModel("", [3]string{"a", "b", "c"}, "slow", "fast"))
	write("props", `"a": P>=0 [F "goal"]; "b": Pmax=? [F "goal"]; "c": Pmin=? [F "goal"];`)
	for _, form := range []string{"csv", "json"} {
		write("p."+form, mustPrint(t, "solve m.json --property props --output "+form))
	}
	write("first.csv", "state,step,policy\n0,1,0\n1,1,0\n2,1,0\n")
	write("part.csv", "state,step,policy\n0,1,0\n1,1,0\n2,1,0\n1,2,0\n")
	write("open.csv", "state,step,policy\n0,1,0\n1,1,0\n2,1,0\n0,2,\n1,2,0\n2,2,0\n")
	write("steps.csv", mustPrint(t, "solve m.json --criterion finite --horizon 3 --minimize --reward cost --output csv"))
	write("old.csv", "policy,weight,state,action,probability\n1,1,0,slow,0.75\n1,1,0,fast,0.25\n1,1,1,fast,1\n1,1,2,slow,1\n") // of an earlier version
	for line, want := range map[string]string{
		"check m.json p.csv --criterion average --minimize --reward cost":                        `p.csv:1:1: found a header with the columns "name", "property"`,
		"evaluate m.json --policy p.csv --criterion average --reward cost":                       `p.csv:1:1: found a header`,
		"evaluate m.json --policy p.json --criterion average --reward cost":                      `p.json: entry 1: found no member "c"; expected the choices of a scheduler`,
		"check m.json first.csv --criterion average --minimize --reward cost":                    `RESULT: "first.csv" is about the first step of a finite horizon: use --criterion finite`,
		"evaluate m.json --policy first.csv --criterion finite --horizon 3 --reward cost":        "first.csv has the policy of the first step of a finite horizon alone, and later steps may take other actions",
		"check m.json steps.csv --criterion average --minimize --reward cost":                    `RESULT: "steps.csv" has a policy for each of 3 steps: use --criterion finite --horizon 3`,
		"check m.json steps.csv --criterion finite --horizon 4 --minimize --reward cost":         `RESULT: "steps.csv" has a policy for each of 3 steps: use --criterion finite --horizon 3`,
		"evaluate m.json --policy steps.csv --criterion average --reward cost":                   `--policy: "steps.csv" has a policy for each of 3 steps: use --criterion finite --horizon 3`,
		"simulate m.json --policy steps.csv --criterion discounted --discount 1/2 --reward cost": `--policy: "steps.csv" has a policy for each of 3 steps`,
		"evaluate m.json --policy part.csv --criterion finite --horizon 2 --reward cost":         `step 2: found no action for state 0`,
		"evaluate m.json --policy open.csv --criterion finite --horizon 2 --reward cost":         `--policy: "open.csv" has no action for state 0`,
		"evaluate m.json --policy old.csv --criterion average --reward cost":                     `old.csv:2:7: found action 1 of state 0 with the name "slow"; expected "fast", its name in the model`,
	} {
		status, stdout, stderr := execute(t, line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout, line)
		assert.Contains(t, stderr, want, line)
		assertOneLine(t, stderr, line)
	}
}
