package main

// The model of robots as a file, which the verbs of models read.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// The file has the least cost, starvation and losses that robots solve has, for every variant, and in
// every format.
func TestModelFileOfRobots(t *testing.T) {
	t.Chdir(t.TempDir())
	for flags, want := range map[string]struct{ variables, actions string }{
		"--robots 5 --lambda 1/5 --gamma 1.4":                                                                {"(robots,queue)", "activate+rest activate+send wait+rest wait+send"},
		"--robots 3 --lambda 1/3 --gamma 2 --service erlang:2":                                               {"(robots,queue,phase)", "activate+rest activate+send rest send"},
		"--class 2@1/5 --class 1@1/2 --gamma 1 --holding-cost 1/10 --robot-cost 1/50 --activation-cost 1/20": {"(robots1,robots2,queue)", "activate1+rest2 activate1+send2 activate2+rest1 activate2+send1 wait+rest1 wait+rest2 wait+send1 wait+send2"},
	} {
		for _, file := range []string{"robots.json", "robots.umb"} {
			solved := answer(t, "robots solve --buffer 3 --mu 1 "+flags+" --model-out "+file)
			const question = " --criterion average --minimize --reward cost"
			found := answer(t, "solve "+file+question)
			assert.LessOrEqual(t, found["lower"].([]any)[0], solved["gain_upper"], flags)
			assert.GreaterOrEqual(t, found["upper"].([]any)[0], solved["gain_lower"], flags)
			assert.InEpsilon(t, solved["gain"], found["value"], 1e-12, flags)
			rows := csvRows(t, mustPrint(t, "solve "+file+question+" -o csv"))
			writePolicy := "state,action\n"
			for _, row := range rows {
				writePolicy += fmt.Sprintf("%s,%s\n", row["state"], row["action"])
			}
			writeFile(t, "policy.csv", writePolicy)
			for reward, measure := range map[string]string{"starvation": "starvation", "losses": "loss_rate"} {
				value := answer(t, "evaluate "+file+" --policy policy.csv --criterion average --reward "+reward)["value"]
				assert.InDelta(t, solved[measure], value, 1e-9, "%s: %s", flags, reward)
			}
			if strings.HasSuffix(file, ".json") {
				text := readFile(t, file)
				assert.Contains(t, text, `"state_variables": "`+want.variables+`"`)
				for name := range strings.FieldsSeq(want.actions) {
					assert.Contains(t, text, `"name": "`+name+`"`, flags)
				}
			}
		}
	}
}

// The engine's limits on rewards of the file give what --max-loss does.
func TestLimitsOnTheModelFileOfRobots(t *testing.T) {
	t.Chdir(t.TempDir())
	const robots = "robots solve --robots 4 --buffer 3 --lambda 1/4 --mu 1"
	mustPrint(t, robots+" --gamma 1 --model-out robots.json")
	limited := answer(t, robots+" --max-loss 0.05")
	found := answer(t, "solve robots.json --criterion average --minimize --reward starvation --constraint losses<=0.05")
	assert.InDelta(t, limited["gain"], found["value"], 1e-8)
}

func TestFaultsOfTheModelFileOfRobots(t *testing.T) {
	t.Chdir(t.TempDir())
	const robots = "robots solve --buffer 3 --mu 1"
	for line, fault := range map[string]string{
		robots + " --robots 4 --lambda 1 --gamma 1 --model-out m.txt":         `--model-out: "m.txt" is not valid: use a name that ends in `,
		robots + " --robots auto --lambda 1 --gamma 1 --model-out m.json":     "--robots: auto is not valid with --model-out: use a whole number",
		robots + " --robots 4 --lambda 1 --max-loss 1% --model-out m.json":    "--model-out: not valid with --max-loss: use --gamma, and --constraint of solve",
		robots + " --robots 4 --lambda 1:2 --gamma 1 --model-out m.json":      "--model-out: not valid with ranges of rates: use numbers",
		robots + " --robots 400000 --lambda 1 --gamma 1 --model-out m.json":   "--model-out: 1600003 states are too many for a file: use up to 1000000",
		robots + " --robots 4 --lambda 1 --gamma 1 --methods rvi,paper":       `--methods: not valid here: write the model with --model-out FILE, and use "mdpsolve solve FILE --criterion average --minimize --reward cost --methods …"`,
		robots + " --robots 4 --lambda 1 --gamma 1 --plot p.svg --show value": "--show: not valid here: write the model with --model-out",
	} {
		status, _, stderr := execute(t, line)
		require.Equal(t, ui.ExitUsage, status, "%s: %s", line, stderr)
		assert.Contains(t, stderr, fault, line)
	}
	assert.NoFileExists(t, "m.json")
}
