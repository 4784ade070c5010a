package main

// Pictures of answers, and methods to teach with.

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// viewModels are models with one variable and two, without names, with several chains, with rewards to
// limit, with intervals, with one state, and a chain in continuous time.
var viewModels = map[string]string{
	"nonames.json": `{"kind": "mdp", "reward_models": ["c"], "states": [
		{"actions": [{"rewards": [1], "to": [[0, 0.5], [1, 0.5]]}, {"rewards": [3], "to": [[1, 1]]}]},
		{"actions": [{"rewards": [2], "to": [[0, 1]]}, {"rewards": [1], "to": [[1, 0.5], [0, 0.5]]}]}]}`,
	"chains.json": `{"kind": "mdp", "reward_models": ["c"], "states": [
		{"name": "start", "actions": [{"name": "left", "rewards": [0], "to": [[1, 1]]}, {"name": "right", "rewards": [0], "to": [[2, 0.5], [1, 0.5]]}]},
		{"name": "one", "rewards": [1], "actions": [{"name": "stay", "to": [[1, 1]]}]},
		{"name": "two", "rewards": [2], "actions": [{"name": "stay", "to": [[2, 1]]}]}]}`,
	"limits.json": `{"kind": "mdp", "reward_models": ["cost", "risk"], "state_variables": "(x,y)", "states": [
		{"name": "(0,0)", "actions": [{"name": "safe", "rewards": [2, 0], "to": [[1, 1]]}, {"name": "fast", "rewards": [1, 1], "to": [[1, 1]]}]},
		{"name": "(1,0)", "actions": [{"name": "safe", "rewards": [2, 0], "to": [[2, 1]]}, {"name": "fast", "rewards": [1, 1], "to": [[2, 1]]}]},
		{"name": "(0,1)", "actions": [{"name": "safe", "rewards": [2, 0], "to": [[0, 1]]}, {"name": "fast", "rewards": [1, 1], "to": [[0, 1]]}]}]}`,
	"intervals.json": `{"kind": "mdp", "reward_models": ["c"], "state_variables": "(w)", "states": [
		{"name": "(0)", "rewards": [0], "actions": [{"name": "run", "to": [[0, [0.2, 0.8]], [1, [0.2, 0.8]]]}]},
		{"name": "(1)", "rewards": [2], "actions": [{"name": "run", "to": [[1, 1]]}, {"name": "repair", "rewards": [3], "to": [[0, 1]]}]}]}`,
	"one.json": `{"kind": "mdp", "reward_models": ["c"], "states": [{"actions": [{"name": "on", "rewards": [1], "to": [[0, 1]]}, {"name": "off", "rewards": [2], "to": [[0, 1]]}]}]}`,
}

// viewFolder goes to a folder with models.
func viewFolder(t *testing.T) {
	t.Helper()
	for _, name := range []string{"machine.json", "workshop.json"} {
		viewModels[name] = readFile(t, filepath.Join(docsFolder, name))
	}
	t.Chdir(t.TempDir())
	for name, text := range viewModels {
		writeFile(t, name, text)
	}
}

var svgTitle = regexp.MustCompile(`<title>(.*)</title>`)

func TestViews(t *testing.T) {
	viewFolder(t)
	const average, discounted = " --criterion average --minimize", " --criterion discounted --discount 0.9 --minimize"
	for line, want := range map[string][]string{
		"machine.json" + average + " --show policy,value,distribution":                               {"Best action: least long-run average", "Relative value of each state", "Share of time in each state, in the long run, from state 0"},
		"machine.json" + discounted + " --show value":                                                {"Least discounted total"},
		"machine.json --criterion finite --horizon 5 --minimize --show policy,value,distribution":    {"Best action", "Least expected total", "Probability of each state, before each step"},
		"workshop.json" + average + " --show policy --axes jobs,wear=2":                              {"wear = 2"},
		"workshop.json" + average + " --show value --axes wear":                                      {"all jobs together"},
		"workshop.json --criterion finite --horizon 30 --minimize --show policy":                     {"step = 1 to 2", "step = 27 to 30", "6 of 18 ranges of step"},
		"nonames.json" + average + " --show policy,value,distribution":                               {"Best action"},
		"chains.json" + average + " --show policy,value,distribution":                                {"Least long-run average of &#34;c&#34; (chains.json"}, // two values: no relative ones
		"chains.json --criterion total --target none --minimize":                                     nil,
		"limits.json" + average + " --reward cost --constraint risk<=1/4":                            {"Policy within limits"},
		"limits.json" + discounted + " --reward cost --constraint risk<=3 --show policy":             {"Policy within limits"},
		"limits.json --criterion finite --horizon 3 --minimize --reward cost --constraint risk<=1/2": {"Policy within limits", "step = 2"},
		"intervals.json" + discounted + " --uncertainty worst --show policy,value,distribution":      {"in the worst case", "Share of time"},
		"intervals.json --criterion finite --horizon 4 --minimize --uncertainty worst --show policy": {"Best action"},
		"one.json" + average + " --show policy,value,distribution":                                   {"Best action", "Least long-run average"},
		"limits.json --criterion total --target goal --minimize --reward risk --show distribution":   nil,
		"machine.json --property Pmax=?[F\"worn_out\"] --show policy,value":                          {"Best action: Pmax"},
	} {
		status, _, stderr := execute(t, "solve "+line+" --plot view.svg")
		if want == nil {
			assert.Equal(t, ui.ExitUsage, status, line)
			continue
		}
		require.Zero(t, status, "%s: %s", line, stderr)
		title := svgTitle.FindStringSubmatch(readFile(t, "view.svg"))[1]
		for _, words := range want {
			assert.Contains(t, title, words, line)
		}
		require.NoError(t, os.Remove("view.svg"))
	}
}

// Within a limit, a decision that is left to chance is in the legend, or over one variable beside the axis,
// with its probabilities. A fast step has a risk of 1, so one of four steps is fast, as the limit allows.
func TestDecisionsLeftToChance(t *testing.T) {
	viewFolder(t)
	mustPrint(t, "solve limits.json --criterion average --minimize --reward cost --constraint risk<=1/4 --plot view.svg")
	assert.Contains(t, readFile(t, "view.svg"), ">safe 75%, fast 25%</text>")
	mustPrint(t, "solve limits.json --criterion average --minimize --reward cost --constraint risk<=1/4 --show policy --axes x,y=0 --plot view.svg")
	picture := readFile(t, "view.svg")
	assert.Contains(t, picture, ">safe 75%,</text>")
	assert.Contains(t, picture, ">fast 25%</text>")
	assert.Contains(t, picture, "reward cost, risk ≤ 1/4")
}

// Over one variable, the actions are in the order of the file, and those of states without a choice among them.
func TestRowsOfActionsAreInOrder(t *testing.T) {
	viewFolder(t)
	writeFile(t, "fix.json", `{"kind": "mdp", "reward_models": ["c"], "state_variables": "(broken)", "states": [
		{"name": "(0)", "actions": [{"name": "rest", "rewards": [0], "to": [[1, 1]]}]},
		{"name": "(1)", "actions": [{"name": "slow", "rewards": [1], "to": [[0, 1]]}, {"name": "fast", "rewards": [2], "to": [[0, 1]]}]}]}`)
	status, text, stderr := execute(t, "solve fix.json --criterion average --minimize --methods rvi,policy-iteration --plot view.svg --size column")
	require.Zero(t, status, stderr)
	assert.Regexp(t, `method +rvi, \d+ iterations?\n`, text, "the table has the times")
	mustPrint(t, "solve fix.json --criterion average --minimize --show policy --plot view.svg")
	assert.Regexp(t, `(?s)>rest</text>.*>slow</text>.*>fast</text>`, readFile(t, "view.svg"))
}

// With phases of indexing, pictures of policies are grids: those of a slide or a column fill it, with
// the parameters and each answer once, and the phases beside each other under one heading.
func TestPicturesOfPhases(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "robots solve --robots 8 --buffer 5 --lambda 0.2 --mu 1 --gamma 2 --service erlang:3 --plot view.svg"
	for how, legends := range map[string]int{"": 1, " --size slide": 1, " --size column": 1, " --size slide --panels row": 2, " --size slide --panels 4": 1} {
		status, _, stderr := execute(t, line+how)
		require.Zero(t, status)
		assert.Empty(t, stderr, how)
		_, picture, _ := strings.Cut(readFile(t, "view.svg"), "</title>")
		for text, want := range map[string]int{"N = 8, K = 5": 1, "When a robot delivers": 1, "phase = ": 3, "yes": legends, "no": legends} {
			assert.Equal(t, want, strings.Count(picture, ">"+text), "%s: %s", how, text)
		}
	}
	status, _, stderr := execute(t, line+" --size column --panels column")
	require.Zero(t, status)
	assert.Contains(t, stderr, "the picture is 35 cm high, longer than a page")
	mustPrint(t, line+" --panels row:1,3,5")
	assert.Contains(t, readFile(t, "view.svg"), "(phase = 2)")
}

func TestViewsBadUsage(t *testing.T) {
	viewFolder(t)
	const solve = "solve workshop.json --criterion average --minimize"
	const discounted = "solve workshop.json --criterion discounted --discount 0.9 --minimize"
	const evaluate = "evaluate workshop.json --policy best.csv --criterion average"
	writeFile(t, "best.csv", mustPrint(t, solve+" -o csv"))
	for line, fault := range map[string]string{
		solve + " --show policy":                                                                                   "--show: policy is not valid here: use it with --plot FILE",
		solve + " --plot p.svg --show colours":                                                                     `--show: "colours" is not valid: use bounds, or one or several of policy, value or distribution`,
		solve + " --plot p.svg --show bounds,policy":                                                               `--show: "bounds,policy" is not valid`,
		solve + " --plot p.svg --axes jobs":                                                                        "--axes: jobs is not valid here: use it with --show policy, value or distribution",
		solve + " --plot p.svg --show policy --axes colour":                                                        `--axes: "colour" is no variable: use jobs or wear`,
		solve + " --plot p.svg --show policy --axes wear=9":                                                        `--axes: "9" is no value of wear: use one of 0, 1, 2, 3, 4 or 5`,
		solve + " --plot p.svg --show policy,value --panels row:3":                                                 "--panels: 3 is too large: the picture has 2 panels",
		solve + " --plot p.svg --show policy --panels diagonal":                                                    `--panels: "diagonal" is not valid: use row, column, or a number of columns from 1 to 1000`,
		solve + " --plot p.svg --panels row:0":                                                                     `--panels: "0" is no panel: use numbers from 1, as in row:1,3`,
		solve + " --plot p.svg --show policy --size 3x3":                                                           "--size: 3x3 is too small for 1 panel",
		solve + " --plot p.svg --methods rvi,magic":                                                                `--methods: "magic" is not valid, or given twice: use some of rvi,`,
		solve + " --plot p.svg --methods rvi,rvi":                                                                  `--methods: "rvi" is not valid, or given twice`,
		solve + " --plot p.svg --methods rvi,value-iteration":                                                      "--methods: value-iteration is not valid for this question: use others",
		solve + " --plot p.svg --methods rvi --method rvi":                                                         "--method: not valid with --methods",
		solve + " --values-out v.txt":                                                                              "--values-out: ",
		solve + " --const a=1":                                                                                     "--const: not valid here: use it with --property",
		solve + " --states 1":                                                                                      "--states: 1 is not valid here: use it with --values-out FILE",
		solve + " --values-out v.csv --states 60":                                                                  "--states: 60 is not valid: the model has states 0 to 59",
		solve + " --values-out v.csv --states 1.5":                                                                 "--states: 1.5 is not valid: the model has states 0 to 59",
		solve + " --values-out v.csv --states (0,9)":                                                               `--states: found no state "(0,9)": use numbers from 0 to 59 or names, separated by commas`,
		solve + " --values-out v.csv --states 1,(0,1)":                                                             "--states: 1 is given twice: give it once",
		solve + " --values-out v.csv --method inexact-policy-iteration":                                            "--method: inexact-policy-iteration is not valid with --values-out: use policy-iteration or rvi",
		discounted + " --values-out v.csv --method modified-policy-iteration":                                      "--method: modified-policy-iteration is not valid with --values-out: use policy-iteration or value-iteration",
		solve + " --values-out v.csv --states 0,0":                                                                 "--states: 0 is given twice: give it once",
		solve + " --values-out v.csv --bounds-out ./v.csv --method rvi":                                            `--values-out: "v.csv" is also the file of --bounds-out: use another file`,
		solve + " --out same.json --policy-out same.json":                                                          "is also the file of --",
		solve + " --plot p.svg --show policy --axes ,wear":                                                         `--axes: "" is no variable: use jobs or wear`,
		solve + " --plot p.svg --show policy --panels row":                                                         "--panels: the picture has 1 panel: leave it out",
		solve + " --plot p.svg --panels row:1,1":                                                                   "--panels: 1 is given twice: give it once",
		"solve machine.json --criterion finite --horizon 5 --minimize --plot p.svg --methods rvi":                  "--methods: rvi is not valid for this question: use others",
		"solve limits.json --criterion average --minimize --reward cost --constraint risk<=1/4 --values-out v.csv": "--values-out: not valid with --constraint: leave it out",
		"solve limits.json --criterion average --minimize --reward cost --pareto risk --plot p.svg --methods rvi":  "--methods: not valid with --pareto: leave it out",
		"solve intervals.json --criterion average --minimize --uncertainty worst --values-out v.csv":               "--values-out: not valid for a model with intervals",
		"evaluate nonames.json --criterion average --plot p.svg":                                                   "--policy: missing",
		evaluate + " --show value":                                                                                 "--show: value is not valid here: use it with --plot FILE",
		evaluate + " --plot p.svg --show bounds":                                                                   "--show: \"bounds\" is not valid: use one or several of value, policy or distribution",
		solve + " --plot p.svg --show policy,value --panels row --size column":                                     "--size: column is too small for 2 panels in 2 columns: use fewer columns (--panels), or at least 12x4 (cm)",
		evaluate + " --plot p.svg --show policy,value,distribution --size 20x3":                                    "--size: 20x3 is too small for 3 panels in 1 column: use at least 6x12 (cm)",
		evaluate + " --plot p.svg --show policy,value,distribution --panels column --size 20x5":                    "--size: 20x5 is too small for 3 panels in 1 column: use more columns (--panels), or at least 6x12 (cm)",
		evaluate + " --plot p.svg --show policy,value,distribution --panels column:3,1 --size 20x5":                "--size: 20x5 is too small for 2 panels in 1 column: use more columns (--panels), or at least 6x8 (cm)",
		evaluate + " --plot p.svg --show policy,value,distribution --panels row --size 17x9":                       "--size: 17x9 is too small for 3 panels in 3 columns: use fewer columns (--panels), or at least 18x4 (cm)",
		evaluate + " --plot p.svg --panels row":                                                                    "--panels: the picture has 1 panel: leave it out",
	} {
		status, _, stderr := execute(t, line)
		assert.Equal(t, ui.ExitUsage, status, "%s: %s", line, stderr)
		assert.Contains(t, stderr, fault, line)
	}
	assert.NoFileExists(t, "p.svg")
}

// A given policy is drawn as the best one is: its values, its actions, and where it is.
func TestViewsOfAGivenPolicy(t *testing.T) {
	viewFolder(t)
	for criterion, want := range map[string]string{
		"average": "Relative value of each state", "discounted --discount 0.9": "Discounted total", "finite --horizon 5": "Expected total",
	} {
		shows := "value,policy,distribution"
		if want == "Expected total" {
			shows = "value,policy"
		}
		writeFile(t, "best.csv", mustPrint(t, "solve workshop.json --criterion average --minimize -o csv"))
		status, _, stderr := execute(t, "evaluate workshop.json --policy best.csv --criterion "+criterion+" --plot view.svg --show "+shows)
		require.Zero(t, status, stderr)
		title := svgTitle.FindStringSubmatch(readFile(t, "view.svg"))[1]
		for _, words := range []string{want, "Action: "} {
			assert.Contains(t, title, words, criterion)
		}
	}
}

// No method draws axes alone: without bounds on its way, the picture shows policies, or values.
func TestNoPictureIsEmpty(t *testing.T) {
	viewFolder(t)
	for line, want := range map[string]string{
		"machine.json --criterion average --minimize --method policy-iteration":                                     "Value of each policy from the first state",
		"machine.json --criterion average --minimize --method rvi":                                                  "Bounds on the value of the first state",
		"machine.json --criterion discounted --discount 0.9 --minimize --method policy-iteration":                   "Value of each policy from the first state",
		"machine.json --criterion finite --horizon 1 --minimize":                                                    "Value of the first state",
		"machine.json --criterion finite --horizon 6 --minimize":                                                    "Value of the first state",
		"one.json --criterion average --maximize":                                                                   "Value of each policy from the first state",
		"intervals.json --criterion average --minimize --uncertainty worst":                                         "",
		"workshop.json --criterion discounted --discount 0.9 --minimize --methods value-iteration,policy-iteration": "Error against time",
	} {
		status, _, stderr := execute(t, "solve "+line+" --plot view.svg")
		require.Zero(t, status, "%s: %s", line, stderr)
		svg := readFile(t, "view.svg")
		assert.Contains(t, svgTitle.FindStringSubmatch(svg)[1], want, line)
		assert.Regexp(t, `stroke:#(1B3F73|1b3f73)|fill:#`, svg, "something is drawn: %s", line)
	}
	_, _, stderr := execute(t, "solve intervals.json --criterion discounted --discount 0.9 --minimize --uncertainty worst --plot view.svg")
	assert.Contains(t, stderr, "policy-iteration has no bounds on its way, and policy iteration by the textbook is not possible (not valid for a model with intervals): the picture shows the values")
}

// A picture that cuts a legend says so, and what it says to use mends it.
func TestCutLegendsAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	const n, hint = 12, "mdpsolve: warning: --plot: axes and legends have too little room (a legend that ends with … is cut): use a larger --size"
	var states []string
	for s := range n { // their best actions all differ
		var actions []string
		for a := range n {
			actions = append(actions, fmt.Sprintf(`{"name": "act %c", "rewards": [%d], "to": [[%d, 1]]}`, 'A'+a, (a-s)*(a-s), s))
		}
		states = append(states, fmt.Sprintf(`{"name": "(%d,%d)", "actions": [%s]}`, s/3, s%3, strings.Join(actions, ", ")))
	}
	writeFile(t, "many.json", `{"format": "mdpsolve-model/1", "kind": "mdp", "reward_models": ["cost"], "states": [`+strings.Join(states, ", ")+`]}`)
	for flags, want := range map[string]string{
		"--horizon 8 --show policy,value --size slide":                hint + ", or fewer panels, as in --panels row:1\n",
		"--horizon 8 --show policy,value --size 40x30":                "",
		"--horizon 8 --show policy,value --size slide --panels row:1": "",
		"--horizon 1 --show policy --size 6x4":                        hint + "\n",
		"--horizon 1 --show policy --size 8x8":                        "",
	} {
		status, _, stderr := execute(t, "solve many.json --criterion finite --minimize --plot view.svg "+flags)
		require.Zero(t, status, stderr)
		assert.Equal(t, want, stderr, flags)
		svg := readFile(t, "view.svg")
		assert.Equal(t, want != "", strings.Contains(svg, ">…<"), flags)
		assert.Equal(t, want == "", strings.Contains(svg, ">act L<"), flags)
	}
}

// iterations returns the rows of --values-out by iteration, and by column.
func iterations(t *testing.T, line string) []map[string]string {
	t.Helper()
	status, _, stderr := execute(t, line+" --values-out values.csv")
	require.Zero(t, status, stderr)
	return csvRows(t, readFile(t, "values.csv"))
}

// csvRows returns the rows of a table, by column.
func csvRows(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return x
}

// Each policy of policy iteration is worth what evaluate says, none is worse than the one before, the
// changes are those between it and the next, and the last is optimal.
func TestPolicyIterationByTheTextbook(t *testing.T) {
	viewFolder(t)
	const states = 5
	for _, question := range []string{
		"machine.json --criterion average --minimize", "machine.json --criterion discounted --discount 9/10 --minimize",
		"machine.json --criterion discounted --discount 0.99 --maximize",
	} {
		rows := iterations(t, "solve "+question+" --states 0:4:1")
		previous, last := make([]string, states), ""
		for at := 0; at < len(rows); at += states {
			policy, changes := "state,action\n", 0
			for s := range states {
				row := rows[at+s]
				policy += row["state"] + "," + row["action"] + "\n"
				if row["action"] != previous[s] {
					changes++
				}
				previous[s] = row["action"]
			}
			if at > 0 {
				assert.Equal(t, fmt.Sprint(changes), last, "%s, policy %d", question, at/states)
			} else {
				assert.NotContains(t, policy, "repair", "the first action of each state")
			}
			last = rows[at]["changes"]
			writeFile(t, "policy.csv", policy)
			worth := answer(t, "evaluate "+strings.NewReplacer(" --minimize", "", " --maximize", "").Replace(question)+" --policy policy.csv")["values"].([]any)
			for s := range states {
				assert.InEpsilon(t, worth[s], parsed(t, rows[at+s]["value"]), 1e-9)
			}
		}
		assert.Equal(t, "0", last)
		optimal := answer(t, "solve "+question)["values"].([]any)
		for s := range states {
			assert.InEpsilon(t, optimal[s], parsed(t, rows[len(rows)-states+s]["value"]), 1e-9, question)
		}
	}
	writeFile(t, "start.csv", "state,action\n0,repair\n1,repair\n2,repair\n3,repair\n4,repair\n")
	rows := iterations(t, "solve machine.json --criterion average --minimize --start-from start.csv --states 0:4:1")
	for s := range states {
		assert.Equal(t, "repair", rows[s]["action"])
		assert.InDelta(t, 5, parsed(t, rows[s]["value"]), 1e-12, "every day a repair")
	}
}

// After k sweeps from zeros, values are those of k steps, also with a discount.
func TestValueIterationByTheTextbook(t *testing.T) {
	viewFolder(t)
	for question, finite := range map[string]string{
		"machine.json --criterion discounted --discount 9/10 --minimize --method value-iteration": "machine.json --criterion finite --discount 9/10 --minimize",
		"machine.json --criterion finite --horizon 7 --maximize":                                  "machine.json --criterion finite --maximize",
		"workshop.json --criterion discounted --discount 0.5 --maximize --method value-iteration": "workshop.json --criterion finite --discount 0.5 --maximize",
	} {
		rows := iterations(t, "solve "+question+" --states 0,3")
		for _, row := range rows[:min(len(rows), 16)] {
			want := answer(t, "solve "+finite+" --horizon "+row["iteration"])["values"].([]any)
			assert.InDelta(t, want[int(parsed(t, row["state"]))], parsed(t, row["value"]), 1e-10, "%s, iteration %s", question, row["iteration"])
		}
	}
	rows := iterations(t, "solve machine.json --criterion average --minimize --method rvi --states 0,2")
	assert.Equal(t, "1", rows[0]["damping"])
	writeFile(t, "swap.json", `{"format": "mdpsolve-model/1", "kind": "mdp", "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [1], "to": [[1, 1]]}]}, {"actions": [{"rewards": [4], "to": [[0, 1]]}]}]}`)
	assert.Equal(t, "0.9", iterations(t, "solve swap.json --criterion average --minimize --method rvi --states 0,1")[0]["damping"])
	solved := answer(t, "solve machine.json --criterion average --minimize")
	end := rows[len(rows)-1]
	assert.InDelta(t, solved["value"], parsed(t, end["value"]), 1e-8)
	relative := solved["relative_values"].([]any)
	assert.InDelta(t, relative[2].(float64)-relative[0].(float64), parsed(t, end["relative_value"]), 1e-6)
}

// The relative values of a policy whose chain has two classes are the same in evaluate, in fractions too, and
// in policy iteration.
func TestRelativeValuesOfAPolicyAreOne(t *testing.T) {
	viewFolder(t)
	writeFile(t, "two.json", `{"format": "mdpsolve-model/1", "kind": "mdp", "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [3], "to": [[1, "1/2"], [2, "1/2"]]}]}, {"actions": [{"rewards": [1], "to": [[1, "1/4"], [3, "3/4"]]}, {"rewards": [2], "to": [[0, 1]]}]},
		{"actions": [{"rewards": [5], "to": [[2, 1]]}, {"rewards": [0], "to": [[3, 1]]}]}, {"actions": [{"rewards": [2], "to": [[1, 1]]}]}]}`)
	writeFile(t, "first.csv", "state,policy\n0,0\n1,0\n2,0\n3,0\n")
	rows := iterations(t, "solve two.json --criterion average --minimize --start-from first.csv --states 0:3:1")
	for _, method := range []string{"auto", "exact"} {
		evaluated := answer(t, "evaluate two.json --policy first.csv --criterion average --minimize --method "+method)["relative_values"].([]any)
		for s, x := range evaluated {
			assert.InDelta(t, x, parsed(t, rows[s]["relative_value"]), 1e-12, "%s, state %d", method, s)
		}
	}
}

// The table of methods has the iterations that the picture shows and that --values-out counts.
func TestMethodsHaveOneNumbering(t *testing.T) {
	viewFolder(t)
	writeFile(t, "late.csv", "state,policy\n0,0\n1,0\n2,0\n3,0\n4,0\n")
	for _, question := range []string{
		"solve machine.json --criterion average --minimize", "solve workshop.json --criterion discounted --discount 0.95 --minimize",
		"solve machine.json --criterion total --target worn_out --minimize",
		"solve machine.json --criterion average --minimize --start-from late.csv",
		"solve machine.json --criterion discounted --discount 0.9 --minimize --start-from late.csv",
	} {
		rows := iterations(t, question+" --method policy-iteration --states 0")
		last := rows[len(rows)-1]["iteration"]
		assert.Equal(t, "1", rows[0]["iteration"])
		text := mustPrint(t, question+" --plot view.svg --method policy-iteration")
		start := "the first policy has the first action of each state"
		switch {
		case strings.Contains(question, "total"):
			start = "the first policy has the first action towards the target"
		case strings.Contains(question, "late.csv"):
			start = "the first policy is the one given"
		}
		assert.Contains(t, svgTitle.FindStringSubmatch(readFile(t, "view.svg"))[1], "Value of each policy from the first state", question)
		assert.Regexp(t, `(?m)^  textbook    policy-iteration, `+last+` polic(y|ies): `+start+`$`, text)
		table := csvRows(t, mustPrint(t, question+" --plot view.svg --methods policy-iteration -o csv"))
		require.Len(t, table, 1)
		assert.Equal(t, last, table[0]["iterations"], question)
		latex := mustPrint(t, question+" --methods policy-iteration -o latex")
		assert.Contains(t, latex, `policy-iteration`)
	}
}
