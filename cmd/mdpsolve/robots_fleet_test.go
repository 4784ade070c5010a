package main

// Variants of the robots model, policies in files, frontiers and simulations.

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const plainLine = "robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4"

// TestVariantsWithoutEffect wants what the plain model says.
func TestVariantsWithoutEffect(t *testing.T) {
	want := answer(t, plainLine)
	for _, line := range []string{
		plainLine + " --service exponential",
		plainLine + " --service erlang:1",
		plainLine + " --robot-cost 0",
		"robots solve --class 16@1/10 --buffer 5 --mu 1 --gamma 7/5",
	} {
		got := answer(t, line)
		for _, key := range []string{"gain", "starvation", "loss_rate", "robots_mean", "static_cost", "saving"} {
			assert.InEpsilon(t, want[key], got[key], 1e-9, "%s: %s", line, key)
		}
		for _, key := range []string{
			"robots", "robots_min", "robots_max", "static_robots", "curve_departure", "curve_arrival", "threshold", "monotone",
		} {
			assert.Equal(t, want[key], got[key], "%s: %s", line, key)
		}
		assert.Equal(t, []any{got["robots_mean"]}, got["robots_mean_by_class"])
	}
	// Ten robots in two classes of equal rate are ten robots.
	got := answer(t, "robots solve --class 6@0.1 --class 10@0.1 --buffer 5 --mu 1 --gamma 7/5")
	assert.InEpsilon(t, want["gain"], got["gain"], 1e-9)
	assert.Equal(t, 16.0, got["robots"])
	assert.Len(t, got["robots_mean_by_class"], 2)
	assert.Nil(t, got["curve_departure"])
	assert.Nil(t, got["monotone"])
}

func TestGainIsTheWholeCost(t *testing.T) {
	got := answer(t, plainLine+" --service hyperexponential:0.3@2,0.7@1 --holding-cost 0.02 --robot-cost 0.01 --activation-cost 0.05")
	number := func(key string) float64 { return got[key].(float64) }
	whole := 1.4*number("starvation") + number("loss_rate") +
		0.02*number("pages_mean") + 0.01*number("robots_mean") + 0.05*number("activation_rate")
	assert.InEpsilon(t, whole, got["gain"], 1e-9)
	assert.LessOrEqual(t, got["gain_lower"], got["gain_upper"])
	assert.Nil(t, got["curve_departure"])
	assert.Len(t, got["curve_departure_by_phase"], 2)
}

func TestSufficientRobotsOfVariants(t *testing.T) {
	got := answer(t, "robots solve --robots auto --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --service exponential")
	assert.Equal(t, 15.0, got["robots"])
}

func TestVariantsEndEarly(t *testing.T) {
	const line = " --service erlang:2 --method rvi -o json"
	status, stdout, stderr := execute(t, plainLine+line+" --max-iterations 5")
	assert.Equal(t, ui.ExitLimit, status, stderr)
	assert.Equal(t, "iteration-limit", object(t, stdout)["status"])
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, stderr = executeContext(ctx, plainLine+line)
	assert.Equal(t, ui.ExitInterrupted, status, stderr)
	checkInterrupted(t, stdout, stderr)
}

// A search for the number of robots that ends early has no answer: no other number is one.
func TestSufficientRobotsEndEarly(t *testing.T) {
	auto := strings.Replace(plainLine, "16", "auto", 1)
	for _, service := range []string{"", " --service erlang:2"} {
		status, stdout, stderr := execute(t, auto+service+" --method rvi --max-iterations 5 -o json")
		assert.Equal(t, ui.ExitLimit, status, stderr)
		assert.Empty(t, stdout)
		assert.Equal(t, "mdpsolve: iteration-limit before any answer was found\n", stderr)
		status, stdout, stderr = execute(t, auto+service+" --time-limit 1e-9 -o json")
		assert.Equal(t, ui.ExitLimit, status, stderr)
		assert.Empty(t, stdout)
		assert.Equal(t, "mdpsolve: time-limit before any answer was found\n", stderr)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		status, stdout, stderr = executeContext(ctx, auto+service+" -o json")
		assert.Equal(t, ui.ExitInterrupted, status, stderr)
		assert.Empty(t, stdout)
		assert.Equal(t, "mdpsolve: interrupted before any answer was found\n", stderr)
	}
}

func TestPolicyFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"policy.json", "costs.json"} {
		name = filepath.Join(folder, name)
		line := plainLine
		if strings.Contains(name, "costs") {
			line += " --activation-cost 0"
		}
		status, _, stderr := execute(t, line+" --policy-out "+name)
		require.Zero(t, status, stderr)
		got := answer(t, "robots simulate --horizon 2000 --policy "+name)
		want := answer(t, "robots simulate --horizon 2000"+strings.TrimPrefix(plainLine, "robots solve"))
		for _, key := range []string{"gain", "gain_lower", "gain_exact", "events", "robots", "gamma"} {
			assert.Equal(t, want[key], got[key], key)
		}
		other := answer(t, "robots simulate --horizon 2000 --gamma 3 --policy "+name)
		assert.Equal(t, 3.0, other["gamma"])
		assert.Equal(t, got["starvation"], other["starvation"]) // the same policy
		status, _, stderr = execute(t, "robots simulate --buffer 6 --policy "+name)
		assert.Equal(t, ui.ExitUsage, status)
		assert.Contains(t, stderr, "--buffer: 6 is not valid: the policy is for 5")
	}
}

// The policy of a variant goes through a file, with its classes, phases and costs.
func TestPolicyFilesOfVariants(t *testing.T) {
	name := filepath.Join(t.TempDir(), "policy.json")
	const rest = " --buffer 4 --mu 1 --gamma 1.4"
	for _, variant := range []string{
		"--class 3@0.1 --class 2@0.3", "--robots 5 --lambda 0.3 --service erlang:3",
		"--robots 5 --lambda 0.3 --robot-cost 0.02 --activation-cost 0.1",
		"--class 2@0.2 --class 2@0.4 --service hyperexponential:0.5@2,0.5@0.5 --holding-cost 0.05",
	} {
		solved := answer(t, "robots solve "+variant+rest+" --policy-out "+name)
		line := "robots simulate --horizon 20000 --confidence 0.9999 --policy " + name
		got := answer(t, line)
		for _, key := range []string{"gain", "starvation", "loss_rate", "robots_mean", "pages_mean", "activation_rate"} {
			assert.InEpsilon(t, solved[key], got[key+"_exact"], 1e-9, "%s, %s", variant, key)
			assert.LessOrEqual(t, got[key+"_lower"], got[key+"_exact"], key)
			assert.GreaterOrEqual(t, got[key+"_upper"], got[key+"_exact"], key)
		}
		for _, key := range []string{"robots_by_class", "lambda_by_class", "lambda", "robots", "holding_cost", "robot_cost", "activation_cost"} {
			assert.Equal(t, solved[key], got[key], key)
		}
		status, stdout, _ := execute(t, line)
		assert.Zero(t, status)
		assert.Contains(t, stdout, "activations per unit of time")
		status, _, stderr := execute(t, line+" --gamma 2")
		assert.Equal(t, ui.ExitUsage, status)
		assert.Contains(t, stderr, "--gamma: not valid with a policy for a variant of the model")
		status, _, stderr = execute(t, line+" --service deterministic")
		if strings.Contains(variant, "--service") {
			assert.Equal(t, ui.ExitUsage, status)
			assert.Contains(t, stderr, "--service: not valid here: leave this flag out, because the policy of "+name+" depends on the phases")
		} else {
			assert.Zero(t, status, stderr)
		}
	}
}

// Along the frontier, what is paid beside starvation makes up the gain that solving
// finds.
func TestFrontierWithAllCosts(t *testing.T) {
	const costs = " --holding-cost 0.02 --robot-cost 0.01 --activation-cost 0.05"
	points := answer(t, "robots frontier --robots 3 --buffer 3 --lambda 0.4 --mu 1 --from 0.5 --to 4"+costs)["points"].([]any)
	require.NotEmpty(t, points)
	for _, p := range points {
		point := p.(map[string]any)
		number := func(key string) float64 { return point[key].(float64) }
		require.Positive(t, number("activation_rate"))
		from, to := number("gamma_from"), number("gamma_to")
		middle := (from + to) / 2
		solved := answer(t, "robots solve --robots 3 --buffer 3 --lambda 0.4 --mu 1 --gamma "+ui.ExactText(middle)+costs)
		assert.InEpsilon(t, solved["gain"], middle*number("starvation")+number("other_costs"), 1e-9)
		assert.InEpsilon(t, solved["gain"], (number("gain_from")+number("gain_to"))/2, 1e-9, "it is linear in γ")
	}
}

func TestRobotsFrontier(t *testing.T) {
	const line = "robots frontier --robots 8 --buffer 3 --lambda 0.2 --mu 1 --from 0.5 --to 4"
	got := answer(t, line)
	assert.Equal(t, "converged", got["status"])
	assert.Zero(t, got["gap"])
	points := got["points"].([]any)
	require.Greater(t, len(points), 2)
	to := 0.5
	for _, p := range points {
		point := p.(map[string]any)
		assert.Equal(t, to, point["gamma_from"])
		to = point["gamma_to"].(float64)
		middle := (point["gamma_from"].(float64) + to) / 2
		solved := answer(t, "robots solve --robots 8 --buffer 3 --lambda 0.2 --mu 1 --gamma "+ui.ExactText(middle))
		assert.InEpsilon(t, solved["gain"], middle*point["starvation"].(float64)+point["loss_rate"].(float64), 1e-9)
	}
	assert.Equal(t, 4.0, to)
	few := answer(t, line+" --points 3")
	assert.Len(t, few["points"], 3)
	assert.Greater(t, few["gap"], 0.0)

	status, stdout, _ := execute(t, line+" --method rvi --max-iterations 3 -o json")
	assert.Equal(t, ui.ExitLimit, status)
	assert.Empty(t, stdout) // not one weight was solved
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	status, stdout, stderr := executeContext(ctx, "robots frontier --robots 60 --buffer 25 --lambda 1/20 --mu 1 --from 0.01 --to 50 -o json")
	assert.Equal(t, ui.ExitInterrupted, status, stderr)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	if stdout != "" { // a slow machine has found none
		assert.Equal(t, "interrupted", object(t, stdout)["status"])
		assert.NotEmpty(t, object(t, stdout)["points"])
	}
}

func TestSimulations(t *testing.T) {
	const line = "robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --confidence 0.9999 --horizon 20000"
	got := answer(t, line)
	for _, key := range []string{"gain", "starvation", "loss_rate", "robots_mean"} {
		assert.LessOrEqual(t, got[key+"_lower"], got[key+"_exact"], key)
		assert.GreaterOrEqual(t, got[key+"_upper"], got[key+"_exact"], key)
		assert.Less(t, got[key+"_lower"], got[key+"_upper"], key)
	}
	assert.InEpsilon(t, 0.25924, got["gain_exact"], 2e-5) // Figure 7
	again := answer(t, line+" --workers 1")
	assert.Equal(t, got["gain"], again["gain"])
	assert.NotEqual(t, got["gain"], answer(t, line+" --seed 2")["gain"])

	fixed := answer(t, line+" --policy static:10") // Table 1: 0.40
	assert.InEpsilon(t, 0.4, fixed["gain_exact"], 1e-12)
	assert.Equal(t, 10.0, fixed["robots_mean"])
	single := answer(t, line+" --replications 1")
	assert.Equal(t, "batches", single["intervals_from"])

	// Constant times are the same as a trace of them.
	trace := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(trace, []byte("1, 1 # twice\n2/2\n"), 0o600))
	constant, recorded := answer(t, line+" --service deterministic"), answer(t, line+" --times "+trace)
	assert.Nil(t, constant["gain_exact"])
	assert.InDelta(t, constant["gain"], recorded["gain"], 0.01)
	assert.Equal(t, "trace:"+trace, recorded["service"])

	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	status, stdout, stderr := executeContext(ctx, replaced(line+" --horizon 1e5 --replications 1e5 -o json"))
	assert.Equal(t, ui.ExitInterrupted, status, stderr)
	assert.Equal(t, "interrupted", object(t, stdout)["status"])
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
}

func TestSimulationText(t *testing.T) {
	status, stdout, stderr := execute(t, "robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --horizon 1000")
	require.Zero(t, status, stderr)
	for _, words := range []string{"policy optimal", "service exponential", "10 replications", "95% confidence", "exact", "0.2592395961"} {
		assert.Contains(t, stdout, words)
	}
}

func TestStrict(t *testing.T) {
	status, _, _ := execute(t, "robots reproduce --strict -o csv")
	assert.Zero(t, status)
}
