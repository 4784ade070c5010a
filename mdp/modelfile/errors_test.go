package modelfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

const drnStart = "@type: MDP\n@parameters\n\n@reward_models\na b\n@nr_states\n2\n@nr_choices\n3\n@model\n"

// TestDRNErrors reads files with one fault each; the first line of the states
// is line 11.
func TestDRNErrors(t *testing.T) {
	const rest = "state 1 [0, 0]\n\taction 0\n\t\t1 : 1\n"
	for _, test := range []struct{ text, want string }{
		{"", `m.drn:1:1: found an empty file; expected a line "@model"`},
		{"@type: MDP DTMC\n", `m.drn:1:8: found "MDP DTMC"; expected DTMC, CTMC or MDP`},
		{"@value_type: double exact\n", `m.drn:1:21: found "exact"; expected the end of the line`},
		{"@type: MA\n", `m.drn:1:8: found "MA"; expected DTMC, CTMC or MDP`},
		{"@type: MDP\n@value_type: interval\n", `m.drn:2:14: found "interval"; expected double, rational, double-interval or rational-interval`},
		{"@type: MDP\n@parameters\np q\n", `m.drn:3:1: found "p"; expected an empty line: a model without parameters`},
		{"@type: MDP\n@nr_states\nmany\n", `m.drn:3:1: found "many"; expected a whole number up to 2147483646`},
		{"@type: MDP\n@nr_states\n99999999999999999999\n", `m.drn:3:1: found "99999999999999999999"; expected a whole number up to 2147483646`},
		{"@type: MDP\n@nr_states\n@model\n", `m.drn:3:1: found "@model"; expected the value of @nr_states`},
		{"@type: MDP\n@model\n", `m.drn:2:7: found a header without a positive @nr_states; expected a line @nr_states with the number of states on the next`},
		{"@nr_states\n1\n@model\n", `m.drn:3:7: found a header without @type; expected @type: DTMC, CTMC or MDP`},
		{"@options\n1\n", `m.drn:1:1: found "@options"; expected @type, @value_type, @parameters, @placeholders, @reward_models, @nr_states, @nr_choices or @model`},
		{"@type: MDP\n@reward_models\nr s r\n@nr_states\n1\n@model\n", `m.drn:3:5: found reward model "r" for the second time; expected a name that no other has`},
		{drnStart + "action 0\n", `m.drn:11:1: found "action"; expected "state"`},
		{drnStart + "state 1\n", `m.drn:11:7: state 0: found "1"; expected 0, the number of the next state`},
		{drnStart + "state zero\n", `m.drn:11:7: state 0: found "zero"; expected 0, the number of the next state`},
		{drnStart + "state 0 !2\n", `m.drn:11:9: state 0: found "!2"; expected no exit rate: the model is of kind MDP`},
		{drnStart + "state 0 [0] init\n", `m.drn:11:11: state 0: found "]"; expected a list of rewards of length 2, with a comma between them`},
		{drnStart + "state 0 [0, 0, 0]\n", `m.drn:11:14: state 0: found ","; expected "]" after 2 rewards`},
		{drnStart + "state 0 [0, x] init\n", `m.drn:11:13: state 0: found "x"; expected a number such as 1.5, 1e-3 or 17/15`},
		{drnStart + "state 0 \"all done\n", `m.drn:11:9: state 0: found a quotation mark without its second; expected a label in quotation marks`},
		{drnStart + "state 0 \"\"\n", `m.drn:11:9: state 0: found ""; expected a name in UTF-8`},
		{drnStart + "state 0 \xff\n", `m.drn:11:9: state 0: found "\xff"; expected a name in UTF-8`},
		{drnStart + "state 0\n\t\t0 : 1\n", `m.drn:12:3: state 0: found "0"; expected "action" before a transition`},
		{drnStart + "state 0\nstate 1\n", `m.drn:11:1: state 0: found no action; expected at least one`},
		{drnStart + "state 0\n\taction 0\n" + rest, `m.drn:12:2: state 0, action 0: found no transitions; expected one that leads somewhere (to its own state, if it does nothing)`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 0.5\n\t\t1 : 0.4\n" + rest, `m.drn:12:2: state 0, action 0: found probabilities that sum to 0.9; expected a sum of 1, within 1e-9`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 0.5\n\t\t0 : 0.5\n" + rest, `m.drn:12:2: state 0, action 0: found state 0 twice among those that the action leads to; expected each once`},
		{drnStart + "state 0\n\taction 0\n\t\t2 : 1\n", `m.drn:13:3: state 0, action 0: found "2"; expected a state of 0 … 1`},
		{drnStart + "state 0\n\taction 0\n\t\t0  1\n", `m.drn:13:6: state 0, action 0: found "1"; expected ":"`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : \n", `m.drn:13:7: state 0, action 0: found the end of the line; expected a number such as 1.5, 1e-3 or 17/15`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : nan\n", `m.drn:13:7: state 0, action 0: found "nan"; expected a number such as 1.5, 1e-3 or 17/15`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1e400\n", `m.drn:13:7: state 0, action 0: found "1e400"; expected a number from -1.798e+308 to 1.798e+308`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1e-400\n", `m.drn:13:7: state 0, action 0: found "1e-400"; expected 0 or a number of magnitude from 4.941e-324`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : -1\n", `m.drn:13:7: state 0, action 0: found -1; expected a number from 0 up`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1 1\n", `m.drn:13:9: state 0, action 0: found "1"; expected the end of the line`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1\n" + "\tactions\n", `m.drn:14:2: state 0, action 0: found "actions"; expected "STATE : VALUE", "action" or "state"`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1\n", `m.drn:14:1: found the end of the file after 1 states; expected 2, the number in line 7`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1\n" + rest, `m.drn:9:1: found 3 choices announced; expected 2, the number that follows`},
		{drnStart + "state 0\n\taction 0\n\t\t0 : 1\n" + rest + "state 2\n", `m.drn:17:7: found "2"; expected the end of the file after 2 states, the number in line 7`},
		{"@type: DTMC\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t0 : 1\n\taction 1\n", `m.drn:8:2: state 0, action 1: found a second action; expected one: the model is of kind DTMC`},
		{"@type: CTMC\n@nr_states\n1\n@model\nstate 0 !2\n\taction 0\n\t\t0 : 3\n", `m.drn:5:10: state 0: found the exit rate 2; expected 3, the sum of the rates that follow`},
		{"@type: DTMC\n@placeholders x\n$x : 1\n", `m.drn:2:15: found "x"; expected the end of the line`},
		{"@type: DTMC\n@placeholders\n$x : 1\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t0 : $y\n", `m.drn:9:7: state 0, action 0: found "$y"; expected a placeholder of the header`},
	} {
		_, err := modelfile.ReadDRN(strings.NewReader(test.text), "m.drn", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
}

// assertPlace demands the typed error with a place, of one line.
func assertPlace(t *testing.T, err error) {
	t.Helper()
	var syntax *modelfile.SyntaxError
	if assert.ErrorAs(t, err, &syntax) {
		if syntax.Member == "" {
			assert.Positive(t, syntax.Line)
			assert.Positive(t, syntax.Column)
		}
		assert.NotContains(t, err.Error(), "\n")
	}
}

// Numbers are what the file says, whatever it calls them; sums may be off 1 by 1e-9,
// that itself included.
func TestSumsOfDecimals(t *testing.T) {
	body := func(p string) string {
		return "@type: DTMC\n@nr_states\n2\n@model\nstate 0\n\taction 0\n\t\t0 : 0.5\n\t\t1 : " + p + "\nstate 1\n\taction 0\n\t\t1 : 1\n"
	}
	for _, exact := range []bool{false, true} {
		for _, start := range []string{"", "@value_type: rational\n"} {
			for _, p := range []string{"0.4999999999", "0.500000001", "0.499999999"} {
				m, err := modelfile.ReadDRN(strings.NewReader(start+body(p)), "m.drn", modelfile.Options{Exact: exact})
				require.NoError(t, err)
				require.NoError(t, m.Validate())
				if exact {
					assert.Zero(t, m.Values.Exact[1].Cmp(number(t, p)))
				}
				_, err = m.Table("")
				require.NoError(t, err)
				_, err = m.Exact("")
				require.NoError(t, err)
			}
			for _, p := range []string{"0.5000000011", "0.4999999989"} {
				_, err := modelfile.ReadDRN(strings.NewReader(start+body(p)), "m.drn", modelfile.Options{Exact: exact})
				require.ErrorContains(t, err, ": state 0, action 0: found probabilities that sum to ")
				require.ErrorContains(t, err, "; expected a sum of 1")
			}
		}
	}
}

func TestKindIsAsked(t *testing.T) {
	_, err := modelfile.ReadFile("testdata/queue.drn", modelfile.Options{Kind: modelfile.MDP})
	assert.EqualError(t, err, `testdata/queue.drn:4:8: found "CTMC"; expected MDP, as was asked for`)
	_, err = modelfile.ReadFile("testdata/toymaker.json", modelfile.Options{Kind: modelfile.CTMC})
	assert.EqualError(t, err, `testdata/toymaker.json:2:9: found "mdp"; expected CTMC, as was asked for`)
}

func TestPRISMErrors(t *testing.T) {
	const tra = "2 3 4\n0 0 0 0.5 go\n0 0 1 0.5 go\n0 1 1 1\n1 0 1 1\n"
	for _, test := range []struct{ suffix, text, want string }{
		{".tra", "", `m.tra:1:1: found an empty file; expected a line of two or three whole numbers: states, choices (of an MDP), transitions`},
		{".tra", "0 0 0\n", `m.tra:1:1: found a model of 0 states; expected at least 1 state`},
		{".tra", "2 2 2 2\n", `m.tra:1:1: found a first line of 4 numbers, of a partially observable model (POMDP); expected 2 or 3, of a DTMC, a CTMC or an MDP`},
		{".tra", "2 2 2 2 2\n", `m.tra:1:9: found "2"; expected the end of the line`},
		{".tra", "# Transitions (POMDP)\n2 2 2 2\n", `m.tra:1:3: found "POMDP"; expected DTMC, CTMC, MDP, IDTMC or IMDP`},
		{".tra", "# Transitions (LTS)\n2 2 2\n0 0 1\n", `m.tra:1:3: found "LTS"; expected DTMC, CTMC, MDP, IDTMC or IMDP`},
		{".tra", "# Transitions (ICTMC)\n2 2\n", `m.tra:1:3: found "ICTMC"; expected DTMC, CTMC, MDP, IDTMC or IMDP`},
		{".tra", "2 2 2\n0 0 1\n1 0 0\n", `m.tra:2:6: state 0, action 0: found no probability, as in a labelled transition system (LTS); expected a number, or an interval such as [0.2,0.3]`},
		{".tra", "2 2 2\n0 0 1 go\n1 0 0 go\n", `m.tra:2:7: state 0, action 0: found no probability, as in a labelled transition system (LTS); expected a number, or an interval such as [0.2,0.3]`},
		{".tra", "2 3\n0 0.5:0 0.5:1\n1 1:1\n", `m.tra:2:3: found "0.5:0"; expected one transition in a line: PRISM writes that without -exportrows`},
		{".tra", "2 2 3\n0 1:0 0.5:1 go\n", `m.tra:2:3: found "1:0"; expected one transition in a line: PRISM writes that without -exportrows`},
		{".tra", "# Transitions (DTMC)\n2 2 2\n", `m.tra:2:1: found a first line of 3 numbers; expected one of 2, of a DTMC, as a comment says`},
		{".tra", "# Transitions (IMDP)\n2 2\n", `m.tra:2:1: found a first line of 2 numbers; expected one of 3, of an MDP, as a comment says`},
		{".tra", "# Transitions (MDP)\n# Transitions (IMDP)\n2 2 2\n", `m.tra:2:3: found "IMDP"; expected MDP, as a line above says`},
		{".tra", "# Transitions (MDP)\n1 1 1\n0 0 0 [1,1]\n", `m.tra:3:7: state 0, action 0: found an interval; expected a number, as the comment says MDP and not IMDP`},
		{".tra", "# States\n2 2\n", `m.tra:1:3: found "States"; expected "Transitions", or another file`},
		{".tra", "1 1\n0 0 [0.2,0.9]\n", `m.tra:2:1: state 0, action 0: found upper ends that sum to 0.9; expected a sum of at least 1, within 1e-9, or for rates Options.Kind CTMC (or a first line "# Transitions (CTMC)")`},
		{".tra", "2 3\n0 1 0.5\n0 0 0.4\n1 1 1\n", `m.tra:2:1: state 0, action 0: found probabilities that sum to 0.9; expected a sum of 1, within 1e-9, or for rates Options.Kind CTMC (or a first line "# Transitions (CTMC)")`},
		{".tra", "# Transitions (DTMC)\n2 3\n0 1 0.5\n0 0 0.4\n1 1 1\n", `m.tra:3:1: state 0, action 0: found probabilities that sum to 0.9; expected a sum of 1, within 1e-9`},
		{".tra", "2 3\n0 1 0.5\n0 1 0.5\n1 1 1\n", `m.tra:2:1: state 0, action 0: found state 1 twice among those that the action leads to; expected each once`},
		{".tra", "1 1\n0 0 0\n", `m.tra:2:1: state 0, action 0: found no transitions; expected one that leads somewhere (to its own state, if it does nothing), or for rates Options.Kind CTMC (or a first line "# Transitions (CTMC)")`},
		{".tra", "2000000000 0\n", `m.tra:2:1: found 2000000000 states without transitions beside 0 transitions; expected fewer (a transition to the state itself stands for doing nothing)`},
		{".tra", "2 2 2\n0 0 2 1\n", `m.tra:2:5: state 0, action 0: found "2"; expected a state of 0 … 1`},
		{".tra", "2 2 2\n2 0 0 1\n", `m.tra:2:1: found "2"; expected a state of 0 … 1`},
		{".tra", "2 2 2\n1 0 0 1\n0 0 0 1\n", `m.tra:3:1: found state 0 after state 1; expected a file in the order of states`},
		{".tra", "2 2 2\n0 1 0 1\n", `m.tra:2:3: found choice 1 of state 0; expected choice 0, or one more after a transition of it`},
		{".tra", "2 2 2\n0 x 0 1\n", `m.tra:2:3: found "x"; expected the number of a choice`},
		{".tra", "2 2 2\n0 0 0 0.9\n1 0 1 1\n", `m.tra:2:1: state 0, action 0: found probabilities that sum to 0.9; expected a sum of 1, within 1e-9`},
		{".tra", "2 2 3\n0 0 0 0.5 a\n0 0 1 0.5 b\n", `m.tra:3:11: state 0, action 0: found action "b" in a choice of action "a"; expected one action in a choice`},
		{".tra", "1 1 1\n0 0 0 1 a b\n", `m.tra:2:11: state 0, action 0: found "b"; expected the end of the line`},
		{".tra", "2 3 4\n0 0 0 1\n1 0 1 1\n", `m.tra:4:1: found the end of the file after 2 transitions in 2 choices; expected 4 in 3, the numbers in the first line`},
		{".tra", "1 2\n0 0 1\n", `m.tra:3:1: found the end of the file after 1 transitions; expected 2, the number in line 1`},
		{".sta", "", `m.sta:1:1: found an empty file; expected a list in round brackets such as (x,y)`},
		{".sta", "# Labels\n0=\"init\"\n", `m.sta:1:3: found "Labels"; expected "States", or another file`},
		{".sta", "(x)\n0:(0)\n", `m.sta:3:1: found the end of the file; expected 1:(…), the values of the variables in that state`},
		{".sta", "(x)\n0:(0)\n1:1\n", `m.sta:3:3: found "1"; expected a list in round brackets such as (x,y)`},
		{".sta", "(x)\n0:(0)\n1:(1)\n2:(2)\n", `m.sta:4:1: found "2:(2)"; expected the end of the file`},
		{".lab", "init\n", `m.lab:1:1: found "init"; expected labels such as 0="init" 1="deadlock"`},
		{".lab", "0=\"init\" 0=\"b\"\n", `m.lab:1:10: found label 0="b" for the second time; expected each number and name once`},
		{".lab", "0=\"init\"\n0: 1\n", `m.lab:2:4: found 1; expected the number of a label of the first line`},
		{".lab", "0=\"init\"\n2: 0\n", `m.lab:2:1: found "2:"; expected a state of 0 … 1`},
		{".lab", "0=\"init\"\n1: 0\n1: 0\n", `m.lab:3:1: found state 1 after state 1; expected a file in the order of states`},
		{".lab", "# Observations\n0=\"init\"\n", `m.lab:1:3: found "Observations"; expected "Labels", or another file`},
		{".srew", "# Transition rewards\n2 0\n", `m.srew:1:3: found "Transition rewards"; expected "State rewards", or another file`},
		{".srew", "# Reward structure \"a\"\n# Reward structure \"b\"\n2 0\n", `m.srew:2:3: found reward model "b"; expected "a", the name above or in the .srew file`},
		{".srew", "3 1\n", `m.srew:1:1: found "3"; expected 2, the number of states`},
		{".srew", "2 1\n", `m.srew:2:1: found the end of the file after 0 rewards; expected 1, the number announced`},
		{".srew", "2 1\n0 inf\n", `m.srew:2:3: found "inf"; expected a number such as 1.5, 1e-3 or 17/15`},
		{".trew", "2 1\n", `m.trew:1:4: found the end of the line; expected a line of three whole numbers: states, choices, rewards`},
		{".trew", "2 3 1\n0 2 0 1\n", `m.trew:2:3: found "2"; expected a choice of 0 … 1`},
		{".trew", "2 3 1\n0 1 0 1\n", `m.trew:2:5: found state 0, to which no further transition of that choice leads; expected a transition of the model, in the order of the .tra file`},
	} {
		files := fstest.MapFS{"m.tra": {Data: []byte(tra)}}
		files["m"+test.suffix] = &fstest.MapFile{Data: []byte(test.text)}
		_, err := modelfile.ReadPRISM(files, "m", modelfile.Options{})
		assert.EqualError(t, err, test.want, "%s %q", test.suffix, test.text)
		assertPlace(t, err)
	}
	_, err := modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte(tra)}}, "m", modelfile.Options{Kind: modelfile.DTMC})
	assert.EqualError(t, err, "m.tra:1:1: found a first line of 3 numbers; expected one of 2, of a DTMC, as was asked for")
	_, err = modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte("1 1\n")}}, "m", modelfile.Options{Kind: modelfile.MDP})
	assert.EqualError(t, err, "m.tra:1:1: found a first line of 2 numbers; expected one of 3, of an MDP, as was asked for")
	_, err = modelfile.ReadPRISM(fstest.MapFS{}, "m", modelfile.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestJSONErrors(t *testing.T) {
	const start = `{"kind": "mdp", "reward_models": ["a"], "states": [` + "\n"
	for _, test := range []struct{ text, want string }{
		{"", `m.json:1:1: found an empty file; expected a model in curly brackets`},
		{"[]", `m.json:1:1: found "["; expected a model in curly brackets`},
		{"{}", `m.json:1:1: found a model without states; expected a member "states" with at least one`},
		{`{"format": "other"}`, `m.json:1:12: found "other"; expected "mdpsolve-model/1"`},
		{`{"kind": "pomdp"}`, `m.json:1:10: found "pomdp"; expected DTMC, CTMC, MDP, CTMDP or SMDP`},
		{`{"kind": mdp}`, `m.json:1:10: found "mdp"; expected "dtmc", "ctmc", "mdp", "ctmdp" or "smdp"`},
		{`{"kind": "mdp", "kind": "mdp"}`, `m.json:1:17: found "kind" for the second time; expected each member once`},
		{`{"colour": 1}`, `m.json:1:2: found unknown member "colour"; expected one of "format", "kind", "numbers", "initial", "labels", "reward_models", "state_variables", "states"`},
		{`{"reward_model": ["a"]}`, `m.json:1:2: unknown member "reward_model": did you mean "reward_models"?`},
		{start + `{"reward": [1], "actions": [{"to": [[0, 1]]}]}]}`, `m.json:2:2: state 0: unknown member "reward": did you mean "rewards"?`},
		{`{"states": [{"actions": [{"to": [[0, 1]]}]}]}`, `m.json:1:1: found a model without "kind"; expected a member "kind": "dtmc", "ctmc", "mdp", "ctmdp" or "smdp"`},
		{`{"states": [{"actions": [{"to": [[0, 0.5]]}]}], "kind": "mdp"}`, `m.json:1:57: state 0, action 0: found probabilities that sum to 0.5; expected a sum of 1, within 1e-9`},
		{`{"states": [{"actions": [{"to": [[0, 1]]}, {"to": [[0, 1]]}]}], "kind": "dtmc"}`, `m.json:1:73: state 0, action 1: found a second action; expected one: the model is of kind DTMC`},
		{`{"kind": "mdp", "states": [{"rewards": [1, 2], "actions": [{"to": [[0, 1]]}]}]}`, `m.json:1:40: found rewards without "reward_models"; expected a member "reward_models" with a name for each (2)`},
		{`{"kind": "mdp", "states": [{"rewards": [1, 2], "actions": [{"to": [[0, 1]]}]}], "reward_models": ["a"]}`, `m.json:1:99: found a list of 1; expected 2, the length of the lists of rewards`},
		{start + `{"actions": [{"to": [[0, 0.9999995]]}]}]}`, `m.json:2:14: state 0, action 0: found probabilities that sum to 0.9999995; expected a sum of 1, within 1e-9 (Options.Normalize divides sums within 1e-6)`},
		{`{"kind": "mdp", "labels": {"init": [0]}}`, `m.json:1:28: found label "init"; expected a name other than "init" (the member "initial" has those states)`},
		{`{"kind": "mdp", "labels": {"a": [1, 0]}}`, `m.json:1:37: found state 0 after state 1; expected an increasing list`},
		{`{"kind": "mdp", "initial": [0.5]}`, `m.json:1:29: found "0.5"; expected the number of a state, from 0`},
		{`{"kind": "mdp", "initial": [7], "states": [{"actions": [{"to": [[0, 1]]}]}]}`, `m.json:1:29: found state 7; expected a state of 0 … 0`},
		{start + `{"actions": [{"to": [[0, 0.5], [1, 0.5]]}]}]}`, `m.json:2:33: state 0, action 0: found state 1; expected a state of 0 … 0`},
		{start + `{"actions": []}]}`, `m.json:2:1: state 0: found no action; expected at least one`},
		{start + `{"actions": [{"to": [[0, 0.5]]}]}]}`, `m.json:2:14: state 0, action 0: found probabilities that sum to 0.5; expected a sum of 1, within 1e-9`},
		{start + `{"actions": [{"to": [[0, 1, [1, 2]]]}]}]}`, `m.json:2:33: state 0, action 0: found "2"; expected a list of rewards of length 1`},
		{start + `{"rewards": [], "actions": []}]}`, `m.json:2:13: state 0: found a list of rewards of length 0; expected a list of rewards of length 1`},
		{start + `{"actions": [{"to": [[0, "one"]]}]}]}`, `m.json:2:26: state 0, action 0: found "one"; expected a number such as 1.5, 1e-3 or 17/15`},
		{start + `{"actions": [{"to": [[0, true]]}]}]}`, `m.json:2:26: state 0, action 0: found "true"; expected a number such as 1.5, 1e-3 or 17/15`},
		{start + `{"actions": [{"to": [[0, 1]`, `m.json:2:28: state 0, action 0: found the end of the file; expected "," or "]"`},
		{start + `{"actions": [{"to": [[0, 1]]}]}], "numbers": "double"}`, `m.json:2:35: found "numbers" after "states"; expected "numbers" before "states"`},
		{start + `{"actions": [{"to": [[0, 1]]}]}]} 1`, `m.json:2:35: found "1"; expected the end of the file`},
		{start + `{"actions": [{"to": [[0, 1]]}]}, {"name": "b", "actions": []}]}`, `m.json:2:35: state 1: found a name, which states before do not have; expected all or none`},
		{"{\"ki\nnd\": 1}", `m.json:1:5: found a control character in a text; expected \n, \t or \u001f`},
		{`{"\q": 1}`, `m.json:1:2: found "\\q"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`},
		{`{"\ud800x": 1}`, `m.json:1:2: found "\\ud800x"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`},
	} {
		_, err := modelfile.ReadJSON(strings.NewReader(test.text), "m.json", modelfile.Options{})
		assert.EqualError(t, err, test.want)
		assertPlace(t, err)
	}
}

// The members of a model may follow its states, and mean the same there.
func TestMembersAfterStates(t *testing.T) {
	const (
		kind    = `"kind": "mdp", `
		rewards = `"reward_models": ["cost", "time"], "initial": [1], "labels": {"goal": [1]}, `
		states  = `"states": [{"actions": [{"rewards": [1, 2], "to": [[0, 0.5], [1, 0.5]]}]}, {"rewards": [0, 3], "actions": [{"to": [[1, 1, [4, 0]]]}]}]`
	)
	read := func(text string) *modelfile.Model {
		m, err := modelfile.Read(strings.NewReader(text), "m.json", modelfile.Options{Exact: true})
		require.NoError(t, err, text)
		return m
	}
	want := read("{" + kind + rewards + states + "}")
	for _, text := range []string{
		"{" + kind + states + ", " + strings.TrimSuffix(rewards, ", ") + "}",
		" \n{" + rewards + states + ", " + strings.TrimSuffix(kind, ", ") + "}",
		"{" + states + ", " + rewards + strings.TrimSuffix(kind, ", ") + "}",
	} {
		assert.Equal(t, plain(want), plain(read(text)), text)
	}
}

// Normalize divides by sums that are off by up to 1e-6, in all formats, and no others.
func TestNormalize(t *testing.T) {
	const (
		inJSON = `{"kind": "dtmc", "states": [{"actions": [{"to": [[0, 0.333333], [1, 0.666666]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`
		inDRN  = "\n@type: DTMC\n@nr_states\n2\n@model\nstate 0\n\taction 0\n\t\t0 : 0.333333\n\t\t1 : 0.666666\nstate 1\n\taction 0\n\t\t1 : 1\n"
	)
	for _, text := range []string{inJSON, inDRN} {
		for _, exact := range []bool{false, true} {
			options := modelfile.Options{Exact: exact}
			_, err := modelfile.Read(strings.NewReader(text), "m", options)
			assert.ErrorContains(t, err, "sum to 0.999999; expected a sum of 1, within 1e-9")
			options.Normalize = true
			m, err := modelfile.Read(strings.NewReader(text), "m", options)
			require.NoError(t, err)
			require.NoError(t, m.Validate())
			assert.Equal(t, []float64{1.0 / 3, 2.0 / 3, 1}, m.Values.Float)
			_, err = modelfile.Read(strings.NewReader(strings.Replace(text, "0.666666", "0.66666", 1)), "m", options)
			assert.ErrorContains(t, err, "sum to 0.999993; expected a sum of 1, within 1e-6")
		}
	}
}

// A text without a model, such as standard input that has ended, is called empty.
func TestEmptyInput(t *testing.T) {
	for _, text := range []string{"", "\n \r\n"} {
		_, err := modelfile.Read(strings.NewReader(text), "standard input", modelfile.Options{})
		assert.ErrorContains(t, err, "standard input:1:1: found nothing: the input is empty; expected a model in JSON, DRN")
	}
	_, err := modelfile.Read(strings.NewReader("\nstates 3"), "standard input", modelfile.Options{})
	assert.ErrorContains(t, err, `standard input:1:1: found "states"; expected a model in JSON, DRN`)
	_, err = modelfile.Read(strings.NewReader("// a comment\n @type: MA"), "m", modelfile.Options{})
	assert.ErrorContains(t, err, "expected DTMC, CTMC or MDP")
	_, err = modelfile.ReadUMB(strings.NewReader(""), "m.umb", modelfile.Options{})
	assert.EqualError(t, err, "m.umb: index.json: found an empty file; expected a tar file, index.json first")
	_, err = modelfile.Read(iotest.ErrReader(errors.New("no disk")), "m", modelfile.Options{})
	assert.ErrorContains(t, err, "no disk")
}

// TestModelFaults breaks a model in one way each.
func TestModelFaults(t *testing.T) {
	for _, test := range []struct {
		harm func(m *modelfile.Model)
		want string
	}{
		{func(m *modelfile.Model) { m.Kind = 9 }, "kind 9"},
		{func(m *modelfile.Model) { m.Kind = modelfile.DTMC }, "state 0 has 2 choices"},
		{func(m *modelfile.Model) { m.StateStart = nil }, "StateStart"},
		{func(m *modelfile.Model) { m.StateStart[1] = 0 }, "state 0 has 0 choices"},
		{func(m *modelfile.Model) { m.RowStart[1] = 7 }, "RowStart"},
		{func(m *modelfile.Model) { m.RowStart[1] = 99 }, "RowStart"},
		{func(m *modelfile.Model) { m.Columns[0] = 2 }, "leads to state 2"},
		{func(m *modelfile.Model) { m.Columns[0] = m.Columns[1] }, "twice"},
		{func(m *modelfile.Model) { m.Values.Float[0] = -0.5 }, "positive"},
		{func(m *modelfile.Model) { m.Values.Float[0] = 0.25 }, "sum to 0.75"},
		{func(m *modelfile.Model) { m.Values.Float = m.Values.Float[1:] }, "values"},
		{func(m *modelfile.Model) { m.Initial = nil }, "no initial state"},
		{func(m *modelfile.Model) { m.Initial = []int32{1, 0} }, "initial states"},
		{func(m *modelfile.Model) { m.Initial = []int32{0, 0} }, "initial states: state 0 after 0: use increasing ones of 0 … 1"},
		{func(m *modelfile.Model) { m.Labels = map[string][]int32{"init": {0}} }, "label"},
		{func(m *modelfile.Model) { m.Labels = map[string][]int32{"a": {2}} }, "state 2"},
		{func(m *modelfile.Model) { m.Labels = map[string][]int32{"a": {0, 1, 1}} }, `label "a": state 1 after 1`},
		{func(m *modelfile.Model) { m.Rewards = append(m.Rewards, m.Rewards[0]) }, "reward model"},
		{func(m *modelfile.Model) { m.Rewards[0].Name = "" }, "reward model"},
		{func(m *modelfile.Model) { m.Rewards[0].State.Float = []float64{1} }, "state rewards"},
		{func(m *modelfile.Model) { m.ActionNames = m.ActionNames[1:] }, "action names"},
		{func(m *modelfile.Model) { m.ActionNames[0] = "\xff" }, "action name"},
		{func(m *modelfile.Model) { m.StateNames = []string{"(0)"} }, "state names"},
	} {
		m := readFile(t, "testdata/toymaker.json", modelfile.Options{})
		test.harm(m)
		assert.ErrorContains(t, m.Validate(), test.want)
		var text strings.Builder
		assert.ErrorContains(t, modelfile.WriteJSON(&text, m), test.want)
		assert.ErrorContains(t, modelfile.WriteDRN(&text, m), test.want)
		assert.ErrorContains(t, modelfile.WritePRISM(nil, m), test.want)
		assert.Empty(t, text.String())
	}
	m := readFile(t, "testdata/toymaker.json", modelfile.Options{Exact: true})
	m.Values.Float[0] = 0.25
	assert.ErrorContains(t, m.Validate(), "nearest")
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	want := readFile(t, "testdata/queue.drn", modelfile.Options{})
	for _, name := range []string{"m.drn", "m.drn.gz", "m.json", "m.json.gz", "m.umb", "m.umb.gz", "m.tra", "m.tra.gz"} {
		path := filepath.Join(folder, name)
		for range 2 { // the second time there is something to overwrite
			require.NoError(t, modelfile.WriteFile(path, want))
		}
		assert.Equal(t, plain(want), plain(readFile(t, path, modelfile.Options{})), name)
	}
	for _, name := range []string{"m", "m.gz", "m.txt", "m.tra.xz"} {
		_, err := modelfile.ReadFile(filepath.Join(folder, name), modelfile.Options{})
		assert.ErrorIs(t, err, modelfile.ErrFormat)
		assert.ErrorIs(t, modelfile.WriteFile(filepath.Join(folder, name), want), modelfile.ErrFormat)
	}
	for _, name := range []string{"none.drn", "none.json.gz", "none.tra", "none.tra.gz"} {
		_, err := modelfile.ReadFile(filepath.Join(folder, name), modelfile.Options{})
		assert.ErrorIs(t, err, os.ErrNotExist)
	}

	// A fault leaves what was there.
	broken := *want
	broken.Kind = 0
	for _, name := range []string{"m.drn", "m.json.gz", "m.tra", "m.tra.gz"} {
		path := filepath.Join(folder, name)
		assert.Error(t, modelfile.WriteFile(path, &broken))
		assert.Equal(t, plain(want), plain(readFile(t, path, modelfile.Options{})))
	}
	// Files of PRISM are replaced when all are written.
	set := filepath.Join(folder, "set")
	require.NoError(t, os.Mkdir(set+".lab", 0o700))
	require.NoError(t, os.WriteFile(set+".tra", []byte("old"), 0o600))
	require.Error(t, modelfile.WriteFile(set+".tra", want))
	text, err := os.ReadFile(set + ".tra")
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
	left, err := filepath.Glob(filepath.Join(folder, "*.partial"))
	require.NoError(t, err)
	assert.Empty(t, left)

	// Files of another model stay, too.
	one := *want
	one.Rewards = want.Rewards[:1]
	assert.ErrorContains(t, modelfile.WriteFile(filepath.Join(folder, "m.tra"), &one), "m1.srew exists")
	require.NoError(t, os.Remove(filepath.Join(folder, "m1.srew")))
	assert.ErrorContains(t, modelfile.WriteFile(filepath.Join(folder, "m.tra"), &one), "m1.srew.gz exists")

	// Places are in the files as they were named.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "m.lab"), []byte("?"), 0o600))
	_, err = modelfile.ReadFile(filepath.Join(folder, "m.tra"), modelfile.Options{})
	assert.ErrorContains(t, err, filepath.Join(folder, "m.lab")+":1:1: ")

	// Damage is not a fault of the text.
	packed, err := os.ReadFile(filepath.Join(folder, "m.drn.gz"))
	require.NoError(t, err)
	cut := filepath.Join(folder, "cut.drn.gz")
	require.NoError(t, os.WriteFile(cut, packed[:len(packed)/2], 0o600))
	_, err = modelfile.ReadFile(cut, modelfile.Options{})
	assert.ErrorContains(t, err, "unexpected EOF")
	require.NoError(t, os.WriteFile(cut, []byte("no gzip"), 0o600))
	_, err = modelfile.ReadFile(cut, modelfile.Options{})
	assert.ErrorContains(t, err, "cut.drn.gz")
	cut = filepath.Join(folder, "m.lab.gz")
	require.NoError(t, os.WriteFile(cut, []byte("no gzip"), 0o600))
	_, err = modelfile.ReadFile(filepath.Join(folder, "m.tra.gz"), modelfile.Options{})
	assert.ErrorContains(t, err, "m.lab.gz: damaged gzip data")
}

func TestNamesThatAFormatCannotHold(t *testing.T) {
	for _, test := range []struct {
		change     func(m *modelfile.Model)
		drn, prism bool
	}{
		{func(m *modelfile.Model) { m.Rewards[0].Name = "a b" }, false, true},
		{func(m *modelfile.Model) { m.Rewards[0].Name = `a"b` }, true, false},
		{func(m *modelfile.Model) { m.Labels["two words"] = []int32{0} }, true, true},
		{func(m *modelfile.Model) { m.Labels[`a"b`] = []int32{0} }, false, false},
		{func(m *modelfile.Model) { m.Labels["[a"] = []int32{0} }, false, true},
		{func(m *modelfile.Model) { m.ActionNames[0] = "a b" }, true, false},
		{func(m *modelfile.Model) { m.ActionNames[0] = "a[b" }, false, true},
		{func(m *modelfile.Model) { m.ActionNames[0] = "a\nb" }, false, false},
		{func(m *modelfile.Model) { m.StateNames = []string{"a", "b"} }, true, false},
	} {
		m := readFile(t, "testdata/toymaker.json", modelfile.Options{})
		m.FoldTransitionRewards()
		test.change(m)
		var text strings.Builder
		err := modelfile.WriteDRN(&text, m)
		assert.Equal(t, test.drn, err == nil, "%v", err)
		assert.Equal(t, err == nil, text.Len() > 0)
		files := folder{fstest.MapFS{}}
		err = modelfile.WritePRISM(files.create, m)
		assert.Equal(t, test.prism, err == nil, "%v", err)
		assert.Equal(t, err == nil, len(files.files) > 0)
		assert.Equal(t, plain(m), plain(throughJSON(t, m, modelfile.Options{})))
	}
}

// TestFaultsNameStateAndAction has the same fault, in the second action of the second of
// three states, in all formats, where it is found at once and where it is found at the
// end of the action.
func TestFaultsNameStateAndAction(t *testing.T) {
	const (
		json = `{"kind": "mdp", "states": [{"actions": [{"to": [[0, 1]]}]}, ` +
			`{"actions": [{"to": [[0, 1]]}, {"to": [[0, 0.25], [2, WRONG]]}]}, {"actions": [{"to": [[0, 1]]}]}]}`
		drn = "@type: MDP\n@nr_states\n3\n@model\nstate 0\n\taction a\n\t\t0 : 1\nstate 1\n\taction a\n\t\t0 : 1\n\taction b\n" +
			"\t\t0 : 0.25\n\t\t2 : WRONG\nstate 2\n\taction a\n\t\t0 : 1\n"
		tra = "3 4 5\n0 0 0 1\n1 0 0 1\n1 1 0 0.25\n1 1 2 WRONG\n2 0 0 1\n"
	)
	for _, wrong := range []string{"-1", "0.5"} {
		read := func(text string) *strings.Reader { return strings.NewReader(strings.Replace(text, "WRONG", wrong, 1)) }
		_, err := modelfile.ReadJSON(read(json), "m.json", modelfile.Options{})
		assertWithin(t, err, "state 1, action 1")
		_, err = modelfile.ReadDRN(read(drn), "m.drn", modelfile.Options{})
		assertWithin(t, err, "state 1, action 1")
		_, err = modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte(strings.Replace(tra, "WRONG", wrong, 1))}}, "m", modelfile.Options{})
		assertWithin(t, err, "state 1, action 1")
	}
	_, err := modelfile.ReadPRISM(fstest.MapFS{"m.tra": {Data: []byte("3 4 5\n0 0 0 1\nx")}}, "m", modelfile.Options{})
	assertWithin(t, err, "")
}

func assertWithin(t *testing.T, err error, want string) {
	t.Helper()
	var syntax *modelfile.SyntaxError
	if assert.ErrorAs(t, err, &syntax) {
		assert.Equal(t, want, syntax.Within, "%v", err)
	}
}

// A file that somebody writes while it is read is an error, whatever was read of it.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	m, err := modelfile.ReadFile(filepath.Join("testdata", "die.drn"), modelfile.Options{})
	require.NoError(t, err)
	folder := t.TempDir()
	for _, name := range []string{"m.drn", "m.json", "m.json.gz", "m.umb", "m.umb.gz", "m.tra"} {
		path := filepath.Join(folder, name)
		require.NoError(t, modelfile.WriteFile(path, m))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, change := range []func(){
			func() { assert.NoError(t, os.Truncate(path, int64(len(text)/2))) },
			func() { assert.NoError(t, os.WriteFile(path, append(text, ' '), 0o600)) },
		} {
			require.NoError(t, os.WriteFile(path, text, 0o600))
			_, err = modelfile.ReadFile(path, modelfile.Options{Announced: func(modelfile.Header) error {
				change()
				return nil
			}})
			require.ErrorContains(t, err, name+": the file changed while it was read")
		}
		require.NoError(t, os.WriteFile(path, text, 0o600))
		_, err = modelfile.ReadFile(path, modelfile.Options{})
		require.NoError(t, err, name)
	}
}
