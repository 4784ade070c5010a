package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInfiniteValuesHaveAReason solves a model in which a policy may stay in a for ever at −1 a
// step, go to the goal, or fall into a trap, and one whose only cycle earns rewards.
func TestInfiniteValuesHaveAReason(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	const model = `{"kind": "mdp", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"name": "a", "actions": [{"rewards": [-1], "to": [[0, 1]]}, {"to": [[1, 1]]}, {"to": [[2, 1]]}]},
		{"name": "g", "actions": [{"to": [[1, 1]]}]}, {"name": "trap", "actions": [{"to": [[2, 1]]}]}]}`
	write("m.json", model)
	write("up.json", strings.Replace(model, "-1", "1", 1))
	write("trap.csv", "state,action\n0,2\n")
	write("stay.csv", "state,action\n0,0\n")
	write("only.json", strings.NewReplacer("-1", "1", `{"to": [[1, 1]]}, {"to": [[2, 1]]}`, `{"rewards": [2], "to": [[0, 1]]}`).Replace(model))
	write("chain.json", strings.NewReplacer("-1", "1", `, {"to": [[1, 1]]}, {"to": [[2, 1]]}`, "").Replace(model))
	write("goal.csv", "state,action\n0,1\n")
	write("rates.json", `{"kind": "ctmc", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"actions": [{"to": [[1, 1], [2, 1]]}]}, {"actions": [{"to": []}]}, {"actions": [{"to": []}]}]}`)
	write("ranges.json", `{"kind": "mdp", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [
		{"actions": [{"rewards": [1], "to": [[1, [0.25, 0.5]], [2, [0.5, 0.75]]]}, {"rewards": [1], "to": [[1, [0.25, 0.5]], [0, [0.5, 0.75]]]}]}, {"actions": [{"to": [[1, 1]]}]}, {"actions": [{"to": [[2, 1]]}]}]}`)
	const finite = " (a discounted total and that of a number of steps are finite)"
	const avoided = " (leave out the target for the total of all steps; a discounted total and that of a number of steps are finite)"
	const properties = " (R [C] is the total of all steps, without a target; R [C<=t] is finite)"
	for question, want := range map[string]string{
		"solve up.json --criterion total --target goal --minimize": `state 2 trap: no policy reaches "goal" with probability 1` + avoided,
		"solve m.json --criterion total --target goal --minimize": `state 0 a: a cycle with a total below 0 can be repeated without limit before "goal" is reached; ` +
			`state 2 trap: no policy reaches "goal" with probability 1` + avoided,
		"solve m.json --criterion total --target goal --maximize":                               `state 0 a, as in 1 other state: some policy reaches "goal" with a probability below 1, which counts as +∞ when maximising` + avoided,
		"solve m.json --criterion total --target goal --maximize --method exact":                `state 0 a, as in 1 other state: some policy reaches "goal" with a probability below 1, which counts as +∞ when maximising` + avoided,
		"evaluate m.json --policy trap.csv --criterion total --target goal":                     `state 0 a, as in 1 other state: the policy reaches "goal" with a probability below 1, which counts as +∞` + avoided,
		"evaluate m.json --policy goal.csv --criterion total --target goal":                     `state 2 trap: the policy reaches "goal" with a probability below 1, which counts as +∞` + avoided,
		"solve rates.json --criterion total --target goal":                                      `state 0, as in 1 other state: the chain reaches "goal" with a probability below 1, which counts as +∞ (leave out the target for the total over all time)`,
		"solve ranges.json --criterion total --target goal --minimize --uncertainty worst":      `state 2: no policy reaches "goal" with probability 1` + finite,
		"solve ranges.json --criterion total --target goal --maximize --uncertainty best":       `state 0, as in 1 other state: some policy reaches "goal" with a probability below 1, which counts as +∞ when maximising` + finite,
		`solve up.json --property 'Rmin=? [F "goal"]'`:                                          `state 2 trap: no policy reaches the target with probability 1` + properties,
		`solve up.json --property 'Rmax=? [F "goal"]'`:                                          `state 0 a, as in 1 other state: some policy reaches the target with a probability below 1, which counts as +∞ when maximising` + properties,
		`solve up.json --property 'Rmax=? [C]'`:                                                 `state 0 a: some policy stays for ever, with a probability above 0, among states whose mean reward is above 0 (R [C<=t] is finite)`,
		"solve m.json --criterion total --minimize":                                             "state 0 a: some policy stays for ever, with a probability above 0, among states whose mean reward is below 0" + finite,
		"solve m.json --criterion total --maximize":                                             "",
		"evaluate m.json --policy stay.csv --criterion total":                                   "state 0 a: the policy stays for ever, with a probability above 0, among states whose mean reward is below 0" + finite,
		"evaluate m.json --policy trap.csv --criterion total":                                   "",
		"solve only.json --criterion total --minimize":                                          "state 0 a: every policy stays for ever, with a probability above 0, among states whose mean reward is above 0" + finite,
		"solve chain.json --criterion total":                                                    "state 0 a: the chain stays for ever, with a probability above 0, among states whose mean reward is above 0" + finite,
		"solve m.json --criterion discounted --discount 9/10 --maximize":                        "",
		"evaluate m.json --policy goal.csv --criterion finite --horizon 3":                      "",
		"solve ranges.json --criterion discounted --discount 1/2 --maximize --uncertainty best": "",
	} {
		r := solved(t, question)
		assert.Equal(t, want, r.Infinite, question)
		shown := strings.Join(strings.Fields(mustPrint(t, question)), " ")
		if want == "" {
			assert.NotContains(t, shown, "infinite")
		} else {
			assert.Contains(t, shown, "infinite "+want, question)
		}
	}
	both := mustPrint(t, `solve m.json --property 'Rmax=? [F "goal"]; Rmin=? [C<=3]' --output csv`)
	assert.Contains(t, both, "some policy reaches the target with a probability below 1")
}
