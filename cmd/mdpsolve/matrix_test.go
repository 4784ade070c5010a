package main

// The matrix of what can be asked: every kind of question beside everything that is done with one,
// at every door. A cell is an answer, on which the doors agree, or one sentence that says why there
// is none.

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	answers "github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// asking is a row of the matrix: a question about a model, by the flags of solve.
type asking struct {
	name, model string
	criterion   string // and what goes with it
	sense       string // and nature
	rest        string // limits, or a trade-off
}

func (q asking) flags() string {
	return strings.Join(strings.Fields(q.criterion+" "+q.sense+" "+q.rest), " ")
}

// matrixRows are the questions.
func matrixRows() (rows []asking) {
	const average, discounted = "--criterion average", "--criterion discounted --discount 9/10"
	const total, until = "--criterion total", "--criterion total --target goal"
	const finite, ending = "--criterion finite --horizon 4", "--criterion finite --horizon 4 --discount 9/10 --terminal in"
	for _, q := range []struct{ name, criterion string }{
		{"average", average}, {"discounted", discounted}, {"total", total}, {"total until a target", until}, {"finite", finite}, {"finite, discounted, with `--terminal`", ending},
	} {
		model := "plain.json"
		if q.criterion == total {
			model = "stops.json"
		}
		rows = append(rows, asking{q.name, model, q.criterion + " --reward cost", "--minimize", ""})
		if q.criterion != ending {
			rows = append(
				rows,
				asking{q.name + ", robust", "ranges.json", q.criterion + " --reward cost", "--minimize --uncertainty worst", ""},
				asking{q.name + ", optimistic", "ranges.json", q.criterion + " --reward cost", "--minimize --uncertainty best", ""},
				asking{q.name + ", within a limit", model, q.criterion + " --reward cost", "--minimize", "--constraint fuel<=5"},
				asking{q.name + ", trade-off", model, q.criterion + " --reward cost", "--minimize", "--pareto fuel"},
			)
		}
	}
	rows = append(rows, asking{"discounted CTMDP", "rates.json", "--criterion discounted --rate 1/5 --reward cost", "--minimize", ""})
	for _, text := range []string{
		`Pmax=? [F "goal"]`, `Pmin=? [true U "goal"]`, `Pmax=? [G !"goal"]`, `Pmin=? [!"goal" W "goal"]`, `Pmax=? [F<=3 "goal"]`, `Pmax=? [X "goal"]`,
		`Smax=? ["goal"]`, `R{"cost"}min=? [F "goal"]`, `R{"cost"}min=? [C<=3]`, `R{"in"}max=? [I=3]`, `R{"cost"}min=? [S]`, `P>=0.5 [F "goal"]`, `E [F "goal"]`,
		`Pmax=? [F[1,3] "goal"]`, `1-Pmax=? [F y=1 & P>=1 [X "goal"]]`,
	} {
		rows = append(rows, asking{"`" + text + "`", "plain.json", "--property '" + text + "'", "", ""})
	}
	return append(
		rows,
		asking{"`R{\"cost\"}min=? [C]`", "stops.json", `--property 'R{"cost"}min=? [C]'`, "", ""},
		asking{"`P=? [F<=1.5 \"full\"]` of a CTMC", "clock.json", `--property 'P=? [F<=1.5 "full"]'`, "", ""},
		asking{"`R=? [C<=1.5]` of a CTMC", "clock.json", `--property 'R=? [C<=1.5]'`, "", ""},
		asking{"`Pmaxmin=? [F \"goal\"]`, intervals", "ranges.json", `--property 'Pmaxmin=? [F "goal"]'`, "", ""},
		asking{"average of a CTMC", "clock.json", "--criterion average", "", ""},
	)
}

// matrixColumns are what is done with a question.
var matrixColumns = []string{"solve", "evaluate", "simulate", "check", "policy .csv", "policy .json", "rules", "start", "picture"}

// reason is why cells have no answer.
type reason struct {
	text *regexp.Regexp // of the refusal
	why  string
}

var matrixReasons = []*reason{
	{text: regexp.MustCompile(`a given policy`), why: "Limits and trade-offs choose among policies; here the policy is given: ask for each reward by itself."},
	{text: regexp.MustCompile(`for ordinary models|not valid for this verb`), why: "Where nature chooses, there is no chain to draw from: `solve --nature-out` writes a model of its choice."},
	{text: regexp.MustCompile(`only for ordinary ones`), why: "Nature's best choice for one reward is not that for another."},
	{text: regexp.MustCompile(`the model has no choices`), why: "A chain has nothing to decide."},
	{text: regexp.MustCompile(`no rules|rules do not|policy for each step|depends on the step`), why: "Rules and schedulers have one action for each state, at every step."},
	{text: regexp.MustCompile(`needs the label`), why: "Without a target, nature may change where the total ends."},
	{text: regexp.MustCompile(`about paths|has no policy|are about paths`), why: "Such a policy picks transitions, which are no actions of the model."},
	{text: regexp.MustCompile(`several questions`), why: "A property of several questions has no policy and no certificate: ask the questions that the answer lists, one by one."},
	{text: regexp.MustCompile(`no certificate`), why: "Transient probabilities have bounds, but no certificate."},
	{text: regexp.MustCompile(`whose policies are several`), why: "A trade-off has several policies."},
	{text: regexp.MustCompile(`backward induction|begins at the end`), why: "Backward induction begins at the end, and has no start to improve."},
	{text: regexp.MustCompile(`begins with weights`), why: "With several rewards, the search begins with weights, not with a policy."},
	{text: regexp.MustCompile(`totals of all rewards end`), why: "Totals of several rewards need a target where all of them end."},
}

// matrixFolder writes the models of the matrix, a policy of each, and goes there.
func matrixFolder(t *testing.T) {
	t.Helper()
	modelFolder(t)
	plain := tripModel("(x,y)", [3]string{"(1,0)", "(0,0)", "(0,1)"}, "slow", "fast")
	for name, text := range map[string]string{
		"plain.json": plain,
		"stops.json": strings.Replace(plain, `"rewards": [1, 1, 0], "to": [[0, 1]]`, `"rewards": [0, 0, 0], "to": [[2, 1]]`, 1),
		"ranges.json": `{"kind": "mdp", "initial": [0], "labels": {"goal": [2]}, "reward_models": ["cost", "fuel"], "state_variables": "(x)", "states": [
			{"name": "(0)", "actions": [{"name": "slow", "rewards": [4, 0], "to": [[0, [0.25, 0.5]], [1, [0.5, 0.75]]]}, {"name": "fast", "rewards": [3, 1], "to": [[0, 0.5], [1, 0.5]]}]},
			{"name": "(1)", "actions": [{"name": "slow", "rewards": [1, 0], "to": [[0, [0.5, 0.75]], [2, [0.25, 0.5]]]}]},
			{"name": "(2)", "actions": [{"name": "slow", "rewards": [2, 0], "to": [[0, [0.25, 1]], [1, [0.125, 0.75]]]}]}]}`,
		"clock.json": `{"kind": "ctmc", "initial": [0], "labels": {"full": [1]}, "reward_models": ["use"], "state_variables": "(n)", "states": [
			{"name": "(0)", "rewards": [0], "actions": [{"to": [[1, 2]]}]}, {"name": "(1)", "rewards": [1], "actions": [{"to": [[0, 3]]}]}]}`,
		"rates.json": `{"kind": "ctmdp", "initial": [0], "labels": {"goal": [2]}, "reward_models": ["cost", "fuel"], "state_variables": "(x)", "states": [
			{"name": "(0)", "rewards": [1, 0], "actions": [{"name": "slow", "to": [[1, "1/2"]]}, {"name": "fast", "reward_rates": [1, 1], "to": [[1, 2], [2, 1]]}]},
			{"name": "(1)", "rewards": [2, 0], "actions": [{"name": "slow", "rewards": [3, 0], "to": [[0, 1], [2, "1/4"]]}]},
			{"name": "(2)", "actions": [{"name": "slow", "to": [[0, "1/3"]]}]}]}`,
		"first.csv": "state,action\n0,0\n1,0\n2,0\n",
		"chain.csv": "state,action\n0,0\n1,0\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// cellOf asks a question in a column at a door, and returns the bounds of the answer, NaN for an
// answer without, or the sentence that refuses it.
func (q asking) cellOf(t *testing.T, at door, column string) (lower, upper float64, refusal string) {
	t.Helper()
	solve := "solve " + q.model + " " + q.flags()
	policy := " --policy first.csv"
	if q.model == "clock.json" {
		policy = " --policy chain.csv"
	}
	own := q.model + " " + q.flags() + policy
	if strings.Contains(q.criterion, "--property") { // which names what is optimal, in a chain
		own = q.model + policy + " " + strings.NewReplacer("Pmax", "P", "Pmin", "P", "Rmax", "R", "Smax", "S", "}min", "}", "}max", "}").Replace(q.criterion)
	}
	drawn := strings.Join(strings.Fields(q.model+" "+q.criterion+" "+q.rest), " ") + policy
	if strings.Contains(q.criterion, "average") && q.model == "clock.json" {
		drawn += " --horizon 100"
	}
	line := map[string]string{
		"solve": solve + " -o json", "evaluate": "evaluate " + own + " -o json", "simulate": "simulate " + drawn + " --replications 50 --confidence 0.99999 -o json",
		"check": solve + " --out r.json", "policy .csv": solve + " --policy-out p.csv", "policy .json": solve + " --policy-out p.json", "rules": solve + " --policy-out p.txt",
		"start": solve + " --out s.json", "picture": solve + " --plot p.svg",
	}[column]
	if strings.Contains(q.rest, "--pareto") && column == "start" { // there is no file of the answer
		line = solve + " --start-from first.csv"
	}
	status, stdout, stderr := at(t, line)
	lines := []string{line}
	if status == ui.ExitSolved {
		next := map[string]string{
			"check": "check " + q.model + " r.json", "start": solve + " --start-from s.json -o json",
			"policy .csv": "evaluate " + strings.Replace(own, policy, " --policy p.csv", 1), "policy .json": "evaluate " + strings.Replace(own, policy, " --policy p.json", 1),
		}[column]
		if q.rest != "" && strings.HasPrefix(column, "policy") { // the value of the reward that is optimised
			next = "evaluate " + q.model + " " + q.criterion + " --policy p" + strings.TrimPrefix(column, "policy ")
		}
		if next != "" {
			status, stdout, stderr = at(t, next+map[bool]string{true: " -o json", false: ""}[!strings.HasSuffix(next, "-o json")])
			lines = append(lines, next)
		}
	}
	if status == ui.ExitUsage {
		assertOneLine(t, stderr, line)
		return math.NaN(), math.NaN(), strings.TrimSpace(stderr)
	}
	require.Equal(t, ui.ExitSolved, status, "%v: %s", lines, stderr)
	if column == "picture" || column == "rules" {
		return math.NaN(), math.NaN(), ""
	}
	found := object(t, stdout)
	if column == "check" {
		assert.Equal(t, "holds", found["verdict"], lines)
		return math.NaN(), math.NaN(), ""
	}
	if bounds, is := found["value_bounds"].([]any); is {
		return extended(bounds[0]), extended(bounds[1]), ""
	}
	if low, is := found["lower"].([]any); is {
		initial := int(found["initial"].(float64))
		return extended(low[initial]), extended(found["upper"].([]any)[initial]), ""
	}
	return extended(found["lower"]), extended(found["upper"]), ""
}

// extended returns a number of an answer, which may be infinite; NaN for none.
func extended(x any) float64 {
	switch x := x.(type) {
	case float64:
		return x
	case string:
		return map[string]float64{"Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[x]
	}
	return math.NaN()
}

// inGo asks the same of the packages.
func (q asking) inGo(t *testing.T, column string) (lower, upper float64, known bool) {
	t.Helper()
	if column == "simulate" { // estimates the value of the policy
		column = "evaluate"
	}
	if column != "solve" && column != "evaluate" || strings.Contains(q.rest, "--pareto") {
		return 0, 0, false
	}
	m, err := modelfile.ReadFile(q.model, modelfile.Options{Exact: true})
	require.NoError(t, err)
	data := q.data(t)
	ask := data.On
	if column == "evaluate" {
		followed, err := answers.Follow(m, &mdp.Policy{Actions: make([]int32, m.NumStates())}, ask)
		require.NoError(t, err, q.flags())
		found, err := answers.Evaluate(t.Context(), followed, answers.Settings{})
		require.NoError(t, err)
		return found.Result.Lower[found.Result.Initial], found.Result.Upper[found.Result.Initial], true
	}
	asked, err := ask(m)
	require.NoError(t, err)
	found, err := answers.Solve(t.Context(), asked, answers.Settings{})
	require.NoError(t, err)
	if r := found.Result; r.Constraints != nil {
		return r.ValueBounds[0], r.ValueBounds[1], true
	}
	return found.Result.Lower[found.Result.Initial], found.Result.Upper[found.Result.Initial], true
}

// data returns the question as data.
func (q asking) data(t *testing.T) (data question.Question) {
	t.Helper()
	words := splitLine(q.flags())
	for i := 0; i < len(words); i++ {
		value := func() string { i++; return words[i] }
		switch words[i] {
		case "--criterion":
			data.Criterion = value()
		case "--reward":
			data.Reward = value()
		case "--target":
			data.Target = value()
		case "--terminal":
			data.Terminal = value()
		case "--horizon":
			data.Horizon = new(4)
			require.Equal(t, "4", value())
		case "--discount":
			data.SetDiscount(fraction(value()))
		case "--rate":
			data.SetRate(fraction(value()))
		case "--minimize":
			data.Sense = mdp.Minimize.String()
		case "--uncertainty":
			data.Uncertainty = value()
		case "--constraint":
			require.Equal(t, "fuel<=5", value())
			data.Constraints = []question.Constraint{{Reward: "fuel", Sense: "<=", Bound: fraction("5")}}
		case "--property":
			text := value()
			_, err := property.Parse(text, "text")
			require.NoError(t, err)
			data.Property = text
		default:
			require.Fail(t, words[i])
		}
	}
	return data
}

// TestMatrix asks every question in every column, compares the doors, and keeps the table in
// docs/reference.md.
func TestMatrix(t *testing.T) {
	matrixFolder(t)
	others := otherDoors(t)
	var table strings.Builder
	fmt.Fprintf(&table, "| questions | %s |\n|---|%s\n", strings.Join(matrixColumns, " | "), strings.Repeat("---|", len(matrixColumns)))
	var used []*reason
	for _, criterion := range question.Criteria {
		isAsked := func(q asking) bool { return strings.HasPrefix(q.criterion, "--criterion "+criterion) }
		assert.True(t, slices.ContainsFunc(matrixRows(), isAsked), "no question by criterion %s", criterion)
	}
	cells, open := 0, map[string][]string{}
	var answers []string               // rows of answers, in the order of their first questions
	questions := map[string][]string{} // those with the same answers, by row
	for _, q := range matrixRows() {
		var row strings.Builder
		for _, column := range matrixColumns {
			cells++
			lower, upper, refusal := q.cellOf(t, execute, column)
			for name, other := range others {
				q.compare(t, name, other, column, lower, upper, refusal)
			}
			if refusal == "" {
				if low, high, known := q.inGo(t, column); known {
					assert.LessOrEqual(t, max(lower, low), min(upper, high), "%s, %s: the command has [%v, %v], Go [%v, %v]", q.name, column, lower, upper, low, high)
				}
				row.WriteString(" yes |")
				continue
			}
			at := slices.IndexFunc(matrixReasons, func(r *reason) bool { return r.text.MatchString(refusal) })
			if at < 0 {
				open[refusal] = append(open[refusal], q.name+", "+column)
				row.WriteString(" – |")
				continue
			}
			if !slices.Contains(used, matrixReasons[at]) {
				used = append(used, matrixReasons[at])
			}
			fmt.Fprintf(&row, " %d |", slices.Index(used, matrixReasons[at])+1)
		}
		if questions[row.String()] == nil {
			answers = append(answers, row.String())
		}
		questions[row.String()] = append(questions[row.String()], q.name)
	}
	for _, row := range answers {
		fmt.Fprintf(&table, "| %s |%s\n", strings.Join(questions[row], "; "), row)
	}
	for i, r := range used {
		fmt.Fprintf(&table, "\n%d. %s", i+1, r.why)
	}
	missing := 0
	for _, refusal := range slices.Sorted(maps.Keys(open)) {
		missing += len(open[refusal])
		t.Logf("not built: %s (%s)", refusal, strings.Join(open[refusal], "; "))
	}
	t.Logf("%d cells, %d not built", cells, missing)
	assert.LessOrEqual(t, missing*20, cells)
	compareGuide(t, "reference.md", matrixMarks, table.String())
}

// matrixMarks stand around the table in docs/reference.md.
var matrixMarks = [2]string{"<!-- matrix -->\n", "\n<!-- end of matrix -->"}

// compareGuide compares a part of a guide, between two marks, with what it has to be; -update
// rewrites it.
func compareGuide(t *testing.T, name string, marks [2]string, want string) {
	t.Helper()
	path := filepath.Join(docsFolder, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), marks[0])
	part, after, closed := strings.Cut(rest, marks[1])
	require.True(t, found && closed, "%s has no %q", name, marks)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+marks[0]+want+marks[1]+after), 0o644)) //nolint:gosec // as it was
		return
	}
	assert.Equal(t, want, part)
}
