package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// TestSeveralInitialStates asks for the share of time in one of two closed classes, from a state
// of each and from one that leads to them with 1/4 and 3/4.
func TestSeveralInitialStates(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write("m.json", `{"kind": "mdp", "initial": [0, 1, 2], "labels": {"a": [1]}, "reward_models": ["r", "s"], "states": [
		{"actions": [{"rewards": [1, 1], "to": [[1, 0.25], [2, 0.75]]}]}, {"rewards": [1, 0], "actions": [{"to": [[1, 1]]}]}, {"actions": [{"to": [[2, 1]]}]}]}`)
	write("p.csv", "state,action\n")
	const first = "mdpsolve: warning: the model has 3 initial states: the value is that of the first, state "
	for _, question := range []string{"--property 'S=? [\"a\"]'", "--property 'S=? [\"a\"]' --method exact", "--criterion average --reward r"} {
		for _, form := range []string{"--out r.json", "--out r.npz"} {
			shown := mustPrint(t, "solve m.json "+question+" "+form)
			assert.Contains(t, shown, "3 states, with values from 0 to 1; for one that is drawn evenly, it is 0.416666666666", question) // (1 + 0 + 1/4)/3
			r, err := certificate.ReadFile(form[len("--out "):])
			require.NoError(t, err)
			require.Len(t, r.InitialStates, 3)
			want := map[int32]float64{0: 0.25, 1: 1, 2: 0}
			assert.Equal(t, int(r.InitialStates[0]), r.Initial)
			for _, s := range r.InitialStates {
				assert.InDelta(t, want[s], r.Values[s], 1e-12)
			}
			assert.Contains(t, mustPrint(t, "check m.json "+form[len("--out "):]), ": holds")
		}
		status, stdout, stderr := execute(t, "solve m.json "+question+" --output json")
		require.Zero(t, status)
		assert.Contains(t, stderr, first)
		assert.Contains(t, stderr, " (initial_values has all)\n")
		got := object(t, stdout)
		require.Len(t, got["initial_values"], 3)
		for i, s := range got["initial_states"].([]any) {
			assert.Equal(t, got["values"].([]any)[int(s.(float64))], got["initial_values"].([]any)[i])
		}
		status, _, stderr = execute(t, "solve m.json "+question+" --output csv")
		assert.Zero(t, status)
		assert.Empty(t, stderr) // a row for each state
	}
	for _, line := range []string{
		"evaluate m.json --policy p.csv --criterion average --reward r --output json",
		"simulate m.json --policy p.csv --criterion average --reward r --horizon 10",
		"evaluate m.json --policy p.csv --criterion finite --horizon 3 --reward r --distribution 1",
		"solve m.json --criterion average --minimize --reward r --constraint s<=1",
		"solve m.json --criterion average --minimize --reward r --pareto s",
		"solve m.json --property 'S=? [\"a\"]; P=? [F \"a\"]'",
	} {
		status, _, stderr := execute(t, line)
		assert.Zero(t, status, "%s: %s", line, stderr)
		assert.Contains(t, stderr, first, line)
	}
}

// TestInitialStatesAreJudged changes the initial states of a result, and their values.
func TestInitialStatesAreJudged(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("m.json", []byte(`{"kind": "dtmc", "initial": [0, 1], "reward_models": ["r"], "states": [
		{"rewards": [1], "actions": [{"to": [[0, 1]]}]}, {"actions": [{"to": [[1, 1]]}]}, {"actions": [{"to": [[2, 1]]}]}]}`), 0o600))
	text := mustPrint(t, "solve m.json --criterion average --quiet --output json")
	for _, test := range []struct {
		from, to string
		status   int
		want     string
	}{
		{`"initial_states": [0, 1]`, `"initial_states": [0, 2]`, 3, "the list of initial states is refuted: the model begins in 2 states"},
		{`"initial_states": [0, 1]`, `"initial_states": [0, 7]`, 2, "one of the initial states [0 7] is not one of 0 … 2"},
		{`"initial_values": [1, 0]`, `"initial_values": [1, 1]`, 2, "initial_values: expected those of initial_states in values"},
		{`"initial_values": [1, 0]`, `"initial_values": [1]`, 2, "initial_values: expected those of initial_states in values"},
	} {
		changed := strings.Replace(text, test.from, test.to, 1)
		require.NotEqual(t, text, changed)
		require.NoError(t, os.WriteFile("r.json", []byte(changed), 0o600))
		status, _, stderr := execute(t, "check m.json r.json")
		assert.Equal(t, test.status, status, stderr)
		assert.Contains(t, stderr, test.want)
	}
}
