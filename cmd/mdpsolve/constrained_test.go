package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const limitedLine = "solve repairs.json --criterion average --minimize --reward cost"

// TestConstraintBadUsage has one line for each fault, which says what to write.
func TestConstraintBadUsage(t *testing.T) {
	modelFolder(t)
	for flags, want := range map[string]string{
		" --constraint output":                                      `--constraint: "output" is not valid: use NAME<=NUMBER or NAME>=NUMBER`,
		" --constraint <=1":                                         "use NAME<=NUMBER or NAME>=NUMBER",
		" --constraint output<=much":                                `--constraint: "output<=much": `,
		" --constraint gain<=1":                                     `--constraint: reward model "gain" is not valid: use one of "cost", "output"`,
		" --constraint output>=3/4":                                 `--constraint: no policy keeps to output>=3/4: the greatest value is 0.714285714286: use that or less`,
		" --constraint output>=1/2 --constraint cost<=1":            "--constraint: no policy keeps to output>=1/2 and cost<=1 together: ease one of them",
		" --constraint output>=1/2 --plot bounds.svg --show bounds": "--plot: not valid with --constraint, whose search has no bounds to draw: use --show policy",
		" --constraint output>=1/2 --policy-out policy.txt":         "--policy-out: a policy within limits may leave decisions to chance, and rules do not: use .json or .csv",
		" --constraint output>=1/2 --method exact":                  "--constraint: not valid with --method exact",
		" --constraint output>=1/2 --dpi 99":                        "--dpi: ",
		" --constraint output>=1/2 --max-rules 3":                   "--max-rules: 3 is not valid here: use it with --policy-out FILE.txt",
		" --pareto gain":                                            `--pareto: reward model "gain" is not valid: use one of "cost", "output"`,
		" --pareto=":                                                "--pareto: missing: give the name of a reward model",
		" --pareto :max":                                            `--pareto: reward model ":max" is not valid`,
		" --constraint ' <=1'":                                      "use NAME<=NUMBER or NAME>=NUMBER",
		" --pareto output:most":                                     `--pareto: reward model "output:most" is not valid`,
		" --pareto output --constraint output>=1/2":                 "--constraint: not valid with --pareto: leave it out",
		" --pareto output --out result.json":                        "--out: not valid with --pareto: leave it out",
		" --pareto output:max --plot trade-off.svg --dpi 99":        "--dpi: ",
	} {
		status, stdout, stderr := execute(t, limitedLine+flags)
		assert.Equal(t, ui.ExitUsage, status, flags)
		assert.Empty(t, stdout, flags)
		assert.Contains(t, stderr, "mdpsolve: ", flags)
		assert.Contains(t, stderr, want, flags)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), flags)
	}
}

// The text begins with the decisions left to chance, in finite horizons too; the CSV file has them in the
// order of steps and states.
func TestDecisionsLeftToChanceComeFirst(t *testing.T) {
	modelFolder(t)
	for _, question := range []string{"average --constraint output>=1/2", "finite --horizon 9 --constraint output>=4"} {
		question = "solve repairs.json --reward cost --minimize --criterion " + question
		chances := 0
		for _, row := range csvRows(t, mustPrint(t, question+" -o csv")) {
			if parsed(t, row["probability"]) < 1 {
				chances++
			}
		}
		_, listed, found := strings.Cut(mustPrint(t, question), "─\n")
		require.True(t, found)
		require.Positive(t, chances, question)
		for i, line := range strings.SplitN(listed, "\n", chances+2)[:chances+1] {
			assert.Equal(t, i == chances, strings.HasSuffix(line, " 100%"), line)
		}
	}
}

// TestConstraintsInPython has results judged by check and by the checker in docs: those of solve
// hold, and those with a bound that was changed do not.
func TestConstraintsInPython(t *testing.T) {
	modelFolder(t)
	var cases []judgedCase
	for i, question := range []string{
		"average --minimize --reward cost --constraint output>=1/2",
		"average --minimize --reward cost --constraint output>=1/5",
		"discounted --discount 9/10 --maximize --reward output --constraint cost<=15 --constraint output<=5",
		"finite --horizon 3 --minimize --reward cost --constraint output>=2",
		"finite --horizon 4 --discount 2/3 --minimize --reward cost --constraint output>=3/2",
	} {
		name := "result" + string(rune('0'+i)) + ".json"
		mustPrint(t, "solve repairs.json --criterion "+question+" --out "+name)
		assert.Contains(t, mustPrint(t, "check repairs.json "+name), ": holds")
		cases = append(cases, judgedCase{model: "repairs.json", result: name})
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		from, to := `"bound": "1/`, `"bound": "3/`
		switch i {
		case 2:
			from, to = `"bound": "15"`, `"bound": "14"`
		case 3:
			from, to = `"bound": "2"`, `"bound": "9/4"`
		case 4:
			from, to = `"bound": "3/2"`, `"bound": "8/5"`
		}
		require.Contains(t, string(text), from)
		forged := strings.Replace(string(text), from, to, 1)
		require.NoError(t, os.WriteFile("forged"+name, []byte(forged), 0o600))
		status, _, _ := execute(t, "check repairs.json forged"+name)
		assert.Equal(t, ui.ExitLimit, status, name)
		cases = append(cases, judgedCase{model: "repairs.json", result: "forged" + name, forged: "bound"})
	}
	for i, verdicts := range judge(t, cases) {
		want := "0"
		if cases[i].forged != "" {
			want = "3"
		}
		assert.Equal(t, want, verdicts["status"], "%v: %v", cases[i], verdicts)
	}
}

// TestConstraintEndsEarly says that there is no answer, and why.
func TestConstraintEndsEarly(t *testing.T) {
	modelFolder(t)
	status, _, stderr := execute(t, limitedLine+" --constraint output>=1/2 --max-iterations 1")
	assert.Equal(t, ui.ExitLimit, status)
	assert.Equal(t, "mdpsolve: iteration-limit: no answer yet\n", stderr)
}

// Of a long policy within limits, the text begins with what it leaves to chance; the CSV has all rows in order.
func TestChanceComesFirst(t *testing.T) {
	modelFolder(t)
	const levels = 30
	var states []string
	for s := range levels {
		actions := fmt.Sprintf(`{"name": "run", "rewards": [%d, 0], "to": [[%d, 0.5], [%d, 0.5]]}`, s, s, (s+1)%levels)
		if s > 0 {
			actions += fmt.Sprintf(`, {"name": "repair", "rewards": [%d, 1], "to": [[0, 1]]}`, s+5)
		}
		states = append(states, `{"actions": [`+actions+`]}`)
	}
	writeFile(t, "wear.json", `{"kind": "mdp", "reward_models": ["cost", "repairs"], "states": [`+strings.Join(states, ",")+`]}`)
	const line = "solve wear.json --criterion average --minimize --reward cost --constraint repairs<=0.015"
	var chance, certain []map[string]string
	for _, row := range csvRows(t, mustPrint(t, line+" --output csv")) {
		if row["probability"] == "1" {
			certain = append(certain, row)
		} else {
			chance = append(chance, row)
		}
	}
	require.NotEmpty(t, chance)
	require.Greater(t, len(certain), 20)
	require.NotEqual(t, "0", chance[0]["state"], "the order of states would not put it first")
	text := mustPrint(t, line)
	_, table, _ := strings.Cut(text, "─\n")
	for i, row := range strings.Split(strings.TrimSpace(table), "\n")[:len(chance)] {
		fields := strings.Fields(row)
		assert.Equal(t, []string{chance[i]["state"], chance[i]["action"]}, fields[1:3])
		assert.NotEqual(t, "100%", fields[3])
	}
	assert.Regexp(t, `… and \d+ more rows: --output csv`, text)
}
