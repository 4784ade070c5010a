package main

// Policy iteration, one improvement at a time.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// step is what a solve that ends early says, and what evaluate says of its policy.
func step(t *testing.T, line, criterion string) (found, evaluated map[string]any) {
	t.Helper()
	status, stdout, stderr := execute(t, "solve "+line+" --method policy-iteration -o json --out step.json "+criterion)
	require.Contains(t, []int{ui.ExitSolved, ui.ExitLimit}, status, stderr)
	_, evaluation, _ := execute(t, "evaluate "+strings.Fields(line)[0]+" --policy step.json -o json "+criterion)
	return object(t, stdout), object(t, evaluation)
}

// Discounted: after k iterations the policy is the k-th, and the values are its own. None
// of them falls, and the last policy is the best.
func TestStepsOfDiscountedPolicyIteration(t *testing.T) {
	modelFolder(t)
	criterion := "--criterion discounted --discount 9/10"
	before := []any{0.0, 0.0, 0.0}
	for k, policy := range [][]any{{0.0, 0.0, 0.0}, {0.0, 1.0, 1.0}, {1.0, 1.0, 1.0}} {
		found, evaluated := step(t, fmt.Sprintf("taxicab.json --maximize --max-iterations %d", k+1), criterion)
		assert.Equal(t, "iteration-limit", found["status"])
		assert.Equal(t, policy, found["policy"])
		for state, value := range found["values"].([]any) {
			assert.InEpsilon(t, evaluated["values"].([]any)[state], value, 1e-12)
			assert.Greater(t, value, before[state])
		}
		before = found["values"].([]any)
	}
	for state, value := range answer(t, "solve taxicab.json --maximize --method exact "+criterion)["values"].([]any) {
		assert.InEpsilon(t, value, before[state], 1e-12)
	}
}

// For averages, each solve begins where the one before has ended: the values are those of
// the policy that it began with, and its policy is that one improved. Gains: Howard,
// chapter 4.
func TestStepsOfAveragePolicyIteration(t *testing.T) {
	modelFolder(t)
	criterion := "--criterion average"
	writeFile(t, "first.csv", "state,action\n0,0\n1,0\n2,0\n")
	status, stdout, stderr := execute(t, "evaluate taxicab.json --policy first.csv -o json --out step.json "+criterion)
	require.Equal(t, ui.ExitSolved, status, stderr)
	gain := object(t, stdout)["value"]
	for _, want := range []struct {
		gain   float64
		policy []any
		status string
	}{
		{9.2, []any{0.0, 1.0, 1.0}, "iteration-limit"},
		{13.15, []any{1.0, 1.0, 1.0}, "iteration-limit"},
		{13.34, []any{1.0, 1.0, 1.0}, "converged"},
	} {
		found, evaluated := step(t, "taxicab.json --maximize --start-from step.json --max-iterations 1", criterion)
		assert.Equal(t, want.status, found["status"])
		assert.InDelta(t, want.gain, found["value"], 0.005)
		assert.InEpsilon(t, gain, found["value"], 1e-12)
		assert.Equal(t, want.policy, found["policy"])
		gain = evaluated["value"]
	}
}

// Totals are found component by component: states 0 and 1 of this model are the first
// with a choice, and there the values are those of the k-th policy.
func TestStepsOfTotalPolicyIteration(t *testing.T) {
	modelFolder(t)
	for k, want := range [][2]float64{{5, 7}, {8.0 / 3, 14.0 / 3}} {
		found, evaluated := step(t, fmt.Sprintf("paths.drn --minimize --max-iterations %d", k+1), "--criterion total --target goal")
		assert.Equal(t, "iteration-limit", found["status"])
		for state, value := range want {
			assert.InEpsilon(t, value, found["values"].([]any)[state], 1e-12)
			assert.InEpsilon(t, value, evaluated["values"].([]any)[state], 1e-12)
		}
	}
}
