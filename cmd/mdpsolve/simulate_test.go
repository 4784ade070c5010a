package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Intervals of 95% hold the value, which evaluate knows exactly, in about 95% of
// 200 runs, whose seeds are fixed: a run of them is always the same.
func TestSimulatedIntervalsHold(t *testing.T) {
	policyFiles(t)
	for _, test := range []struct{ question, more string }{
		{"taxicab.json --policy mixed.csv --criterion average", "--horizon 1000 --replications 10"},
		{"taxicab.json --policy mixed.csv --criterion average", "--horizon 10000 --replications 1"},
		{"taxicab.json --policy mixed.csv --criterion discounted --discount 9/10", "--replications 50"},
		{"taxicab.json --policy howard.csv --criterion finite --horizon 3", "--replications 50"},
		{"paths.drn --policy half.csv --criterion total --target goal", "--replications 300"},
		{"twoservers.tra --policy none.csv --criterion average", "--horizon 500 --replications 10"},
		{"twoservers.tra --policy none.csv --criterion total --target full", "--replications 200"},
	} {
		value := solved(t, "evaluate "+test.question).Value
		held := 0
		const runs = 200
		for seed := range runs {
			var got struct{ Mean, Lower, Upper, Confidence float64 }
			stdout := mustPrint(t, fmt.Sprintf("simulate %s %s --seed %d -o json", test.question, test.more, seed))
			require.NoError(t, json.Unmarshal([]byte(stdout), &got))
			require.Less(t, got.Lower, got.Mean)
			require.Less(t, got.Mean, got.Upper)
			if got.Lower <= value && value <= got.Upper {
				held++
			}
		}
		t.Logf("%s: %d of %d intervals hold", test.question, held, runs)
		assert.GreaterOrEqual(t, held, runs*91/100, test.question)
		assert.LessOrEqual(t, held, runs*99/100, test.question)
	}
}

// What is left out of a discounted sum is in the interval: the sum of the first
// step alone is far from it.
func TestSimulatedRest(t *testing.T) {
	policyFiles(t)
	const question = "taxicab.json --policy mixed.csv --criterion discounted --discount 9/10"
	value := solved(t, "evaluate "+question).Value
	got := answer(t, "simulate "+question+" --horizon 1")
	assert.LessOrEqual(t, got["lower"], value)
	assert.GreaterOrEqual(t, got["upper"], value)
	assert.Greater(t, got["rest_lower"], 0.0)
	assert.InDelta(t, value, got["mean"], 60)
	got = answer(t, "simulate "+question+" --horizon 0")
	assert.Equal(t, got["lower"], got["rest_lower"])
	got = answer(t, "simulate taxicab.json --policy mixed.csv --criterion discounted --discount 0")
	assert.Equal(t, 1.0, got["horizon"])
	assert.Equal(t, 0.0, got["rest_upper"])
}

func TestSimulationIsRepeatable(t *testing.T) {
	policyFiles(t)
	for _, line := range []string{
		"simulate taxicab.json --policy mixed.csv --criterion average --horizon 500 --replications 7",
		"simulate paths.drn --policy half.csv --criterion total --target goal",
	} {
		want := withoutTimes(mustPrint(t, line+" --seed 5 --workers 1 -o json"))
		assert.Equal(t, want, withoutTimes(mustPrint(t, line+" --seed 5 --workers 3 -o json")))
		assert.NotEqual(t, want, withoutTimes(mustPrint(t, line+" --seed 6 --workers 1 -o json")))
	}
	// A single replication gives no interval if it cannot be cut into parts.
	got := answer(t, "simulate paths.drn --policy half.csv --criterion total --target goal --replications 1")
	assert.Nil(t, got["lower"])
	assert.Contains(t, mustPrint(t, "simulate paths.drn --policy half.csv --criterion total --target goal --replications 1"), "two replications")
}

func TestSimulationInterrupted(t *testing.T) {
	policyFiles(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, stderr := executeContext(ctx, "simulate taxicab.json --policy howard.csv --criterion average")
	assert.Equal(t, ui.ExitInterrupted, status)
	assert.Empty(t, stdout)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	ctx, cancel = context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	status, stdout, stderr = executeContext(ctx, "simulate taxicab.json --policy howard.csv --criterion average --horizon 10000 --replications 1000000 --workers 1 -o json")
	assert.Equal(t, ui.ExitInterrupted, status)
	got := object(t, stdout)
	assert.Equal(t, "interrupted", got["status"])
	assert.Less(t, got["replications"], 1e6)
	assert.Less(t, got["lower"], got["upper"])
	assert.Contains(t, stderr, "of 1000000 replications")
}

// A model without choices has only one policy, which need not be given.
func TestChainsNeedNoPolicy(t *testing.T) {
	modelFolder(t)
	require.NoError(t, os.WriteFile("first.csv", []byte("state,action\n0,0\n1,0\n2,0\n3,0\n4,0\n"), 0o600))
	answer := func(line string) map[string]any {
		t.Helper()
		var members map[string]any
		require.NoError(t, json.Unmarshal([]byte(mustPrint(t, line+" -o json")), &members))
		for _, member := range []string{"policy", "elapsed_seconds"} {
			delete(members, member)
		}
		return members
	}
	for _, verb := range []string{
		"simulate %s --criterion average --horizon 100",
		"simulate %s --criterion total --target full --replications 10",
		"evaluate %s --criterion average",
		"evaluate %s --criterion total --target full",
	} {
		line := fmt.Sprintf(verb, "twoservers.tra")
		assert.Equal(t, answer(line+" --policy first.csv"), answer(line), line)
	}
	assert.NotContains(t, mustPrint(t, "simulate twoservers.tra --criterion average --horizon 100"), "policy")
	mustPrint(t, "evaluate twoservers.tra --criterion average --out value.json")
	mustPrint(t, "check twoservers.tra value.json")
	for _, verb := range []string{"simulate", "evaluate"} {
		status, _, stderr := execute(t, verb+" paths.drn --criterion total --target goal")
		assert.Equal(t, ui.ExitUsage, status)
		assert.Contains(t, stderr, "--policy: missing")
	}
}
