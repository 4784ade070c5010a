package main

// robots solve within limits.

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const limitLine = "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1"

// A policy that leaves a decision to chance goes through a file, and is simulated with it.
func TestPolicyFilesWithChance(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policy.json")
	solved := answer(t, limitLine+" --max-loss 1% --policy-out "+name)
	require.NotNil(t, solved["chance"])
	got := answer(t, "robots simulate --horizon 20000 --confidence 0.9999 --policy "+name)
	for _, key := range []string{"starvation", "loss_rate", "robots_mean"} {
		assert.InEpsilon(t, solved[key], got[key+"_exact"], 1e-9, key)
		assert.LessOrEqual(t, got[key+"_lower"], got[key+"_exact"], key)
		assert.GreaterOrEqual(t, got[key+"_upper"], got[key+"_exact"], key)
	}
}

// An early end names the measure that the bounds are on.
func TestLimitsEndEarly(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{limitLine + " --max-loss 1% --method rvi --max-iterations 40", "iteration-limit before the tolerance was met: the starvation is between "},
		{limitLine + " --max-starvation 40% --method rvi --max-iterations 40", "iteration-limit before the tolerance was met: the loss rate is between "},
		{"robots sweep --over max-loss --from 0.01 --to 0.1 --steps 2 --robots 16 --buffer 5 --lambda 0.1 --mu 1 --method rvi --max-iterations 40", "row 1: iteration-limit before the tolerance was met: the starvation is between "},
		{"robots solve --robots 8 --lambda 1e207 --buffer 2 --mu 0.5 --max-loss 1%", "precision-limit before the tolerance was met: the starvation is 0"},
	} {
		status, _, stderr := execute(t, test.line)
		assert.Equal(t, ui.ExitLimit, status, stderr)
		assert.Contains(t, stderr, "mdpsolve: "+test.want)
	}
}

// Texts count phases from 1: the phase of the decision left to chance is that of the state in which
// solve, for the model file, mixes actions.
func TestThePhaseOfChance(t *testing.T) {
	model := filepath.Join(t.TempDir(), "robots.json")
	const line = "robots solve --robots 6 --lambda 0.5 --mu 2 --buffer 5 --service "
	for law, limit := range map[string]string{"erlang:2": " --max-loss 0.03", "erlang:3": " --max-loss 0.05"} {
		answer(t, line+law+" --gamma 1 --model-out "+model)
		_, stdout, _ := execute(t, "solve "+model+" --criterion average --minimize --reward starvation --constraint losses<="+limit[len(" --max-loss "):]+" -o csv")
		var mixed string // (robots,queue,phase)
		for _, row := range csvRows(t, stdout) {
			if x, err := strconv.ParseFloat(row["probability"], 64); assert.NoError(t, err) && x > 0 && x < 1 {
				mixed = row["name"]
			}
		}
		var robots, queue, phase int
		_, err := fmt.Sscanf(mixed, "(%d,%d,%d)", &robots, &queue, &phase)
		require.NoError(t, err, mixed)
		_, stdout, _ = execute(t, line+law+limit)
		assert.Contains(t, strings.Join(strings.Fields(stdout), " "), fmt.Sprintf("chance with %s in the queue and %s in phase %d of indexing",
			wording.Count(queue, "page"), wording.Count(robots, "active robot"), phase))
		_, stdout, _ = execute(t, line+law+limit+" -o csv")
		rows := csvRows(t, stdout)
		assert.Equal(t, []string{strconv.Itoa(queue), strconv.Itoa(phase - 1), strconv.Itoa(robots)}, []string{rows[0]["chance.queue"], rows[0]["chance.phase"], rows[0]["chance.active"]})
	}
}

// A picture names the measure that is minimised, the limit, and the decision left to chance with its phase.
func TestPicturesNameTheLimit(t *testing.T) {
	const variant = " --service erlang:2"
	name := filepath.Join(t.TempDir(), "mix.svg")
	for limit, want := range map[string]string{
		" --max-loss 1%":       "; starvation %.6g, at most 1%% of the pages lost; with %s in the queue",
		" --max-starvation 5%": "; loss rate %.6g, queue empty at most 5%% of the time; with %s in the queue",
	} {
		solved := answer(t, limitLine+variant+limit+" --plot "+name)
		chance := solved["chance"].(map[string]any)
		title := svgTitle.FindStringSubmatch(readFile(t, name))[1]
		assert.Contains(t, title, fmt.Sprintf(want, solved["gain"], wording.Count(int(chance["queue"].(float64)), "page")))
		assert.Contains(t, title, fmt.Sprintf(" in phase %v of indexing, a ", chance["phase"].(float64)+1))
		assert.NotContains(t, title, "cost")
	}
}

// A frontier that no fixed number of robots comes near has the nearest on each side beside it.
func TestFrontiersHaveTheNearestFixedNumbers(t *testing.T) {
	const queue = " --buffer 6 --lambda 1/5 --mu 1 --service erlang:3"
	found := answer(t, "robots frontier --robots 8 --from 0.2 --to 4"+queue)["static"].([]any)
	require.Len(t, found, 2)
	for i, row := range found {
		n := row.(map[string]any)
		want := answer(t, fmt.Sprintf("static --gamma 1 --robots %d", 4+i)+queue)
		assert.InEpsilon(t, want["starvation"], n["starvation"], 1e-9)
		assert.InEpsilon(t, want["loss_rate"], n["loss_rate"], 1e-9)
	}
}

// Text has the decimals of --digits.
func TestDigitsInText(t *testing.T) {
	for line, key := range map[string]string{
		"static --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4":                      "cost",
		limitLine + " --gamma 1.4":                                               "gain",
		limitLine + " --max-loss 1%":                                             "gain",
		"robots solve --robots 3 --buffer 3 --lambda 0.9:1.1 --mu 1 --gamma 1.4": "gain",
	} {
		assert.Regexp(t, fmt.Sprintf(` %.3f( |\n)`, answer(t, line)[key]), mustPrint(t, line+" --digits 3"), line)
	}
}
