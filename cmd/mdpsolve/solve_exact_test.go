package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// Answers in fractions are the known ones, and lie between the bounds of the other
// methods.
func TestExactMethod(t *testing.T) {
	modelFolder(t)
	for line, want := range map[string][]string{
		taxicabAverage:    {"1588/119", "1588/119", "1588/119"},
		taxicabDiscounted: {"1459720/11999", "1623540/11999", "1473920/11999"},
		taxicabFinite:     {"3797/128", "2779/64", "989/32"},
		islandsLeast:      {"4/3", "3", "1/2", "3/2", "3/2", "11/6"},
		pathsLeast:        {"8/3", "14/3", "0", "∞", "35/12"},
		serversAverage:    {"26/23", "26/23", "26/23", "26/23", "26/23"},
		serversTotal:      {"16", "16", "15", "11", "0"},
	} {
		r := solved(t, line+" --method exact")
		assertExact(t, r, want...)
		for s, text := range want {
			if text == "∞" {
				assert.Nil(t, r.Exact[s])
			} else {
				assert.Equal(t, text, r.Exact[s].RatString(), line)
			}
		}
		assertExact(t, solved(t, line), want...)
		assert.Equal(t, "exact", r.Method)
	}
	// 2/3 is no float64, nor are tenths.
	r := solved(t, "solve taxicab.json --criterion discounted --discount 2/3 --maximize --method exact")
	other := solved(t, "solve taxicab.json --criterion discounted --discount 2/3 --maximize --tolerance 1e-12")
	for s, exact := range r.Exact {
		assert.LessOrEqual(t, rational(other.Lower[s]).Cmp(exact), 0)
		assert.GreaterOrEqual(t, rational(other.Upper[s]).Cmp(exact), 0)
	}
}

// If exact arithmetic ends early, there are bounds at least.
func TestExactMethodEndsEarly(t *testing.T) {
	t.Chdir(t.TempDir())
	name := chainFile(t, 3000)
	status, stdout, stderr := execute(t, "solve "+name+" --criterion total --target init --method exact --time-limit 1e-6 -o json")
	assert.Equal(t, ui.ExitLimit, status, stderr)
	assert.Equal(t, "time-limit", object(t, stdout)["status"])
}

// A solve from the result of another has nothing left to do.
func TestStart(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{
		taxicabDiscounted + " --method value-iteration",
		taxicabAverage + " --method rvi",
		taxicabAverage + " --method policy-iteration",
		pathsLeast,
		islandsLeast,
	} {
		first := solved(t, line+" --out first.json")
		again := solved(t, line+" --start-from first.json")
		assert.LessOrEqual(t, again.Iterations, first.Iterations, line)
		assert.Equal(t, first.Policy, again.Policy)
		assert.InDeltaSlice(t, finite(first.Values), finite(again.Values), 1e-6)
	}
}

func finite(numbers []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(numbers), func(x float64) bool { return math.IsInf(x, 0) })
}

// A solve that is stopped and goes on comes to the tolerance.
func TestStartAfterALimit(t *testing.T) {
	t.Chdir(t.TempDir())
	line := "solve " + chainFile(t, 100) + " --criterion average --method rvi"
	want := solved(t, line)
	status, _, stderr := execute(t, line+" --max-iterations 100 --out stopped.json")
	require.Equal(t, ui.ExitLimit, status, stderr)
	stopped, err := certificate.ReadFile("stopped.json")
	require.NoError(t, err)
	require.Equal(t, "iteration-limit", stopped.Status)
	got := solved(t, line+" --start-from stopped.json")
	assert.Less(t, got.Iterations, want.Iterations, "it began with the values of the file")
	assert.Equal(t, want.Policy, got.Policy)
	assert.InEpsilon(t, want.Value, got.Value, 1e-9)
	require.NoError(t, os.WriteFile("stopped.json", []byte("damaged"), 0o600))
	status, _, stderr = execute(t, line+" --start-from stopped.json")
	assert.Equal(t, ui.ExitUsage, status)
	assert.Contains(t, stderr, "stopped.json:1:1: ")
}

// Totals of states that are left rarely have as many digits as others: they are added
// up from the exits. Decimals that do not quite sum to 1 are divided by their sum.
func TestTotalsOfRareExits(t *testing.T) {
	t.Chdir(t.TempDir())
	const chain = `{"format": "mdpsolve-model/1", "kind": "ctmc", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [` +
		`{"rewards": [1], "actions": [{"to": [[1, %s]]}]}, {"actions": [{"to": [[0, %s]]}]}]}`
	const loop = `{"format": "mdpsolve-model/1", "kind": "mdp", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [` +
		`{"rewards": [1], "actions": [{"to": [[0, %s], [1, %s]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`
	for _, test := range []struct {
		text string
		want string
	}{
		{fmt.Sprintf(chain, "0.1", "1e6"), "10"},
		{fmt.Sprintf(chain, "1", "1e12"), "1"},
		{fmt.Sprintf(chain, "1.25e-140", "1e140"), "8" + strings.Repeat("0", 139)},
		{fmt.Sprintf(loop, "0.9999999999", "1e-10"), "10000000000"},
		{fmt.Sprintf(loop, "0.9999999998", "1e-10"), "9999999999"},
	} {
		require.NoError(t, os.WriteFile("model.json", []byte(test.text), 0o600))
		const line = "solve model.json --criterion total --target goal --minimize --out result.json"
		want := fraction(test.want)
		for _, method := range []string{"", " --method exact"} {
			r := solved(t, line+method)
			assert.LessOrEqual(t, rational(r.Lower[0]).Cmp(want), 0, test.text)
			assert.GreaterOrEqual(t, rational(r.Upper[0]).Cmp(want), 0, test.text)
			assert.InEpsilon(t, r.Lower[0], r.Upper[0], 4e-15, test.text)
			status, stdout, stderr := execute(t, "check model.json result.json")
			assert.Zero(t, status, "%s%s", stdout, stderr)
		}
	}
}

// Rates too far apart for float64 are refused in one line, and no trouble for fractions.
func TestRatesFarApart(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `{"format": "mdpsolve-model/1", "kind": "ctmc", "labels": {"goal": [1]}, "reward_models": ["r"], "states": [` +
		`{"rewards": [1], "actions": [{"to": [[1, 1e-165]]}]}, {"actions": [{"to": [[0, 1e165]]}]}]}`
	require.NoError(t, os.WriteFile("model.json", []byte(text), 0o600))
	const line = "solve model.json --criterion total --target goal --minimize --out result.json"
	status, stdout, stderr := execute(t, line)
	assert.Equal(t, ui.ExitUsage, status)
	assert.Empty(t, stdout)
	assert.Equal(t, `mdpsolve: MODEL: "model.json": the rate 1e-165 from state 0 to state 1, divided by the rates of state 1, is beyond float64: `+
		"use rates with quotients from 2.225e-308 up, or exact arithmetic (solve --method exact)\n", stderr)
	r := solved(t, line+" --method exact")
	assert.Equal(t, "1"+strings.Repeat("0", 165), r.Exact[0].RatString())
	require.NotNil(t, r.Certificate)
	assert.Equal(t, r.Exact, r.Certificate.Lower.Value.Exact)
	status, stdout, stderr = execute(t, "check model.json result.json")
	assert.Zero(t, status, "%s%s", stdout, stderr)
}
