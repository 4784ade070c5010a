package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// policyFiles writes policies for the models of testdata.
//
// In paths.drn the values of "half" from state 0 solve
//
//	v = 1/2·5 + 1/2·(1 + v/3 + (2 + v)/6).
func policyFiles(t *testing.T) {
	t.Helper()
	modelFolder(t)
	for name, text := range map[string]string{
		"cruise.csv":     "state,action\n0,cruise\n1,cruise\n2,cruise\n",
		"second.csv":     "state,action\n0,cruise\n1,stand\n2,stand\n",
		"policy.csv":     "state,action\n0,stand\n1,stand\n2,stand\n",
		"servers.csv":    "state,action\n",
		"howard.csv":     "action,state\nstand,(A)\nstand,(B)\n1,2\n",
		"mixed.csv":      "state,action,probability\n0,cruise,1/3\n0,stand,2/3\n1,1,1\n2,0,1\n",
		"half.csv":       "state,action,probability\n0,safe,0.5\n0,risky,0.5\n4,wait,1\n",
		"gamble.csv":     "state,action\n0,safe\n4,gamble\n",
		"none.csv":       "state,action\n",
		"storm.json":     `[{"c": [{"index": 1, "prob": 1}], "s": 0}, {"c": [{"index": 2, "prob": 1}], "s": 1}]`,
		"scheduler.json": `[{"c": [{"index": 1, "prob": 1}], "s": 0}, {"c": [{"index": 6, "prob": 1}], "s": 4}]`,
		"part.json":      `[{"c": [{"index": 6, "prob": 1}], "s": 4}]`,
		"mixed.json":     `[{"c": [{"index": 0, "prob": 0.5}, {"index": 1, "prob": 0.5}], "s": 0}, {"c": "undefined", "s": 4}]`,
		"memory.json":    `[{"c": [{"index": 0, "prob": 1}], "m": 2, "s": 0}]`,
		"values.csv":     "state,value\n0,8/3\n1,4.66666666666667\n2,0\n3,inf\n4,2.9166667\n",
		"wrong.csv":      "state,value\n0,8/3\n1,4.66666666666667\n2,0\n3,inf\n4,2.92\n",
		"mean.csv":       "state,value\n0,9.2\n1,9.2\n2,9.2\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

func TestEvaluateKnownAnswers(t *testing.T) {
	policyFiles(t)
	for _, test := range []struct {
		line   string
		values []string
	}{
		// Howard's policy iteration goes by 9.20, 13.15 and 13.34.
		{"evaluate taxicab.json --policy cruise.csv --criterion average", []string{"46/5", "46/5", "46/5"}},
		{"evaluate taxicab.json --policy howard.csv --criterion average", []string{"1588/119", "1588/119", "1588/119"}},
		{"evaluate paths.drn --policy half.csv --criterion total --target goal", []string{"38/9", "56/9", "0", "∞", "161/36"}},
		{"evaluate paths.drn --policy gamble.csv --criterion total --target goal --maximize", []string{"5", "7", "0", "∞", "∞"}},
		{"evaluate paths.drn --policy half.csv --criterion finite --horizon 1", []string{"3", "2", "0", "1", "1/4"}},
		{"evaluate paths.drn --policy half.csv --criterion discounted --discount 1/2", []string{"148/43", "160/43", "0", "2", "339/172"}},
		{"evaluate twoservers.tra --policy none.csv --criterion average", []string{"26/23", "26/23", "26/23", "26/23", "26/23"}},
		{"evaluate twoservers.tra --policy none.csv --criterion total --target full", []string{"16", "16", "15", "11", "0"}},
	} {
		for _, method := range []string{"", " --method exact"} {
			assertExact(t, solved(t, test.line+method), test.values...)
		}
	}
	r := solved(t, "evaluate taxicab.json --policy second.csv --criterion average")
	assert.InDelta(t, 13.15, r.Value, 0.005)
	assert.Equal(t, []int32{0, 1, 1}, r.Policy) // of the file
}

// The results of evaluate are results, of which check says whether they are right
// about the policy, and about the model.
func TestEvaluateKeys(t *testing.T) {
	policyFiles(t)
	got := answer(t, "evaluate taxicab.json --policy cruise.csv --criterion average --out value.json")
	for _, key := range []string{
		"criterion", "sense", "status", "method", "iterations", "initial", "value", "values", "lower", "upper", "policy", "classification",
	} {
		assert.Contains(t, got, key)
	}
	kept, err := certificate.ReadFile("value.json")
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 0, 0}, kept.Policy)
	got = answer(t, "evaluate paths.drn --policy half.csv --criterion total --target goal")
	assert.NotContains(t, got, "policy")
	stdout := mustPrint(t, "evaluate paths.drn --policy half.csv --criterion total --target goal -o csv")
	assert.True(t, strings.HasPrefix(stdout, "state,value,lower,upper\n0,4.222222222222"), stdout)
	stdout = mustPrint(t, "evaluate taxicab.json --policy second.csv --criterion average -o csv")
	assert.True(t, strings.HasPrefix(stdout, "state,name,value,lower,upper,relative_value,policy,action\n0,(A),"), stdout)
	assert.Contains(t, stdout, ",1,stand\n")
}

// Schedulers leave out states that they never reach.
func TestEvaluateSchedulers(t *testing.T) {
	policyFiles(t)
	const total = " --criterion total --target goal -o json"
	status, stdout, stderr := execute(t, "evaluate paths.drn --policy storm.json"+total)
	assert.Zero(t, status, stderr)
	assert.Equal(t, "mdpsolve: warning: storm.json: no action for 1 state that the policy never reaches, such as state 4: the first action is used\n", stderr)
	assert.InEpsilon(t, 8.0/3, object(t, stdout)["value"], 1e-9)
	status, _, stderr = execute(t, "evaluate paths.drn --policy part.json"+total)
	assert.Equal(t, ui.ExitUsage, status)
	assert.Equal(t, "mdpsolve: --policy: \"part.json\" reaches state 0, but has no action for that state: give one\n", stderr)
}
