package certificate_test

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// policyForms are the forms in which policies are written.
var policyForms = map[string]func(io.Writer, *modelfile.Model, mdp.Policy, []int32) error{
	"policy.json": certificate.WriteScheduler,
	"policy.csv":  certificate.WritePolicyCSV,
}

func readModelText(t *testing.T, text string) *modelfile.Model {
	t.Helper()
	m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{})
	require.NoError(t, err)
	return m
}

func TestFormsOfWrittenPolicies(t *testing.T) {
	for _, test := range []struct{ form, model, want string }{
		{"policy.json", threeStates, `[{"c":[{"index":1,"labels":["stay"],"prob":1}],"s":{"done":false,"x":0}}
,{"c":[{"index":2,"labels":[],"prob":1}],"s":{"done":false,"x":1}}
,{"c":[{"index":4,"labels":["go"],"prob":1}],"s":{"done":true,"x":1}}
]
`},
		{"policy.csv", threeStates, "state,x,done,policy,action\n0,0,false,1,stay\n1,1,false,0,0\n2,1,true,1,go\n"},
		{"policy.json", strings.Replace(threeStates, "(x,done)", "x", 1), `[{"c":[{"index":1,"labels":["stay"],"prob":1}],"s":0}
,{"c":[{"index":2,"labels":[],"prob":1}],"s":1}
,{"c":[{"index":4,"labels":["go"],"prob":1}],"s":2}
]
`},
		{"policy.csv", strings.Replace(threeStates, "(x,done)", "x", 1), "state,name,policy,action\n0,\"(0,false)\",1,stay\n1,\"(1,false)\",0,0\n2,\"(1,true)\",1,go\n"},
		{"policy.csv", strings.Replace(threeStates, "(x,done)", "(x,state)", 1), "state,name,policy,action\n0,\"(0,false)\",1,stay\n1,\"(1,false)\",0,0\n2,\"(1,true)\",1,go\n"},
	} {
		var out bytes.Buffer
		require.NoError(t, policyForms[test.form](&out, readModelText(t, test.model), mdp.Policy{Actions: []int32{1, 0, 1}}, nil))
		assert.Equal(t, test.want, out.String())
	}
	for _, write := range policyForms {
		require.Error(t, write(io.Discard, readModelText(t, threeStates), mdp.Policy{Actions: []int32{0, 1, 0}}, nil))
		require.Error(t, write(io.Discard, readModelText(t, threeStates), mdp.Policy{Actions: []int32{0}}, nil))
	}
}

// TestPoliciesComeBack writes policies of random models, with names of all sorts, and
// reads them again.
func TestPoliciesComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 4))
	variables := []string{"", "(x,y)", "(state,y)", `(a"b,c'd)`, "(<x>, y&)", "(name,value)", "x", "(x,x)", "(x,)", "(ü,y\tz)"}
	values := []string{"0", "-3", "007", "true", "false", "A b", `q"q`, "<v>", "1/2", "", "-0", "1e3", "99999999999999999999999"}
	actions := []string{"", "", "go", "a,b", `"`, "0", "1", " x", "é\n", "<>"}
	valuations := 0
	for range 400 {
		m := readModelText(t, threeStates)
		m.Variables = variables[random.IntN(len(variables))]
		for s := range m.StateNames {
			m.StateNames[s] = fmt.Sprintf("(%s,%s)", values[random.IntN(len(values))], values[random.IntN(len(values))])
		}
		for k := range m.ActionNames {
			m.ActionNames[k] = actions[random.IntN(len(actions))]
		}
		switch random.IntN(8) {
		case 0:
			m.StateNames = nil
		case 1:
			m.ActionNames = nil
		}
		require.NoError(t, m.Validate())
		if names, _ := m.Valuations(); names != nil {
			valuations++
		}
		want := []int32{random.Int32N(2), 0, random.Int32N(2)}
		for name, write := range policyForms {
			path := filepath.Join(t.TempDir(), name)
			var out bytes.Buffer
			require.NoError(t, write(&out, m, mdp.Policy{Actions: want}, nil))
			require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
			p, _, err := certificate.ReadPolicyFile(path, m)
			require.NoError(t, err, "%s%q %q", &out, m.StateNames, m.ActionNames)
			assert.Equal(t, want, p.Deterministic(), "%s%q %q", &out, m.StateNames, m.ActionNames)
		}
	}
	assert.Greater(t, valuations, 100)
}

func TestPoliciesByVariables(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"p.csv", "done,action,x\nfalse,stay,0\ntrue,1,1\n", "1, 0, 1"},
		{"p.csv", "x,state,action,done\n0,0,stay,false\n1,2,1,true\n", "1, 0, 1"},
		{"p.csv", "x,state,action\n7,0,stay\n8,2,1\n", "1, 0, 1"}, // not all variables: the column is ignored
		// By values and labels, choices may be in another order than in the model.
		{"p.json", `[{"c": [{"index": 3, "labels": ["stay"], "prob": 1}], "s": {"x": 0, "done": false}},
			{"c": [{"index": 4, "labels": ["go"], "prob": 1}], "s": {"x": 1, "done": true}}]`, "1, 0, 1"},
	} {
		a, err := answerOf(t, test.name, test.text)
		require.NoError(t, err, test.text)
		assert.Equal(t, test.want, words(a.Policy), test.text)
	}
	for _, test := range []struct{ text, want string }{
		{"x,done,action\n0,true,go\n", `:2:1: found state "(0,true)"; expected the values of (x,done) in a state of the model`},
		{"x,done,action\n0,\"false,0\",go\n", `:2:1: found state "(0,false,0)"; expected`},
		{"x,action\n0,go\n", `:1:1: found a header with the columns "x", "action"; expected "state" with`},
		{"action,state,x,done\nstay,0,1,false\n", `:2:6: found state 0 with the values of state 1; expected the state that has these values`},
		{"x,done,done,action\n", `:1:1: found a header with two columns "done"; expected one of them`},
	} {
		_, err := answerOf(t, "p.csv", test.text)
		require.ErrorContains(t, err, test.want)
	}

	path := filepath.Join(t.TempDir(), "p.csv")
	for _, test := range []struct{ variables, name, text, want string }{
		{"(x,done)", "(0,false)", "x,done,action\n0,false,go\n", `:2:1: found values that several states have; expected a column "state" with the numbers of states`},
		{"(x,state)", "(1,0)", "x,state,action\n1,0,go\n", `:1:1: found a column for each variable, and the variable "state" has the name of another column; expected the names of states, such as "(0,false)", in a column "name", without columns of variables`},
	} {
		m := readModelText(t, strings.Replace(threeStates, "(x,done)", test.variables, 1))
		m.StateNames[1] = test.name
		require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
		_, _, err := certificate.ReadPolicyFile(path, m)
		require.ErrorContains(t, err, test.want)
	}
	m := readModelText(t, strings.Replace(threeStates, "(x,done)", "(state,value)", 1))
	require.NoError(t, os.WriteFile(path, []byte("state,action\n\"(0,false)\",stay\n2,0\n"), 0o600))
	p, _, err := certificate.ReadPolicyFile(path, m)
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 0, 0}, slices.Clone(p.Deterministic()))
}

// TestWrittenPoliciesComeBack writes randomised policies, those of steps, and ones without actions
// for some states, and reads them again.
func TestWrittenPoliciesComeBack(t *testing.T) {
	m := readModelText(t, threeStates)
	random := mdp.Policy{Start: []int32{0, 2, 3, 4}, Actions: []int32{0, 1, 0, 1}, Probabilities: []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3), big.NewRat(1, 1), big.NewRat(1, 1)}}
	open := mdp.Policy{Actions: []int32{1, 0, 0}}
	for name, p := range map[string]mdp.Policy{"random": random, "open": open, "steps": {Steps: []mdp.Policy{open, {Actions: []int32{0, 0, 0}}}}, "random steps": {Steps: []mdp.Policy{open, random}}} {
		var missing []int32
		if name == "open" {
			missing = []int32{2}
		}
		for form, write := range policyForms {
			path := filepath.Join(t.TempDir(), form)
			file, err := os.Create(path)
			require.NoError(t, err)
			err = write(file, m, p, missing)
			require.NoError(t, file.Close())
			if p.Steps != nil && form == "policy.json" {
				require.ErrorContains(t, err, "a scheduler has no place for the policies of 2 steps")
				continue
			}
			require.NoError(t, err)
			again, open, err := certificate.ReadPolicyFile(path, m)
			require.NoError(t, err, "%s %s", name, form)
			assert.Equal(t, missing, open, "%s %s", name, form)
			require.Len(t, again.Steps, len(p.Steps))
			for step := range max(1, len(p.Steps)) {
				for s := range m.NumStates() {
					actions, shares := p.InStep(step).At(s)
					read, readShares := again.InStep(step).At(s)
					assert.Equal(t, actions, read, "%s %s", name, form)
					assert.Equal(t, fmt.Sprint(shares), fmt.Sprint(readShares), "%s %s", name, form)
				}
			}
		}
	}
}
