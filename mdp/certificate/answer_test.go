package certificate_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// threeStates has 2, 1 and 2 actions; the choices of state 2 are numbers 3 and 4.
const threeStates = `{"kind": "mdp", "reward_models": ["r"], "state_variables": "(x,done)", "states": [
	{"name": "(0,false)", "actions": [{"name": "go", "to": [[1, 1]]}, {"name": "stay", "to": [[0, 1]]}]},
	{"name": "(1,false)", "actions": [{"to": [[2, 1]]}]},
	{"name": "(1,true)", "actions": [{"name": "go", "to": [[0, 1]]}, {"name": "go", "to": [[2, 1]]}]}]}`

func answerOf(t *testing.T, name, text string) (*certificate.Answer, error) {
	t.Helper()
	m, err := modelfile.ReadJSON(strings.NewReader(threeStates), "m.json", modelfile.Options{})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return certificate.ReadAnswerFile(path, m)
}

// words returns a policy as text: actions by state, with their probabilities.
func words(p *mdp.Policy) string {
	var text []string
	for s := range len(p.Start) - 1 {
		var state []string
		for i := p.Start[s]; i < p.Start[s+1]; i++ {
			word := string('0' + p.Actions[i])
			if p.Probabilities != nil {
				word += ":" + p.Probabilities[i].RatString()
			}
			state = append(state, word)
		}
		text = append(text, strings.Join(state, " "))
	}
	return strings.Join(text, ", ")
}

func TestReadPolicies(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"p.csv", "state,action\n0,stay\n1,0\n2,1\n", "1, 0, 1"},
		{"p.csv", "\ufeffaction, note ,state\r\n 1,\"a, b\",2\n0,,0\n", "0, 0, 1"},
		{"p.csv", "\ufeff\"state\",\"action\"\n0,0\n2,1\n", "0, 0, 1"},
		{"p.csv", "state,action\n\"(1,true)\",0\n\"(0,false)\",go\n", "0, 0, 0"},
		{"p.csv", "state,policy,action\n0,1,stay\n2,1,1\n", "1, 0, 1"},
		{"p.csv", "state,action,probability\n0,go,1/3\n0,1,2/3\n2,1,1\n1,0,1.0\n", "0:1/3 1:2/3, 0:1, 1:1"},
		{"p.csv", "state,action,probability\n0,go,0.3333333333\n0,1,0.6666666667\n2,1,1\n2,0,0\n", "0:3333333333/10000000000 1:6666666667/10000000000, 0:1, 1:1"},
		{"p.csv", "state,action,probability\n0,go,0.33333333333\n0,1,0.66666666666\n2,1,1\n", "0:1/3 1:2/3, 0:1, 1:1"},
		{"p.csv", "state,action,probability\n0,go,0.5\n0,1,0.5000000001\n2,1,1\n", "0:5000000000/10000000001 1:5000000001/10000000001, 0:1, 1:1"},
		{"p.csv", "state,action,probability\n0,go,0.5\n0,1,0.499999999\n2,1,1\n", "0:500000000/999999999 1:499999999/999999999, 0:1, 1:1"},
		{"p.csv", "state,value,action\n0,-1/3,1\n1,2e3,0\n2,inf,0\n", "1, 0, 0"},
		{"p.json", `[{"c": [{"index": 1, "labels": ["stay"], "origin": {"action-label": "stay"}, "prob": 1}], "s": 0},
			{"c": [{"index": 2, "prob": 1}], "s": 1}, {"c": [{"index": 4, "prob": 1.0}], "s": 2}]`, "1, 0, 1"},
		{"p.json", "\ufeff" + `[{"c": [{"index": 1}], "s": 0}, {"c": [{"index": 3}], "s": 2}]`, "1, 0, 0"},
		{"p.json", ` [{"c": [{"index": 0, "prob": "1/4"}, {"index": 1, "prob": 0.75}], "s": {"done": false, "x": 0}},
			{"c": [{"index": 4, "prob": 1}, {"index": 3, "prob": 0}], "m": 0, "s": {"done": true, "x": 1}}]`, "0:1/4 1:3/4, 0:1, 1:1"},
	} {
		a, err := answerOf(t, test.name, test.text)
		require.NoError(t, err, test.text)
		require.NotNil(t, a.Policy, test.text)
		assert.Equal(t, test.want, words(a.Policy), test.text)
		assert.Empty(t, a.Missing)
	}
	a, err := answerOf(t, "p.json", `[{"c": "undefined", "s": 2}, {"c": [{"index": 1, "prob": 1}], "s": {"x": 0}}]`)
	require.ErrorContains(t, err, `"(0,)"`)
	require.Nil(t, a)
	a, err = answerOf(t, "p.json", `[{"c": "undefined", "s": 2}, {"c": [{"index": 1, "prob": 1}], "s": 0}]`)
	require.NoError(t, err)
	assert.Equal(t, "1, 0, 0", words(a.Policy))
	assert.Equal(t, []int32{2}, a.Missing)
}

func TestReadValues(t *testing.T) {
	a, err := answerOf(t, "v.csv", "state,value\n2,-inf\n0,1/3\n1,Infinity\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{1. / 3, math.Inf(1), math.Inf(-1)}, a.Values)
	assert.Nil(t, a.Policy)
	a, err = answerOf(t, "v.csv", "state,action,value\n2,0,0\n0,1,-0\n1,0,+1e-3\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1e-3, 0}, a.Values)
	assert.Equal(t, []int32{1, 0, 0}, a.Policy.Deterministic())
}

func TestFaultsOfAnswers(t *testing.T) {
	result := `{"criterion": "average", "sense": "minimize", "method": "m", "iterations": 1, "aperiodic": true, "initial": 0, `
	for _, test := range []struct{ name, text, want string }{
		{"p.csv", "", ":1:1: found an empty file; expected "},
		{"p.csv", "0,1\n", `:1:1: found a header with the columns "0", "1"; expected "state" with "action", "action" and "probability", or "value", separated by commas`},
		{"p.csv", "state,action,action\n0,1,0\n", `:1:1: found a header with two columns "action"; expected one of them`},
		{"p.csv", "state,probability,value\n", ":1:1: found a header"},
		{"p.csv", "state,action\n0\n", `:2:1: wrong number of fields`},
		{"p.csv", "state,action\n0,\"go\n", `:2:7: extraneous or missing " in quoted-field`},
		{"p.csv", "state,action\n3,0\n", `:2:1: found state "3"; expected a state of 0 … 2, or its name`},
		{"p.csv", "state,action\n0,fly\n", `:2:3: found action "fly" of state 0; expected one of "go", "stay", or its number`},
		{"p.csv", "state,action\n0,2\n", `:2:3: found action "2" of state 0;`},
		{"p.csv", "state,action\n2,go\n", `:2:3: found action "go" of state 2, a name that several of its actions have; expected the number of an action, 0 … 1`},
		{"p.csv", "state,action\n0,0\n", `: found no action for state 2, which has 2; expected a line for each state with a choice`},
		{"p.csv", "state,action\n0,0\n2,0\n0,1\n", `: found state 0 for the second time; expected one action of each state, or each with its probability`},
		{"p.csv", "state,action\n0,1\n2,0\n0,1\n", `: found state 0 for the second time; expected one action of each state, or each with its probability`},
		{"p.csv", "state,action,probability\n0,1,1/2\n2,0,1\n0,1,1/2\n", `: found action 1 of state 0 for the second time; expected each action of a state once`},
		{"p.csv", "state,action,probability\n0,0,1/2\n2,0,1\n", `: found state 0 with probabilities that sum to 1/2; expected a sum of 1`},
		{"p.csv", "state,action,probability\n0,0,0.5\n0,1,0.500000002\n2,0,1\n", `: found state 0 with probabilities that sum to `},
		{"p.csv", "state,action,probability\n0,0,0.5\n0,1,0.499999998\n2,0,1\n", `: found state 0 with probabilities that sum to `},
		{"p.csv", "state,action,probability\n0,0,-1/2\n", `:2:5: found probability "-1/2"; expected a number from 0 to 1`},
		{"p.csv", "state,action,probability\n0,0,x\n", `:2:5: "x" is not valid: use a number such as 1.5, 1e-3 or 17/15, of at most 10,000 characters and with exponents up to 1000`},
		{"v.csv", "state,value\n0,1\n1,one\n", `:3:3: value of state 1: "one" is not valid: use a number such as 1.5, 1e-3 or 17/15, inf or -inf`},
		{"v.csv", "state,value\n0,1e400\n", `:2:3: value of state 0: "1e400" is not valid: use a number from -1.798e+308 to 1.798e+308, inf or -inf`},
		{"v.csv", "state,value\n0,nan\n", `:2:3: value of state 0: "nan" is not valid: use a number such as 1.5, 1e-3 or 17/15, inf or -inf`},
		{"v.csv", "state,value\n0,1\n0,1\n", ":3:3: found a value of state 0 for the second time; expected one value of each state"},
		{"v.csv", "state,value\n0,1\n2,1\n", `: found no value for state 1; expected a line for each state`},

		{"p.json", `[{"c": [{"index": 5, "prob": 1}], "s": 2}]`, `: entry 1: found a choice without a valid number; expected "index", the number of a choice of the model, 0 … 4`},
		{"p.json", `[{"c": [{"index": 2, "prob": 1}], "s": 2}]`, `: entry 1: found choice 2 in state 2; expected one of its choices 3 … 4 (the model must have its choices in the order of Storm)`},
		{"p.json", `[{"c": [{"index": 0, "labels": ["stay"], "prob": 1}], "s": 0}]`, `: entry 1: found choice 0 of state 0 with the label "stay"; expected "go", as the model names it (it must have its choices in the order of Storm)`},
		{"p.json", `[{"c": [{"prob": 1}], "s": 2}]`, `: entry 1: found a choice without a valid number; expected "index", the number of a choice of the model, 0 … 4`},
		{"p.json", `[{"c": [{"index": 3, "prob": 1}], "m": 1, "s": 2}]`, `: entry 1: found memory state 1; expected a scheduler without memory`},
		{"p.json", `[{"c": [{"index": 3, "prob": 2}], "s": 2}]`, `: found probability "2"; expected a number from 0 to 1`},
		{"p.json", `[{"c": [{"index": 3, "prob": 0.5}], "s": 2}]`, `: found state 2 with probabilities that sum to 1/2; expected a sum of 1`},
		{"p.json", `[{"c": [{"index": 3}, {"index": 4}], "s": 2}]`, `: found state 2 for the second time; expected one action of each state, or each with its probability`},
		{"p.json", `[{"c": "none", "s": 2}]`, `: c: found string; expected a list`},
		{"p.json", `[{"c": [], "s": {"x": 7, "done": true}}]`, `: entry 1: found state "(7,true)"; expected the values of (x,done) in a state of the model`},
		{"p.json", `[{"c": [], "s": 3}]`, `: entry 1: found state "3"; expected a state of 0 … 2, or its name`},
		{"p.json", `[{"c": [], "s": 1}] x`, `:1:21: found "x"; expected the end of the file`},
		{"p.json", `[1]`, `: found number; expected an object in curly brackets`},
		{"p.txt", "", "unknown file format"},
		{"p.json", result + `"values": [1, 1, 1], "value": 1, "lower": [1], "upper": [1]}`, `: 1 lower bounds do not fit lists for 3 states`},
	} {
		_, err := answerOf(t, test.name, test.text)
		require.Error(t, err, test.text)
		assert.Contains(t, err.Error(), test.want)
		assert.NotContains(t, err.Error(), "\n")
	}
	m, err := modelfile.ReadJSON(strings.NewReader(threeStates), "m.json", modelfile.Options{})
	require.NoError(t, err)
	for _, test := range []struct{ name, text, want string }{
		{"v.csv", "state,value\n0,1\n1,1\n2,1\n", "has no policy: use a file with a column action, a scheduler, or a result with a policy"},
		{"r.json", `{"criterion": "average", "other_sense": "minimize", "points": [{"weight_to": null}]}`, ": found a trade-off, which has several policies; expected one policy, or a result"},
		{"r.json", result + `"policy": [0, 0]}`, "a policy for 2 states does not fit the model, which has 3"},
		{"r.json", result + `"policy": [0, 1, 0]}`, "action 1 of state 1 is not valid: use 0 … 0"},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
		_, _, err := certificate.ReadPolicyFile(path, m)
		require.ErrorContains(t, err, test.want)
	}
}

// A fault in a huge name is one readable line.
func TestHugeNamesAreCut(t *testing.T) {
	huge := strings.Repeat("a", 100_000)
	text := strings.Replace(threeStates, `"r"`, `"`+huge+`"`, 1)
	m, err := modelfile.ReadJSON(strings.NewReader(text), "m.json", modelfile.Options{})
	require.NoError(t, err)
	_, err = m.Reward("none")
	require.ErrorContains(t, err, "…")
	assert.Less(t, len(err.Error()), 300)
	_, err = m.Labelled(huge)
	assert.Less(t, len(err.Error()), 300)
	_, err = answerOf(t, "p.csv", "state,action\n0,"+huge+"\n")
	assert.Less(t, len(err.Error()), 500)
	_, err = modelfile.ReadJSON(strings.NewReader(`{"kind": "`+huge+`"}`), "m.json", modelfile.Options{})
	assert.Less(t, len(err.Error()), 300)
}

// TestNamesOfDigits reads files about a model whose states and actions have numbers for names:
// in the only way that makes sense, or not at all.
func TestNamesOfDigits(t *testing.T) {
	const model = `{"kind": "mdp", "states": [
		{"name": "1", "actions": [{"name": "1", "to": [[0, 1]]}, {"name": "2", "to": [[1, 1]]}]},
		{"name": "2", "actions": [{"name": "1", "to": [[0, 1]]}, {"name": "2", "to": [[1, 1]]}]},
		{"name": "3", "actions": [{"name": "go", "to": [[0, 1]]}, {"to": [[1, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(model), "m.json", modelfile.Options{})
	require.NoError(t, err)
	read := func(text string) (*certificate.Answer, error) {
		path := filepath.Join(t.TempDir(), "p.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return certificate.ReadAnswerFile(path, m)
	}
	for text, want := range map[string]string{
		"state,action\n1,2\n2,2\n3,go\n":                                              "1, 1, 0", // no state has the number 3
		"state,action\n0,0\n1,1\n2,0\n":                                               "0, 1, 0", // none has the name 0
		"state,action\n1,2\n2,1\n3,1\n":                                               "1, 0, 1", // an action without a name goes by its number
		"name,action\n1,2\n2,2\n3,go\n":                                               "1, 1, 0",
		"name,policy\n1,1\n2,0\n3,0\n":                                                "1, 0, 0",
		"state,name,policy\n1,2,1\n0,1,0\n2,3,1\n":                                    "0, 1, 1",
		"state,name,policy,action\n1,2,1,2\n0,1,0,1\n2,3,0,go\n":                      "0, 1, 0",
		"name,action,probability\n1,2,1/2\n1,1,1/2\n2,2,1\n3,go,1\n":                  "0:1/2 1:1/2, 1:1, 0:1",
		"component,name,policy,probability\n4,1,1,1/2\n4,1,0,1/2\n4,2,1,1\n4,3,0,1\n": "0:1/2 1:1/2, 1:1, 0:1",
		"name,action\n1,2\n2,\n3,\n":                                                  "1, 0, 0",
	} {
		a, err := read(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, words(a.Policy), text)
	}
	for text, want := range map[string]string{
		"state,policy\n1,1\n2,1\n":                `: found no action for state 2, which has 2`, // by names: state 0 has none by numbers
		"state,policy\n0,1\n1,1\n2,go\n":          "",
		"state,action\n1,2\n2,2\n":                `: found no action for state`,
		"name,action\n1,1\n2,1\n3,go\n":           `:2:3: found action "1", the name of one action and the number of another; expected a column "policy" with the number of each action in its state`,
		"state,name,action\n1,1,2\n":              `:2:3: found state 1 with the name "1"; expected "2", its name in the model`,
		"name,policy,action\n1,1,1\n":             `:2:5: found action 1 of state 0 with the name "1"`,
		"name,step,policy\n1,3,0\n":               `:2:3: found step "3"; expected a step from 1 to 2 here`,
		"name,step,policy\n1,1,0\n1,2,0\n1,4,0\n": `:4:3: found step "4"; expected a step from 1 to 3 here`,
		"name,step,policy\n1,0,0\n":               `:2:3: found step "0"`,
		"name,step,policy\n1,1.5,0\n":             `:2:3: found step "1.5"`,
		"component,name,policy\n1,1,0\n2,1,1\n":   `:3:1: found policy "2" of a mixture`,
		"name,value\n1,5\n2,6\n3,7\n3,7\n":        `:5:3: found a value of state 2 for the second time`,
		"name,action\n0,1\n":                      `:2:1: found state "0"; expected`,
		"":                                        `:1:1: found an empty file; expected`,
	} {
		_, err := read(text)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
	a, err := read("state,value\n1,5\n3,7\n2,6\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{5, 6, 7}, a.Values)
	a, err = read("state,value\n1,5\n2,7\n0,6\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{6, 5, 7}, a.Values)
	m.StateNames = []string{"1", "0", "3"}
	_, err = read("state,action\n2,0\n0,0\n1,1\n")
	require.NoError(t, err) // no state has the name 2
	m.StateNames[2] = "2"
	_, err = read("state,policy\n2,0\n0,0\n1,1\n")
	require.ErrorContains(t, err, `:3:1: found state "0", the name of one state and the number of another; expected names in a column "name" or, for numbers, that column beside "state"`)
	_, err = read("state,value\n2,0\n0,0\n1,1\n")
	require.ErrorContains(t, err, `:3:1: found state "0", the name of one state`)
	a, err = read("state,policy\n2,0\n0,1\n1,1\n")
	require.NoError(t, err) // the same in both ways
	assert.Equal(t, "1, 1, 0", words(a.Policy))
}

// TestRandomNamesOfDigits writes random policies, by names and by numbers, of models whose names
// are numbers: what is read is what was meant, or the file is refused.
func TestRandomNamesOfDigits(t *testing.T) {
	const seed = 41
	random, read := rand.New(rand.NewPCG(seed, 0)), [4]int{}
	folder := t.TempDir()
	for range 500 {
		n := 1 + random.IntN(4)
		m := &modelfile.Model{Kind: modelfile.MDP, Initial: []int32{0}, StateStart: []int32{0}, RowStart: []int32{0}}
		var policy []int32
		for _, name := range random.Perm(n + 1)[:n] {
			m.StateNames = append(m.StateNames, strconv.Itoa(name))
			actions := 1 + random.IntN(3)
			for _, name := range random.Perm(actions + 1)[:actions] {
				m.ActionNames = append(m.ActionNames, strconv.Itoa(name))
				m.Columns, m.Values.Float = append(m.Columns, 0), append(m.Values.Float, 1)
				m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			}
			m.StateStart = append(m.StateStart, int32(len(m.ActionNames)))
			policy = append(policy, int32(random.IntN(actions)))
		}
		for form := range read {
			lines := "state,action\n"
			for s, a := range policy {
				state, action := strconv.Itoa(s), strconv.Itoa(int(a))
				if form&1 > 0 {
					state = m.StateNames[s]
				}
				if form&2 > 0 {
					action = m.ActionNames[m.StateStart[s]+a]
				}
				lines += state + "," + action + "\n"
			}
			path := filepath.Join(folder, "p.csv")
			require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
			p, _, err := certificate.ReadPolicyFile(path, m)
			if err != nil {
				assert.ErrorContains(t, err, "the number of another", "seed %d: %v, %v: %s", seed, m.StateNames, m.ActionNames, lines)
				continue
			}
			read[form]++
			assert.Equal(t, policy, p.Actions, "seed %d: %v, %v: %s", seed, m.StateNames, m.ActionNames, lines)
		}
	}
	for form, count := range read {
		assert.Greater(t, count, 50, "form %d", form)
	}
}
